import Basics
import Testing

@Suite struct HeartRateVariabilityTests {
    private func variability(_ intervals: [UInt16]) -> HeartRateVariability {
        var variability = HeartRateVariability()
        for interval in intervals { variability.add(interval) }
        return variability
    }

    @Test func `RMSSD is the root of the mean square of the differences, from 30 pairs on`() throws {
        // Differences of 1024/32 units are 31.25 ms.
        let intervals = (0..<31).map { UInt16($0.isMultiple(of: 2) ? 1000 : 1032) }
        #expect(variability(Array(intervals.dropLast())).rmssd == nil)
        #expect(variability(intervals).rmssd == 31.25)
        let more = variability(intervals + Array(repeating: 1000, count: 30))
        #expect(more.pairs == 60)
        #expect(abs(try #require(more.rmssd) - 31.25 / 2.0.squareRoot()) < 1e-9)
    }

    @Test func `an early beat, a pause and impossible intervals do not count`() {
        let steady = Array(repeating: UInt16(1024), count: 40)
        for strange: [UInt16] in [[600, 1400], [300], [2049], [0], [65535], [819]] {
            let variability = variability(steady + strange + steady)
            #expect(variability.rmssd == 0, "\(strange)")
            #expect(variability.leftOut == strange.count + 1, "\(strange)")
            #expect(variability.pairs == 78)
        }
        #expect(variability([1024, 820, 984]).pairs == 2)
        #expect(variability([1024, 1228]).pairs == 1)
        #expect(variability([308, 308, 2048, 2048]).pairs == 2)
        #expect(variability([307, 307]).pairs == 0)
    }

    @Test func `intervals around a gap are not successive`() {
        var variability = variability([1000, 1000])
        variability.interrupt()
        variability.add(1100)
        #expect(variability.pairs == 1)
        #expect(variability.leftOut == 0)
        variability.add(1100)
        #expect(variability.pairs == 2)
    }

    @Test func `only the last five minutes count`() {
        let restless = (0..<100).map { UInt16($0.isMultiple(of: 2) ? 1000 : 1048) }
        let calm = Array(repeating: UInt16(1024), count: HeartRateVariability.window + 1)
        #expect(variability(restless + calm.dropLast(50)).rmssd != 0)
        let later = variability(restless + calm)
        #expect(later.rmssd == 0)
        #expect(later.pairs == HeartRateVariability.window)
        #expect(variability(Array(repeating: 0, count: 100_000)).leftOut == 2000)
    }
}
