import Spelling

extension [Value] {
    /// What they are sent as; throws if libdbus or the bus would not take them.
    func checkedSignature() throws(InvalidArgument) -> Signature {
        var check = ValueCheck()
        for value in self { try check.check(value, depth: 0) }
        return try Signature(map(\.type))
    }

    /// Whether they are of these types.
    func match(_ signature: Signature) -> Bool {
        count == signature.types.count && zip(self, signature.types).allSatisfy { $0.type == $1 }
    }

    /// As a signature, whatever its length; quoted.
    var signatureText: String { map(\.type.description).joined().quoted }
}

extension Value {
    /// How many values lie around a value at most: D-Bus Specification, "Valid Signatures", total nesting.
    static let deepest = 64
}

/// Looks at the values of one message before it is written.
private struct ValueCheck {
    private var octetsLeft = BusHandle.longestMessage

    mutating func check(_ value: Value, depth: Int) throws(InvalidArgument) {
        let type = value.type
        _ = try Signature([type])
        try conform(value, to: type, depth: depth)
    }

    private mutating func conform(_ value: Value, to type: ValueType, depth: Int) throws(InvalidArgument) {
        guard depth <= Value.deepest else { throw InvalidArgument("a value lies in more than \(Value.deepest) others") }
        switch (value, type) {
        case (.string(let text), .string):
            guard !text.utf8.contains(0) else { throw InvalidArgument("\(text.quoted) has a NUL") }
            try weigh(text.utf8.count)
        case (.descriptor, _): throw InvalidArgument("a descriptor cannot be sent")
        case (.octets(let octets), .array(.byte)): try weigh(octets.count)
        case (.array(let element, let values), .array(let wanted)) where element == wanted:
            guard element != .byte else { throw InvalidArgument("an array of bytes must be octets") }
            for value in values { try conform(value, to: element, depth: depth + 1) }
        case (.dictionary(let key, let value, let entries), .dictionary(let wantedKey, let wantedValue))
        where key == wantedKey && value == wantedValue:
            for entry in entries {  // an array, and in it an entry
                try conform(entry.key, to: key, depth: depth + 2)
                try conform(entry.value, to: value, depth: depth + 2)
            }
        case (.structure(let members), .structure(let types)) where members.count == types.count:
            for (member, type) in zip(members, types) { try conform(member, to: type, depth: depth + 1) }
        case (.variant(let value), .variant): try check(value, depth: depth + 1)
        default:
            guard type.isBasic, value.type == type else {
                throw InvalidArgument("a value is of type \(value.type), and should be of type \(type)")
            }
        }
        try weigh(8)  // what it takes at most, with padding and length
    }

    private mutating func weigh(_ octets: Int) throws(InvalidArgument) {
        octetsLeft -= octets
        guard octetsLeft >= 0 else {
            throw InvalidArgument("a message would be longer than \(BusHandle.longestMessage) octets")
        }
    }
}
