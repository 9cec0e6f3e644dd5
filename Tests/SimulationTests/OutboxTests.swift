import Simulation
import Testing

@Suite struct OutboxTests {
    @Test func `What is added while an outbox is emptied comes last, and the outbox can be used again`() {
        var outbox = Outputs<Int>()
        for round in 1...3 {
            outbox.append(round)
            outbox.append(0)
            var taken: [Int] = []
            while let output = outbox.takeFirst() {
                taken.append(output)
                if output == 0 { outbox.append(-round) }
            }
            #expect(taken == [round, 0, -round])
            let rest = outbox.takeFirst()
            #expect(rest == nil)
        }
    }
}
