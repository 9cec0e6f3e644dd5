import BlueZNames
import DBus

extension Adapter {
    /// The arguments of `Set` for a property of an adapter.
    static func setting(_ name: String, _ value: Value) -> [Value] {
        [.string(InterfaceName.adapter.text), .string(name), .variant(value)]
    }
}

extension Value {
    /// The name `org.bluez` as an argument.
    static let bluez = Value.string(BusName.bluez.text)

    /// The properties of an interface in `a{sa{sv}}`.
    subscript(interface: InterfaceName) -> Value? { entries?.first { $0.key.string == interface.text }?.value }
}
