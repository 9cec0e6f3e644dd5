/// A request with its whole body.
struct Request: Hashable, Sendable {
    /// A header field; its name is in lower case.
    struct Field: Hashable, Sendable {
        let name: String
        let value: String

        init(_ name: String, _ value: String) { (self.name, self.value) = (name.lowercased(), value) }
    }

    /// A parameter in the query: `page=2`.
    struct Parameter: Hashable, Sendable {
        let name: String
        let value: String

        init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    let method: String
    /// The path without the query, and without percent-encoding.
    let path: String
    /// What the query names, without percent-encoding.
    let parameters: [Parameter]
    /// The header fields, in their order. `host` has the authority of the target, if the target has one.
    let fields: [Field]
    var body: [UInt8]

    init(
        _ method: String, _ path: String, _ fields: [Field] = [], parameters: [Parameter] = [], body: [UInt8] = []
    ) {
        (self.method, self.path, self.fields, self.parameters, self.body) = (method, path, fields, parameters, body)
    }

    /// A request whose body has yet to arrive. An authority in the target counts instead of `Host`.  RFC 9112, section 3.2.
    init(_ method: String, target: String, _ fields: [Field], _ parameters: [Parameter]) throws(Refusal) {
        guard fields.count(where: { $0.name == "host" }) <= 1 else { throw .malformed("it has several fields Host") }
        let target = try RequestTarget(target)
        let replaced = target.authority.map { authority in
            fields.filter { $0.name != "host" } + [Field("host", authority)]
        }
        self.init(method, target.path, replaced ?? fields, parameters: parameters)
    }

    /// The values of all fields with a name in lower case.
    func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The value of the first parameter with a name; nil without one.
    func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
}
