/// The names and types of arguments or results.
public struct Parameters: Hashable, Sendable {
    /// Their types, in order.
    public var signature: Signature
    /// Their names, in order, for who asks what there is; those behind the last name have none.
    public var names: [MemberName]

    /// `Parameters("a{sv}", "options")`
    public init(_ signature: Signature, _ names: MemberName...) { (self.signature, self.names) = (signature, names) }

    /// None at all.
    public static let none = Parameters("")
}

/// Something that others may call.
public struct Method: Sendable {
    /// What it is called.
    public var name: MemberName
    /// What it is called with; a call with anything else is refused before it gets here.
    public var arguments: Parameters
    /// What it answers with.
    public var results: Parameters
    /// Called on the loop's thread.  It may answer at once, or keep the invocation and answer later.
    public var body: @Sendable (Invocation) -> Void

    /// A method without arguments or results, unless they are given.
    public init(
        _ name: MemberName, takes arguments: Parameters = .none, gives results: Parameters = .none,
        body: @escaping @Sendable (Invocation) -> Void
    ) {
        (self.name, self.arguments, self.results, self.body) = (name, arguments, results, body)
    }
}

/// A value of an object that others may read or set by its name.
public struct Property: Sendable {
    /// What others are told when it changes, as `EmitsChangedSignal` of the specification has it.
    public enum Change: String, Sendable {
        /// The new value.
        case told = "true"
        /// That it changed.
        case invalidated = "invalidates"
        /// It does not change as long as the object is there.
        case never = "const"
        /// Nothing.
        case untold = "false"
    }

    /// What it is called.
    public var name: MemberName
    /// What it always is.
    public var type: ValueType
    /// What others are told of it.
    public var change: Change
    /// Its value now, asked on the loop's thread; nil as long as the object does not have it.
    public var get: @Sendable () -> Value?
    /// Takes a value of its type, on the loop's thread, or refuses it; nil when others may only read.
    public var set: (@Sendable (Value) throws(Refusal) -> Void)?

    /// One that can be read, and set if `set` is given.
    public init(
        _ name: MemberName, _ type: ValueType, change: Change = .told, get: @escaping @Sendable () -> Value?,
        set: (@Sendable (Value) throws(Refusal) -> Void)? = nil
    ) {
        (self.name, self.type, self.change, self.get, self.set) = (name, type, change, get, set)
    }

    /// One that has this value for ever.
    public init(_ name: MemberName, constant value: Value) {
        self.init(name, value.type, change: .never, get: { value })
    }
}

/// A signal, for who asks what there is.
public struct SignalDescription: Sendable {
    /// What it is called.
    public var name: MemberName
    /// What it comes with.
    public var arguments: Parameters

    /// A signal without arguments, unless they are given.
    public init(_ name: MemberName, _ arguments: Parameters = .none) { (self.name, self.arguments) = (name, arguments) }
}

/// Methods, properties and signals under one name.
public struct Interface: Sendable {
    /// What it is called.
    public var name: InterfaceName
    /// In the order in which they are listed.
    public var methods: [Method]
    /// In the order in which they are listed.
    public var properties: [Property]
    /// In the order in which they are listed.
    public var signals: [SignalDescription]

    /// What it has.
    public init(
        _ name: InterfaceName, methods: [Method] = [], properties: [Property] = [], signals: [SignalDescription] = []
    ) {
        (self.name, self.methods, self.properties, self.signals) = (name, methods, properties, signals)
    }

    /// The properties that there are now, as `a{sv}`; one that is not of its own type is left out.
    var values: Value {
        .options(
            properties.compactMap { property in
                property.value.map { (property.name.text, $0) }
            })
    }
}

extension Property {
    /// Its value, if it is of its type.
    var value: Value? { self.get().flatMap { $0.type == type ? $0 : nil } }
}

/// A thing that others find at a path.  `Introspectable`, `Peer` and `Properties` come with it.
public struct ExportedObject: Sendable {
    /// Where it is.
    public var path: ObjectPath
    /// What it can do.
    public var interfaces: [Interface]

    /// An object, which is there when it is exported.
    public init(_ path: ObjectPath, _ interfaces: [Interface]) { (self.path, self.interfaces) = (path, interfaces) }

    /// `a{sa{sv}}`: its properties by interface.
    var values: Value {
        .dictionary(
            key: .string, value: Self.propertiesType,
            interfaces.map { Value.Entry(.string($0.name.text), $0.values) })
    }

    static var propertiesType: ValueType { .dictionary(key: .string, value: .variant) }
    static var valuesType: ValueType { .dictionary(key: .string, value: propertiesType) }
}
