import Testing

@testable import Screens

@Suite struct StreamQueueTests {
    private static func text(_ queue: inout StreamQueue, _ most: Int = .max) -> String {
        var octets: [UInt8] = []
        while true {
            let portion = queue.take(most)
            guard !portion.isEmpty else { return String(decoding: octets, as: UTF8.self) }
            #expect(portion.count <= most)
            octets += portion
        }
    }

    @Test func `An event has a name, or is a message`() {
        #expect(StreamQueue.event("lost", data: "3") == Array("event: lost\ndata: 3\n\n".utf8))
        #expect(StreamQueue.event(data: "{}") == Array("data: {}\n\n".utf8))
    }

    @Test(arguments: [1, 2, 7, 1000]) func `Events come out in order, in portions of any length`(most: Int) {
        var queue = StreamQueue(limit: 100, first: [Array("abc".utf8), []])
        queue.add(Array("defg".utf8))
        #expect(queue.waiting == 7)
        #expect(Self.text(&queue, most) == "abcdefg")
        #expect(queue.waiting == 0)
        #expect(queue.take(most).isEmpty)
    }

    @Test func `Events for which there is no room are lost, and the next event counts them`() {
        let event = Array("0123456789".utf8)
        var queue = StreamQueue(limit: 30)
        for _ in 0..<5 { queue.add(event) }
        #expect(queue.waiting == 30)
        #expect(queue.lost == 2)
        _ = (queue.take(15), queue.take(5))
        queue.add(event)  // fits, but not with the notice
        #expect(queue.lost == 3)
        #expect(Self.text(&queue) == "567890123456789")
        queue.add(Array("x".utf8))
        #expect(queue.lost == 0)
        #expect(Self.text(&queue) == "event: lost\ndata: 3\n\nx")
    }

    @Test func `A queue that nobody reads stays within its limit, except for its first events`() {
        var queue = StreamQueue(limit: 1000, first: [[UInt8](repeating: 0, count: 5000)])
        for _ in 0..<10_000 { queue.add([1, 2, 3]) }
        #expect(queue.waiting == 5000)
        #expect(queue.lost == 10_000)
    }
}
