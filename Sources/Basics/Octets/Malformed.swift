/// Why octets are not what they were read as.  `at` counts octets from 0; `field` is the specification's name.
public enum Malformed: Error, Equatable, CustomStringConvertible {
    /// The octets end before a field does: it `needs` so many, and only `has` are left.
    case tooShort(field: String, at: Int, needs: Int, has: Int)
    /// The last field is read, and `surplus` octets are left.
    case tooLong(at: Int, surplus: Int)
    /// The field is complete, but the specification does not allow its value; `allowed` says in words what it does.
    case prohibited(field: String, at: Int, value: Int, allowed: String)

    /// For people: `octet 3: Identifier needs 2 octet(s), and 1 are left`.
    public var description: String {
        switch self {
        case .tooShort(let field, let at, let needs, let has):
            "octet \(at): \(field) needs \(needs) octet(s), and \(has) are left"
        case .tooLong(let at, let surplus): "octet \(at): \(surplus) octet(s) after the last field"
        case .prohibited(let field, let at, let value, let allowed):
            "octet \(at): \(field) is \(value), and must be \(allowed)"
        }
    }
}
