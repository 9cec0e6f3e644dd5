/// XML that describes a path: D-Bus Specification, "Introspection Data Format".
func introspection(of interfaces: [Interface], children: [String]) -> String {
    var lines = [
        "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"",
        " \"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">",
        "<node>",
    ]
    for interface in interfaces {
        lines.append("  <interface name=\"\(interface.name)\">")
        for method in interface.methods {
            lines.append("    <method name=\"\(method.name)\">")
            lines += arguments(method.arguments, direction: " direction=\"in\"")
            lines += arguments(method.results, direction: " direction=\"out\"")
            lines.append("    </method>")
        }
        for signal in interface.signals {
            lines.append("    <signal name=\"\(signal.name)\">")
            lines += arguments(signal.arguments, direction: "")
            lines.append("    </signal>")
        }
        for property in interface.properties {
            let access = property.set == nil ? "read" : "readwrite"
            lines += [
                "    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\">",
                "      <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\""
                    + " value=\"\(property.change.rawValue)\"/>",
                "    </property>",
            ]
        }
        lines.append("  </interface>")
    }
    lines += children.map { "  <node name=\"\($0)\"/>" }
    return (lines + ["</node>", ""]).joined(separator: "\n")
}

/// Names and types contain no characters that XML would require to escape.
private func arguments(_ parameters: Parameters, direction: String) -> [String] {
    parameters.signature.types.enumerated().map { index, type in
        let name = index < parameters.names.count ? " name=\"\(parameters.names[index])\"" : ""
        return "      <arg\(name) type=\"\(type)\"\(direction)/>"
    }
}
