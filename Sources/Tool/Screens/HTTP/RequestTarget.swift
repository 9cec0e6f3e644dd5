/// Why a request cannot be answered; none can follow on its connection.
struct Refusal: Error, Hashable {
    let status: UInt32
    let reason: String

    init(_ status: UInt32, _ reason: String) { (self.status, self.reason) = (status, reason) }

    static func malformed(_ what: String) -> Refusal { Refusal(400, "malformed request: \(what)") }
}

/// The target in the first line of a request, without its query and percent-encoding.  RFC 9112, section 3.2.
struct RequestTarget: Hashable {
    /// The host and port of `http://host:port/path`; nil for `/path`.
    let authority: String?
    let path: String

    init(_ target: String) throws(Refusal) {
        guard target.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .malformed("its path has a control character")
        }
        guard !target.hasPrefix("/"), target != "*" else {
            (authority, path) = (nil, target)
            return
        }
        guard let colon = target.firstRange(of: "://") else {
            throw .malformed("its target is neither a path nor a URI")
        }
        guard target[..<colon.lowerBound].lowercased() == "http" else {
            throw Refusal(421, "this server has http only")
        }
        let rest = target[colon.upperBound...]
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        guard end > rest.startIndex, !rest[..<end].contains("@") else {
            throw .malformed("its target has no host, or a user")
        }
        (authority, path) = (String(rest[..<end]), end == rest.endIndex ? "/" : String(rest[end...]))
    }
}
