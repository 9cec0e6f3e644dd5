/// The Error Code of `ATT_ERROR_RSP`.  Core 6.0, Vol 3, Part F, section 3.4.1.1; 0xFC to 0xFF are the Common Profile and
/// Service Error Codes of the Core Specification Supplement, Part B.
///
/// Every octet is a value: profiles define 0x80 to 0x9F, the unnamed others are reserved.
public struct ATTError: Error, RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The Error Code as it is sent.
    public let rawValue: UInt8

    /// The error with this code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x01: no attribute has this handle, or the range of handles is invalid.
    public static let invalidHandle = ATTError(rawValue: 0x01)
    /// 0x02: the attribute cannot be read.
    public static let readNotPermitted = ATTError(rawValue: 0x02)
    /// 0x03: the attribute cannot be written.
    public static let writeNotPermitted = ATTError(rawValue: 0x03)
    /// 0x04: the PDU is malformed.
    public static let invalidPDU = ATTError(rawValue: 0x04)
    /// 0x05: the attribute needs pairing, or stronger pairing.
    public static let insufficientAuthentication = ATTError(rawValue: 0x05)
    /// 0x06: the server does not support this request.
    public static let requestNotSupported = ATTError(rawValue: 0x06)
    /// 0x07: the offset is past the end of the value.
    public static let invalidOffset = ATTError(rawValue: 0x07)
    /// 0x08: the attribute needs authorization.
    public static let insufficientAuthorization = ATTError(rawValue: 0x08)
    /// 0x09: the queue of prepared writes is full.
    public static let prepareQueueFull = ATTError(rawValue: 0x09)
    /// 0x0A: the range has no attribute of the requested type; ends a discovery.
    public static let attributeNotFound = ATTError(rawValue: 0x0A)
    /// 0x0B: the value fits into `ATT_READ_RSP`.
    public static let attributeNotLong = ATTError(rawValue: 0x0B)
    /// 0x0C: the link's encryption key is too short.
    public static let encryptionKeySizeTooShort = ATTError(rawValue: 0x0C)
    /// 0x0D: the attribute cannot have a value of this length.
    public static let invalidAttributeValueLength = ATTError(rawValue: 0x0D)
    /// 0x0E: an unexpected error.
    public static let unlikelyError = ATTError(rawValue: 0x0E)
    /// 0x0F: the attribute needs an encrypted link, and there is a key.
    public static let insufficientEncryption = ATTError(rawValue: 0x0F)
    /// 0x10: the requested type does not group attributes.
    public static let unsupportedGroupType = ATTError(rawValue: 0x10)
    /// 0x11: the server lacks resources.
    public static let insufficientResources = ATTError(rawValue: 0x11)
    /// 0x12: the database has changed; the client must discover it again.
    public static let databaseOutOfSync = ATTError(rawValue: 0x12)
    /// 0x13: the attribute cannot have this value.
    public static let valueNotAllowed = ATTError(rawValue: 0x13)
    /// 0xFC: the server rejects a well-formed write for a reason that the profile defines.
    public static let writeRequestRejected = ATTError(rawValue: 0xFC)
    /// 0xFD: the Client Characteristic Configuration does not allow this.
    public static let cccdImproperlyConfigured = ATTError(rawValue: 0xFD)
    /// 0xFE: an earlier procedure is still running.
    public static let procedureAlreadyInProgress = ATTError(rawValue: 0xFE)
    /// 0xFF: the value is outside the range that the profile allows.
    public static let outOfRange = ATTError(rawValue: 0xFF)

    private static let names: [(error: ATTError, name: String)] = [
        (invalidHandle, "invalid_handle"),
        (readNotPermitted, "read_not_permitted"),
        (writeNotPermitted, "write_not_permitted"),
        (invalidPDU, "invalid_pdu"),
        (insufficientAuthentication, "insufficient_authentication"),
        (requestNotSupported, "request_not_supported"),
        (invalidOffset, "invalid_offset"),
        (insufficientAuthorization, "insufficient_authorization"),
        (prepareQueueFull, "prepare_queue_full"),
        (attributeNotFound, "attribute_not_found"),
        (attributeNotLong, "attribute_not_long"),
        (encryptionKeySizeTooShort, "encryption_key_size_too_short"),
        (invalidAttributeValueLength, "invalid_attribute_value_length"),
        (unlikelyError, "unlikely_error"),
        (insufficientEncryption, "insufficient_encryption"),
        (unsupportedGroupType, "unsupported_group_type"),
        (insufficientResources, "insufficient_resources"),
        (databaseOutOfSync, "database_out_of_sync"),
        (valueNotAllowed, "value_not_allowed"),
        (writeRequestRejected, "write_request_rejected"),
        (cccdImproperlyConfigured, "cccd_improperly_configured"),
        (procedureAlreadyInProgress, "procedure_already_in_progress"),
        (outOfRange, "out_of_range"),
    ]

    /// The names that `init(name:)` accepts, in the order of their codes.
    public static var allNames: [String] { names.map(\.name) }

    /// The specification's name, `insufficient_authentication`; without one the code, `0x9F`.
    public var name: String { Self.names.first { $0.error == self }?.name ?? code }

    /// The error with this name, or with this code in the form `0x9F`; nil for other text.
    public init?(name: String) {
        let named = Self.names.first { $0.name == name }?.error
        guard let error = named ?? Self.coded.first(where: { $0.code == name }) else { return nil }
        self = error
    }

    /// Name and code, `insufficient_authentication (0x05)`; only the code if there is no name.
    public var description: String { name == code ? code : "\(name) (\(code))" }

    private static let coded = (UInt8.min...UInt8.max).map(ATTError.init(rawValue:))

    private var code: String {
        "0x" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16, uppercase: true)
    }
}
