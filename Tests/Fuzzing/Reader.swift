/// A reader of octets from outside, with what must hold whatever the octets are.
package struct Reader: Sendable {
    /// The name of its corpus and of its option.
    package let name: String
    /// What it reads, and what it checks.
    package let summary: String
    /// Reads octets; throws when something does not hold.
    package let read: @Sendable ([UInt8]) throws(Broken) -> Void

    package init(_ name: String, _ summary: String, _ read: @escaping @Sendable ([UInt8]) throws(Broken) -> Void) {
        (self.name, self.summary, self.read) = (name, summary, read)
    }
}

/// Something does not hold.
package struct Broken: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Throws unless `holds`.
package func require(_ holds: Bool, _ what: @autoclosure () -> String) throws(Broken) {
    if !holds { throw Broken(description: what()) }
}

/// The packets of a conversation: each is preceded by its length, an octet; the last one may be shorter.
package struct Conversation: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    package init(_ octets: some Collection<UInt8>) { rest = ArraySlice(octets) }

    package mutating func next() -> [UInt8]? {
        guard let count = rest.popFirst() else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }
}
