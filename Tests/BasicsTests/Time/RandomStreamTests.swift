import Basics
import Testing

@Suite struct RandomStreamTests {
    @Test func `The draws are those of SplitMix64`() {
        var random = RandomStream(seed: 0)
        #expect(random.next() == 0xE220_A839_7B1D_CDAF)
        #expect(random.next() == 0x6E78_9E6A_A1B9_65F4)
    }

    @Test func `A stream does not depend on earlier draws`() {
        var drawn = RandomStream(seed: 7)
        _ = drawn.next()
        var (one, other) = (drawn.stream("radio"), RandomStream(seed: 7).stream("radio"))
        #expect(one.next() == other.next())
        var third = drawn.stream("sensors")
        #expect(other.next() != third.next())
    }

    @Test func `Probabilities are met`() {
        var random = RandomStream(seed: 7)
        let times = (0..<10_000).count { _ in random.happens(1, outOf: 4) }
        #expect((2400...2600).contains(times))
    }
}
