/// Reads the requests of a connection, in whatever pieces their octets arrive.  RFC 9112.
///
/// It keeps no more than the limits permit, and looks at each octet once.
struct RequestReader {
    enum Step: Hashable {
        /// More octets are needed.
        case incomplete
        /// The client waits for 100 (Continue) before it sends the body.
        case asksToContinue
        /// A complete request; `isLast`: the client sends no further one.
        case request(Request, isLast: Bool)
        /// No request can follow.
        case refused(Refusal)
    }

    private enum Phase {
        case start
        case fields(RequestHead)
        case body(Request, left: Int)
        case chunkSize(Request)
        case chunk(Request, left: Int)
        case chunkEnd(Request)
        case trailers(Request)
        case over(Refusal)
    }

    private static let longestChunkLine = 256

    private let limits: HTTPLimits
    private var phase = Phase.start
    private var octets: [UInt8] = []
    private var start = 0  // of what has not been taken
    private var searched = 0  // no line feed before this index
    private var headCount = 0  // octets of lines in this request
    private var isLast = false

    init(_ limits: HTTPLimits) { self.limits = limits }

    mutating func append(_ more: [UInt8]) { octets += more }

    /// Whether a part of a request has arrived.
    var hasBegun: Bool {
        if case .start = phase { return start < octets.count || headCount > 0 }
        return true
    }

    /// What follows from the octets so far.
    mutating func next() -> Step {
        do throws(Refusal) {
            while true {
                if let step = try advance() { return step }
            }
        } catch {
            phase = .over(error)
            octets = []
            (start, searched) = (0, 0)
            return .refused(error)
        }
    }

    /// Nil to go on.
    private mutating func advance() throws(Refusal) -> Step? {
        switch phase {
        case .start:
            guard let line = try headLine(or: Refusal(414, "the first line is too long")) else { return .incomplete }
            if !line.isEmpty { phase = .fields(try RequestHead(line)) }  // RFC 9112, section 2.2
            return nil
        case .fields(var head):
            guard let line = try headLine(or: Refusal(431, "the header fields are too long")) else {
                return .incomplete
            }
            guard line.isEmpty else {
                phase = .start  // so that the fields are not copied
                try head.add(line)
                phase = .fields(head)
                return nil
            }
            return try end(head)
        case .body(var request, let left):
            guard let octets = take(upTo: left) else { return .incomplete }
            guard octets.count < left else { return finish(request, with: octets) }
            phase = .start  // so that the body is not copied
            request.body += octets
            phase = .body(request, left: left - octets.count)
            return nil
        case .chunkSize(let request):
            guard let line = try line(upTo: Self.longestChunkLine, or: .malformed("a chunk")) else {
                return .incomplete
            }
            let size = line.prefix { $0.hexDigit != nil }
            let rest = line[size.endIndex...].drop { $0 == UInt8(ascii: " ") }
            guard (1...8).contains(size.count), rest.isEmpty || rest.first == UInt8(ascii: ";"),
                !line.contains(0)
            else { throw .malformed("a chunk has no size") }
            let count = size.reduce(0) { $0 << 4 | Int($1.hexDigit ?? 0) }
            guard request.body.count + count <= limits.body else { throw .tooLong(limits.body) }
            phase = count == 0 ? .trailers(request) : .chunk(request, left: count)
            return nil
        case .chunk(var request, let left):
            guard let octets = take(upTo: left) else { return .incomplete }
            phase = .start  // so that the body is not copied
            request.body += octets
            phase = octets.count == left ? .chunkEnd(request) : .chunk(request, left: left - octets.count)
            return nil
        case .chunkEnd(let request):
            guard let line = try line(upTo: 2, or: .malformed("a chunk")) else { return .incomplete }
            guard line.isEmpty else { throw .malformed("a chunk is longer than its size") }
            phase = .chunkSize(request)
            return nil
        case .trailers(let request):
            guard let line = try headLine(or: Refusal(431, "the trailers are too long")) else { return .incomplete }
            return line.isEmpty ? finish(request, with: []) : nil
        case .over(let refusal): throw refusal
        }
    }

    private mutating func end(_ head: RequestHead) throws(Refusal) -> Step? {
        let request = try head.request()
        isLast = head.isLast
        switch try head.body(upTo: limits.body) {
        case .octets(0): return finish(request, with: [])
        case .octets(let count): phase = .body(request, left: count)
        case .chunks: phase = .chunkSize(request)
        }
        return try head.asksToContinue() ? .asksToContinue : nil
    }

    private mutating func finish(_ request: Request, with more: ArraySlice<UInt8>) -> Step {
        (phase, headCount) = (.start, 0)
        var request = request
        request.body += more
        return .request(request, isLast: isLast)
    }

    // MARK: Octets

    private mutating func headLine(or refusal: Refusal) throws(Refusal) -> ArraySlice<UInt8>? {
        let line = try line(upTo: limits.head - headCount, or: refusal)
        headCount += line.map { $0.count + 2 } ?? 0
        return line
    }

    /// The next line without its end; nil while it is incomplete.
    private mutating func line(upTo most: Int, or refusal: Refusal) throws(Refusal) -> ArraySlice<UInt8>? {
        let end = octets[searched...].firstIndex(of: UInt8(ascii: "\n"))
        searched = end ?? octets.count
        guard searched - start < max(1, most) else { throw refusal }
        guard let end else {
            compact()
            return nil
        }
        let line = octets[start..<end]
        guard line.last == UInt8(ascii: "\r") else { throw .malformed("a line does not end with CR LF") }
        (start, searched) = (end + 1, end + 1)
        return line.dropLast()
    }

    /// At most `most` octets; nil if there are none.
    private mutating func take(upTo most: Int) -> ArraySlice<UInt8>? {
        guard start < octets.count else {
            compact()
            return nil
        }
        let taken = octets[start...].prefix(most)
        (start, searched) = (taken.endIndex, taken.endIndex)
        return taken
    }

    private mutating func compact() {
        octets.removeFirst(start)
        (start, searched) = (0, octets.count)
    }
}
