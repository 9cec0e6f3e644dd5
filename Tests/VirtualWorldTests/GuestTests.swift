import Basics
import HCI
import ScenarioModel
import Synchronization
import Testing
import VirtualRadio

@testable import VirtualWorld

@Suite struct GuestTests {
    @Test func `A thousand hosts come and go, and leave nothing`() throws {
        var harness = try GuestHarness(TestScenario("scenarios/resting.json"))
        for visit in 1...1000 as ClosedRange<Int64> {
            let now = Instant(nanoseconds: visit * 700_000_000)
            harness.run(until: now)
            let guest = harness.world.addGuest(at: now)
            harness.command("03 0C 00", by: guest)
            harness.command("01 0C 08 FF FF FF FF FF FF FF 3F", by: guest)
            // Connects to the strap, for 20 to 40 ms and 2 s, and is removed at an arbitrary point.
            harness.command(
                "0D 20 19 60 00 60 00 00 01 01 00 00 EE FF C0 00 18 00 28 00 00 00 C8 00 00 00 00 00", by: guest)
            harness.run(until: now.advanced(byNanoseconds: visit % 7 * 90_000_000))
            harness.world.removeGuest(guest, at: harness.world.now)
        }
        #expect(harness.meta(0x01).count > 200, "some were linked")
        harness.run(until: harness.world.now.advanced(byNanoseconds: 10_000_000_000))
        #expect(harness.world.users.all.count <= 8)
        #expect(harness.world.airspace.count == harness.world.users.all.count)
        #expect(harness.world.nodes.allSatisfy { $0.connections.isEmpty && $0.subscriptions.isEmpty })
        #expect(harness.world.outbox.isEmpty)
        #expect(harness.world.pool.taken == 0)
    }

    @Test func `A new guest does not get packets of an earlier one with its number`() throws {
        var harness = try GuestHarness(TestScenario("scenarios/resting.json"))
        let first = harness.world.addGuest(at: .start)
        harness.world.receive(.command, [0x03, 0x0C, 0x00], fromGuest: first, at: .start)
        harness.world.run(until: .start)
        harness.world.removeGuest(first, at: .start)
        #expect(harness.world.addGuest(at: .start) == first)
        harness.command("09 10 00", by: first)
        // Command Complete of Read BD_ADDR: the device has the first public address, and these the next two.
        #expect(harness.told.map(\.octets) == [[0x0E, 0x0A, 0x01, 0x09, 0x10, 0x00, 0x03, 0, 0, 0, 0, 0x02]])
    }

    @Test func `A world that runs in slices plays the same`() throws {
        func trace(slice: Int) throws -> [UInt8] {
            var harness = try GuestHarness(TestScenario("scenarios/three_straps.json"))
            let trace = Mutex<[UInt8]>([])
            harness.world.packets = PacketLog { chunk in
                trace.withLock { for record in chunk.records { $0 += chunk.octets(of: record) } }
            }
            harness.command("0C 20 02 01 00", by: harness.world.addGuest(at: .start))
            let limit = Instant(nanoseconds: 5_000_000_000)
            var slices = 0
            while harness.world.now < limit {
                var budget = slice
                harness.world.run(until: limit, budget: &budget)
                slices += 1
                #expect(budget >= 0)
            }
            #expect(slice == .max ? slices == 1 : slices > 10)
            harness.world.packets.flush()
            return trace.withLock { $0 }
        }
        #expect(try trace(slice: 7) == trace(slice: .max))
    }

    @Test func `A host that reads too slowly gets no advertising reports, even after a reset`() throws {
        var harness = try GuestHarness(TestScenario("scenarios/resting.json"))
        let guest = harness.world.addGuest(at: .start)
        for isCongested in [true, false] {
            harness.world.setCongestion(ofGuest: guest, isCongested)
            let mask = "01 0C 08 FF FF FF FF FF FF FF 3F"
            for command in ["03 0C 00", mask, "0B 20 07 00 10 00 10 00 00 00", "0C 20 02 01 00"] {
                harness.command(command, by: guest)
            }
            harness.run(until: harness.world.now.advanced(byNanoseconds: 5_000_000_000))
            #expect(harness.meta(0x02).isEmpty == isCongested)
        }
    }
}
