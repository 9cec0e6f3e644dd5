/// A reader of octets from outside, with what must hold whatever the octets are.
struct Reader: Sendable {
    /// The name of its corpus and of its option.
    let name: String
    /// What it reads, and what it checks.
    let summary: String
    /// Reads octets; throws when something does not hold.
    let read: @Sendable ([UInt8]) throws(Broken) -> Void

    init(_ name: String, _ summary: String, _ read: @escaping @Sendable ([UInt8]) throws(Broken) -> Void) {
        (self.name, self.summary, self.read) = (name, summary, read)
    }

    static let all = packets + [values, server, client, host, controller, pairing] + texts + [message, names, objects]
}

/// Something does not hold.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless `holds`.
func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(Broken) {
    if !holds { throw Broken(description: what()) }
}

/// The packets of a conversation: each is preceded by its length, an octet; the last one may be shorter.
struct Conversation: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ octets: some Collection<UInt8>) { rest = ArraySlice(octets) }

    mutating func next() -> [UInt8]? {
        guard let count = rest.popFirst() else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }
}
