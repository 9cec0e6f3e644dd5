import Spelling

/// The interfaces that objects have without being told to.
///
/// Source: D-Bus Specification, "Standard Interfaces".
extension ObjectTree {
    /// Called when a property was set from outside.
    typealias WhenSet = @Sendable (InterfaceName, Property) -> Void

    func standardInterfaces(at path: ObjectPath, whenSet: @escaping WhenSet) -> [Interface] {
        var interfaces = [Self.peer]
        if contains(path) { interfaces.append(introspectable(path, whenSet)) }
        if let object = object(at: path) { interfaces.append(Self.properties(of: object, whenSet)) }
        if isManager(path) { interfaces.append(objectManager(path)) }
        return interfaces
    }

    private static let peer = Interface(
        "org.freedesktop.DBus.Peer",
        methods: [
            Method("Ping") { $0.answer() },
            Method("GetMachineId", gives: Parameters("s", "machine_uuid")) { invocation in
                if let id = BusHandle.machineID() {
                    invocation.answer([.string(id)])
                } else {
                    invocation.refuse(Refusal(.failed, "this machine has no number"))
                }
            },
        ])

    private func introspectable(_ path: ObjectPath, _ whenSet: @escaping WhenSet) -> Interface {
        Interface(
            "org.freedesktop.DBus.Introspectable",
            methods: [
                Method("Introspect", gives: Parameters("s", "xml_data")) { invocation in
                    let interfaces =
                        standardInterfaces(at: path, whenSet: whenSet) + (object(at: path)?.interfaces ?? [])
                    invocation.answer([.string(introspection(of: interfaces, children: children(of: path)))])
                }
            ])
    }

    private func objectManager(_ path: ObjectPath) -> Interface {
        Interface(
            .objectManager,
            methods: [
                Method("GetManagedObjects", gives: Parameters("a{oa{sa{sv}}}", "objects")) { invocation in
                    let objects = objects(below: path).map { Value.Entry(.path($0.path), $0.values) }
                    invocation.answer([.dictionary(key: .path, value: ExportedObject.valuesType, objects)])
                }
            ],
            signals: [
                SignalDescription("InterfacesAdded", Parameters("oa{sa{sv}}", "object", "interfaces")),
                SignalDescription("InterfacesRemoved", Parameters("oas", "object", "interfaces")),
            ])
    }

    private static func properties(of object: ExportedObject, _ whenSet: @escaping WhenSet) -> Interface {
        Interface(
            .properties,
            methods: [
                Method("Get", takes: Parameters("ss", "interface", "name"), gives: Parameters("v", "value")) { call in
                    answer(call) { () throws(Refusal) in
                        let (_, property) = try property(call, of: object)
                        guard let value = property.get() else { throw unknown(property.name.text, of: object) }
                        guard value.type == property.type else {
                            throw Refusal(.failed, "\(property.name) is of type \(value.type), not \(property.type)")
                        }
                        return [.variant(value)]
                    }
                },
                Method("GetAll", takes: Parameters("s", "interface"), gives: Parameters("a{sv}", "values")) { call in
                    answer(call) { () throws(Refusal) in
                        [try interface(call.arguments.first?.string, of: object).values]
                    }
                },
                Method("Set", takes: Parameters("ssv", "interface", "name", "value")) { call in
                    answer(call) { () throws(Refusal) in
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

    private static func answer(_ call: Invocation, with body: () throws(Refusal) -> [Value]) {
        do { call.answer(try body()) } catch { call.refuse(error) }
    }

    private static func set(_ property: Property, to value: Value?) throws(Refusal) {
        guard let set = property.set else { throw Refusal(.propertyReadOnly, "\(property.name) can only be read") }
        guard let value, value.type == property.type else {
            let found = value.map { "\($0.type)" } ?? ""
            throw Refusal(.invalidArgs, "\(property.name) is of type \(property.type), not \(found)")
        }
        try set(value)
    }

    private static func interface(_ name: String?, of object: ExportedObject) throws(Refusal) -> Interface {
        guard let interface = object.interfaces.first(where: { $0.name.text == name }) else {
            throw Refusal(.unknownInterface, "the object at \(object.path) has no such interface")
        }
        return interface
    }

    /// The one that the first two arguments name; an empty interface stands for any.
    private static func property(
        _ call: Invocation, of object: ExportedObject
    ) throws(Refusal) -> (InterfaceName, Property) {
        let texts = call.arguments.compactMap(\.string)
        let (name, wanted) = (texts.first ?? "", texts.last ?? "")
        let interfaces = name.isEmpty ? object.interfaces : [try interface(name, of: object)]
        for interface in interfaces {
            if let property = interface.properties.first(where: { $0.name.text == wanted }) {
                return (interface.name, property)
            }
        }
        throw unknown(wanted, of: object)
    }

    private static func unknown(_ property: String, of object: ExportedObject) -> Refusal {
        Refusal(.unknownProperty, "the object at \(object.path) has no property \(String(property.prefix(80)).quoted)")
    }
}

extension InterfaceName {
    static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    static let objectManager: InterfaceName = "org.freedesktop.DBus.ObjectManager"
}
