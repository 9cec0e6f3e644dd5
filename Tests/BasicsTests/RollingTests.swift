import Basics
import Testing

@Suite struct RollingMeanTests {
    @Test func `The mean is that of the last values, once there are enough`() {
        var mean = RollingMean(last: 3)
        let expected: [(value: UInt16, thousandths: UInt64?)] = [
            (60, nil), (61, nil), (63, 61_333), (65, 63_000), (65535, 21_887_667), (0, 21_866_667), (0, 21_845_000),
            (1, 333),
        ]
        for (value, thousandths) in expected {
            mean.add(value)
            #expect(mean.thousandths == thousandths, "after \(value)")
            #expect(mean.value.map { UInt64(($0 * 1000).rounded()) } == thousandths)
        }
    }

    @Test func `Values not below the bound are ignored`() {
        var mean = RollingMean(last: 2, below: 65)
        #expect([64, 65, 200, 60, 65535].map { mean.add($0) } == [true, false, false, true, false])
        #expect(mean.value == 62)
    }

    @Test func `a million values later the sum is still exact`() {
        var mean = RollingMean(last: 50_000)
        for index in 0..<1_000_000 { mean.add(UInt16(truncatingIfNeeded: index &* 40_503)) }
        let last = (950_000..<1_000_000).map { UInt64(UInt16(truncatingIfNeeded: $0 &* 40_503)) }
        #expect(mean.thousandths == (last.reduce(0, +) * 1000 + 25_000) / 50_000)
    }

    @Test(arguments: [0, -1, Int.min]) func `At least one value is kept`(count: Int) {
        var mean = RollingMean(last: count)
        var mode = RollingMode(last: count)
        for value: UInt16 in [7, 9] {
            mean.add(value)
            mode.add(value)
        }
        #expect(mean.value == 9)
        #expect(mode.value == 9)
    }
}

@Suite struct RollingModeTests {
    @Test func `The mode is the lowest of the most frequent values`() {
        var mode = RollingMode(last: 4)
        let expected: [(value: UInt16, mode: UInt16?)] = [
            (70, nil), (60, nil), (70, nil), (60, 60), (70, 60), (65535, 70), (65535, 65535), (60, 65535), (0, 65535),
            (60, 60), (0, 0), (0, 0), (1, 0), (1, 0), (1, 1),
        ]
        for (index, (value, most)) in expected.enumerated() {
            mode.add(value)
            #expect(mode.value == most, "after number \(index), \(value)")
        }
    }

    @Test(arguments: [8, 256, 65536]) func `The mode equals that of all values counted`(range: Int) {
        var mode = RollingMode(last: 100)
        var last: [UInt16] = []
        var state: UInt32 = 1
        for _ in 0..<3000 {
            state = state &* 1_664_525 &+ 1_013_904_223
            let value = UInt16((state >> 8) % UInt32(range))
            mode.add(value)
            last = (last + [value]).suffix(100)
            guard last.count == 100 else { continue }
            #expect(mode.value == counted(last))
        }
    }

    private func counted(_ values: [UInt16]) -> UInt16? {
        let counts = Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
        let most = counts.values.max()
        return counts.filter { $0.value == most }.keys.min()
    }
}
