package import GATT

/// The operations that a characteristic of a scenario declares.
package enum PropertyWord: String, CaseIterable {
    case read
    case write
    case writeCommand = "write_command"
    case notify
    case indicate
    case broadcast
    case signedWrite = "signed_write"
    case extendedProperties = "extended_properties"

    /// The bit of the characteristic's declaration.
    package var bit: CharacteristicProperties {
        switch self {
        case .read: .read
        case .write: .write
        case .writeCommand: .writeWithoutResponse
        case .notify: .notify
        case .indicate: .indicate
        case .broadcast: .broadcast
        case .signedWrite: .authenticatedSignedWrites
        case .extendedProperties: .extendedProperties
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

    /// The security of the link; a key with an operator's confirmation also encrypts it.
    package var security: LinkSecurity {
        switch self {
        case .encrypted: .encrypted
        case .authenticated: [.encrypted, .authenticated]
        case .authorized: .authorized
        case .secureConnections: [.encrypted, .secureConnections]
        case .fullKeySize: [.encrypted, .fullKeySize]
        }
    }
}
