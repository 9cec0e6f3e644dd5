import Basics
import Bluetooth
import GATT
import SystemBluetooth
import Testing

/// Programs and a peripheral that do anything at any time.
@Suite struct RandomConversationTests {
    private static let devices = TestDevices.device(
        permissions: #""permissions": ["encrypted"],"#, more: #""security": {"io": "none"},"#)

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `Each operation has one result with bluetoothd, whatever happens`(seed: UInt64) throws {
        let policy = HostPolicy.bluetoothd(cache: seed % 2 == 0 ? .all : .none)
        var talk = try SystemHarness(policy, Self.devices, programs: 3)
        try Self.play(&talk, seed: seed)
        talk.ask(1, .cancel(SystemHarness.strap))
        talk.run(.seconds(60))
        #expect(talk.lastID > 10)
        let other = (1...talk.lastID).filter { talk.results[$0] != 1 }
        #expect(other.isEmpty)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `No operation has two results with an iPhone`(seed: UInt64) throws {
        var talk = try SystemHarness(.iPhone, Self.devices, programs: 3)
        try Self.play(&talk, seed: seed)
        #expect(talk.results.values.allSatisfy { $0 == 1 })
    }

    private static func play(_ talk: inout SystemHarness, seed: UInt64) throws {
        var chance = RandomStream(seed: seed)
        let strap = SystemHarness.strap
        let uuids: [UUID] = [.heartRateMeasurement, .batteryLevel, .bodySensorLocation, .heartRateControlPoint]
        for _ in 1...150 {
            let (program, uuid) = (UInt32(chance.next() % 3) + 1, uuids[Int(chance.next() % 4)])
            let (choice, isRare) = (chance.next() % 16, chance.next() % 3 == 0)
            switch choice {
            case 0: talk.ask(program, .scan(ScanOptions()))
            case 1: talk.ask(program, .stopScanning)
            case 2, 3: talk.ask(program, .connect(strap, ConnectionOptions()))
            case 4: if isRare { talk.ask(program, .cancel(strap)) }
            case 5: talk.start(program, .procedure(.discoverPrimaryServices))
            case 6: talk.start(program, .readSignalStrength)
            case 7: talk.ask(program, isRare ? .cancelPairing(strap) : .pair(strap))
            case 8 where isRare: talk.ask(program, .forget(strap))
            case 8: talk.ask(program, .power(chance.next() % 4 != 0))
            case 9: try talk.act(event(chance.next()))
            case 10 where talk.characteristics[uuid] == nil: talk.start(program, .procedure(.discoverEverything))
            case 10, 11: if talk.characteristics[uuid] != nil { try talk.read(program, uuid) }
            case 12: if talk.characteristics[uuid] != nil { try talk.write(program, uuid, [1]) }
            default: if talk.characteristics[uuid] != nil { try talk.subscribe(program, uuid, !isRare) }
            }
            talk.run(.milliseconds(Int64(chance.next() % (isRare ? 3000 : 300))))
        }
    }

    private static func event(_ number: UInt64) -> String {
        let events = [
            #"{"do": "link_loss", "of": "strap", "for": "8 s"}"#, #"{"do": "move_handles", "of": "strap", "by": 16}"#,
            #"{"do": "stall", "of": "strap", "for": "40 s"}"#, #"{"do": "disconnect", "of": "strap"}"#,
            #"{"do": "refuse_pairing", "of": "strap", "for": "10 s"}"#, #"{"do": "forget_bond", "of": "strap"}"#,
        ]
        return events[Int(number % UInt64(events.count))]
    }
}
