import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import SystemBluetooth
import Testing

/// The peripheral role without a radio: what it requests of the host, and reports to managers.
@Suite struct SharedPeripheralTests {
    private struct Harness {
        var peripheral = SharedPeripheral(.iPhone, name: "Phone")
        let first = ProgramID(number: 1)
        let second = ProgramID(number: 2)
        let phone = DeviceAddress(0xC0FF_EE00_0001, .random)
        /// The host's attributes.
        private(set) var table = AttributeTable()
        /// The number of fragments that wait in the host.
        var waiting = 0

        init() {
            _ = request(.open, of: first)
            _ = request(.open, of: second)
            var outputs: [SharedPeripheral.Output] = []
            peripheral.turn(.on, into: &outputs)
        }

        mutating func request(_ request: PeripheralRequest, of manager: ProgramID) -> [String] {
            var outputs: [SharedPeripheral.Output] = []
            peripheral.perform(request, of: manager, at: .start, into: &outputs)
            return names(of: &outputs)
        }

        mutating func output(_ output: Host.Output) -> [String] {
            var outputs: [SharedPeripheral.Output] = []
            peripheral.step(output, into: &outputs)
            return names(of: &outputs)
        }

        mutating func server(_ event: Server.Output) -> [String] {
            output(.server(ConnectionID(number: 1), event))
        }

        mutating func connect() -> [String] {
            let complete = ConnectionComplete(
                handle: 1, role: .peripheral, peer: phone,
                timing: ConnectionTiming(interval: 24, latency: 0, supervisionTimeout: 72))
            return output(.connected(ConnectionID(number: 1), complete))
        }

        /// Publishes a service with two characteristics, the second one notified.
        mutating func add(_ id: UInt32 = 1, of manager: ProgramID? = nil) -> [String] {
            var service = LocalService(.heartRate, isPrimary: true)
            service.characteristics = [
                LocalCharacteristic(UUID(0x2A39), [.read, .write]), LocalCharacteristic(UUID(0x2A37), .notify),
            ]
            return request(.add(service, id: id), of: manager ?? first)
        }

        func handle(_ index: Int) -> UInt16 { table.handle(ofValue: index, service: 2) ?? 0 }

        private mutating func names(of outputs: inout [SharedPeripheral.Output]) -> [String] {
            peripheral.sendUpdates(waiting: { [waiting] _ in waiting }, into: &outputs)
            return outputs.map { output in
                switch output {
                case .command(.changeAttributes(let table, _)):
                    self.table = table
                    return "attributes"
                case .command(.advertise): return "advertise"
                case .command(.stopAdvertising): return "stopAdvertising"
                case .command(.answer(_, let result)): return "answer \((try? result.get()) ?? [])"
                case .command: return "command"
                case .notify(_, _, let value): return "notify \(value)"
                case .event(let manager, .added(_, let failure)):
                    return "\(manager.number) added \(failure.map { "\($0)" } ?? "")"
                case .event(let manager, .advertising(_, let failure)):
                    return "\(manager.number) advertising \(failure.map { "\($0)" } ?? "")"
                case .event(let manager, .requested(_, let accesses, let number)):
                    return "\(manager.number) requested \(accesses.count) as \(number ?? 0)"
                case .event(let manager, .subscribed): return "\(manager.number) subscribed"
                case .event(let manager, .unsubscribed): return "\(manager.number) unsubscribed"
                case .event(let manager, .disconnected): return "\(manager.number) disconnected"
                case .event(let manager, .confirmed): return "\(manager.number) confirmed"
                case .event(let manager, .updated): return "\(manager.number) updated"
                case .event(let manager, .exchangedMTU): return "\(manager.number) mtu"
                case .event: return "event"
                case .wake: return "wake"
                }
            }
        }
    }

    private static func named(_ name: String) -> LocalAdvertisement {
        var content = LocalAdvertisement()
        content.name = name
        return content
    }

    @Test func `Handles stay when another service is removed, while a central is connected`() {
        var harness = Harness()
        #expect(harness.add() == ["attributes", "1 added "])
        #expect(harness.add(1, of: harness.second) == ["attributes", "2 added "])
        _ = harness.connect()
        let before = harness.table.handle(ofValue: 0, service: 3)
        #expect(harness.request(.remove(id: 1), of: harness.first) == ["attributes"])
        #expect(harness.table.handle(ofValue: 0, service: 3) == before)
        #expect(harness.table.handle(ofValue: 0, service: 2) == nil)
    }

    @Test func `Services that come and go use no handles up`() {
        var harness = Harness()
        _ = harness.add(1, of: harness.second)
        for id: UInt32 in 1...1000 {
            #expect(harness.add(id) == ["attributes", "1 added "])
            #expect(harness.request(.remove(id: id), of: harness.first) == ["attributes"])
        }
        #expect(harness.table.services.count == 3)
    }

    @Test func `A manager that is released leaves no central without an answer`() {
        var harness = Harness()
        _ = harness.add()
        _ = harness.connect()
        let access = [AccessRequest(handle: harness.handle(0), offset: 0, written: nil)]
        _ = harness.server(.requested(access, needsAnswer: true))
        #expect(harness.request(.respond(request: 1, .success([7])), of: harness.second) == [])
        #expect(harness.request(.close, of: harness.first) == ["answer []", "attributes"])
    }

    @Test func `Each manager has its services only`() {
        var harness = Harness()
        _ = harness.add()
        #expect(harness.request(.remove(id: 1), of: harness.second) == [])
        #expect(harness.request(.close, of: harness.second) == [])
        #expect(harness.request(.close, of: harness.first) == ["attributes"])
    }

    @Test func `Services that need too many handles are refused`() {
        var harness = Harness()
        var service = LocalService(.heartRate, isPrimary: true)
        service.characteristics = Array(repeating: LocalCharacteristic(UUID(0x2A37), .notify), count: 30_000)
        #expect(harness.request(.add(service, id: 1), of: harness.first) == ["1 added outOfSpace"])
        #expect(harness.add(2) == ["attributes", "1 added "])
    }

    @Test func `The phone advertises on when a central connects`() {
        var harness = Harness()
        #expect(harness.request(.advertise(Self.named("S"), id: 1), of: harness.first) == ["advertise"])
        #expect(harness.output(.advertising(true)) == ["1 advertising "])
        #expect(
            harness.request(.advertise(Self.named("T"), id: 1), of: harness.second)
                == ["2 advertising alreadyAdvertising"])
        #expect(harness.connect() == ["advertise"])
        #expect(harness.output(.advertising(true)) == [])
        #expect(harness.request(.stopAdvertising(id: 1), of: harness.second) == [])
        #expect(harness.request(.stopAdvertising(id: 1), of: harness.first) == ["stopAdvertising"])
    }

    @Test func `A controller that refuses to advertise fails the manager's request`() {
        var harness = Harness()
        _ = harness.request(.advertise(Self.named("S"), id: 1), of: harness.first)
        let opcode = Command.leSetAdvertisingEnable.opcode
        #expect(harness.output(.refused(opcode, .unspecified)) == ["1 advertising refused"])
        #expect(harness.request(.advertise(Self.named("S"), id: 1), of: harness.first) == ["advertise"])
    }

    @Test func `A request is answered once`() {
        var harness = Harness()
        _ = harness.add()
        _ = harness.connect()
        let access = [AccessRequest(handle: harness.handle(0), offset: 0, written: nil)]
        #expect(harness.server(.requested(access, needsAnswer: true)) == ["1 mtu", "1 requested 1 as 1"])
        #expect(harness.request(.respond(request: 1, .success([7])), of: harness.first) == ["answer [7]"])
        #expect(harness.request(.respond(request: 1, .success([8])), of: harness.first) == [])
    }

    @Test func `A request for a value that is gone has an error`() {
        var harness = Harness()
        _ = harness.connect()
        let access = [AccessRequest(handle: 40, offset: 0, written: nil)]
        #expect(harness.server(.requested(access, needsAnswer: true)) == ["answer []"])
        #expect(harness.server(.requested(access, needsAnswer: false)) == [])
    }

    @Test func `Services are published together, or not at all`() {
        var harness = Harness()
        var (outer, reserved) = (
            LocalService(UUID(0x180D), isPrimary: true), LocalService(UUID(0x1801), isPrimary: true)
        )
        outer.includes = [7]
        let inner = LocalService(UUID(0x180F), isPrimary: true)
        func add(_ services: [LocalService], _ id: UInt32) -> [String] {
            harness.request(.addAll(services, firstID: id), of: harness.first).filter { $0.contains("added") }
        }
        #expect(add([outer, inner], 7) == ["1 added unknownInclude"])
        #expect(add([inner, reserved], 7) == ["1 added uuidNotAllowed"])
        #expect(add([inner, outer], 7) == ["1 added "])
        reserved.uuid = UUID(0x180A)
        #expect(add([reserved], 9) == ["1 added "])
        #expect(harness.request(.rename("Bench"), of: harness.first) == ["attributes"])
    }

    @Test func `Updates wait for the host and for confirmations, in order`() {
        var harness = Harness()
        _ = harness.add()
        _ = harness.connect()
        #expect(harness.server(.subscribed(handle: harness.handle(1))) == ["1 mtu", "1 subscribed"])
        #expect(harness.server(.subscribed(handle: harness.handle(1))) == [])
        let rate = CharacteristicID(service: 1, index: 1)
        harness.waiting = 100
        #expect(harness.request(.update(rate, [1], to: nil), of: harness.first) == [])
        #expect(harness.request(.update(rate, [2], to: nil), of: harness.first) == [])
        harness.waiting = 0
        _ = harness.server(.indicated(handle: harness.handle(1), []))
        #expect(harness.request(.update(rate, [3], to: [harness.phone]), of: harness.first) == [])
        #expect(
            harness.server(.confirmed(handle: harness.handle(1)))
                == ["1 confirmed", "notify [1]", "1 updated", "notify [2]", "1 updated", "notify [3]", "1 updated"])
    }

    @Test func `Updates for a central that is gone leave the queue`() {
        var harness = Harness()
        _ = harness.add()
        _ = harness.connect()
        _ = harness.server(.subscribed(handle: harness.handle(1)))
        harness.waiting = 100
        let rate = CharacteristicID(service: 1, index: 1)
        #expect(harness.request(.update(rate, [1], to: nil), of: harness.first) == [])
        #expect(
            harness.output(.disconnected(ConnectionID(number: 1), harness.phone, reason: .connectionTimeout))
                == ["1 unsubscribed", "1 disconnected", "2 disconnected", "1 updated"])
    }
}
