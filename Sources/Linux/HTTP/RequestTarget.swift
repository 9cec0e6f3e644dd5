/// Why a request cannot be answered; none can follow on its connection.
struct Refusal: Error, Hashable {
    let status: UInt32
    let reason: String

    init(_ status: UInt32, _ reason: String) { (self.status, self.reason) = (status, reason) }

    static func malformed(_ what: String) -> Refusal { Refusal(400, "malformed request: \(what)") }
}

/// The target in the first line of a request.  RFC 9112, section 3.2.
struct RequestTarget: Hashable {
    /// The host and port of `http://host:port/path`; nil for `/path`.
    let authority: String?
    let path: String
    let query: String

    init(_ target: ArraySlice<UInt8>) throws(Refusal) {
        guard !target.isEmpty, target.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed("its target has an octet that no URI has")
        }
        var (rest, authority) = (target, String?.none)
        if target == [UInt8(ascii: "*")] {
            (self.authority, path, query) = (nil, "*", "")
            return
        }
        if target.first != UInt8(ascii: "/") {
            (authority, rest) = try Self.absolute(target)
        }
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        guard let path = PercentEncoding.decoded(rest[..<mark]) else {
            throw .malformed("its path has an escape that is not text")
        }
        self.authority = authority
        self.path = path.isEmpty ? "/" : path
        query = String(decoding: rest[mark...].dropFirst(), as: UTF8.self)
    }

    /// The authority of `http://host:port/path`, and what follows it.
    private static func absolute(_ target: ArraySlice<UInt8>) throws(Refusal) -> (String, ArraySlice<UInt8>) {
        guard let colon = target.firstIndex(of: UInt8(ascii: ":")), target[colon...].starts(with: Array("://".utf8))
        else {
            throw .malformed("its target is neither a path nor a URI")
        }
        let scheme = String(decoding: target[..<colon], as: UTF8.self).lowercased()
        guard scheme == "http" else { throw Refusal(421, "this server has http only") }
        let rest = target[(colon + 3)...]
        let end = rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?")].contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else {
            throw .malformed("its target has no host, or a user")
        }
        return (String(decoding: authority, as: UTF8.self), rest[end...])
    }
}

/// The first line and the header fields of a request.
struct RequestHead {
    /// How the length of a body is known.
    enum Body: Hashable {
        case octets(Int)
        case chunks
    }

    let method: String
    let target: RequestTarget
    /// Whether the client speaks HTTP/1.0, and so sends one request.
    let isOld: Bool
    private(set) var fields: [Request.Field] = []

    private static let maximumFields = 100

    /// The first line, without its end.
    init(_ line: ArraySlice<UInt8>) throws(Refusal) {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, Self.isToken(words[0]) else {
            throw .malformed("its first line is not METHOD TARGET HTTP/1.1")
        }
        method = String(decoding: words[0], as: UTF8.self)
        switch String(decoding: words[2], as: UTF8.self) {
        case "HTTP/1.1": isOld = false
        case "HTTP/1.0": isOld = true
        case let version where version.hasPrefix("HTTP/") && version.utf8.count == 8:
            throw Refusal(505, "this server has HTTP/1.1 only")
        default: throw .malformed("its first line does not end with HTTP/1.1")
        }
        target = try RequestTarget(words[1])
    }

    /// Adds a field's line, without its end. A line that continues the one before is refused, as RFC 9112, section 5.2 permits.
    mutating func add(_ line: ArraySlice<UInt8>) throws(Refusal) {
        guard fields.count < Self.maximumFields else { throw Refusal(431, "too many header fields") }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), Self.isToken(line[..<colon]) else {
            throw .malformed("a header field has no name")
        }
        func isBlank(_ octet: UInt8) -> Bool { octet == UInt8(ascii: " ") || octet == UInt8(ascii: "\t") }
        var value = line[(colon + 1)...].drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else {
            throw .malformed("a header field has a control character")
        }
        fields.append(.init(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }

    /// RFC 9110, section 5.6.2.
    private static func isToken(_ octets: ArraySlice<UInt8>) -> Bool {
        let others = Array("!#$%&'*+-.^_`|~".utf8)
        return !octets.isEmpty
            && octets.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: others.contains(octet)
                }
            }
    }

    // MARK: Meaning of the fields

    /// The request without its body. An authority in the target counts instead of `Host`.  RFC 9112, sections 3.2 and 3.2.2.
    func request() throws(Refusal) -> Request {
        let hosts = values(of: "host")
        guard hosts.count == 1 || isOld && hosts.isEmpty else { throw .malformed("it needs one field Host") }
        var fields = fields
        if let authority = target.authority {
            fields = fields.filter { $0.name != "host" } + [.init("host", authority)]
        }
        return Request(method, target.path, query: target.query, fields)
    }

    /// Whether no further request follows.
    var isLast: Bool {
        isOld
            || values(of: "connection").contains { value in
                value.lowercased().split(separator: ",").contains { $0.filter { $0 != " " } == "close" }
            }
    }

    /// Whether the client waits for 100 (Continue) before it sends the body.
    func asksToContinue() throws(Refusal) -> Bool {
        let expectations = values(of: "expect").map { $0.lowercased() }
        guard expectations.allSatisfy({ $0 == "100-continue" }) else { throw Refusal(417, "unknown expectation") }
        return !expectations.isEmpty && !isOld
    }

    /// RFC 9112, section 6.3.
    func body(upTo most: Int) throws(Refusal) -> Body {
        let (codings, lengths) = (values(of: "transfer-encoding"), values(of: "content-length"))
        guard codings.isEmpty else {
            guard lengths.isEmpty, !isOld else { throw .malformed("its length is ambiguous") }
            guard codings.map({ $0.lowercased() }) == ["chunked"] else {
                throw Refusal(501, "unknown Transfer-Encoding")
            }
            return .chunks
        }
        guard let length = lengths.first else { return .octets(0) }
        guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw .malformed("Content-Length is not a number")
        }
        guard let count = Int(length), count <= most else { throw Refusal.tooLong(most) }
        return .octets(count)
    }

    private func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

extension Refusal {
    static func tooLong(_ most: Int) -> Refusal { Refusal(413, "a body has at most \(most) octets") }
}
