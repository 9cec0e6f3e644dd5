import Testing

@testable import Cases

@Suite struct ClientErrorsTests {
    @Test func `Lines are completed by later chunks, and by the end`() {
        var errors = ClientErrors()
        #expect(errors.take(Array("one\ntw".utf8)[...]) == ["one"])
        #expect(errors.take(Array("o\n\n".utf8)[...]) == ["two", ""])
        #expect(errors.last == "two")
        #expect(errors.take([0xFF, 0x33]) == [])
        #expect(errors.finish() == "\u{FFFD}3")
        #expect(errors.finish() == nil)
        #expect(errors.lines == ["one", "two", "", "\u{FFFD}3"])
    }

    @Test func `Endless output fills neither memory nor disk`() {
        var errors = ClientErrors()
        let chunk = Array((String(repeating: "x", count: 9999) + "\n").utf8)
        var saved = 0
        for _ in 0..<2000 {
            _ = errors.take(chunk[...])
            saved += errors.saving(chunk[...]).count
        }
        #expect(errors.lines.map(\.utf8.count).reduce(0, +) <= 8 << 10)
        #expect(errors.lines.allSatisfy { $0.utf8.count == 2048 })
        #expect(saved == 16 << 20)
        for _ in 0..<1000 { _ = errors.take([0x0A]) }
        #expect(errors.lines.count <= 200)
    }
}
