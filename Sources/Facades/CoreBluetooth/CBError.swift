import Bluetooth
public import Foundation
import SystemBluetooth

/// An error of the Bluetooth service.
public struct CBError: Error, Hashable, CustomNSError, LocalizedError {
    /// The codes of Apple's framework.
    public enum Code: Int, Hashable, Sendable {
        /// The cause is not known.
        case unknown = 0
        /// A parameter is invalid.
        case invalidParameters = 1
        /// The attribute's handle is invalid.
        case invalidHandle = 2
        /// The peripheral is not connected.
        case notConnected = 3
        /// There is not enough memory.
        case outOfSpace = 4
        /// The operation was canceled.
        case operationCancelled = 5
        /// The connection timed out.
        case connectionTimeout = 6
        /// The peripheral ended the connection.
        case peripheralDisconnected = 7
        /// The UUID is not permitted.
        case uuidNotAllowed = 8
        /// The peripheral advertises already.
        case alreadyAdvertising = 9
        /// The connection failed.
        case connectionFailed = 10
        /// There are too many connections.
        case connectionLimitReached = 11
        /// The peripheral is not known.
        case unknownDevice = 12
        /// The operation is not supported.
        case operationNotSupported = 13
        /// The peripheral has lost the keys of the bond.
        case peerRemovedPairingInformation = 14
        /// Encrypting the connection took too long.
        case encryptionTimedOut = 15
        /// There are too many bonds.
        case tooManyLEPairedDevices = 16
        /// The app in the background received more notifications than the system permits.
        case leGattExceededBackgroundNotificationLimit = 17
        /// The app in the background receives nearly more notifications than the system permits.
        case leGattNearBackgroundNotificationLimit = 18
    }

    /// The cause.
    public let code: Code
    private let details: NSError

    /// An error with this cause, and facts about it.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        (self.code, details) = (code, NSError(domain: CBErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    /// The facts about the error, with its description.
    public var userInfo: [String: Any] { errorUserInfo }

    /// `CBErrorDomain`.
    public static var errorDomain: String { CBErrorDomain }
    /// The code as a number.
    public var errorCode: Int { code.rawValue }

    /// The cause in words, for people.
    public var errorDescription: String? {
        switch code {
        case .unknown: "Unknown error."
        case .invalidParameters: "One or more parameters were invalid."
        case .invalidHandle: "The handle is invalid."
        case .notConnected: "The specified device is not connected."
        case .outOfSpace: "The system is out of space."
        case .operationCancelled: "The operation was cancelled."
        case .connectionTimeout: "The connection has timed out unexpectedly."
        case .peripheralDisconnected: "The specified device has disconnected from us."
        case .uuidNotAllowed: "The specified UUID is not allowed for this operation."
        case .alreadyAdvertising: "Advertising has already started."
        case .connectionFailed: "The connection has failed unexpectedly."
        case .connectionLimitReached: "The maximum number of connections has been reached."
        case .unknownDevice: "The device is unknown."
        case .operationNotSupported: "The operation is not supported."
        case .peerRemovedPairingInformation: "Peer removed pairing information."
        case .encryptionTimedOut: "Failed to encrypt the connection, the connection has timed out unexpectedly."
        case .tooManyLEPairedDevices: "There are too many paired devices."
        case .leGattExceededBackgroundNotificationLimit: "Too many notifications in the background."
        case .leGattNearBackgroundNotificationLimit: "Nearly too many notifications in the background."
        }
    }

    /// The cause in words, for `localizedDescription`.
    public var errorUserInfo: [String: Any] {
        details.userInfo(describedAs: errorDescription)
    }

    /// `Code.unknown`.
    public static var unknown: Code { .unknown }
    /// `Code.invalidParameters`.
    public static var invalidParameters: Code { .invalidParameters }
    /// `Code.invalidHandle`.
    public static var invalidHandle: Code { .invalidHandle }
    /// `Code.notConnected`.
    public static var notConnected: Code { .notConnected }
    /// `Code.operationCancelled`.
    public static var operationCancelled: Code { .operationCancelled }
    /// `Code.connectionTimeout`.
    public static var connectionTimeout: Code { .connectionTimeout }
    /// `Code.peripheralDisconnected`.
    public static var peripheralDisconnected: Code { .peripheralDisconnected }
    /// `Code.connectionFailed`.
    public static var connectionFailed: Code { .connectionFailed }
    /// `Code.peerRemovedPairingInformation`.
    public static var peerRemovedPairingInformation: Code { .peerRemovedPairingInformation }
    /// `Code.outOfSpace`.
    public static var outOfSpace: Code { .outOfSpace }
    /// `Code.uuidNotAllowed`.
    public static var uuidNotAllowed: Code { .uuidNotAllowed }
    /// `Code.alreadyAdvertising`.
    public static var alreadyAdvertising: Code { .alreadyAdvertising }
    /// `Code.connectionLimitReached`.
    public static var connectionLimitReached: Code { .connectionLimitReached }
    /// `Code.unknownDevice`.
    public static var unknownDevice: Code { .unknownDevice }
    /// `Code.operationNotSupported`.
    public static var operationNotSupported: Code { .operationNotSupported }
    /// `Code.encryptionTimedOut`.
    public static var encryptionTimedOut: Code { .encryptionTimedOut }
    /// `Code.tooManyLEPairedDevices`.
    public static var tooManyLEPairedDevices: Code { .tooManyLEPairedDevices }
    /// `Code.leGattExceededBackgroundNotificationLimit`.
    public static var leGattExceededBackgroundNotificationLimit: Code { .leGattExceededBackgroundNotificationLimit }
    /// `Code.leGattNearBackgroundNotificationLimit`.
    public static var leGattNearBackgroundNotificationLimit: Code { .leGattNearBackgroundNotificationLimit }
}

extension NSError {
    /// The facts, with a description unless they have one.
    fileprivate func userInfo(describedAs text: String?) -> [String: Any] {
        [NSLocalizedDescriptionKey: text ?? ""].merging(userInfo) { _, own in own }
    }
}

extension CBError.Code {
    /// Whether an error is a `CBError` with this code, for `catch` and `case`.
    public static func ~= (code: CBError.Code, error: any Error) -> Bool { (error as? CBError)?.code == code }
}

/// An Error Response of a peripheral.
public struct CBATTError: Error, Hashable, CustomNSError, LocalizedError {
    /// The codes of the Attribute Protocol, Core 6.0, Vol 3, Part F, section 3.4.1.1, or of a profile.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The Error Code as it is sent.
        public let rawValue: Int
        /// The code with this number: never nil, as with Apple's framework.
        public init?(rawValue: Int) { self.rawValue = rawValue }

        init(number: Int) { rawValue = number }

        /// No error.
        public static let success = Code(number: 0x00)
        /// No attribute has this handle.
        public static let invalidHandle = Code(number: 0x01)
        /// The attribute cannot be read.
        public static let readNotPermitted = Code(number: 0x02)
        /// The attribute cannot be written.
        public static let writeNotPermitted = Code(number: 0x03)
        /// The PDU is malformed.
        public static let invalidPdu = Code(number: 0x04)
        /// The attribute needs pairing.
        public static let insufficientAuthentication = Code(number: 0x05)
        /// The peripheral does not support the request.
        public static let requestNotSupported = Code(number: 0x06)
        /// The offset is past the end of the value.
        public static let invalidOffset = Code(number: 0x07)
        /// The attribute needs authorization.
        public static let insufficientAuthorization = Code(number: 0x08)
        /// The queue of prepared writes is full.
        public static let prepareQueueFull = Code(number: 0x09)
        /// There is no such attribute.
        public static let attributeNotFound = Code(number: 0x0A)
        /// The attribute is not long.
        public static let attributeNotLong = Code(number: 0x0B)
        /// The key of the link is too short.
        public static let insufficientEncryptionKeySize = Code(number: 0x0C)
        /// The attribute cannot have a value of this length.
        public static let invalidAttributeValueLength = Code(number: 0x0D)
        /// An unexpected error.
        public static let unlikelyError = Code(number: 0x0E)
        /// The attribute needs an encrypted link.
        public static let insufficientEncryption = Code(number: 0x0F)
        /// The type does not group attributes.
        public static let unsupportedGroupType = Code(number: 0x10)
        /// The peripheral lacks resources.
        public static let insufficientResources = Code(number: 0x11)
    }

    /// The peripheral's Error Code.
    public let code: Code

    private let details: NSError

    /// An Error Response with this code, and facts about it.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        (self.code, details) = (code, NSError(domain: CBATTErrorDomain, code: code.rawValue, userInfo: userInfo))
    }

    /// The facts about the error, with its description.
    public var userInfo: [String: Any] { errorUserInfo }

    /// `CBATTErrorDomain`.
    public static var errorDomain: String { CBATTErrorDomain }
    /// The code as a number.
    public var errorCode: Int { code.rawValue }
    /// The cause in words, for people.
    public var errorDescription: String? {
        switch code {
        case .readNotPermitted: "Reading is not permitted."
        case .writeNotPermitted: "Writing is not permitted."
        case .insufficientAuthentication: "Authentication is insufficient."
        case .insufficientEncryption: "Encryption is insufficient."
        case .requestNotSupported: "The request is not supported."
        case .attributeNotFound: "The attribute could not be found."
        case .invalidAttributeValueLength: "The value's length is invalid."
        default: "Unknown ATT error \(code.rawValue)."
        }
    }
    /// The cause in words, for `localizedDescription`.
    public var errorUserInfo: [String: Any] {
        details.userInfo(describedAs: errorDescription)
    }

    /// `Code.success`.
    public static var success: Code { .success }
    /// `Code.invalidHandle`.
    public static var invalidHandle: Code { .invalidHandle }
    /// `Code.readNotPermitted`.
    public static var readNotPermitted: Code { .readNotPermitted }
    /// `Code.writeNotPermitted`.
    public static var writeNotPermitted: Code { .writeNotPermitted }
    /// `Code.invalidPdu`.
    public static var invalidPdu: Code { .invalidPdu }
    /// `Code.insufficientAuthentication`.
    public static var insufficientAuthentication: Code { .insufficientAuthentication }
    /// `Code.requestNotSupported`.
    public static var requestNotSupported: Code { .requestNotSupported }
    /// `Code.invalidOffset`.
    public static var invalidOffset: Code { .invalidOffset }
    /// `Code.insufficientAuthorization`.
    public static var insufficientAuthorization: Code { .insufficientAuthorization }
    /// `Code.prepareQueueFull`.
    public static var prepareQueueFull: Code { .prepareQueueFull }
    /// `Code.attributeNotFound`.
    public static var attributeNotFound: Code { .attributeNotFound }
    /// `Code.attributeNotLong`.
    public static var attributeNotLong: Code { .attributeNotLong }
    /// `Code.insufficientEncryptionKeySize`.
    public static var insufficientEncryptionKeySize: Code { .insufficientEncryptionKeySize }
    /// `Code.invalidAttributeValueLength`.
    public static var invalidAttributeValueLength: Code { .invalidAttributeValueLength }
    /// `Code.unlikelyError`.
    public static var unlikelyError: Code { .unlikelyError }
    /// `Code.insufficientEncryption`.
    public static var insufficientEncryption: Code { .insufficientEncryption }
    /// `Code.unsupportedGroupType`.
    public static var unsupportedGroupType: Code { .unsupportedGroupType }
    /// `Code.insufficientResources`.
    public static var insufficientResources: Code { .insufficientResources }
}

extension CBATTError.Code {
    /// Whether an error is a `CBATTError` with this code, for `catch` and `case`.
    public static func ~= (code: CBATTError.Code, error: any Error) -> Bool { (error as? CBATTError)?.code == code }
}

extension CentralFailure {
    /// The error that Apple's framework reports.
    var appleError: any Error {
        switch self {
        case .refused(let error): CBATTError(CBATTError.Code(number: Int(error.rawValue)))
        case .timedOut: CBError(.connectionTimeout)
        case .disconnectedByPeripheral: CBError(.peripheralDisconnected)
        case .connectionFailed, .aborted: CBError(.connectionFailed)
        case .bondLost: CBError(.peerRemovedPairingInformation)
        case .notConnected: CBError(.notConnected)
        case .cancelled: CBError(.operationCancelled)
        case .inProgress, .notSubscribed, .unknown: CBError(.unknown)
        }
    }
}
