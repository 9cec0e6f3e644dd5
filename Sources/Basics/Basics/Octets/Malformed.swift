/// Why octets could not be decoded. `at` is an offset in octets; `field` is the specification's name of the field.
public enum Malformed: Error, Equatable, CustomStringConvertible {
    /// The octets end inside a field, which `needs` more octets than it `has`.
    case tooShort(field: String, at: Int, needs: Int, has: Int)
    /// `surplus` octets follow the last field.
    case tooLong(at: Int, surplus: Int)
    /// The specification does not allow this value of the field; `allowed` describes what it does allow.
    case prohibited(field: String, at: Int, value: Int, allowed: String)

    /// A message such as `octet 3: Identifier needs 2 octet(s), and 1 are left`. The event log contains it, so its wording
    /// must not change.
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
