/// The reason in Pairing Failed, one octet.  Core 6.0, Vol 3, Part H, section 3.5.5.
///
/// Every octet is a value; the unnamed ones are reserved.
public struct PairingFailedReason: Error, RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The reason as it is sent.
    public let rawValue: UInt8

    /// The reason with this code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x01: the user has cancelled entering the passkey, or nobody can enter it.
    public static let passkeyEntryFailed = PairingFailedReason(rawValue: 0x01)
    /// 0x02: the out-of-band data are not available.
    public static let outOfBandNotAvailable = PairingFailedReason(rawValue: 0x02)
    /// 0x03: the devices' features cannot give the security that one of them requires.
    public static let authenticationRequirements = PairingFailedReason(rawValue: 0x03)
    /// 0x04: a confirm value does not match, for example because the passkeys differ.
    public static let confirmValueFailed = PairingFailedReason(rawValue: 0x04)
    /// 0x05: the device does not pair.
    public static let pairingNotSupported = PairingFailedReason(rawValue: 0x05)
    /// 0x06: the encryption key would be shorter than the device requires.
    public static let encryptionKeySize = PairingFailedReason(rawValue: 0x06)
    /// 0x07: the device does not support the command.
    public static let commandNotSupported = PairingFailedReason(rawValue: 0x07)
    /// 0x08: none of the other reasons.
    public static let unspecifiedReason = PairingFailedReason(rawValue: 0x08)
    /// 0x09: too little time has passed since the last attempt.
    public static let repeatedAttempts = PairingFailedReason(rawValue: 0x09)
    /// 0x0A: a command has a wrong length, or a parameter is out of range.
    public static let invalidParameters = PairingFailedReason(rawValue: 0x0A)
    /// 0x0B: the DHKey check value does not match.
    public static let dhKeyCheckFailed = PairingFailedReason(rawValue: 0x0B)
    /// 0x0C: the user has found that the compared numbers differ.
    public static let numericComparisonFailed = PairingFailedReason(rawValue: 0x0C)
    /// 0x0F: the device rejects a distributed key.
    public static let keyRejected = PairingFailedReason(rawValue: 0x0F)
    /// 0x10: the device is busy with another procedure.
    public static let busy = PairingFailedReason(rawValue: 0x10)

    /// The reasons that a scenario can name, with their names.
    public static let names: [(reason: PairingFailedReason, name: String)] = [
        (passkeyEntryFailed, "passkey_entry_failed"), (outOfBandNotAvailable, "oob_not_available"),
        (authenticationRequirements, "authentication_requirements"), (confirmValueFailed, "confirm_value_failed"),
        (pairingNotSupported, "pairing_not_supported"), (encryptionKeySize, "encryption_key_size"),
        (commandNotSupported, "command_not_supported"), (unspecifiedReason, "unspecified_reason"),
        (repeatedAttempts, "repeated_attempts"), (invalidParameters, "invalid_parameters"),
        (dhKeyCheckFailed, "dhkey_check_failed"), (numericComparisonFailed, "numeric_comparison_failed"),
        (keyRejected, "key_rejected"), (busy, "busy"),
    ]

    /// The reason with a name of `names`; nil for another name.
    public init?(name: String) {
        guard let entry = Self.names.first(where: { $0.name == name }) else { return nil }
        self = entry.reason
    }

    /// `confirm_value_failed`, or `0x7F` for a reserved code.
    public var description: String {
        if let name = Self.names.first(where: { $0.reason == self })?.name { return name }
        let digits = String(rawValue, radix: 16, uppercase: true)
        return rawValue < 16 ? "0x0\(digits)" : "0x\(digits)"
    }
}
