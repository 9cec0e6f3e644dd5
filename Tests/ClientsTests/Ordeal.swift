import Basics
import Bluetooth
import Clients
import GATT
import HCI
import LEHost

/// A collector above a host that keeps its promises, whose controller and whose strap do what chance wants, until they
/// calm down.
struct Ordeal {
    private enum Event: Equatable {
        case wake
        case advertises
        case notifies
        case mischief
        /// Of the attempt with this number, as are the next two.
        case starts(Int)
        case connects(Int)
        case givesUp(Int)
        case answers(UInt32)
        case ends(ConnectionID)
        case supervises(ConnectionID)
    }

    private struct Link {
        let id: ConnectionID
        let peer: DeviceAddress
        var isSubscribed = false
    }

    static let supervisionTimeout = Duration.milliseconds(720)
    private static let services = Services.all + [Services.thermometer, Services.attributes]

    private(set) var now = Instant.start
    private(set) var collector: SensorCollector
    private(set) var pool = PacketPool()
    /// When a heart rate was reported last.
    private(set) var shownAt = Instant.start
    /// The inputs of the collector, for the message of a failure.
    private(set) var history: [String] = []

    private var chance: RandomStream
    private var isCalm = false
    private var agenda: [(at: Instant, event: Event)] = []
    private var outbox: [SensorCollector.Output] = []
    private var attempt = 0
    private var isStarting = false
    private var isReady = false
    private var isScanning = false
    private var connecting: DeviceAddress?
    private var link: Link?
    private var lastLink: UInt32 = 0
    private var asked: [(number: UInt32, procedure: Procedure)] = []
    /// Where the strap is; nil when it is away.
    private var strap: DeviceAddress? = Stand.strap

    init(seed: UInt64, _ settings: SensorCollector.Settings) {
        (collector, chance) = (SensorCollector(settings), RandomStream(seed: seed))
        collector.start(at: now, into: &outbox)
        for event in [Event.advertises, .notifies, .mischief] { agenda.append((now, event)) }
        settle()
    }

    /// Whether something must come, if not now: an instant, an answer, the end of a link, or an advertiser.
    var isWaiting: Bool {
        collector.isIdle || isStarting || isScanning || connecting != nil || link != nil
            || agenda.contains { $0.event == .wake }
    }

    /// From now on everything goes well, what is under way too.
    mutating func calmDown() {
        isCalm = true
        if strap == nil { strap = Stand.strap }
        for index in agenda.indices where agenda[index].event != .wake {
            if case .givesUp = agenda[index].event { continue }
            agenda[index].at = min(agenda[index].at, now.advanced(by: .milliseconds(60)))
        }
    }

    mutating func play(for duration: Duration) {
        let end = now.advanced(by: duration)
        while let index = agenda.indices.min(by: { agenda[$0].at < agenda[$1].at }), agenda[index].at <= end {
            let (at, event) = agenda.remove(at: index)
            now = max(now, at)
            happens(event)
            settle()
        }
        now = end
    }

    // MARK: Chance

    private mutating func milliseconds(_ range: ClosedRange<UInt64>) -> Duration {
        .milliseconds(Int64(range.lowerBound + chance.below(range.upperBound - range.lowerBound + 1)))
    }

    /// Whether something goes wrong, with this probability.
    private mutating func goesWrong(_ percent: UInt64) -> Bool { !isCalm && chance.happens(percent, outOf: 100) }

    private mutating func plan(_ event: Event, after delay: ClosedRange<UInt64>) {
        agenda.append((now.advanced(by: milliseconds(delay)), event))
    }

    private mutating func report(_ output: Host.Output) {
        history.append("\(now) \(output)")
        collector.step(output, at: now, pool: &pool, into: &outbox)
    }

    // MARK: Commands to the host

    private mutating func settle() {
        while !outbox.isEmpty {
            let outputs = outbox
            outbox = []
            for output in outputs {
                switch output {
                case .wake(let instant): agenda.append((max(now, instant), .wake))
                case .update(let update): if case .heartRate = update.content { shownAt = now }
                case .command(let command): obey(command)
                }
            }
        }
    }

    private mutating func obey(_ command: Host.Command) {
        history.append("\(now)    \(command)")
        switch command {
        case .start:
            endAll()
            attempt += 1
            (isStarting, isReady) = (true, false)
            plan(.starts(attempt), after: goesWrong(20) ? 10_000...10_000 : 10...30)
        case .scan where goesWrong(10): report(.refused(Command.leSetScanEnable.opcode, .commandDisallowed))
        case .scan: isScanning = true
        case .stopScanning: isScanning = false
        case .connect(let creation, let timeout):
            guard isReady, connecting == nil else { return report(.connectionFailed(creation.peer, .notNow)) }
            attempt += 1
            connecting = creation.peer
            if let timeout { agenda.append((now.advanced(by: timeout), .givesUp(attempt))) }
            plan(.connects(attempt), after: 10...110)
        case .disconnect(let id, _): plan(.ends(id), after: isCalm ? 50...100 : 10...1000)
        case .procedure(let id, let procedure, let number):
            guard link?.id == id else { return report(.finished(id, id: number, .failure(.disconnected))) }
            asked.append((number, procedure))
            let discovery = procedure == .discoverEverything
            plan(.answers(number), after: goesWrong(5) ? 30_000...30_000 : discovery ? 300...900 : 30...60)
        default: break
        }
    }

    private mutating func endAll() {
        if let link { end(link.id, .hardwareFailure) }
        if let peer = connecting {
            connecting = nil
            report(.connectionFailed(peer, .status(.hardwareFailure)))
        }
        isScanning = false
    }

    private mutating func end(_ id: ConnectionID, _ reason: HCIStatus) {
        guard let link, link.id == id else { return }
        self.link = nil
        for (number, _) in asked { report(.finished(id, id: number, .failure(.disconnected))) }
        asked = []
        report(.disconnected(id, link.peer, reason: reason))
    }

    private mutating func fail(_ failure: Host.Failure) {
        endAll()
        (isStarting, isReady) = (false, false)
        report(.failed(failure))
    }

    // MARK: What happens

    private mutating func happens(_ event: Event) {
        switch event {
        case .wake: collector.timePassed(at: now, into: &outbox)
        case .advertises:
            advertise()
            plan(.advertises, after: 100...110)
        case .notifies:
            if let link, link.isSubscribed, strap == link.peer { notify([0x00, 72]) }
            plan(.notifies, after: 1000...1000)
        case .mischief:
            guard !isCalm else { return }
            makeMischief()
            plan(.mischief, after: 1...1500)
        case .starts(let number):
            guard isStarting, number == attempt else { return }
            isStarting = false
            if goesWrong(30) { return fail(.noAnswer(Command.reset.opcode)) }
            isReady = true
            report(.started(DeviceAddress(1, .public), ControllerFacts()))
        case .connects(let number):
            guard let peer = connecting, number == attempt else { return }
            guard strap == peer, !goesWrong(20) else { return plan(.connects(number), after: 100...110) }
            connecting = nil
            if goesWrong(20) { return report(.connectionFailed(peer, .status(.failedToBeEstablished))) }
            lastLink += 1
            link = Link(id: ConnectionID(number: lastLink), peer: peer)
            let timing = ConnectionTiming(interval: 0x18, latency: 0, supervisionTimeout: 0x48)
            let complete = ConnectionComplete(handle: 0x40, role: .central, peer: peer, timing: timing)
            report(.connected(ConnectionID(number: lastLink), complete))
        case .givesUp(let number):
            guard let peer = connecting, number == attempt else { return }
            connecting = nil
            report(.connectionFailed(peer, .timedOut))
        case .answers(let number): answer(number)
        case .ends(let id):
            if goesWrong(20) { return report(.refused(Command.disconnect.opcode, .commandDisallowed)) }
            end(id, .localHostTerminated)
        case .supervises(let id):
            if link?.id == id, link?.peer != strap { end(id, .connectionTimeout) }
        }
    }

    private mutating func advertise() {
        guard isScanning, isReady, let strap, link?.peer != strap else { return }
        var data = AdvertisingData()
        try? data.append(services: goesWrong(10) ? [.battery] : [.heartRate])
        let kind = goesWrong(10) ? AdvertisingReport.Kind.nonConnectable : .undirected
        let octets = goesWrong(10) ? Array(data.octets.dropLast()) : data.octets
        let rssi = Int8(clamping: -60 - Int(chance.below(9)))
        report(.report(AdvertisingReport(kind: kind, address: strap, data: octets, rssi: rssi)))
    }

    private mutating func notify(_ octets: [UInt8]) {
        guard let link else { return }
        report(.notified(link.id, handle: Services.measurement, pool.take(octets)))
    }

    private mutating func answer(_ number: UInt32) {
        guard let link, let index = asked.firstIndex(where: { $0.number == number }) else { return }
        let procedure = asked.remove(at: index).procedure
        let failures: [Procedure.Failure] = [
            .refused(.insufficientAuthentication, handle: 1), .refused(.databaseOutOfSync, handle: 1), .tooMuch,
            .refused(.unlikelyError, handle: 1), .unexpected(opcode: 0), .bearerLost,
        ]
        if goesWrong(10) {
            let failure = failures[Int(chance.below(UInt64(failures.count)))]
            return report(.finished(link.id, id: number, .failure(failure)))
        }
        let outcome: Procedure.Outcome
        switch procedure {
        case .exchangeMTU: outcome = .mtu(goesWrong(50) ? 23 : 247)
        case .discoverEverything: outcome = .services(goesWrong(10) ? [Services.battery] : Self.services)
        case .read, .readLong: outcome = .value([UInt8](repeating: 1, count: Int(chance.below(20))))
        case .configure(let handle, _):
            if handle == Services.measurement + 1 { self.link?.isSubscribed = true }
            outcome = .written
        default: outcome = .written
        }
        report(.finished(link.id, id: number, .success(outcome)))
    }

    private mutating func makeMischief() {
        switch chance.below(12) {
        case 0, 1: strap = nil
        case 2, 3: strap = Stand.strap
        case 4: strap = Stand.other
        case 5: if let link { end(link.id, .remoteUserTerminated) }
        case 6: if isReady { fail(.hardware(7)) }
        case 7: notify([UInt8](repeating: UInt8(chance.below(256)), count: Int(chance.below(8))))
        case 8:
            guard let link else { break }
            let octets = [UInt8(chance.below(3)), 0, 0xFF, 0xFF]
            let changed = Services.attributes.characteristics[0].valueHandle
            report(.indicated(link.id, handle: changed, pool.take(octets)))
        case 9: report(.finished(ConnectionID(number: lastLink), id: UInt32(chance.below(50)), .success(.written)))
        case 10: report(.refused(Command.leSetScanParameters.opcode, .commandDisallowed))
        default: report(.refused(Command.disconnect.opcode, .unspecified))
        }
        if let link, link.peer != strap {
            agenda.append((now.advanced(by: Self.supervisionTimeout), .supervises(link.id)))
        }
    }
}
