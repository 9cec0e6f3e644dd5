/// The response to a request.
struct Response: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case octets([UInt8])
        /// Server-sent events: these first, and then those that the server sends to this channel, until either side closes.
        case stream(first: [[UInt8]], channel: Int)
    }

    let status: UInt32
    /// The header fields, in addition to those that HTTP needs.
    let fields: [Request.Field]
    let content: Content

    init(_ status: UInt32, _ fields: [Request.Field], _ content: Content) {
        (self.status, self.fields, self.content) = (status, fields, content)
    }

    /// A refusal in words.
    init(_ refusal: Refusal) {
        self.init(refusal.status, [.init("Content-Type", "text/plain")], .octets(Array("\(refusal.reason)\n".utf8)))
    }
}
