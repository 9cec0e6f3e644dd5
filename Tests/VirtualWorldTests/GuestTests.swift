import HCI
import Octets
import Simulation
import Testing
import VirtualController

@testable import VirtualWorld

@Suite struct GuestTests {
    @Test func `A thousand hosts come and go, and leave nothing`() throws {
        var audience = try Audience(Play("scenarios/resting.json"))
        for visit in 1...1000 as ClosedRange<Int64> {
            let now = Instant(nanoseconds: visit * 700_000_000)
            audience.run(until: now)
            let guest = audience.world.addGuest(at: now)
            audience.command("03 0C 00", by: guest)
            audience.command("01 0C 08 FF FF FF FF FF FF FF 3F", by: guest)
            // Connects to the strap, for 20 to 40 ms and 2 s, and leaves without a word in the middle of something.
            audience.command(
                "0D 20 19 60 00 60 00 00 01 01 00 00 EE FF C0 00 18 00 28 00 00 00 C8 00 00 00 00 00", by: guest)
            audience.run(until: now.advanced(byNanoseconds: visit % 7 * 90_000_000))
            audience.world.removeGuest(guest, at: audience.world.now)
        }
        #expect(audience.meta(0x01).count > 200, "some were linked")
        audience.run(until: audience.world.now.advanced(byNanoseconds: 10_000_000_000))
        #expect(audience.world.users.count <= 8)
        #expect(audience.world.airspace.count == audience.world.users.count)
        #expect(audience.world.nodes.allSatisfy { $0.connections.isEmpty && $0.subscriptions.isEmpty })
        #expect(audience.world.outbox.isEmpty)
        #expect(audience.world.pool.taken == 0)
    }

    @Test func `What was meant for one who left is not given to who gets its number`() throws {
        var audience = try Audience(Play("scenarios/resting.json"))
        let first = audience.world.addGuest(at: .start)
        audience.world.receive(.command, [0x03, 0x0C, 0x00], fromGuest: first, at: .start)
        audience.world.run(until: .start)
        audience.world.removeGuest(first, at: .start)
        #expect(audience.world.addGuest(at: .start) == first)
        audience.command("09 10 00", by: first)
        // Command Complete of Read BD_ADDR: the device has the first public address, and these the next two.
        #expect(audience.told.map(\.octets) == [[0x0E, 0x0A, 0x01, 0x09, 0x10, 0x00, 0x03, 0, 0, 0, 0, 0x02]])
    }
}
