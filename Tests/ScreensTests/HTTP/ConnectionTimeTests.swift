import Basics
import Testing

@testable import Screens

@Suite struct ConnectionTimeTests {
    private static let limits = HTTPLimits()

    private static func at(_ seconds: Double) -> Instant { .start.advanced(by: .seconds(seconds)) }

    @Test func `A request counts as a whole, however often an octet of it arrives`() {
        let time = ConnectionTime(at: Self.at(5))
        #expect(!time.isOver(at: Self.at(14.9), Self.limits, pace: 1))
        #expect(time.isOver(at: Self.at(15), Self.limits, pace: 1))
        // On a loop that plays twice as fast, the limits are in real time, too.
        #expect(!time.isOver(at: Self.at(24.9), Self.limits, pace: 2))
        #expect(time.isOver(at: Self.at(25), Self.limits, pace: 2))
    }

    @Test func `Each response gives time for another request`() {
        var time = ConnectionTime(at: .start)
        time.answered(at: Self.at(9))
        #expect(!time.isOver(at: Self.at(18.9), Self.limits, pace: 1))
        #expect(time.isOver(at: Self.at(19), Self.limits, pace: 1))
    }

    @Test func `A stream lasts while its reader reads`() {
        var time = ConnectionTime(at: .start)
        time.streamed(isMore: false, at: Self.at(1))
        #expect(!time.isOver(at: Self.at(1e6), Self.limits, pace: 1))
        time.streamed(isMore: true, at: Self.at(100))
        #expect(!time.isOver(at: Self.at(114.9), Self.limits, pace: 1))
        #expect(time.isOver(at: Self.at(115), Self.limits, pace: 1))
        time.streamed(isMore: true, at: Self.at(114))
        #expect(!time.isOver(at: Self.at(128.9), Self.limits, pace: 1))
        #expect(time.isOver(at: Self.at(129), Self.limits, pace: 1))
        time.streamed(isMore: false, at: Self.at(128))
        #expect(!time.isOver(at: Self.at(1e6), Self.limits, pace: 1))
    }
}
