/// A request with its whole body.
package struct Request: Hashable, Sendable {
    /// A header field; its name is in lower case.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name.lowercased(), value) }
    }

    package let method: String
    /// The path without the query, and without percent-encoding.
    package let path: String
    /// What follows `?`, as it was sent; empty without it.
    package let query: String
    /// The header fields, in their order. `host` has the authority of the target, if the target has one.
    package let fields: [Field]
    package internal(set) var body: [UInt8]

    package init(
        _ method: String, _ path: String, query: String = "", _ fields: [Field] = [], body: [UInt8] = []
    ) {
        (self.method, self.path, self.query, self.fields, self.body) = (method, path, query, fields, body)
    }

    /// The values of all fields with a name in lower case.
    package func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter in the query: `find=strap%201&page=2`; nil if it is missing or malformed.
    package func parameter(_ name: String) -> String? {
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == name else { continue }
            return PercentEncoding.decoded(parts[1].replacing("+", with: " ").utf8)
        }
        return nil
    }
}

/// The octets that a URI writes as `%20`.  RFC 3986, section 2.1.
enum PercentEncoding {
    /// Nil if an escape is malformed, or the result is not text: not UTF-8, or with a NUL.
    static func decoded(_ encoded: some Sequence<UInt8>) -> String? {
        var (octets, rest) = ([UInt8](), encoded.makeIterator())
        while let octet = rest.next() {
            guard octet == UInt8(ascii: "%") else {
                octets.append(octet)
                continue
            }
            guard let high = rest.next()?.hexDigit, let low = rest.next()?.hexDigit else { return nil }
            octets.append(high << 4 | low)
        }
        return octets.contains(0) ? nil : String(validating: octets, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit in ASCII; nil for other octets.
    var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
