import Basics
import Testing

@testable import Linux

@Suite struct TurnChargeTests {
    @Test(
        arguments: [
            ("5ms", .milliseconds(5)), ("5 ms", .milliseconds(5)), ("0.5ms", .microseconds(500)), ("60s", .seconds(60)),
            ("1ms..1ms", .milliseconds(1)), ("0.5 ms..0.5 ms", .microseconds(500)), ("61s", nil), ("0ms", nil),
            ("5", nil), ("", nil), ("..", nil), ("1ms..", nil), ("..1ms", nil), ("2ms..1ms", nil),
            ("1ms..2ms..3ms", nil), ("1ms...2ms", nil), ("1ms.2ms", nil), ("-1ms", nil), ("0ms..1ms", nil),
        ] as [(String, Duration?)])
    func `A charge is a duration or a range of durations`(text: String, duration: Duration?) {
        let charge = TurnCharge(text)
        #expect(charge?.description == duration.map { _ in text })
        guard let charge, let duration else { return }
        var turns = ChargedTurns(charge, seed: 1)
        _ = turns.take(1, at: .start)
        #expect(turns.end == .start.advanced(by: duration))
    }

    @Test func `Each turn is charged once, and the next one begins after it`() throws {
        var turns = ChargedTurns(try #require(TurnCharge("5ms")), seed: 1)
        let late = Instant.start.advanced(by: .seconds(1))
        let charged = [turns.take(0, at: .start), turns.take(3, at: late), turns.take(3, at: late)]
        #expect(charged == [false, true, false])
        #expect(turns.end == late.advanced(by: .milliseconds(5)))
        _ = turns.take(4, at: late)
        #expect(turns.end == late.advanced(by: .milliseconds(10)))
    }

    @Test func `Charges of a range are in it, and come from the seed`() throws {
        let charge = try #require(TurnCharge("1ms..20ms"))
        func charges(seed: UInt64) -> [Duration] {
            var turns = ChargedTurns(charge, seed: seed)
            return (1...200).map { (turn: UInt64) in
                let begin = Instant.start.advanced(by: .seconds(Int(turn)))
                _ = turns.take(turn, at: begin)
                return begin.duration(to: turns.end)
            }
        }
        let first = charges(seed: 1)
        #expect(first.allSatisfy { $0 >= .milliseconds(1) && $0 <= .milliseconds(20) })
        #expect(Set(first).count > 100)
        #expect(charges(seed: 1) == first)
        #expect(charges(seed: 2) != first)
    }
}
