/// A value that can be matched with a pattern: what is, or could be, JSON.
package enum Datum: Hashable, Sendable {
    /// A member of an object.
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: Datum

        package init(_ key: String, _ value: Datum) { (self.key, self.value) = (key, value) }
    }

    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    case number(Double)
    case string(String)
    /// Values in their order.
    case list([Datum])
    /// Members in their order; of two with one key, the first counts.
    case object([Member])

    /// The value of a key of an object; the first of several.
    package subscript(key: String) -> Datum? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}

extension Datum: JSONWritable {
    package func write(to text: inout JSONText) {
        switch self {
        case .null: text.append(.null)
        case .bool(let bool): text.append(.bool(bool))
        // JSON has no other numbers.
        case .number(let number) where !number.isFinite: text.append(quoted: "\(number)")
        case .number(let number): text.append(text: Int64(exactly: number).map { "\($0)" } ?? "\(number)")
        case .string(let string): text.append(quoted: string)
        case .list(let values): text.append(list: values) { $1.write(to: &$0) }
        case .object(let members):
            text.appendObject { text in
                for member in members { text.append(member: member.key) { member.value.write(to: &$0) } }
            }
        }
    }
}

extension Datum {
    /// What a value writes, without its JSON; nil if it writes nothing.
    package init?(_ value: some ValueWritable) {
        var builder = Builder()
        value.write(into: &builder)
        guard let datum = builder.open.first else { return nil }
        self = datum
    }

    private struct Builder: ValueSink {
        /// The whole value, or the list or object that is not complete and those around it.
        var open: [Datum] = []
        private var keys: [String] = []

        mutating func append(_ token: ValueToken) {
            switch token {
            case .null: add(.null)
            case .bool(let isTrue): add(.bool(isTrue))
            case .integer(let number): add(.number(Double(number)))
            case .unsigned(let number): add(.number(Double(number)))
            case .thousandths(let number): add(.number(Double(number) / 1000))
            case .decimal(let number): add(.number((number * 1000).rounded() / 1000))
            case .string(let text): add(.string(text))
            case .description(let value): add(.string(value.description))
            case .beginList: open.append(.list([]))
            case .beginObject: open.append(.object([]))
            case .key(let key): keys.append(key)
            case .endList, .endObject: if let whole = open.popLast() { add(whole) }
            case .comma: break
            }
        }

        private mutating func add(_ datum: Datum) {
            switch open.popLast() {
            case .list(let values): open.append(.list(values + [datum]))
            case .object(let members): open.append(.object(members + [Member(keys.removeLast(), datum)]))
            default: open.append(datum)
            }
        }
    }
}
