import Testing

@testable import Basics

@Suite struct CountingTests {
    @Test(arguments: [(0, "0 cases"), (1, "1 case"), (2, "2 cases"), (-1, "-1 cases")])
    func `A count has its noun in the singular or the plural`(count: Int, words: String) {
        #expect(count.counted("case") == words)
        #expect(Int64(count).counted("case") == words)
    }
}
