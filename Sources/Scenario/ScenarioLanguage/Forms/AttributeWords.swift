package import GATT

/// An operation that a characteristic of a scenario declares.
package enum PropertyWord: String, CaseIterable {
    case read
    case write
    case writeCommand = "write_command"
    case notify
    case indicate
    case broadcast
    case signedWrite = "signed_write"
    case extendedProperties = "extended_properties"

    /// The bit of the characteristic's declaration, and one sentence.
    package var row: (bit: CharacteristicProperties, about: String) {
        switch self {
        case .read: (.read, "Clients may read the value.")
        case .write: (.write, "Clients may write the value with a Write Request.")
        case .writeCommand:
            (.writeWithoutResponse, "Clients may write the value with a Write Command, which gets no response.")
        case .notify: (.notify, "Clients may subscribe to notifications.")
        case .indicate: (.indicate, "Clients may subscribe to indications, which they confirm.")
        case .broadcast: (.broadcast, "The value may be broadcast; it needs a descriptor 2903.")
        case .signedWrite:
            (.authenticatedSignedWrites, "Clients may write the value with a Signed Write Command; it is ignored.")
        case .extendedProperties: (.extendedProperties, "There are further properties in a descriptor 2900.")
        }
    }
}

/// The security that access to a value of a scenario needs.
package enum PermissionWord: String, CaseIterable {
    case encrypted
    case authenticated
    case authorized
    case secureConnections = "secure_connections"
    case fullKeySize = "full_key_size"

    /// The security of the link, and one sentence; a key with an operator's confirmation also encrypts it.
    package var row: (security: LinkSecurity, about: String) {
        switch self {
        case .encrypted: (.encrypted, "The link is encrypted.")
        case .authenticated:
            (
                [.encrypted, .authenticated],
                "The key was made with authentication: with a passkey, a comparison, or data out of band."
            )
        case .authorized:
            (
                .authorized,
                "The client is authorized; no client is, so that each access gets Insufficient Authorization."
            )
        case .secureConnections: ([.encrypted, .secureConnections], "The key was made by LE Secure Connections.")
        case .fullKeySize: ([.encrypted, .fullKeySize], "The key has 16 octets.")
        }
    }
}
