import Bluetooth

/// How well a client's link is protected.  Core 6.0, Vol 3, Part C, section 10.3.
public struct LinkSecurity: OptionSet, Hashable, Sendable {
    /// The set as bits of our own choice: they are never sent.
    public let rawValue: UInt8

    /// Of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nobody else can read along.
    public static let encrypted = LinkSecurity(rawValue: 0x01)
    /// The key was made in a way that shows who the peer is.
    public static let authenticated = LinkSecurity(rawValue: 0x02)
    /// The device has let this client in.
    public static let authorized = LinkSecurity(rawValue: 0x04)

    /// All of it.
    public static let full: LinkSecurity = [.encrypted, .authenticated, .authorized]

    /// What a client is told that lacks these; nil when nothing is lacking.  What pairing cures comes first: without a key
    /// for the client, a link that should be encrypted lacks authentication.  Core 6.0, Vol 3, Part C, section 10.3.1.
    var refusal: ATTError? {
        if !isDisjoint(with: [.encrypted, .authenticated]) { return .insufficientAuthentication }
        return contains(.authorized) ? .insufficientAuthorization : nil
    }
}

/// What clients may do with an attribute.  A permission that is missing is refused with Read Not Permitted or
/// Write Not Permitted, a link that is not secure enough with Insufficient Authentication or Authorization.
/// Core 6.0, Vol 3, Part F, section 3.2.5.
public struct AttributePermissions: OptionSet, Hashable, Sendable {
    /// The set as bits of our own choice: permissions are never sent.
    public let rawValue: UInt8

    /// The permissions of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The value can be read.
    public static let readable = AttributePermissions(rawValue: 0x01)
    /// The value can be written, with a response or without.
    public static let writeable = AttributePermissions(rawValue: 0x02)

    /// The value can be read over a link that is as secure as this.
    public static func readable(needing security: LinkSecurity) -> AttributePermissions {
        [.readable, AttributePermissions(rawValue: (security.rawValue & 7) << 2)]
    }

    /// The value can be written over a link that is as secure as this.
    public static func writeable(needing security: LinkSecurity) -> AttributePermissions {
        [.writeable, AttributePermissions(rawValue: (security.rawValue & 7) << 5)]
    }

    /// What the declared properties promise, over a link that is as secure as this.
    public init(_ properties: CharacteristicProperties, needing security: LinkSecurity = []) {
        self = properties.contains(.read) ? .readable(needing: security) : []
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) { insert(.writeable(needing: security)) }
    }

    /// How secure a link has to be for reading.
    public var securityToRead: LinkSecurity { LinkSecurity(rawValue: rawValue >> 2 & 7) }
    /// How secure a link has to be for writing.
    public var securityToWrite: LinkSecurity { LinkSecurity(rawValue: rawValue >> 5) }
}
