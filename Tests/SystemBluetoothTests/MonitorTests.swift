import Basics
import Bluetooth
import HCI
import LEHost
import Testing

@testable import SystemBluetooth

/// Programs monitor advertisements.
@Suite struct MonitorTests {
    private struct Harness {
        var central: SharedCentral
        var pool = PacketPool()
        let program = ProgramID(number: 1)
        let strap = DeviceAddress(0xC0FF_EE00_0001, .random)

        init(_ policy: HostPolicy = .bluetoothd()) {
            central = SharedCentral(policy)
            _ = request(.open)
            _ = output(.started(DeviceAddress(1, .public), ControllerFacts()))
        }

        mutating func request(_ request: CentralRequest) -> [String] {
            var outputs: [SharedCentral.Output] = []
            central.perform(request, of: program, at: .start, into: &outputs)
            return outputs.compactMap(Self.text)
        }

        mutating func output(_ output: Host.Output, at now: Instant = .start) -> [String] {
            var outputs: [SharedCentral.Output] = []
            central.step(output, at: now, pool: &pool, into: &outputs)
            return outputs.compactMap(Self.text)
        }

        mutating func report(_ data: [UInt8], _ kind: AdvertisingReport.Kind = .undirected) -> [String] {
            output(.report(AdvertisingReport(kind: kind, address: strap, data: data, rssi: -50)))
        }

        private static func text(_ output: SharedCentral.Output) -> String? {
            switch output {
            case .command(.scan(let parameters, let filters)):
                (parameters.isActive ? "active" : "passive") + (filters ? "" : ", each advertisement")
            case .command(.stopScanning): "stop"
            case .event(_, .discovered): "discovered"
            case .event(_, .monitored(let id, _, let rssi)): "monitored \(id): \(rssi) dBm"
            case .event(_, .forgotten): "forgotten"
            default: nil
            }
        }
    }

    private static let heartRate = AdvertisingPattern(.complete16BitServices, at: 0, [0x0D, 0x18])
    /// Flags, and the complete list of services: battery and heart rate.
    private static let data: [UInt8] = [2, 0x01, 0x06, 5, 0x03, 0x0F, 0x18, 0x0D, 0x18]

    @Test func `A system with a monitor scans passively for each advertisement; a program's scan is as it was`() {
        var harness = Harness()
        #expect(harness.request(.monitor(id: 1, [Self.heartRate])) == ["passive, each advertisement"])
        #expect(harness.request(.scan(ScanOptions())) == ["active"])
        #expect(harness.request(.stopScanning) == ["passive, each advertisement"])
        #expect(harness.request(.monitor(id: 2, [Self.heartRate])) == [])
        #expect(harness.request(.stopMonitoring(id: 1)) == [])
        #expect(harness.request(.stopMonitoring(id: 2)) == ["stop"])
        #expect(harness.request(.monitor(id: 3, [Self.heartRate])) == ["passive, each advertisement"])
        #expect(harness.request(.close) == ["stop"])
    }

    @Test func `A monitor continues when the power is on again`() {
        var harness = Harness()
        _ = harness.request(.monitor(id: 1, [Self.heartRate]))
        _ = harness.request(.power(false))
        _ = harness.request(.power(true))
        #expect(
            harness.output(.started(DeviceAddress(1, .public), ControllerFacts())) == ["passive, each advertisement"])
    }

    @Test(arguments: [
        (AdvertisingPattern(.complete16BitServices, at: 2, [0x0D, 0x18]), true),
        (AdvertisingPattern(.complete16BitServices, at: 0, [0x0F, 0x18, 0x0D, 0x18]), true),
        (AdvertisingPattern(.complete16BitServices, at: 3, [0x18]), true),
        (AdvertisingPattern(.complete16BitServices, at: 0, [0x0D, 0x18]), false),
        (AdvertisingPattern(.complete16BitServices, at: 3, [0x18, 0x00]), false),
        (AdvertisingPattern(.complete16BitServices, at: 9, [0x18]), false),
        (AdvertisingPattern(.incomplete16BitServices, at: 2, [0x0D, 0x18]), false),
        (AdvertisingPattern(.flags, at: 0, [0x06]), true),
    ]) func `A pattern is found in the structure of its type, at its offset`(
        _ pattern: AdvertisingPattern, _ isFound: Bool
    ) {
        var harness = Harness()
        _ = harness.request(.monitor(id: 7, [AdvertisingPattern(.completeLocalName, at: 0, [0x41]), pattern]))
        #expect(harness.report(Self.data) == (isFound ? ["discovered", "monitored 7: -50 dBm"] : []))
    }

    @Test func `Each monitor learns of each advertisement, at once; malformed data has no pattern`() {
        var harness = Harness()
        let pattern = AdvertisingPattern(.flags, at: 0, [0x06])
        _ = harness.request(.monitor(id: 1, [pattern]))
        _ = harness.request(.monitor(id: 2, [Self.heartRate]))
        _ = harness.request(.monitor(id: 3, [pattern, pattern]))
        for _ in 0..<2 {
            #expect(harness.report(Self.data) == ["discovered", "monitored 1: -50 dBm", "monitored 3: -50 dBm"])
        }
        #expect(harness.report([2, 0x01, 0x06, 9, 0x03]) == [])
    }

    @Test func `A monitored device is known for 30 s`() {
        var harness = Harness()
        _ = harness.request(.monitor(id: 1, [AdvertisingPattern(.flags, at: 0, [0x06])]))
        _ = harness.report(Self.data)
        var outputs: [SharedCentral.Output] = []
        harness.central.timePassed(at: Instant.start.advanced(by: .seconds(30)), into: &outputs)
        let isForgotten = outputs.contains { if case .event(_, .forgotten) = $0 { true } else { false } }
        #expect(isForgotten)
    }
}
