import CMicrohttpd

/// A request that arrives.
final class Incoming {
    private let targetCount: Int
    private(set) var request: Request?
    /// The stream that is its response.
    var stream: OpenStream?

    /// A request whose first line has a target of this length in octets.
    init(targetCount: Int) { self.targetCount = targetCount }

    /// The header has arrived.
    func begin(_ request: Request, bodyUpTo most: Int) throws(Refusal) {
        if let length = request.values(of: "content-length").first.flatMap({ Int($0) }), length > most {
            throw Refusal(413, "a body has at most \(most) octets")
        }
        self.request = request
    }

    /// Adds a part of the body; false if the body is too long.
    func add(_ part: UnsafeRawBufferPointer, upTo most: Int) -> Bool {
        guard let count = request?.body.count, count + part.count <= most else { return false }
        unsafe request?.body += part
        return true
    }

    /// Throws if a NUL has cut off the end of the target, a name or a value: libmicrohttpd 0.9 takes it for their end.
    ///
    /// Then the header is longer than its parts. All clients that matter write `Name: value`; where the space is missing, the
    /// header is shorter, and the octets after a NUL can be as many as the missing spaces.
    func checkLength(_ count: Int, _ method: String, _ version: String, _ fields: [Request.Field]) throws(Refusal) {
        let line = method.utf8.count + 1 + targetCount + 1 + version.utf8.count + 2
        let parts = fields.reduce(line + 2) { $0 + $1.name.utf8.count + 2 + $1.value.utf8.count + 2 }
        guard count <= parts else { throw .malformed("it has a NUL, or needless white space") }
    }
}
