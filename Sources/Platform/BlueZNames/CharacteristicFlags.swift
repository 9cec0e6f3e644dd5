package import GATT

extension CharacteristicProperties {
    /// BlueZ's names of properties, in the order of their bits.
    private static let names: [(CharacteristicProperties, String)] = [
        (.broadcast, "broadcast"), (.read, "read"), (.writeWithoutResponse, "write-without-response"),
        (.write, "write"), (.notify, "notify"), (.indicate, "indicate"),
        (.authenticatedSignedWrites, "authenticated-signed-writes"), (.extendedProperties, "extended-properties"),
    ]

    /// The flags of GattCharacteristic1.
    package var flags: [String] { Self.names.filter { contains($0.0) }.map(\.1) }

    /// The properties with these names; other names are ignored.
    package init(flags: [String]) {
        self = Self.names.reduce([]) { flags.contains($1.1) ? $0.union($1.0) : $0 }
    }
}
