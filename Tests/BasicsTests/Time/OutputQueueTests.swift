import Basics
import Testing

@Suite struct OutputQueueTests {
    @Test func `Outputs added while others are taken come last`() {
        var outputs = OutputQueue<Int>()
        for round in 1...100 {
            outputs.added += [round, 0]
            var taken: [Int] = []
            while let output = outputs.takeFirst() {
                taken.append(output)
                if output == 0 { outputs.added.append(-round) }
            }
            #expect(taken == [round, 0, -round])
            #expect(outputs.isEmpty)
            #expect(outputs.added.count < 40)
        }
    }
}
