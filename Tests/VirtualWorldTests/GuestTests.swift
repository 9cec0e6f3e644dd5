import HCI
import Octets
import Simulation
import Testing
import VirtualController

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
        #expect(harness.world.users.count <= 8)
        #expect(harness.world.airspace.count == harness.world.users.count)
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
}
