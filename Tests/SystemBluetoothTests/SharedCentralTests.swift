import Basics
import Bluetooth
import HCI
import LEHost
import Testing

@testable import SystemBluetooth

/// The service without a radio: what it requests of the host, and reports to managers.
@Suite struct SharedCentralTests {
    private struct Harness {
        var central = SharedCentral(.iPhone)
        var pool = PacketPool()
        let first = ProgramID(number: 1)
        let second = ProgramID(number: 2)
        let strap = DeviceAddress(0xC0FF_EE00_0001, .random)
        let patch = DeviceAddress(0xC0FF_EE00_0002, .random)

        /// A service with two managers, whose radio is on.
        init() {
            _ = request(.open, of: first)
            _ = request(.open, of: second)
            _ = output(.started(DeviceAddress(1, .public), ControllerFacts()))
        }

        mutating func request(_ request: CentralRequest, of manager: ProgramID) -> [String] {
            var outputs: [SharedCentral.Output] = []
            central.perform(request, of: manager, at: .start, into: &outputs)
            return outputs.map(Self.name)
        }

        mutating func output(_ output: Host.Output) -> [String] {
            var outputs: [SharedCentral.Output] = []
            central.step(output, at: .start, pool: &pool, into: &outputs)
            return outputs.map(Self.name)
        }

        mutating func report(
            _ address: DeviceAddress, _ kind: AdvertisingReport.Kind, _ data: [UInt8] = []
        ) -> [String] {
            output(.report(AdvertisingReport(kind: kind, address: address, data: data, rssi: -50)))
        }

        private static func name(_ output: SharedCentral.Output) -> String {
            switch output {
            case .command(.scan): "scan"
            case .command(.stopScanning): "stopScanning"
            case .command(.connect(let creation, let limit)):
                "connect \(creation.peer.number & 0xFF)" + (limit == nil ? "" : " briefly")
            case .command(.cancelConnecting): "cancelConnecting"
            case .command: "command"
            case .event(let manager, .discovered(let peer, let advertisement, _)):
                "\(manager.number) discovered \(peer.number & 0xFF) \(advertisement.name ?? "")"
            case .event(let manager, .failedToConnect): "\(manager.number) failedToConnect"
            case .event(let manager, .disconnected): "\(manager.number) disconnected"
            case .event(let manager, .state(let state)): "\(manager.number) \(state)"
            case .event: "event"
            case .wake: "wake"
            }
        }
    }

    private static let name: [UInt8] = [3, 0x09, 0x48, 0x52]  // HR

    @Test func `A pending connection without a scan uses the host's`() {
        var harness = Harness()
        #expect(harness.request(.connect(harness.strap, ConnectionOptions()), of: harness.first) == ["connect 1"])
        #expect(harness.request(.cancel(harness.strap), of: harness.first) == ["1 disconnected", "cancelConnecting"])
    }

    @Test func `A scan takes the radio from a pending connection, which continues when the peripheral advertises`() {
        var harness = Harness()
        #expect(harness.request(.connect(harness.strap, ConnectionOptions()), of: harness.first) == ["connect 1"])
        #expect(harness.request(.scan(ScanOptions()), of: harness.second) == ["cancelConnecting"])
        #expect(harness.output(.connectionFailed(harness.strap, .cancelled)) == ["scan"])
        #expect(harness.report(harness.strap, .undirected) == [])
        #expect(harness.report(harness.strap, .scanResponse, Self.name) == ["2 discovered 1 HR", "connect 1 briefly"])
        #expect(harness.output(.connectionFailed(harness.strap, .timedOut)) == [])
        #expect(harness.report(harness.strap, .directed) == ["connect 1 briefly"])
    }

    @Test func `Several pending connections scan, and wait for any of the peripherals`() {
        var harness = Harness()
        #expect(harness.request(.connect(harness.strap, ConnectionOptions()), of: harness.first) == ["connect 1"])
        #expect(
            harness.request(.connect(harness.patch, ConnectionOptions()), of: harness.first) == ["cancelConnecting"])
        #expect(harness.output(.connectionFailed(harness.strap, .cancelled)) == ["scan"])
        #expect(harness.report(harness.patch, .directed) == ["connect 2 briefly"])
        #expect(
            harness.request(.cancel(harness.patch), of: harness.first) == ["1 disconnected", "cancelConnecting"])
        #expect(harness.output(.connectionFailed(harness.patch, .cancelled)) == ["stopScanning", "connect 1"])
    }

    @Test func `An advertisement without scan response is reported with the next one`() {
        var harness = Harness()
        #expect(harness.request(.scan(ScanOptions()), of: harness.first) == ["scan"])
        #expect(harness.report(harness.strap, .undirected, Self.name) == [])
        #expect(harness.report(harness.strap, .undirected, Self.name) == ["1 discovered 1 HR"])
        #expect(harness.report(harness.patch, .scanResponse, Self.name) == [])
    }

    @Test func `A rejected connection is reported`() {
        var harness = Harness()
        _ = harness.request(.connect(harness.strap, ConnectionOptions()), of: harness.first)
        #expect(harness.output(.connectionFailed(harness.strap, .status(.unspecified))) == ["1 failedToConnect"])
    }

    @Test func `A failed radio is started again after a pause`() {
        var harness = Harness()
        #expect(harness.output(.failed(.noBuffers)) == ["1 off", "2 off", "wake"])
        var outputs: [SharedCentral.Output] = []
        harness.central.timePassed(at: .start, into: &outputs)
        #expect(outputs.isEmpty)
        harness.central.timePassed(at: .start.advanced(by: .seconds(1)), into: &outputs)
        #expect(outputs.count == 1)
        #expect(harness.output(.started(DeviceAddress(1, .public), ControllerFacts())) == ["1 on", "2 on"])
    }

    @Test func `Malformed advertising data has no fields`() {
        var harness = Harness()
        #expect(harness.request(.scan(ScanOptions()), of: harness.first) == ["scan"])
        #expect(harness.report(harness.strap, .nonConnectable, [9, 0x09, 0x48]) == ["1 discovered 1 "])
    }

    @Test func `A peripheral with several identities is connected by the newest`() {
        var peers = KnownPeers(memory: nil, bonds: [])
        let peer = DeviceAddress(0x4000_0000_0001, .random)
        let identities = (1...20).map { DeviceAddress($0, .public) }
        for identity in identities { peers.addAlias(of: identity, for: peer) }
        #expect(peers.present(peer) == identities.last)
        #expect(identities.map(peers.known).filter { $0 == peer }.count == 1)
    }
}
