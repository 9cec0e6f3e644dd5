import Bluetooth

/// How well a client's link is protected.  Core 6.0, Vol 3, Part C, section 10.3.
public struct LinkSecurity: OptionSet, Hashable, Sendable {
    /// Internal bits, never sent.
    public let rawValue: UInt8

    /// The set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The link is encrypted.
    public static let encrypted = LinkSecurity(rawValue: 0x01)
    /// Pairing authenticated the peer (protection against a man in the middle).
    public static let authenticated = LinkSecurity(rawValue: 0x02)
    /// The device authorized this client.
    public static let authorized = LinkSecurity(rawValue: 0x04)

    /// LE Secure Connections has generated the key.
    public static let secureConnections = LinkSecurity(rawValue: 0x08)
    /// The key has 16 octets.
    public static let fullKeySize = LinkSecurity(rawValue: 0x10)
    /// The devices are bonded, so that the client can encrypt the link; no attribute needs this by itself.
    public static let bonded = LinkSecurity(rawValue: 0x20)

    /// All that an attribute can need.
    public static let full: LinkSecurity = [.encrypted, .authenticated, .authorized, .secureConnections, .fullKeySize]
    private static let encryption = full.subtracting(.authorized)

    /// The error for a link that lacks some of these; nil if it lacks none.
    ///
    /// Errors that the client resolves by encryption or pairing come first.  Without encryption, the error is Insufficient
    /// Encryption for a bonded client, else Insufficient Authentication.  Core 6.0, Vol 3, Part C, section 10.3.1.
    func error(over link: LinkSecurity) -> ATTError? {
        let missing = subtracting(link)
        if !missing.isDisjoint(with: Self.encryption), !link.contains(.encrypted) {
            return link.contains(.bonded) ? .insufficientEncryption : .insufficientAuthentication
        }
        if !missing.isDisjoint(with: [.authenticated, .secureConnections]) { return .insufficientAuthentication }
        if missing.contains(.fullKeySize) { return .encryptionKeySizeTooShort }
        return missing.contains(.authorized) ? .insufficientAuthorization : nil
    }
}

/// Access that a server grants to an attribute.  A missing permission gives Read Not Permitted or Write Not Permitted,
/// a link without the needed security the error of `LinkSecurity`.
/// Core 6.0, Vol 3, Part F, section 3.2.5.
public struct AttributePermissions: OptionSet, Hashable, Sendable {
    /// Internal bits, never sent.
    public let rawValue: UInt16

    /// The set with these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The value can be read.
    public static let readable = AttributePermissions(rawValue: 0x01)
    /// The value can be written, with a response or without.
    public static let writeable = AttributePermissions(rawValue: 0x02)

    /// The value can be read over a link with this security.
    public static func readable(needing security: LinkSecurity) -> AttributePermissions {
        [.readable, AttributePermissions(rawValue: UInt16(security.rawValue & 0x1F) << 2)]
    }

    /// The value can be written over a link with this security.
    public static func writeable(needing security: LinkSecurity) -> AttributePermissions {
        [.writeable, AttributePermissions(rawValue: UInt16(security.rawValue & 0x1F) << 7)]
    }

    /// The permissions that match the declared properties, over a link with this security; subscribing needs it too.
    public init(_ properties: CharacteristicProperties, needing security: LinkSecurity = []) {
        self = properties.contains(.read) ? .readable(needing: security) : []
        if !properties.isDisjoint(with: [.notify, .indicate]) {
            formUnion(.readable(needing: security).subtracting(properties.contains(.read) ? [] : .readable))
        }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { insert(.writeable(needing: security)) }
    }

    /// The same access over a link with this security, in addition.
    public func needing(_ security: LinkSecurity) -> AttributePermissions {
        union(Self.readable(needing: security).subtracting(.readable))
            .union(Self.writeable(needing: security).subtracting(.writeable))
    }

    /// The security that reading needs.
    public var securityToRead: LinkSecurity { LinkSecurity(rawValue: UInt8(rawValue >> 2 & 0x1F)) }
    /// The security that writing needs.
    public var securityToWrite: LinkSecurity { LinkSecurity(rawValue: UInt8(rawValue >> 7 & 0x1F)) }
}
