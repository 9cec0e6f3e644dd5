import ATT
import Basics
import Bluetooth
import Clients
import GATT
import HCI
import LEHost

/// A collector under test: the test is its host, and passes the host's outputs.
struct Stand {
    typealias Saying = SensorCollector.Update
    typealias Peer = SensorCollector.Peer

    var collector: SensorCollector
    var pool = PacketPool()
    var now = Instant.start
    /// What the last step put out; `.wake` is served by `wait`.
    var outputs: [SensorCollector.Output] = []
    private var wakes: [Instant] = []

    static let strap = DeviceAddress(0xC0FF_EE00_0001, .random)
    static let other = DeviceAddress(0xC0FF_EE00_0002, .random)

    /// A collector that does not pair, so that a refusal is final, unless it `pairs`.
    init(_ settings: SensorCollector.Settings = .init(), pairs: Bool = false) {
        var settings = settings
        settings.pairs = pairs
        collector = SensorCollector(settings)
    }

    /// What the last step would show, as a client's lines.
    var lines: [String] { outputs.compactMap { if case .update(let update) = $0 { update.json } else { nil } } }

    /// What the last step would show to people.
    var texts: [String] { outputs.compactMap { if case .update(let update) = $0 { update.text } else { nil } } }

    /// The contents of the last step's updates.
    var contents: [SensorCollector.Content] {
        outputs.compactMap { if case .update(let update) = $0 { update.content } else { nil } }
    }

    /// The commands to the host in the last step.
    var commands: [Host.Command] { outputs.compactMap { if case .command(let command) = $0 { command } else { nil } } }

    /// The procedures that were asked for in the last step, each with its number.
    var procedures: [(procedure: Procedure, number: UInt32)] {
        commands.compactMap { if case .procedure(_, let procedure, let id) = $0 { (procedure, id) } else { nil } }
    }

    private mutating func take(
        _ call: (inout SensorCollector, inout PacketPool, inout [SensorCollector.Output]) -> Void
    ) {
        outputs = []
        call(&collector, &pool, &outputs)
        for case .wake(let instant) in outputs { wakes.append(instant) }
    }

    mutating func start() { take { [now] collector, _, outbox in collector.start(at: now, into: &outbox) } }
    mutating func stop() { take { [now] collector, _, outbox in collector.stop(at: now, into: &outbox) } }

    mutating func hears(_ output: Host.Output) {
        take { [now] collector, pool, outbox in collector.step(output, at: now, pool: &pool, into: &outbox) }
    }

    /// Lets this much time pass, and returns the lines.
    @discardableResult
    mutating func pass(_ duration: Duration) -> [String] {
        let end = now.advanced(by: duration)
        var said: [String] = []
        while let next = wakes.min(), next <= end {
            _ = wait()
            said += lines
        }
        now = end
        return said
    }

    /// Lets time pass until the next wake, and returns how long that took; nil when there is none.
    mutating func wait() -> Duration? {
        guard let next = wakes.min() else { return nil }
        wakes.removeAll { $0 == next }
        let passed = now.duration(to: next)
        now = next
        take { [now] collector, _, outbox in collector.timePassed(at: now, into: &outbox) }
        return passed
    }
}

// MARK: Outputs of a host

extension Stand {
    mutating func hostStarts() { hears(.started(DeviceAddress(1, .public), ControllerFacts())) }

    mutating func advertises(
        _ address: DeviceAddress = Self.strap, _ kind: AdvertisingReport.Kind = .undirected, rssi: Int8 = -50,
        services: [UUID] = [.heartRate], name: String? = nil
    ) throws {
        var data = AdvertisingData()
        try data.append(services: services)
        if let name { try data.append(localName: name) }
        hears(.report(AdvertisingReport(kind: kind, address: address, data: data.octets, rssi: rssi)))
    }

    mutating func connects(_ number: UInt32 = 1, _ peer: DeviceAddress = Self.strap) {
        let timing = ConnectionTiming(interval: 0x18, latency: 0, supervisionTimeout: 0x48)
        let complete = ConnectionComplete(handle: 0x40, role: .central, peer: peer, timing: timing)
        hears(.connected(ConnectionID(number: number), complete))
    }

    mutating func disconnects(_ number: UInt32 = 1, _ reason: HCIStatus = .connectionTimeout) {
        hears(.disconnected(ConnectionID(number: number), Self.strap, reason: reason))
    }

    mutating func finishes(
        _ number: UInt32, on connection: UInt32 = 1, _ result: Result<Procedure.Outcome, Procedure.Failure>
    ) {
        hears(.finished(ConnectionID(number: connection), id: number, result))
    }

    mutating func notifies(
        _ octets: [UInt8], of handle: UInt16 = Services.measurement, on connection: UInt32 = 1
    ) {
        hears(.notified(ConnectionID(number: connection), handle: handle, pool.take(octets)))
    }

    mutating func indicates(_ octets: [UInt8], of handle: UInt16, on connection: UInt32 = 1) {
        hears(.indicated(ConnectionID(number: connection), handle: handle, pool.take(octets)))
    }

    /// All that was asked for in the last step succeeds; reads give `value`.  Returns the lines that this brought.
    @discardableResult
    mutating func allSucceeds(reading value: [UInt8] = [1]) -> [String] {
        var (asked, said) = (procedures, [String]())
        while !asked.isEmpty {
            let (procedure, number) = asked.removeFirst()
            switch procedure {
            case .read, .readLong: finishes(number, .success(.value(value)))
            default: finishes(number, .success(.written))
            }
            said += lines
            asked += procedures
        }
        return said
    }

    /// From the start to the discovery of `services` over the first connection; the procedures that follow from
    /// these are in `procedures`.
    mutating func discovers(_ services: [DiscoveredService]) throws {
        start()
        hostStarts()
        try advertises(name: "Lubdub HRM")
        if wakesAreSet { _ = wait() }
        connects()
        let asked = procedures
        finishes(asked[0].number, .success(.mtu(247)))
        finishes(asked[1].number, .success(.services(services)))
    }

    /// The discovery that the last step asked for finds `services`.
    mutating func finishesDiscovery(_ services: [DiscoveredService]) {
        guard let discovery = procedures.first(where: { $0.procedure == .discoverEverything }) else { return }
        finishes(discovery.number, .success(.services(services)))
    }

    private var wakesAreSet: Bool { !wakes.isEmpty }
}
