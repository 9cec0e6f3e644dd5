/// How pairing authenticates the devices.  Core 6.0, Vol 3, Part H, section 2.3.5.1.
public enum AssociationModel: Hashable, Sendable {
    /// It does not.
    case justWorks
    /// A user reads six digits on one device and enters them on the other, or enters the same digits on both.
    case passkeyEntry(displayedBy: PairingRole?)
    /// The users compare six digits: LE Secure Connections only.
    case numericComparison
    /// The devices have exchanged data another way, for example by NFC.
    case outOfBand

    /// The model that the features of both devices determine: tables 2.6 to 2.8.
    public init(initiator: PairingFeatures, responder: PairingFeatures) {
        let isSecure = initiator.supportsSecureConnections && responder.supportsSecureConnections
        let flags = [initiator.hasOutOfBandData, responder.hasOutOfBandData]
        let needsAuthentication = [initiator, responder].contains { $0.requirements.contains(.mitmProtection) }
        if isSecure ? flags.contains(true) : !flags.contains(false) {
            self = .outOfBand
        } else if needsAuthentication {
            self.init(initiator: initiator.ioCapability, responder: responder.ioCapability, isSecure: isSecure)
        } else {
            self = .justWorks
        }
    }

    /// Table 2.8.
    private init(initiator: IOCapability, responder: IOCapability, isSecure: Bool) {
        switch (initiator, responder) {
        case (.noInputNoOutput, _), (_, .noInputNoOutput): self = .justWorks
        case (.keyboardOnly, .keyboardOnly): self = .passkeyEntry(displayedBy: nil)
        case (.keyboardOnly, _): self = .passkeyEntry(displayedBy: .responder)
        case (_, .keyboardOnly): self = .passkeyEntry(displayedBy: .initiator)
        case (.displayYesNo, .displayYesNo), (.displayYesNo, .keyboardDisplay), (.keyboardDisplay, .displayYesNo),
            (.keyboardDisplay, .keyboardDisplay):
            self = isSecure ? .numericComparison : Self.legacy(initiator, responder)
        default: self = Self.legacy(initiator, responder)
        }
    }

    /// Where nobody compares digits: passkey entry if one of them has a keyboard.
    private static func legacy(_ initiator: IOCapability, _ responder: IOCapability) -> AssociationModel {
        if responder == .keyboardDisplay { return .passkeyEntry(displayedBy: .initiator) }
        return initiator == .keyboardDisplay ? .passkeyEntry(displayedBy: .responder) : .justWorks
    }

    /// Whether the key is authenticated: protected against a man in the middle.
    public var isAuthenticated: Bool { self != .justWorks }
}

/// The roles of the devices in a pairing.  The central of the link is the initiator.
public enum PairingRole: Hashable, Sendable {
    /// Sends Pairing Request.
    case initiator
    /// Sends Pairing Response.
    case responder

    /// The peer's role.
    public var other: PairingRole { self == .initiator ? .responder : .initiator }
}

extension PairingFeatures {
    var supportsSecureConnections: Bool { requirements.contains(.secureConnections) }
}
