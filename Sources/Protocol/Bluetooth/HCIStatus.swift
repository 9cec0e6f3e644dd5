/// An HCI error code: the status of a command, or the reason for a disconnection.  Core 6.0, Vol 1, Part F.
///
/// Every octet is a value.  Names are the specification's, `remote_user_terminated_connection`; for codes that LMP and
/// the Link Layer name differently, the Link Layer's.
public struct HCIStatus: RawRepresentable, Hashable, Sendable, Error, CustomStringConvertible {
    /// The error code.
    public let rawValue: UInt8

    /// The status with this code.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The status with one of `allNames`; nil for other text.
    public init?(name: String) {
        guard let entry = Self.names.first(where: { $0.name == name }) else { return nil }
        self = entry.status
    }

    /// The name, `connection_timeout`; nil for a code without one.
    public var name: String? { Self.names.first { $0.status == self }?.name }

    /// All names, in the order of their codes.
    public static var allNames: [String] { names.map(\.name) }

    /// The name, or the code as `0x7F`.
    public var description: String {
        name ?? "0x" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16, uppercase: true)
    }
}

extension HCIStatus {
    /// 0x00: no error.
    public static let success = HCIStatus(rawValue: 0x00)
    /// 0x01: the controller does not have this command.
    public static let unknownCommand = HCIStatus(rawValue: 0x01)
    /// 0x02: no connection with this handle, or no such device in a list.
    public static let unknownConnection = HCIStatus(rawValue: 0x02)
    /// 0x03: the controller failed.
    public static let hardwareFailure = HCIStatus(rawValue: 0x03)
    /// 0x05: pairing or authentication failed.
    public static let authenticationFailure = HCIStatus(rawValue: 0x05)
    /// 0x06: the peer lacks the key for this link.
    public static let keyMissing = HCIStatus(rawValue: 0x06)
    /// 0x07: the controller is out of memory.
    public static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
    /// 0x08: the controller received nothing from the peer within the supervision timeout.
    public static let connectionTimeout = HCIStatus(rawValue: 0x08)
    /// 0x09: the controller has no room for another connection.
    public static let connectionLimitExceeded = HCIStatus(rawValue: 0x09)
    /// 0x0B: a connection to this device exists.
    public static let connectionAlreadyExists = HCIStatus(rawValue: 0x0B)
    /// 0x0C: not possible in the current state.
    public static let commandDisallowed = HCIStatus(rawValue: 0x0C)
    /// 0x0D: the peer or the controller lacks resources for the connection.
    public static let rejectedLimitedResources = HCIStatus(rawValue: 0x0D)
    /// 0x11: the controller does not support a feature or a parameter value.
    public static let unsupportedFeature = HCIStatus(rawValue: 0x11)
    /// 0x12: a parameter is out of range.
    public static let invalidParameters = HCIStatus(rawValue: 0x12)
    /// 0x13: the peer ended the connection.
    public static let remoteUserTerminated = HCIStatus(rawValue: 0x13)
    /// 0x14: the peer is low on resources.
    public static let remoteLowResources = HCIStatus(rawValue: 0x14)
    /// 0x15: the peer is about to power off.
    public static let remotePowerOff = HCIStatus(rawValue: 0x15)
    /// 0x16: the local host ended the connection.
    public static let localHostTerminated = HCIStatus(rawValue: 0x16)
    /// 0x1A: the peer does not support this feature.
    public static let unsupportedRemoteFeature = HCIStatus(rawValue: 0x1A)
    /// 0x1F: no other code applies.
    public static let unspecified = HCIStatus(rawValue: 0x1F)
    /// 0x20: a Link Layer parameter is not supported.
    public static let unsupportedLinkLayerParameter = HCIStatus(rawValue: 0x20)
    /// 0x22: the peer did not answer a Link Layer procedure within 40 s.
    public static let responseTimeout = HCIStatus(rawValue: 0x22)
    /// 0x23: both sides started the same Link Layer procedure.
    public static let procedureCollision = HCIStatus(rawValue: 0x23)
    /// 0x28: the instant of a Link Layer update has passed.
    public static let instantPassed = HCIStatus(rawValue: 0x28)
    /// 0x29: pairing with a unit key is not supported.
    public static let pairingWithUnitKeyNotSupported = HCIStatus(rawValue: 0x29)
    /// 0x2A: both sides started incompatible Link Layer procedures.
    public static let differentTransactionCollision = HCIStatus(rawValue: 0x2A)
    /// 0x3A: the controller is busy.
    public static let controllerBusy = HCIStatus(rawValue: 0x3A)
    /// 0x3B: the connection parameters are unacceptable.
    public static let unacceptableConnectionParameters = HCIStatus(rawValue: 0x3B)
    /// 0x3C: directed advertising ended without a connection.
    public static let advertisingTimeout = HCIStatus(rawValue: 0x3C)
    /// 0x3D: a packet failed its integrity check, for example because the keys differ.
    public static let micFailure = HCIStatus(rawValue: 0x3D)
    /// 0x3E: the controller received nothing in the first six connection events.
    public static let failedToBeEstablished = HCIStatus(rawValue: 0x3E)
    /// 0x42: no advertising set has this handle.
    public static let unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42)

    /// The reasons that a host may give to HCI_Disconnect.  Core 6.0, Vol 4, Part E, section 7.1.6.
    public static let disconnectReasons: [HCIStatus] = [
        authenticationFailure, remoteUserTerminated, remoteLowResources, remotePowerOff, unsupportedRemoteFeature,
        pairingWithUnitKeyNotSupported, unacceptableConnectionParameters,
    ]

    private static let names: [(status: HCIStatus, name: String)] = [
        (success, "success"),
        (unknownCommand, "unknown_hci_command"),
        (unknownConnection, "unknown_connection_identifier"),
        (hardwareFailure, "hardware_failure"),
        (authenticationFailure, "authentication_failure"),
        (keyMissing, "pin_or_key_missing"),
        (memoryCapacityExceeded, "memory_capacity_exceeded"),
        (connectionTimeout, "connection_timeout"),
        (connectionLimitExceeded, "connection_limit_exceeded"),
        (connectionAlreadyExists, "connection_already_exists"),
        (commandDisallowed, "command_disallowed"),
        (rejectedLimitedResources, "connection_rejected_due_to_limited_resources"),
        (unsupportedFeature, "unsupported_feature_or_parameter_value"),
        (invalidParameters, "invalid_hci_command_parameters"),
        (remoteUserTerminated, "remote_user_terminated_connection"),
        (remoteLowResources, "remote_device_terminated_connection_due_to_low_resources"),
        (remotePowerOff, "remote_device_terminated_connection_due_to_power_off"),
        (localHostTerminated, "connection_terminated_by_local_host"),
        (unsupportedRemoteFeature, "unsupported_remote_feature"),
        (unspecified, "unspecified_error"),
        (unsupportedLinkLayerParameter, "unsupported_ll_parameter_value"),
        (responseTimeout, "ll_response_timeout"),
        (procedureCollision, "ll_procedure_collision"),
        (instantPassed, "instant_passed"),
        (pairingWithUnitKeyNotSupported, "pairing_with_unit_key_not_supported"),
        (differentTransactionCollision, "different_transaction_collision"),
        (controllerBusy, "controller_busy"),
        (unacceptableConnectionParameters, "unacceptable_connection_parameters"),
        (advertisingTimeout, "advertising_timeout"),
        (micFailure, "connection_terminated_due_to_mic_failure"),
        (failedToBeEstablished, "connection_failed_to_be_established"),
        (unknownAdvertisingIdentifier, "unknown_advertising_identifier"),
    ]
}
