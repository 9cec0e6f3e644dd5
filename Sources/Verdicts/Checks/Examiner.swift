import Bluetooth
import GATT
import HCI
import LEHost
import Scenarios
import Services
import Simulation
import VirtualWorld

/// A central that a check asks one thing after the other: each call lets time pass until the answer is there.
///
/// Every wait has an end, so a check has one too, whatever the peripheral does.
struct Examiner {
    /// A value that the peripheral has notified or indicated.
    struct Notice: Hashable {
        let handle: UInt16
        let octets: [UInt8]
        let instant: Instant
    }

    /// So many notices and answers are kept; a peripheral that sends more in one case is listened to no further.
    static let maximumNotices = 1 << 16

    /// The host by which it reaches the peripheral.
    private(set) var host: any ExaminerHost
    /// The peripheral that it examines.
    let peer: Peer
    /// The address of the peripheral; nil before it was found.
    private(set) var address: DeviceAddress?
    /// All advertisers that were found.
    private(set) var advertisers = AdvertiserCache()

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
    /// Why the newest connection did not come about; nil when it has, or may still.
    private(set) var refusal: Host.ConnectionFailure?
    private var answers: [UInt32: Result<Procedure.Outcome, Procedure.Failure>] = [:]
    private var asked: UInt32 = 0

    /// The longest that the machine stood still in a wait whose end could mean something else because of that.
    private(set) var standstill = Duration.zero

    init(by host: any ExaminerHost, of peer: Peer) {
        (self.host, self.peer) = (host, peer)
        if case .address(let own) = peer { address = own }
    }

    /// A central in a world that has not started, which examines this one of its devices.
    init(in world: World, of device: Int) throws(AttributeTable.DefinitionError) {
        let peer = Peer.address(world.scenario.devices[device].address)
        self.init(by: try VirtualTimeHost(world, device: device), of: peer)
    }

    /// The present.
    var now: Instant { host.now }

    /// What it heard the peripheral advertise, newest last, but for repetitions.
    var reports: [AdvertisingReport] { advertisers.all.first { $0.address == address }?.reports ?? [] }

    mutating func start() {
        host.start()
        command(.overhear(true))
        listen()
    }

    /// Leaves the air without a word, and is back at once.
    mutating func vanish() throws(CheckExit) {
        isReady = false
        command(.start)
        guard wait(atMost: .seconds(10), until: { $0.isReady }) else {
            throw .inconclusive("the controller was not ready within 10 s of its reset")
        }
    }

    mutating func command(_ command: Host.Command) {
        host.perform(command)
        listen()
    }

    /// A value in the peripheral's scenario, by its name or as the main value of a service; nil without a scenario.
    func scenarioValue(named name: String? = nil, of service: ServiceDescription) -> EntityReference? {
        host.stage.flatMap { $0.scenario.value(named: name, of: service, device: $0.device) }
    }

    /// Does to the peripheral what a rule of its script would, and what a person at a real one can: for so long.  Skips
    /// the check where nobody can.
    mutating func act(_ action: Action, for duration: Duration? = nil) throws(CheckExit) {
        guard host.act(action, for: duration) else {
            throw .skipped("nobody can do \(action.kind.rawValue) to this peripheral")
        }
        listen()
    }

    // MARK: Time

    /// Lets so much time pass.
    mutating func wait(_ duration: Duration) { _ = wait(atMost: duration) { _ in false } }

    /// Waits until something is so, but not for longer than that: whether it is.  What is awaited is due within a part
    /// of that, where `bound` says so.
    mutating func wait(
        atMost duration: Duration, due bound: Duration? = nil, until isSo: (borrowing Examiner) -> Bool
    ) -> Bool {
        let begin = now
        let limit = begin.advanced(by: duration)
        defer { noteStandstill(since: begin, of: bound ?? duration) }
        while !isSo(self) {
            guard host.play(until: limit) else { return false }
            listen()
        }
        return true
    }

    /// What came late, or not in time, proves nothing when the machine stood still for a tenth of that time.
    private mutating func noteStandstill(since begin: Instant, of bound: Duration) {
        let longest = host.standstill(since: begin)
        if longest > max(bound / 10, Self.unnoticed) { standstill = max(standstill, longest) }
    }

    /// So long a machine may stand still in any case.
    private static let unnoticed = Duration.milliseconds(50)

    /// Takes what the host has said.
    private mutating func listen() {
        var outputs: [Host.Output] = []
        host.drain(into: &outputs)
        for output in outputs { take(output) }
    }

    private mutating func take(_ output: Host.Output) {
        switch output {
        case .started: isReady = true
        case .report(let report):
            let advertiser = advertisers.add(report)
            // Of several with one name, the first one is kept until `forgetReports`.
            if advertiser.matches(peer), !advertisers.all.contains(where: { $0.address == address }) {
                address = advertiser.address
            }
        case .connected(let id, let complete):
            // Another program's host does not report the MTU that it has exchanged.
            let hasDefaultMTU = host.unsupportedReason(for: .untouchedConnections) == nil
            (connection, end, mtu) = (id, nil, hasDefaultMTU ? 23 : Server.largestMTU)
            supervisionTimeout = .milliseconds(10 * Int(complete.timing.supervisionTimeout))
        case .timing(_, let timing): supervisionTimeout = .milliseconds(10 * Int(timing.supervisionTimeout))
        case .connectionFailed(_, let failure): refusal = failure
        case .disconnected(let id, _, let reason) where id == connection: (connection, end) = (nil, reason)
        case .exchangedMTU(_, let size): mtu = size
        case .finished(let own, let id, let result) where own == connection: answers[id] = result
        case .notified(_, let handle, let packet), .indicated(_, let handle, let packet):
            let octets = host.take(packet)
            if notices.count < Self.maximumNotices {
                notices.append(Notice(handle: handle, octets: octets, instant: now))
            }
        case .overheard(_, let octets): if answered.count < Self.maximumNotices { answered.append(octets) }
        default: break
        }
    }

    /// Skips the check if the host lacks a capability.
    func need(_ capability: CentralCapability) throws(CheckExit) {
        if let reason = host.unsupportedReason(for: capability) { throw .skipped(reason) }
    }

    // MARK: Questions

    /// Asks the peripheral's server: what came of it; nil when the connection is over, or nobody answered in time.
    mutating func ask(_ procedure: Procedure) -> Result<Procedure.Outcome, Procedure.Failure>? {
        guard let connection else { return nil }
        asked += 1
        let id = asked
        command(.procedure(connection, procedure, id: id))
        _ = wait(atMost: Self.patience, due: Self.transaction) { $0.answers[id] != nil }
        return answers.removeValue(forKey: id)
    }

    /// Longer than any procedure that is answered takes.
    private static let patience = Duration.seconds(300)
    /// Each request of a procedure has so long.  Core 6.0, Vol 3, Part F, section 3.3.3.
    private static let transaction = Duration.seconds(30)

    mutating func forgetReports() { advertisers = AdvertiserCache() }

    mutating func beginConnecting(_ parameters: ConnectionParameters, within patience: Duration) {
        (refusal, services, notices, answered) = (nil, [], [], [])
        guard let address else {
            refusal = .notNow
            return
        }
        command(.connect(ConnectionCreation(to: address, parameters: parameters), timeout: patience))
    }
}
