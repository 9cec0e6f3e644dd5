/// The types and names of arguments or results.
public struct Parameters: Hashable, Sendable {
    /// The types in order.
    public var signature: Signature
    /// The names in order, for introspection; further parameters have no names.
    public var names: [MemberName]

    /// `Parameters("a{sv}", "options")`.
    public init(_ signature: Signature, _ names: MemberName...) { (self.signature, self.names) = (signature, names) }

    /// No parameters.
    public static let none = Parameters("")
}

/// A method that other programs can call.
public struct Method: Sendable {
    /// The name.
    public var name: MemberName
    /// The parameters; calls with other types of arguments are rejected before they reach `body`.
    public var arguments: Parameters
    /// The results.
    public var results: Parameters
    /// Called on the loop's thread. It may reply at once, or keep the invocation and reply later.
    public var body: @Sendable (Invocation) -> Void

    /// A method; by default without arguments and results.
    public init(
        _ name: MemberName, arguments: Parameters = .none, results: Parameters = .none,
        body: @escaping @Sendable (Invocation) -> Void
    ) {
        (self.name, self.arguments, self.results, self.body) = (name, arguments, results, body)
    }
}

/// A property that other programs can read or set.
public struct Property: Sendable {
    /// How a change of the property is announced: the annotation `EmitsChangedSignal` of the specification.
    public enum ChangeSignal: String, Sendable {
        /// By the new value.
        case emitted = "true"
        /// By its name alone.
        case invalidated = "invalidates"
        /// Not at all: the value never changes while the object exists.
        case constant = "const"
        /// Not at all.
        case unannounced = "false"
    }

    /// The name.
    public var name: MemberName
    /// The type of all its values.
    public var type: ValueType
    /// How changes are announced.
    public var change: ChangeSignal
    /// Returns the value, on the loop's thread; nil while the object does not have the property.
    public var get: @Sendable () -> Value?
    /// Sets a value of the property's type, on the loop's thread, or throws; nil if the property is read-only.
    public var set: (@Sendable (Value) throws(MethodError) -> Void)?

    /// A property, read-only unless `set` is given.
    public init(
        _ name: MemberName, _ type: ValueType, change: ChangeSignal = .emitted, get: @escaping @Sendable () -> Value?,
        set: (@Sendable (Value) throws(MethodError) -> Void)? = nil
    ) {
        (self.name, self.type, self.change, self.get, self.set) = (name, type, change, get, set)
    }

    /// A property that always has this value.
    public init(_ name: MemberName, constant value: Value) {
        self.init(name, value.type, change: .constant, get: { value })
    }
}

/// The description of a signal for introspection.
public struct SignalDescription: Sendable {
    /// The name.
    public var name: MemberName
    /// The arguments.
    public var arguments: Parameters

    /// A signal; by default without arguments.
    public init(_ name: MemberName, _ arguments: Parameters = .none) { (self.name, self.arguments) = (name, arguments) }
}

/// A named set of methods, properties and signals.
public struct Interface: Sendable {
    /// The name.
    public var name: InterfaceName
    /// The methods in the order of introspection.
    public var methods: [Method]
    /// The properties in the order of introspection.
    public var properties: [Property]
    /// The signals in the order of introspection.
    public var signals: [SignalDescription]

    /// An interface.
    public init(
        _ name: InterfaceName, methods: [Method] = [], properties: [Property] = [], signals: [SignalDescription] = []
    ) {
        (self.name, self.methods, self.properties, self.signals) = (name, methods, properties, signals)
    }

    /// The current properties as `a{sv}`; values of a wrong type are omitted.
    var values: Value {
        .options(
            properties.compactMap { property in
                property.value.map { (property.name.text, $0) }
            })
    }
}

extension Property {
    /// The value, if it has the property's type.
    var value: Value? { self.get().flatMap { $0.type == type ? $0 : nil } }
}

/// An object that other programs can call. `Introspectable`, `Peer` and `Properties` are added to its interfaces.
public struct ExportedObject: Sendable {
    /// Where other programs find it.
    public var path: ObjectPath
    /// Its own interfaces.
    public var interfaces: [Interface]

    /// An object, to be exported with `Connection.export(_:)`.
    public init(_ path: ObjectPath, _ interfaces: [Interface]) { (self.path, self.interfaces) = (path, interfaces) }

    /// The properties by interface: `a{sa{sv}}`.
    var values: Value {
        .dictionary(
            key: .string, value: Self.propertiesType,
            interfaces.map { Value.Entry(.string($0.name.text), $0.values) })
    }

    static var propertiesType: ValueType { .dictionary(key: .string, value: .variant) }
    static var valuesType: ValueType { .dictionary(key: .string, value: propertiesType) }
}
