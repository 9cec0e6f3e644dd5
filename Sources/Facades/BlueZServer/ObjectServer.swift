import Basics
import BlueZNames
import DBus

/// The description of an interface that a program serves.
struct ServedInterface: Sendable {
    /// The names and types of parameters, in order.
    typealias Parameters = KeyValuePairs<String, String>

    struct Method: Sendable {
        let name: String
        let arguments: [(name: String, type: String)]
        let results: [(name: String, type: String)]
        /// The first version of BlueZ that has it: the number after `5.`.
        let since: Int

        init(_ name: String, _ arguments: Parameters = [:], returns results: Parameters = [:], since: Int = 0) {
            (self.name, self.since) = (name, since)
            self.arguments = arguments.map { ($0, $1) }
            self.results = results.map { ($0, $1) }
        }

        var signature: String { arguments.map(\.type).joined() }
    }

    struct Property: Sendable {
        let name: String
        let type: String
        let isWritable: Bool
        /// The first version of BlueZ that has it: the number after `5.`.
        let since: Int

        init(_ name: String, _ type: String, isWritable: Bool = false, since: Int = 0) {
            (self.name, self.type, self.isWritable, self.since) = (name, type, isWritable, since)
        }
    }

    let name: InterfaceName
    var methods: [Method] = []
    var properties: [Property] = []
    var signals: [Method] = []
}

/// The objects of bluetoothd, announced and accessed as its library gdbus does: gdbus/object.c.
///
/// Changes of properties wait until the end of a turn of the main loop, or the next reply: then an interface announces them
/// in one signal, in the order in which they were made. New interfaces precede changes, and these precede removed interfaces.
struct ObjectServer: Sendable {
    /// What has to be done for a call.
    enum Action {
        case reply([Value])
        case fail(MethodError)
        /// A method of an interface of the program.
        case call(InterfaceName, String)
        /// A property is to be set to a value of its type.
        case set(InterfaceName, String, Value)
    }

    private struct Interface: Sendable {
        let description: ServedInterface
        var values: [String: Value]
        /// Properties whose change was not announced yet.
        var changed: [String] = []
        var isNew: Bool

        /// The properties that it has, in the order of their table.
        var properties: Value {
            .options(
                description.properties.compactMap { property in values[property.name].map { (property.name, $0) } })
        }

        /// Whether the played version has a property.
        func has(_ name: String) -> Bool {
            values[name] != nil || description.properties.contains { $0.name == name }
        }

        /// The signal of its changed properties; those that it does not have any more are named only.
        func changes(at path: ObjectPath) -> Signal {
            let present = changed.compactMap { name in values[name].map { (name, $0) } }
            let gone = changed.filter { values[$0] == nil }
            return Signal(
                path, ServedInterface.properties.name, "PropertiesChanged",
                [.string(description.name.text), .options(present), .strings(gone)])
        }
    }

    private struct Object: Sendable {
        var interfaces: [Interface]
        var removed: [InterfaceName] = []
    }

    /// Of BlueZ: its interfaces have what this version has.
    let version: BlueZVersion
    /// Objects of other servers, for the descriptions of those above them.
    var neighbours: [ObjectPath] = []
    private var objects: [ObjectPath: Object] = [:]
    /// In the order of registration.
    private var paths: [ObjectPath] = []
    /// Objects with something to announce.
    private var pending: [ObjectPath] = []
    /// Changes of interfaces that were removed then.
    private var ready: [Signal] = []

    init(version: BlueZVersion = .measured) { self.version = version }

    /// Whether there is something to announce.
    var hasChanges: Bool { !pending.isEmpty || !ready.isEmpty }

    /// Whether there is an object with an interface.
    func contains(_ path: ObjectPath, _ interface: InterfaceName) -> Bool { index(of: interface, at: path) != nil }

    private func index(of interface: InterfaceName, at path: ObjectPath) -> Int? {
        objects[path]?.interfaces.firstIndex { $0.description.name == interface }
    }

    // MARK: Objects

    /// Adds an interface to an object, with the properties that it has now.
    mutating func register(
        _ description: ServedInterface, _ values: [(String, Value)] = [], at path: ObjectPath
    ) {
        if objects[path] == nil {
            objects[path] = Object(interfaces: [])
            paths.append(path)
            add(.introspectable, [], at: path)
        }
        let description = description.of(version)
        add(description, values, at: path)
        if !description.properties.isEmpty, index(of: ServedInterface.properties.name, at: path) == nil {
            add(.properties, [], at: path)
        }
    }

    private mutating func add(_ description: ServedInterface, _ values: [(String, Value)], at path: ObjectPath) {
        let known = Set(description.properties.map(\.name))
        let values = Dictionary(values.filter { known.contains($0.0) }, uniquingKeysWith: { $1 })
        objects[path]?.interfaces.append(Interface(description: description, values: values, isNew: true))
        wait(path)
    }

    /// Removes an interface, and the object with its last one.
    mutating func unregister(_ interface: InterfaceName, at path: ObjectPath) {
        remove(interface, at: path)
        let others = objects[path]?.interfaces.filter { !$0.description.isStandard } ?? []
        if others.isEmpty {
            remove(ServedInterface.introspectable.name, at: path)
            remove(ServedInterface.properties.name, at: path)
        }
    }

    private mutating func remove(_ interface: InterfaceName, at path: ObjectPath) {
        guard let index = index(of: interface, at: path), let removed = objects[path]?.interfaces.remove(at: index)
        else { return }
        guard !removed.isNew else { return }
        if !removed.changed.isEmpty { ready.append(removed.changes(at: path)) }
        objects[path]?.removed.insert(interface, at: 0)
        wait(path)
    }

    private mutating func wait(_ path: ObjectPath) {
        if !pending.contains(path) { pending.append(path) }
    }

    // MARK: Properties

    func value(_ name: String, of interface: InterfaceName, at path: ObjectPath) -> Value? {
        index(of: interface, at: path).flatMap { objects[path]?.interfaces[$0].values[name] }
    }

    /// Sets a property, or removes it; a change is announced, and an equal value too if it `isEmitted`.
    mutating func set(
        _ name: String, _ value: Value?, of interface: InterfaceName, at path: ObjectPath, isEmitted: Bool = false
    ) {
        guard let index = index(of: interface, at: path), let served = objects[path]?.interfaces[index],
            isEmitted || served.values[name] != value, served.has(name)
        else { return }
        objects[path]?.interfaces[index].values[name] = value
        guard objects[path]?.interfaces[index].isNew == false else { return }
        if objects[path]?.interfaces[index].changed.contains(name) == false {
            objects[path]?.interfaces[index].changed.append(name)
        }
        wait(path)
    }

    /// Sets a property, or removes it, without an announcement.
    mutating func replace(_ name: String, _ value: Value?, of interface: InterfaceName, at path: ObjectPath) {
        guard let index = index(of: interface, at: path), objects[path]?.interfaces[index].has(name) == true else {
            return
        }
        objects[path]?.interfaces[index].values[name] = value
    }

    // MARK: Announcements

    /// The signals of everything that was not announced yet.
    mutating func takeSignals() -> [Signal] {
        var signals = ready
        ready.removeAll()
        while let path = pending.first { announce(path, into: &signals) }
        return signals
    }

    /// The signals of one object.
    mutating func takeSignals(of path: ObjectPath) -> [Signal] {
        var signals = ready.filter { $0.path == path }
        ready.removeAll { $0.path == path }
        if pending.contains(path) { announce(path, into: &signals) }
        return signals
    }

    private mutating func announce(_ path: ObjectPath, into signals: inout [Signal]) {
        pending.removeAll { $0 == path }
        announceNew(path, into: &signals)
        guard var object = objects[path] else { return }
        for index in object.interfaces.indices where !object.interfaces[index].changed.isEmpty {
            signals.append(object.interfaces[index].changes(at: path))
            object.interfaces[index].changed = []
        }
        if !object.removed.isEmpty {
            signals.append(
                Signal(
                    .root, .objectManager, "InterfacesRemoved", [.path(path), .strings(object.removed.map(\.text))]))
            object.removed = []
        }
        objects[path] = object
        guard object.interfaces.isEmpty else { return }
        objects[path] = nil
        paths.removeAll { $0 == path }
    }

    /// An object is announced after the objects above it, since it refers to them.
    private mutating func announceNew(_ path: ObjectPath, into signals: inout [Signal]) {
        guard let object = objects[path], object.interfaces.contains(where: \.isNew) else { return }
        if let parent = path.parent { announceNew(parent, into: &signals) }
        let added = object.interfaces.filter(\.isNew)
        for index in object.interfaces.indices { objects[path]?.interfaces[index].isNew = false }
        guard path != .root else { return }
        signals.append(
            Signal(.root, .objectManager, "InterfacesAdded", [.path(path), Self.values(of: added)]))
    }

    private static func values(of interfaces: [Interface]) -> Value {
        .dictionary(
            key: .string, value: .dictionary(key: .string, value: .variant),
            interfaces.map { Value.Entry(.string($0.description.name.text), $0.properties) })
    }

    // MARK: Calls

    /// How to react to a call.
    func action(for call: ReceivedCall) -> Action {
        guard let object = objects[call.path], let interface = call.interface,
            let served = object.interfaces.first(where: { $0.description.name == interface }),
            let method = served.description.methods.first(where: { $0.name == call.member.text }),
            method.signature == call.signature
        else { return defaultAction(for: call) }
        switch (interface, method.name) {
        case (ServedInterface.introspectable.name, _): return .reply([.string(introspection(of: call.path))])
        case (.objectManager, _): return .reply([managedObjects])
        case (ServedInterface.properties.name, "Get"): return get(call.arguments, object)
        case (ServedInterface.properties.name, "GetAll"): return getAll(call.arguments, object)
        case (ServedInterface.properties.name, _): return set(call.arguments, object)
        default: return .call(interface, method.name)
        }
    }

    private func defaultAction(for call: ReceivedCall) -> Action {
        let isUnknown = objects[call.path] == nil
        // Below an object manager at the root, every path has a description.
        if call.interface == ServedInterface.introspectable.name, call.member == "Introspect", isUnknown {
            return .reply([.string(introspection(of: call.path))])
        }
        if call.interface == "org.freedesktop.DBus.Peer", call.member == "Ping" { return .reply([]) }
        let error: ErrorName = isUnknown ? .unknownObject : .unknownMethod
        return .fail(
            MethodError(
                error,
                "Method \"\(call.member)\" with signature \"\(call.signature)\" on interface "
                    + "\"\(call.interface?.text ?? "(null)")\" doesn't exist\n"))
    }

    private func get(_ arguments: [Value], _ object: Object) -> Action {
        let (interface, name) = (arguments[0].string ?? "", arguments[1].string ?? "")
        guard let served = object.interfaces.first(where: { $0.description.name.text == interface }) else {
            return .fail(MethodError(.invalidArgs, "No such interface '\(interface)'"))
        }
        guard let value = served.values[name] else {
            return .fail(MethodError(.invalidArgs, "No such property '\(name)'"))
        }
        return .reply([.variant(value)])
    }

    private func getAll(_ arguments: [Value], _ object: Object) -> Action {
        let interface = arguments[0].string ?? ""
        guard let served = object.interfaces.first(where: { $0.description.name.text == interface }) else {
            return .fail(MethodError(.invalidArgs, "No such interface '\(interface)'"))
        }
        return .reply([served.properties])
    }

    private func set(_ arguments: [Value], _ object: Object) -> Action {
        let (interface, name) = (arguments[0].string ?? "", arguments[1].string ?? "")
        guard let served = object.interfaces.first(where: { $0.description.name.text == interface }) else {
            return .fail(MethodError(.invalidArgs, "No such interface '\(interface)'"))
        }
        guard let property = served.description.properties.first(where: { $0.name == name }) else {
            return .fail(MethodError(.unknownProperty, "No such property '\(name)'"))
        }
        guard property.isWritable else {
            return .fail(MethodError(.propertyReadOnly, "Property '\(name)' is not writable"))
        }
        guard served.values[name] != nil else {
            return .fail(MethodError(.unknownProperty, "No such property '\(name)'"))
        }
        guard let value = arguments[2].variant, value.type.description == property.type else {
            return .fail(MethodError(.invalidSignature, "Invalid signature for '\(name)'"))
        }
        return .set(served.description.name, name, value)
    }

    /// An object precedes those below it, and the newest of these comes first: gdbus prepends to lists.
    var managedObjects: Value {
        var children: [ObjectPath: [ObjectPath]] = [:]
        for path in paths where path != .root {
            var parent = path.parent
            while let above = parent, above != .root, objects[above] == nil { parent = above.parent }
            children[parent ?? .root, default: []].append(path)
        }
        var entries: [Value.Entry] = []
        var waiting = children[.root] ?? []
        while let path = waiting.popLast() {
            if let object = objects[path] {
                entries.append(Value.Entry(.path(path), Self.values(of: object.interfaces)))
            }
            waiting += children[path] ?? []
        }
        let type = ValueType.dictionary(key: .string, value: .dictionary(key: .string, value: .variant))
        return .dictionary(key: .path, value: type, entries)
    }

    // MARK: Introspection

    private func children(of path: ObjectPath) -> [String] {
        let start = path.text == "/" ? 1 : path.text.utf8.count + 1
        let names = (paths + neighbours).filter { $0.isBelow(path) }.map {
            String($0.text.dropFirst(start).prefix { $0 != "/" })
        }
        return Set(names).sorted()
    }

    private func introspection(of path: ObjectPath) -> String {
        let interfaces = objects[path]?.interfaces.map(\.description.xml) ?? []
        let children = children(of: path).map { "<node name=\"\($0)\"/>" }
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>\((interfaces + children).joined())</node>
            """
    }
}
