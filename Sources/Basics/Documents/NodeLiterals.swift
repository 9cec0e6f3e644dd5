// JSON as Swift's literals: `["curve": "ramp", "start": 60, "end": 180, "over": "1 min"]`.

extension Node.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    package init(stringLiteral text: String) { self = .string(text) }
    /// A number.
    package init(integerLiteral number: Int) { self = .number("\(number)") }
    /// A number.
    package init(floatLiteral number: Double) { self = .number(number.plain) }
    /// `true` or `false`.
    package init(booleanLiteral bool: Bool) { self = .bool(bool) }
    /// An array.
    package init(arrayLiteral items: Node.Value...) { self = .array(items.map { Node($0) }) }
    /// An object with its members in this order.
    package init(dictionaryLiteral members: (String, Node.Value)...) {
        self = .object(members.map { Node.Member(key: $0.0, position: Position(), node: Node($0.1)) })
    }
}

extension Node: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    package init(stringLiteral text: String) { self.init(.string(text)) }
    /// A number.
    package init(integerLiteral number: Int) { self.init(Value(integerLiteral: number)) }
    /// A number.
    package init(floatLiteral number: Double) { self.init(Value(floatLiteral: number)) }
    /// `true` or `false`.
    package init(booleanLiteral bool: Bool) { self.init(.bool(bool)) }
    /// An array.
    package init(arrayLiteral items: Value...) { self.init(.array(items.map { Node($0) })) }
    /// An object with its members in this order.
    package init(dictionaryLiteral members: (String, Value)...) {
        self = .object(members.map { (key: $0.0, node: Node($0.1)) })
    }
}

extension Shape.Standard: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    /// A string.
    package init(stringLiteral text: String) { self = .value(Node(.string(text))) }
    /// A number.
    package init(integerLiteral number: Int) { self = .value(Node(integerLiteral: number)) }
    /// A number.
    package init(floatLiteral number: Double) { self = .value(Node(floatLiteral: number)) }
    /// `true` or `false`.
    package init(booleanLiteral bool: Bool) { self = .value(Node(.bool(bool))) }
}
