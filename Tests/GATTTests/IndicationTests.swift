import Bluetooth
import GATT
import Octets
import Simulation
import Testing

@Suite struct IndicationTests {
    private func subscribed() throws -> TestServer<Pages> {
        var notebook = try Notebook.server()
        #expect(notebook.indicate(0x000B, [1]) == [])
        #expect(notebook.answer(hex("12 0C 00 02 00")) == [[0x13]])
        return notebook
    }

    @Test func `GATT/SR/GAI/BV-01-C: the next goes when the last is confirmed`() throws {
        var notebook = try subscribed()
        #expect(notebook.indicate(0x000B, [1]) == [hex("1D 0B 00 01")])
        #expect(
            notebook.events == [.indicated(handle: 11, [1]), .wake(at: Instant(nanoseconds: 30_000_000_000))])
        #expect(notebook.indicate(0x000B, [2]) == [])
        #expect(notebook.events == [])
        #expect(notebook.answer([0x1E, 0x00]) == [])
        #expect(notebook.answer([0x1E]) == [hex("1D 0B 00 02")])
        #expect(notebook.events.prefix(2) == [.confirmed(handle: 11), .indicated(handle: 11, [2])])
        #expect(notebook.answer([0x1E]) == [])
        #expect(notebook.answer([0x1E]) == [] && notebook.events == [])
        #expect(notebook.pool.taken == 0)
    }

    @Test func `Requests are answered while an indication is under way, and it is cut to the MTU`() throws {
        var notebook = try subscribed()
        #expect(notebook.indicate(0x000B, Strap.long) == [hex("1D 0B 00 " + text(0..<20))])
        #expect(notebook.answer(hex("0A 09 00")) == [[0x0B, 0x09]])
    }

    @Test func `Only what is asked for is sent`() throws {
        var notebook = try subscribed()
        #expect(notebook.notify(0x000B, [1]) == [])
        _ = notebook.answer(hex("12 0C 00 01 00"))
        #expect(notebook.indicate(0x000B, [1]) == [])
        #expect(notebook.notify(0x000B, [1]) == [hex("1B 0B 00 01")])
        _ = notebook.answer(hex("12 0C 00 03 00"))
        #expect(notebook.indicate(0x000B, [1]).count == 1 && notebook.notify(0x000B, [1]).count == 1)
    }

    @Test func `What waits for a client that wants no more is forgotten`() throws {
        var notebook = try subscribed()
        _ = notebook.indicate(0x000B, [1])
        _ = notebook.indicate(0x000B, [2])
        _ = notebook.answer(hex("12 0C 00 00 00"))
        #expect(notebook.answer([0x1E]) == [])
        #expect(notebook.events == [.confirmed(handle: 11)])
    }

    @Test func `GATT/SR/GAT/BV-01-C: 30 s without a confirmation, and nothing is sent any more`() throws {
        var notebook = try subscribed()
        _ = notebook.answer(hex("12 0C 00 03 00"))
        _ = notebook.indicate(0x000B, [1], at: Instant(nanoseconds: 1))
        _ = notebook.indicate(0x000B, [2])
        notebook.timePassed(at: Instant(nanoseconds: 30_000_000_000))
        #expect(notebook.events == [])
        notebook.timePassed(at: Instant(nanoseconds: 30_000_000_001))
        #expect(notebook.events == [.bearerLost])
        notebook.timePassed(at: Instant(nanoseconds: 60_000_000_000))
        #expect(notebook.events == [])
        #expect(notebook.answer([0x1E]) == [] && notebook.answer(hex("0A 09 00")) == [])
        #expect(notebook.indicate(0x000B, [3]) == [] && notebook.notify(0x000B, [3]) == [])
        #expect(notebook.events == [] && notebook.pool.taken == 0)
    }

    @Test func `One that is confirmed in time starts no clock for the next`() throws {
        var notebook = try subscribed()
        _ = notebook.indicate(0x000B, [1])
        _ = notebook.answer([0x1E])
        _ = notebook.indicate(0x000B, [2], at: Instant(nanoseconds: 20_000_000_000))
        notebook.timePassed(at: Instant(nanoseconds: 49_999_999_999))
        #expect(notebook.events == [])
        notebook.timePassed(at: Instant(nanoseconds: 50_000_000_000))
        #expect(notebook.events == [.bearerLost])
    }

    @Test func `A client that never confirms costs a bounded queue`() throws {
        var notebook = try subscribed()
        for number in 0..<10_000 {
            _ = notebook.indicate(0x000B, [UInt8(truncatingIfNeeded: number)])
            if number > Server.mostIndications { #expect(notebook.events == [.dropped(handle: 11)]) }
        }
        var later: [[UInt8]] = []
        while let next = notebook.answer([0x1E]).first { later.append(next) }
        #expect(later == (1...Server.mostIndications).map { [0x1D, 0x0B, 0x00, UInt8($0)] })
        #expect(notebook.pool.taken == 0)
    }

    @Test func `GATT/CL/GAI/BV-01-C: a client of ours confirms at once`() throws {
        var link = Link(try Notebook.server())
        #expect(link.play(.subscribe(handle: 12, to: .indication)) == [.finished(1, .written)])
        for indication in link.strap.indicate(0x000B, [1]) {
            #expect(link.phone.receive(indication) == [[0x1E]])
            #expect(link.strap.answer([0x1E]) == [] && link.strap.events == [.confirmed(handle: 11)])
        }
    }
}
