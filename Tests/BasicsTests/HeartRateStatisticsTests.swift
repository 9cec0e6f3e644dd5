import Basics
import Testing

@Suite struct HeartRateStatisticsTests {
    /// The statistics of `count` heart rates, `period` ms apart, with their times in milliseconds.
    private func said(_ count: Int, every period: Int = 2, _ rate: (Int) -> UInt16) -> [(at: Int, Statistic)] {
        var statistics = HeartRateStatistics()
        var outbox: [Statistic] = []
        return (0..<count).flatMap { index in
            outbox.removeAll(keepingCapacity: true)
            let now = Instant(nanoseconds: Int64(index * period) * 1_000_000)
            statistics.add(rate(index), at: now, into: &outbox)
            return outbox.map { (index * period, $0) }
        }
    }

    private func times(_ name: Statistic.Name, in all: [(at: Int, Statistic)]) -> [Int] {
        all.filter { $0.1.name == name }.map(\.at)
    }

    @Test func `Each statistic is reported when it is complete, then once per period`() {
        let all = said(52_001) { $0.isMultiple(of: 2) ? 62 : 80 }
        #expect(times(.resting, in: all).prefix(3) == [3996, 4996, 5996])
        #expect(times(.mostFrequent, in: all).prefix(3) == [39_998, 44_998, 49_998])
        #expect(times(.average, in: all) == [99_998, 100_998, 101_998, 102_998, 103_998])
        #expect(all.first { $0.1.name == .resting }?.1.thousandths == 62_000)
        #expect(all.first { $0.1.name == .mostFrequent }?.1.thousandths == 62_000)
        #expect(all.first { $0.1.name == .average }?.1.thousandths == 71_000)
    }

    @Test(arguments: [(49_999, 65, 1), (19_999, 65, 0), (999, 64, 0), (1000, 64, 1), (60_000, 65, 2)])
    func `No statistic is reported before there are enough values`(count: Int, rate: UInt16, kinds: Int) {
        #expect(Set(said(count) { _ in rate }.map(\.1.name)).count == kinds)
    }

    @Test func `late values do not move the periods`() {
        // 30 ms apart: 5 s is not a multiple of it.
        let all = times(.mostFrequent, in: said(22_000, every: 30) { _ in 70 })
        let first = 19_999 * 30
        #expect(all.first == first)
        for (index, time) in all.enumerated() { #expect((first + 5000 * index..<first + 5000 * index + 30) ~= time) }
        #expect(all.count == 13)
    }

    @Test func `A gap is followed by one report, then by the old periods`() {
        var statistics = HeartRateStatistics()
        var outbox: [Statistic] = []
        for _ in 0..<1000 { statistics.add(60, at: .start, into: &outbox) }
        for time: Int64 in [7_300, 7_900, 8_000, 8_999, 9_000] {
            statistics.add(61, at: Instant(nanoseconds: time * 1_000_000), into: &outbox)
        }
        #expect(outbox.map(\.thousandths) == [60_000, 60_001, 60_003, 60_005])
    }

    @Test func `Extreme rates and times`() {
        var statistics = HeartRateStatistics()
        var outbox: [Statistic] = []
        for index in 0..<50_000 {
            statistics.add(.max, at: index < 25_000 ? .start : .never, into: &outbox)
        }
        #expect(outbox.map(\.name) == [.mostFrequent, .mostFrequent, .average])
        #expect(outbox.allSatisfy { $0.thousandths == 65_535_000 })
    }
}
