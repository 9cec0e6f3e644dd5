extension ServedInterface {
    /// The description for introspection, as gdbus writes it.
    var xml: String {
        let methods = methods.map { method in
            "<method name=\"\(method.name)\">\(Self.xml(method.arguments, "in"))\(Self.xml(method.results, "out"))</method>"
        }
        let signals = signals.map { signal in
            "<signal name=\"\(signal.name)\">\(Self.xml(signal.arguments, nil))</signal>\n"
        }
        let properties = properties.map { property in
            let access = property.isWritable ? "readwrite" : "read"
            return "<property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\"></property>"
        }
        return "<interface name=\"\(name)\">\((methods + signals + properties).joined())</interface>"
    }

    private static func xml(_ parameters: [(name: String, type: String)], _ direction: String?) -> String {
        parameters.map { parameter in
            let direction = direction.map { " direction=\"\($0)\"" } ?? ""
            return "<arg name=\"\(parameter.name)\" type=\"\(parameter.type)\"\(direction)/>\n"
        }.joined()
    }
}
