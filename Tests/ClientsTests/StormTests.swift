import Basics
import Bluetooth
import Characteristics
import Clients
import GATT
import HCI
import LEHost
import Testing

/// A host that violates its contract: all outputs, in any order.
struct StormTests {
    /// What the collector waits for, as seen from outside.
    private struct Waiting {
        var wakes: [Instant] = []
        var isStarting = false
        var isScanning = false
        var connecting: DeviceAddress?
        var links: [ConnectionID] = []

        var isNothing: Bool { wakes.isEmpty && !isStarting && !isScanning && connecting == nil && links.isEmpty }

        mutating func told(_ output: Host.Output) {
            switch output {
            case .started: isStarting = false
            case .failed: (isStarting, isScanning, connecting, links) = (false, false, nil, [])
            case .refused(Command.leSetScanEnable.opcode, _): isScanning = false
            case .connectionFailed(let address, _): if address == connecting { connecting = nil }
            case .connected(let id, let complete) where complete.role == .central:
                (connecting, links) = (nil, links.filter { $0 != id } + [id])
            case .disconnected(let id, _, _): links.removeAll { $0 == id }
            default: break
            }
        }

        mutating func wanted(_ output: SensorCollector.Output) {
            switch output {
            case .wake(let instant): wakes.append(instant)
            case .command(.start): (isStarting, isScanning, connecting, links) = (true, false, nil, [])
            case .command(.scan): isScanning = true
            case .command(.stopScanning): isScanning = false
            case .command(.connect(let creation, _)): connecting = creation.peer
            default: break
            }
        }
    }

    private var stand = Stand()
    private var chance = RandomStream(seed: 0)

    private mutating func pick<Value>(_ values: [Value], or other: Value) -> Value {
        values.isEmpty ? other : values[Int(chance.below(UInt64(values.count)))]
    }

    private mutating func octets() -> [UInt8] {
        (0..<chance.below(12)).map { _ in UInt8(chance.below(256)) }
    }

    private mutating func failure() -> Procedure.Failure {
        pick(
            [
                .refused(.databaseOutOfSync, handle: 1), .refused(.insufficientEncryption, handle: 1), .bearerLost,
                .disconnected, .tooMuch, .unexpected(opcode: 0xFF), .valueTooLong(1), .handleOutOfOrder(0),
            ], or: .bearerLost)
    }

    private mutating func outcome() -> Procedure.Outcome {
        let services =
            Services.all + [
                Services.polar, Services.thermometer, Services.fitness, Services.measurements, Services.attributes,
                Services.ecg,
            ]
        let some = services.filter { _ in chance.below(2) == 0 }
        return pick([.services(some), .services(services), .mtu(23), .value(octets()), .written], or: .written)
    }

    private mutating func output(_ asked: [(procedure: Procedure, number: UInt32)]) -> Host.Output {
        let address = pick([Stand.strap, Stand.other], or: Stand.strap)
        let id = ConnectionID(number: UInt32(chance.below(3)))
        let status = pick([HCIStatus.success, .failedToBeEstablished, .commandDisallowed], or: .success)
        let number = chance.below(4) == 0 ? UInt32(chance.below(100)) : pick(asked.map(\.number), or: 1)
        let handle = pick([0x12, 0x22, 0x42, 0x62, 0x72, 0x92, 0x95, 0xA2], or: UInt16(0))
        switch chance.below(16) {
        case 0: return .started(address, ControllerFacts())
        case 1: return .failed(pick([.hardware(1), .noAnswer(Command.reset.opcode), .noBuffers], or: .noBuffers))
        case 2:
            return .refused(
                pick([Command.leSetScanEnable.opcode, Command.disconnect.opcode], or: Command.reset.opcode), status)
        case 3, 4, 5:
            var data = AdvertisingData()
            try? data.append(services: [pick([.heartRate, .battery, .healthThermometer], or: .heartRate)])
            let octets = chance.below(4) == 0 ? octets() : data.octets
            let rssi = Int8(truncatingIfNeeded: Int(chance.below(256)))
            return .report(AdvertisingReport(kind: .undirected, address: address, data: octets, rssi: rssi))
        case 6:
            let timing = ConnectionTiming(interval: 6, latency: 0, supervisionTimeout: 10)
            let role = pick([ConnectionComplete.Role.central, .peripheral], or: .central)
            return .connected(id, ConnectionComplete(handle: 1, role: role, peer: address, timing: timing))
        case 7: return .connectionFailed(address, pick([.timedOut, .cancelled, .notNow], or: .status(status)))
        case 8: return .disconnected(id, address, reason: status)
        case 9: return .indicated(id, handle: handle, stand.pool.take(octets()))
        case 10, 11: return .notified(id, handle: handle, stand.pool.take(octets()))
        case 12: return .finished(id, id: number, .failure(failure()))
        default: return .finished(id, id: number, .success(outcome()))
        }
    }

    private mutating func play(_ seed: UInt64) -> Bool {
        let choice = SensorCollector.Settings.Choice.self
        stand = Stand(.init(choice: seed % 2 == 0 ? choice.strongest : choice.address(Stand.strap)))
        chance = RandomStream(seed: seed)
        var (waiting, asked) = (Waiting(), [(procedure: Procedure, number: UInt32)]())
        stand.start()
        for _ in 0..<400 {
            for output in stand.outputs { waiting.wanted(output) }
            asked += stand.procedures
            guard !waiting.isNothing else { return false }
            if chance.below(4) == 0, stand.wait() != nil {
                waiting.wakes.removeAll { $0 <= stand.now }
            } else {
                let output = output(asked)
                waiting.told(output)
                stand.hears(output)
            }
        }
        return stand.pool.taken == 0
    }

    @Test func `Nothing traps it, and it always waits for something`() {
        for seed in 0..<200 {
            var storm = StormTests()
            let isWell = storm.play(UInt64(seed))
            #expect(isWell, "seed \(seed)")
        }
    }
}
