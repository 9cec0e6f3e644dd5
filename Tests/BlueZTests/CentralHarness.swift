import Basics
import Bluetooth
import DBus
import GATT
import HCI
import LEHost
import TestBus

@testable import BlueZ

/// A central above a fake bluetoothd, and its outputs.
struct CentralHarness: Sendable {
    let host: CentralSession
    let loop: EventLoop
    let connection: Connection
    let events = Recorder<CentralSession.Event>()

    init(
        on bus: PrivateBus, _ loop: EventLoop, adapter: String? = "hci0", services: [UUID] = [],
        sharesDevices: Bool = true, within limit: Duration = .seconds(10)
    ) async throws {
        self.loop = loop
        connection = try await Connection.open(bus.address, on: loop)
        host = CentralSession(
            CentralSession.Definition(adapter: adapter, services: services, sharesDevices: sharesDevices),
            over: connection,
            on: loop, within: limit
        ) { [events] in events.add($0) }
    }

    var outputs: [Host.Output] { events.all.compactMap { if case .output(let output) = $0 { output } else { nil } } }
    var failure: HostFailure? {
        events.all.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }.first
    }
    var values: [[UInt8]] {
        events.all.compactMap { if case .received(_, _, let value, _) = $0 { value } else { nil } }
    }
    var reports: [AdvertisingReport] {
        outputs.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }
    var starts: Int { count { if case .started = $0 { true } else { false } } }
    var connections: [ConnectionID] {
        outputs.compactMap { if case .connected(let id, _) = $0 { id } else { nil } }
    }
    var ends: [HCIStatus] {
        outputs.compactMap { if case .disconnected(_, _, let reason) = $0 { reason } else { nil } }
    }
    var refusals: [Host.ConnectionFailure] {
        outputs.compactMap { if case .connectionFailed(_, let failure) = $0 { failure } else { nil } }
    }
    var losses: [String] {
        outputs.compactMap { if case .failed(.outside(let why)) = $0 { why } else { nil } }
    }

    func count(_ isIt: (Host.Output) -> Bool) -> Int { outputs.filter(isIt).count }

    // MARK: What is asked

    func start() async throws {
        await host.perform(.start)
        try await loop.until { starts == 1 || failure != nil }
    }

    /// Scans until the strap is found.
    func scan(_ radio: FakeRadio) async throws {
        await host.perform(.scan(ScanParameters(isActive: true, interval: 0x60, window: 0x60), filterDuplicates: false))
        try await loop.until { radio.calls.contains("StartDiscovery") }
        radio.hear(-40)
        try await loop.until { !reports.isEmpty }
    }

    func connect(within limit: Duration? = .seconds(5)) async {
        await host.perform(.connect(Self.creation, timeout: limit))
    }

    /// A connection of which the attributes are known.
    func connected(_ radio: FakeRadio) async throws -> ConnectionID {
        try await start()
        await connect()
        try await loop.until { !connections.isEmpty }
        guard case .success = try await ask(.discoverEverything) else { throw CallFailure.disconnected }
        return connections[0]
    }

    static let creation = ConnectionCreation(
        to: FakeRadio.address,
        parameters: ConnectionParameters(
            minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x48))

    typealias Answer = Result<Procedure.Outcome, Procedure.Failure>

    var answers: [Answer] { outputs.compactMap { if case .finished(_, _, let answer) = $0 { answer } else { nil } } }

    /// The answer to a procedure, over the newest connection.
    func ask(_ procedure: Procedure) async throws -> Answer {
        let before = answers.count
        await host.perform(.procedure(connections.last ?? ConnectionID(number: 0), procedure, id: UInt32(before + 1)))
        try await loop.until { answers.count > before }
        return answers[before]
    }
}
