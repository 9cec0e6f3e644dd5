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

    /// Encrypted, authenticated and authorized.
    public static let full: LinkSecurity = [.encrypted, .authenticated, .authorized]

    /// The error for a link that lacks these; nil for the empty set.  Errors that pairing resolves come first: without a
    /// key, an unencrypted link lacks authentication.  Core 6.0, Vol 3, Part C, section 10.3.1.
    var errorIfMissing: ATTError? {
        if !isDisjoint(with: [.encrypted, .authenticated]) { return .insufficientAuthentication }
        return contains(.authorized) ? .insufficientAuthorization : nil
    }
}

/// Access that a server grants to an attribute.  A missing permission gives Read Not Permitted or Write Not Permitted,
/// a link without the needed security Insufficient Authentication or Authorization.
/// Core 6.0, Vol 3, Part F, section 3.2.5.
public struct AttributePermissions: OptionSet, Hashable, Sendable {
    /// Internal bits, never sent.
    public let rawValue: UInt8

    /// The set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value can be read.
    public static let readable = AttributePermissions(rawValue: 0x01)
    /// The value can be written, with a response or without.
    public static let writeable = AttributePermissions(rawValue: 0x02)

    /// The value can be read over a link with this security.
    public static func readable(needing security: LinkSecurity) -> AttributePermissions {
        [.readable, AttributePermissions(rawValue: (security.rawValue & 7) << 2)]
    }

    /// The value can be written over a link with this security.
    public static func writeable(needing security: LinkSecurity) -> AttributePermissions {
        [.writeable, AttributePermissions(rawValue: (security.rawValue & 7) << 5)]
    }

    /// The permissions that match the declared properties, over a link with this security; subscribing needs it too.
    public init(_ properties: CharacteristicProperties, needing security: LinkSecurity = []) {
        self = properties.contains(.read) ? .readable(needing: security) : []
        if !properties.isDisjoint(with: [.notify, .indicate]) {
            formUnion(.readable(needing: security).subtracting(properties.contains(.read) ? [] : .readable))
        }
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { insert(.writeable(needing: security)) }
    }

    /// The security that reading needs.
    public var securityToRead: LinkSecurity { LinkSecurity(rawValue: rawValue >> 2 & 7) }
    /// The security that writing needs.
    public var securityToWrite: LinkSecurity { LinkSecurity(rawValue: rawValue >> 5) }
}
