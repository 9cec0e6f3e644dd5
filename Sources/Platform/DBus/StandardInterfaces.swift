import Basics

/// The interfaces that every object has.
///
/// Source: D-Bus Specification, "Standard Interfaces".
extension ObjectTree {
    /// Called after another program set a property.
    typealias PropertySetHandler = @Sendable (InterfaceName, Property) -> Void

    func standardInterfaces(at path: ObjectPath, whenSet: @escaping PropertySetHandler) -> [Interface] {
        var interfaces = [Self.peer]
        if contains(path) { interfaces.append(introspectable(path, whenSet)) }
        if let object = object(at: path) { interfaces.append(Self.properties(of: object, whenSet)) }
        if isManager(path) { interfaces.append(objectManager(path)) }
        return interfaces
    }

    private static let peer = Interface(
        "org.freedesktop.DBus.Peer",
        methods: [
            Method("Ping") { $0.reply() },
            Method("GetMachineId", results: Parameters("s", "machine_uuid")) { invocation in
                if let id = BusHandle.machineID() {
                    invocation.reply([.string(id)])
                } else {
                    invocation.fail(with: MethodError(.failed, "this machine has no machine id"))
                }
            },
        ])

    private func introspectable(_ path: ObjectPath, _ whenSet: @escaping PropertySetHandler) -> Interface {
        Interface(
            "org.freedesktop.DBus.Introspectable",
            methods: [
                Method("Introspect", results: Parameters("s", "xml_data")) { invocation in
                    let interfaces =
                        standardInterfaces(at: path, whenSet: whenSet) + (object(at: path)?.interfaces ?? [])
                    invocation.reply([.string(introspection(of: interfaces, children: children(of: path)))])
                }
            ])
    }

    private func objectManager(_ path: ObjectPath) -> Interface {
        Interface(
            .objectManager,
            methods: [
                Method("GetManagedObjects", results: Parameters("a{oa{sa{sv}}}", "objects")) { invocation in
                    let objects = objects(below: path).map { Value.Entry(.path($0.path), $0.values) }
                    invocation.reply([.dictionary(key: .path, value: ExportedObject.valuesType, objects)])
                }
            ],
            signals: [
                SignalDescription("InterfacesAdded", Parameters("oa{sa{sv}}", "object", "interfaces")),
                SignalDescription("InterfacesRemoved", Parameters("oas", "object", "interfaces")),
            ])
    }

    private static func properties(of object: ExportedObject, _ whenSet: @escaping PropertySetHandler) -> Interface {
        Interface(
            .properties,
            methods: [
                Method(
                    "Get", arguments: Parameters("ss", "interface", "name"), results: Parameters("v", "value")
                ) { call in
                    reply(to: call) { () throws(MethodError) in
                        let (_, property) = try property(call, of: object)
                        guard let value = property.get() else { throw unknown(property.name.text, of: object) }
                        guard value.type == property.type else {
                            throw MethodError(
                                .failed, "\(property.name) has the type \(value.type), not \(property.type)")
                        }
                        return [.variant(value)]
                    }
                },
                Method("GetAll", arguments: Parameters("s", "interface"), results: Parameters("a{sv}", "values")) {
                    call in
                    reply(to: call) { () throws(MethodError) in
                        [try interface(call.arguments.first?.string, of: object).values]
                    }
                },
                Method("Set", arguments: Parameters("ssv", "interface", "name", "value")) { call in
                    reply(to: call) { () throws(MethodError) in
                        let (interface, property) = try property(call, of: object)
                        try set(property, to: call.arguments.last?.variant)
                        whenSet(interface, property)
                        return []
                    }
                },
            ],
            signals: [
                SignalDescription("PropertiesChanged", Parameters("sa{sv}as", "interface", "changed", "invalidated"))
            ])
    }

    private static func reply(to call: Invocation, with body: () throws(MethodError) -> [Value]) {
        do { call.reply(try body()) } catch { call.fail(with: error) }
    }

    private static func set(_ property: Property, to value: Value?) throws(MethodError) {
        guard let set = property.set else { throw MethodError(.propertyReadOnly, "\(property.name) is read-only") }
        guard let value, value.type == property.type else {
            let found = value.map { "\($0.type)" } ?? ""
            throw MethodError(.invalidArgs, "\(property.name) has the type \(property.type), not \(found)")
        }
        try set(value)
    }

    private static func interface(_ name: String?, of object: ExportedObject) throws(MethodError) -> Interface {
        guard let interface = object.interfaces.first(where: { $0.name.text == name }) else {
            throw MethodError(.unknownInterface, "the object at \(object.path) does not have this interface")
        }
        return interface
    }

    /// The property that the first two arguments name; an empty interface name means any interface.
    private static func property(
        _ call: Invocation, of object: ExportedObject
    ) throws(MethodError) -> (InterfaceName, Property) {
        let texts = call.arguments.compactMap(\.string)
        let (name, requested) = (texts.first ?? "", texts.last ?? "")
        let interfaces = name.isEmpty ? object.interfaces : [try interface(name, of: object)]
        for interface in interfaces {
            if let property = interface.properties.first(where: { $0.name.text == requested }) {
                return (interface.name, property)
            }
        }
        throw unknown(requested, of: object)
    }

    private static func unknown(_ property: String, of object: ExportedObject) -> MethodError {
        MethodError(
            .unknownProperty, "the object at \(object.path) has no property \(String(property.prefix(80)).quoted)")
    }
}

extension InterfaceName {
    /// The interface for reading, setting and watching properties.
    public static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    /// The interface that lists all objects below a path.
    public static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"
}
