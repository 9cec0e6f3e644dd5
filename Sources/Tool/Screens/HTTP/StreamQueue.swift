/// The server-sent events that wait until a browser reads: few, so that a slow one loses events and nothing grows.
struct StreamQueue: Sendable {
    private let limit: Int
    private var events: [[UInt8]] = []  // the first is the next to be sent
    private var sent = 0  // of the first
    /// The octets that wait.
    private(set) var waiting = 0
    /// How many events were lost since the last one that was added.
    private(set) var lost = 0

    /// A queue for at most `limit` octets; the first events are in it whatever their length.
    init(limit: Int, first: [[UInt8]] = []) {
        self.limit = limit
        events = first.filter { !$0.isEmpty }
        waiting = events.reduce(0) { $0 + $1.count }
    }

    /// Adds an event, or counts it as lost if there is no room. After a loss, an event `lost` precedes it, with the number.
    mutating func add(_ event: [UInt8]) {
        let notice = lost > 0 ? Self.event("lost", data: "\(lost)") : []
        guard waiting + notice.count + event.count <= limit else {
            lost += 1
            return
        }
        for new in [notice, event] where !new.isEmpty {
            events.append(new)
            waiting += new.count
        }
        lost = 0
    }

    /// Removes the next octets, of one event, at most `most`; none if nothing waits.
    mutating func take(_ most: Int) -> ArraySlice<UInt8> {
        guard most > 0, let first = events.first else { return [] }
        let portion = first[sent...].prefix(most)
        (sent, waiting) = (sent + portion.count, waiting - portion.count)
        if sent == first.count {
            events.removeFirst()
            sent = 0
        }
        return portion
    }

    /// The octets of an event whose data is one line; without a name it is a `message`.
    ///
    /// https://html.spec.whatwg.org/multipage/server-sent-events.html
    static func event(_ name: String = "", data: String) -> [UInt8] {
        Array((name.isEmpty ? "data: \(data)\n\n" : "event: \(name)\ndata: \(data)\n\n").utf8)
    }
}
