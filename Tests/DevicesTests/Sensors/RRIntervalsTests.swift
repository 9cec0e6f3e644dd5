import Basics
import Devices
import Testing

@Suite struct RRIntervalsTests {
    private static func intervals(_ beats: [Int64], capacity: Int = 128) -> [UInt16] {
        var buffer = RRIntervals(capacity: capacity)
        for beat in beats { buffer.add(Instant(nanoseconds: beat)) }
        var intervals: [UInt16] = []
        buffer.take(.max, into: &intervals)
        return intervals
    }

    @Test(
        arguments: [
            ([], []), ([5], []), ([0, 1_000_000_000], [1024]), ([0, 833_333_333], [853]),
            ([0, 1_000], []),  // 0 ticks
            ([0, 63_999_023_437], [65535]), ([0, 64_000_000_000], []),  // 65536 ticks
            ([0, 64_000_000_000, 65_000_000_000], [1024]),
        ] as [([Int64], [UInt16])])
    func `Beats and the intervals between them`(beats: [Int64], intervals: [UInt16]) {
        #expect(Self.intervals(beats) == intervals)
    }

    @Test func `Rounding errors do not add up`() {
        var buffer = RRIntervals()
        var (portion, sum): ([UInt16], Int) = ([], 0)
        for beat in 0...10_000 as ClosedRange<Int64> {
            buffer.add(Instant(nanoseconds: beat * 833_333_333))
            buffer.take(9, into: &portion)
            sum += portion.reduce(0) { $0 + Int($1) }
        }
        #expect(sum == 8_533_333)  // 8333.33333 s
    }

    @Test func `A full buffer drops the oldest interval`() {
        let beats = [0, 1, 3, 6, 10].map { Int64($0) * 1_000_000_000 }
        #expect(Self.intervals(beats, capacity: 2) == [3072, 4096])
        var buffer = RRIntervals()
        for beat in beats { buffer.add(Instant(nanoseconds: beat)) }
        var portion: [UInt16] = [9, 9, 9]
        buffer.take(3, into: &portion)
        #expect(portion == [1024, 2048, 3072])
        buffer.take(3, into: &portion)
        #expect(portion == [4096])
        buffer.take(-1, into: &portion)
        #expect(portion == [])
        buffer.removeAll()
        buffer.add(Instant(nanoseconds: 11_000_000_000))
        #expect(buffer.count == 0)
    }
}
