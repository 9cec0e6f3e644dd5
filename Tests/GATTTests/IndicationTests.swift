import Basics
import Bluetooth
import GATT
import Testing

@Suite struct IndicationTests {
    private func subscribed() throws -> TestServer<Pages> {
        var pages = try PagesFixture.server()
        #expect(pages.indicate(0x000B, [1]) == [])
        #expect(pages.answer(hex("12 0C 00 02 00")) == [[0x13]])
        return pages
    }

    @Test func `GATT/SR/GAI/BV-01-C: the next indication is sent when the last is confirmed`() throws {
        var pages = try subscribed()
        #expect(pages.indicate(0x000B, [1]) == [hex("1D 0B 00 01")])
        #expect(
            pages.events == [.indicated(handle: 11, [1]), .wake(at: Instant(nanoseconds: 30_000_000_000))])
        #expect(pages.indicate(0x000B, [2]) == [])
        #expect(pages.events == [])
        #expect(pages.answer([0x1E, 0x00]) == [])
        #expect(pages.answer([0x1E]) == [hex("1D 0B 00 02")])
        #expect(pages.events.prefix(2) == [.confirmed(handle: 11), .indicated(handle: 11, [2])])
        #expect(pages.answer([0x1E]) == [])
        #expect(pages.answer([0x1E]) == [] && pages.events == [])
        #expect(pages.pool.taken == 0)
    }

    @Test func `Requests are answered while an indication is unconfirmed, and the value is truncated to the MTU`()
        throws
    {
        var pages = try subscribed()
        #expect(pages.indicate(0x000B, Strap.long) == [hex("1D 0B 00 " + text(0..<20))])
        #expect(pages.answer(hex("0A 09 00")) == [[0x0B, 0x09]])
    }

    @Test func `Only subscribed values are sent`() throws {
        var pages = try subscribed()
        #expect(pages.notify(0x000B, [1]) == [])
        _ = pages.answer(hex("12 0C 00 01 00"))
        #expect(pages.indicate(0x000B, [1]) == [])
        #expect(pages.notify(0x000B, [1]) == [hex("1B 0B 00 01")])
        _ = pages.answer(hex("12 0C 00 03 00"))
        #expect(pages.indicate(0x000B, [1]).count == 1 && pages.notify(0x000B, [1]).count == 1)
    }

    @Test func `Unsubscribing discards queued indications`() throws {
        var pages = try subscribed()
        _ = pages.indicate(0x000B, [1])
        _ = pages.indicate(0x000B, [2])
        _ = pages.answer(hex("12 0C 00 00 00"))
        #expect(pages.answer([0x1E]) == [])
        #expect(pages.events == [.confirmed(handle: 11)])
    }

    @Test func `GATT/SR/GAT/BV-01-C: after 30 s without a confirmation nothing more is sent`() throws {
        var pages = try subscribed()
        _ = pages.answer(hex("12 0C 00 03 00"))
        _ = pages.indicate(0x000B, [1], at: Instant(nanoseconds: 1))
        _ = pages.indicate(0x000B, [2])
        pages.timePassed(at: Instant(nanoseconds: 30_000_000_000))
        #expect(pages.events == [])
        pages.timePassed(at: Instant(nanoseconds: 30_000_000_001))
        #expect(pages.events == [.bearerLost])
        pages.timePassed(at: Instant(nanoseconds: 60_000_000_000))
        #expect(pages.events == [])
        #expect(pages.answer([0x1E]) == [] && pages.answer(hex("0A 09 00")) == [])
        #expect(pages.indicate(0x000B, [3]) == [] && pages.notify(0x000B, [3]) == [])
        #expect(pages.events == [] && pages.pool.taken == 0)
    }

    @Test func `A confirmed indication does not shorten the deadline of the next`() throws {
        var pages = try subscribed()
        _ = pages.indicate(0x000B, [1])
        _ = pages.answer([0x1E])
        _ = pages.indicate(0x000B, [2], at: Instant(nanoseconds: 20_000_000_000))
        pages.timePassed(at: Instant(nanoseconds: 49_999_999_999))
        #expect(pages.events == [])
        pages.timePassed(at: Instant(nanoseconds: 50_000_000_000))
        #expect(pages.events == [.bearerLost])
    }

    @Test func `The queue for a client that never confirms is bounded`() throws {
        var pages = try subscribed()
        for number in 0..<10_000 {
            _ = pages.indicate(0x000B, [UInt8(truncatingIfNeeded: number)])
            if number > Server.maximumPendingIndications { #expect(pages.events == [.dropped(handle: 11)]) }
        }
        var later: [[UInt8]] = []
        while let next = pages.answer([0x1E]).first { later.append(next) }
        #expect(later == (1...Server.maximumPendingIndications).map { [0x1D, 0x0B, 0x00, UInt8($0)] })
        #expect(pages.pool.taken == 0)
    }

    @Test func `GATT/CL/GAI/BV-01-C: the client confirms at once`() throws {
        var link = Link(try PagesFixture.server())
        #expect(link.play(.subscribe(handle: 12, to: .indication)) == [.finished(1, .written)])
        for indication in link.strap.indicate(0x000B, [1]) {
            #expect(link.testClient.receive(indication) == [[0x1E]])
            #expect(link.strap.answer([0x1E]) == [] && link.strap.events == [.confirmed(handle: 11)])
        }
    }
}
