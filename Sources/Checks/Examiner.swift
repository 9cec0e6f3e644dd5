import Bluetooth
import GATT
import HCI
import LEHost
import Octets
import Scenarios
import Simulation
import VirtualWorld

/// A central that a check asks one thing after the other: each call plays the world until the answer is there.
///
/// Every wait has an end in the world's time, so a check has one too, whatever the peripheral does.
struct Examiner: Sendable {
    /// A value that the peripheral has notified or indicated.
    struct Notice: Hashable {
        let handle: UInt16
        let octets: [UInt8]
        let instant: Instant
    }

    /// So many notices and answers are kept; a peripheral that sends more in one case is listened to no further.
    static let mostNotices = 1 << 16

    /// What the two play in.
    private(set) var world: World
    let device: Int
    private let node: Int

    /// What it heard the peripheral advertise, newest last, but for repetitions.
    private(set) var reports: [AdvertisingReport] = []
    /// What was discovered on the newest connection.
    var services: [DiscoveredService] = []
    /// Since this was last emptied.
    var notices: [Notice] = []
    /// What the server has sent as an answer, asked or not, since this was last emptied.
    var answered: [[UInt8]] = []
    private(set) var connection: ConnectionID?
    private(set) var mtu = 23
    /// The supervision timeout that is in force.
    private(set) var supervisionTimeout = Duration.zero
    /// Why the newest connection is over.
    private(set) var end: HCIStatus?
    private(set) var isReady = false
    private(set) var hasFailedToConnect = false
    private var answers: [UInt32: Result<Procedure.Outcome, Procedure.Failure>] = [:]
    private var asked: UInt32 = 0

    /// A central in a world that has not started, which examines this one of its devices.
    init(in world: World, of device: Int) throws(AttributeTable.DefinitionError) {
        (self.world, self.device) = (world, device)
        node = try self.world.addClient(at: .start)
    }

    /// The present.
    var now: Instant { world.now }

    /// The address under which the peripheral is known.
    var address: DeviceAddress { world.scenario.devices[device].address }

    mutating func start() {
        world.start()
        command(.overhear(true))
        command(.start)
    }

    mutating func command(_ command: Host.Command) {
        world.command(command, of: node)
        listen()
    }

    /// Does to the peripheral what a rule of its script would, and what a person at a real one can: for so long.
    mutating func act(_ action: Action, for duration: Duration? = nil) {
        _ = world.act(action, as: "examiner", for: duration.map { .after($0) }, at: now)
        listen()
    }

    // MARK: Time

    /// Plays for so long.
    mutating func wait(_ duration: Duration) { _ = wait(atMost: duration) { _ in false } }

    /// Plays until something is so, but not for longer than that: whether it is.
    mutating func wait(atMost duration: Duration, until isSo: (borrowing Examiner) -> Bool) -> Bool {
        let limit = now.advanced(by: duration)
        while !isSo(self) {
            guard world.runNext(until: limit) else {
                world.run(until: limit)
                return false
            }
            listen()
        }
        return true
    }

    /// Takes what the host has said.
    private mutating func listen() {
        guard !world.outbox.isEmpty else { return }
        let heard = world.outbox
        world.outbox.removeAll(keepingCapacity: true)
        for case .client(_, let output) in heard { take(output) }
    }

    private mutating func take(_ output: Host.Output) {
        switch output {
        case .started: isReady = true
        case .report(let report) where report.address == address:
            reports.removeAll { $0.kind == report.kind }
            reports.append(report)
        case .connected(let id, let complete):
            (connection, end, mtu) = (id, nil, 23)
            supervisionTimeout = .milliseconds(10 * Int(complete.timing.supervisionTimeout))
        case .timing(_, let timing): supervisionTimeout = .milliseconds(10 * Int(timing.supervisionTimeout))
        case .connectionFailed: hasFailedToConnect = true
        case .disconnected(let id, _, let reason) where id == connection: (connection, end) = (nil, reason)
        case .exchangedMTU(_, let size): mtu = size
        case .finished(_, let id, let result): answers[id] = result
        case .notified(_, let handle, let packet), .indicated(_, let handle, let packet):
            if notices.count < Self.mostNotices {
                notices.append(Notice(handle: handle, octets: world.pool.octets(of: packet), instant: now))
            }
            world.pool.release(packet)
        case .overheard(_, let octets): if answered.count < Self.mostNotices { answered.append(octets) }
        default: break
        }
    }

    // MARK: Questions

    /// Asks the peripheral's server: what came of it; nil when the connection is over, or nobody answered in time.
    mutating func ask(_ procedure: Procedure) -> Result<Procedure.Outcome, Procedure.Failure>? {
        guard let connection else { return nil }
        asked += 1
        let id = asked
        command(.procedure(connection, procedure, id: id))
        _ = wait(atMost: Self.patience) { $0.answers[id] != nil }
        return answers.removeValue(forKey: id)
    }

    /// Longer than any procedure that is answered takes; each request of it has 30 s.  Core 6.0, Vol 3, Part F, section
    /// 3.3.3.
    private static let patience = Duration.seconds(300)

    mutating func forgetReports() { reports = [] }

    mutating func beginConnecting(_ parameters: ConnectionParameters, within patience: Duration) {
        (hasFailedToConnect, services, notices, answered) = (false, [], [], [])
        command(.connect(ConnectionCreation(to: address, parameters: parameters), timeout: patience))
    }
}
