import Basics

extension [Value] {
    /// The signature of the values; throws if libdbus or the bus would reject them.
    func checkedSignature() throws(InvalidArgument) -> Signature {
        var check = ValueCheck()
        for value in self { try check.check(value, depth: 0) }
        return try Signature(map(\.type))
    }

    /// Whether the values have these types.
    func match(_ signature: Signature) -> Bool {
        count == signature.types.count && zip(self, signature.types).allSatisfy { $0.type == $1 }
    }

    /// The quoted types of the values, whatever their length.
    var signatureText: String { map(\.type.description).joined().quoted }
}

extension Value {
    /// Maximum nesting of values: D-Bus Specification, "Valid Signatures".
    static let maximumDepth = 64
}

/// Checks the values of a message before it is written.
private struct ValueCheck {
    private var octetsLeft = BusHandle.maximumMessageLength
    private var descriptorsLeft = BusHandle.maximumDescriptors

    mutating func check(_ value: Value, depth: Int) throws(InvalidArgument) {
        let type = value.type
        _ = try Signature([type])
        try conform(value, to: type, depth: depth)
    }

    private mutating func conform(_ value: Value, to type: ValueType, depth: Int) throws(InvalidArgument) {
        guard depth <= Value.maximumDepth else {
            throw InvalidArgument("values are nested more than \(Value.maximumDepth) levels deep")
        }
        switch (value, type) {
        case (.string(let text), .string):
            guard !text.utf8.contains(0) else { throw InvalidArgument("\(text.quoted) contains NUL") }
            try reserve(text.utf8.count)
        case (.descriptor(let descriptor), .descriptor):
            guard descriptor.number != nil else { throw InvalidArgument("a file descriptor has been taken") }
            descriptorsLeft -= 1
            guard descriptorsLeft >= 0 else {
                throw InvalidArgument("more than \(BusHandle.maximumDescriptors) file descriptors")
            }
        case (.octets(let octets), .array(.byte)): try reserve(octets.count)
        case (.array(let element, let values), .array(let expected)) where element == expected:
            guard element != .byte else { throw InvalidArgument("an array of bytes must be .octets") }
            for value in values { try conform(value, to: element, depth: depth + 1) }
        case (.dictionary(let key, let value, let entries), .dictionary(let expectedKey, let expectedValue))
        where key == expectedKey && value == expectedValue:
            for entry in entries {  // two levels: the array and the entry
                try conform(entry.key, to: key, depth: depth + 2)
                try conform(entry.value, to: value, depth: depth + 2)
            }
        case (.structure(let members), .structure(let types)) where members.count == types.count:
            for (member, type) in zip(members, types) { try conform(member, to: type, depth: depth + 1) }
        case (.variant(let value), .variant): try check(value, depth: depth + 1)
        default:
            guard type.isBasic, value.type == type else {
                throw InvalidArgument("a value has the type \(value.type), not \(type)")
            }
        }
        try reserve(8)  // maximum size including padding and length
    }

    private mutating func reserve(_ octets: Int) throws(InvalidArgument) {
        octetsLeft -= octets
        guard octetsLeft >= 0 else {
            throw InvalidArgument("the message would be longer than \(BusHandle.maximumMessageLength) octets")
        }
    }
}
