/// A step of pairing, named after what a device sends in it.  Core 6.0, Vol 3, Part H, sections 2.3 and 2.4.
public enum PairingStep: String, CaseIterable, Sendable {
    /// Pairing Request or Pairing Response.
    case features
    /// Pairing Public Key.
    case publicKey = "public_key"
    /// Pairing Confirm.
    case confirm
    /// Pairing Random.
    case random
    /// Pairing DHKey Check.
    case dhKeyCheck = "dhkey_check"
    /// The key for the device's own controller, which encrypts the link; not a PDU.
    case encryption
    /// The keys that a device distributes.
    case keys

    /// The step of an output; nil for one that no step consists of, such as Pairing Failed.
    public init?(_ output: LinkSecurityManager.Output) {
        switch output {
        case .encrypt, .answer: self = .encryption
        case .send(let octets):
            guard let step = octets.first.flatMap(Self.init(code:)) else { return nil }
            self = step
        default: return nil
        }
    }

    /// The step of a PDU with this code; nil for one that no step consists of.
    init?(code: UInt8) {
        switch code {
        case 0x01, 0x02: self = .features
        case 0x0C: self = .publicKey
        case 0x03: self = .confirm
        case 0x04: self = .random
        case 0x0D: self = .dhKeyCheck
        case 0x06, 0x07, 0x08, 0x09, 0x0A: self = .keys
        default: return nil
        }
    }
}
