/// A request with its whole body.
package struct Request: Hashable, Sendable {
    /// A header field; its name is in lower case.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name.lowercased(), value) }
    }

    package let method: String
    /// The path without the query.
    package let path: String
    /// The header fields, in their order.
    package let fields: [Field]
    package internal(set) var body: [UInt8]

    package init(_ method: String, _ path: String, _ fields: [Field] = [], body: [UInt8] = []) {
        (self.method, self.path, self.fields, self.body) = (method, path, fields, body)
    }

    /// The values of all fields with a name in lower case.
    package func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}

/// The response to a request.
package struct Response: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case octets([UInt8])
        /// Server-sent events: these first, and then those that the server sends to all streams, until either side closes.
        case stream(first: [[UInt8]])
    }

    package let status: UInt32
    /// The header fields, in addition to those that HTTP needs.
    package let fields: [Request.Field]
    package let content: Content

    package init(_ status: UInt32, _ fields: [Request.Field], _ content: Content) {
        (self.status, self.fields, self.content) = (status, fields, content)
    }
}
