public import Basics
public import Bluetooth

/// Polar Measurement Data: the service with which Polar straps stream an electrocardiogram.
///
/// Sources: "Polar Measurement Data Specification" (polar-ble-sdk, technical_documentation), and the client `bleakheart`
/// 0.2.0.
public enum PMD {
    /// The service and its characteristics: `FB00XXXX-02E7-F387-1CAD-8ACD2D8DF0C8`.
    public enum Identifier: UInt16, CaseIterable, Sendable {
        /// The service.
        case service = 0x5C80
        /// Reads return `Features`, writes contain a `Request`, indications a `Response`.
        case controlPoint = 0x5C81
        /// Notifications contain a `PMDECGFrame`.
        case data = 0x5C82

        /// The 128-bit UUID.
        public var uuid: UUID {
            UUID.full(
                [0xC8, 0xF0, 0x8D, 0x2D, 0xCD, 0x8A, 0xAD, 0x1C, 0x87, 0xF3, 0xE7, 0x02], rawValue, prefix: 0xFB00)
        }
    }

    /// The measurement type of an electrocardiogram.
    public static let ecg: UInt8 = 0

    /// The value of the control point when read: 17 octets, `0F` and a bit for each measurement type.
    public struct Features: OctetCodable, Hashable, Sendable {
        /// Bit n: the device has type n.  0 ECG, 1 PPG, 2 acceleration, 3 intervals.
        public var types: UInt8
        private static let mark: UInt8 = 0x0F
        private static let size = 17

        /// Features with these bits.
        public init(types: UInt8) { self.types = types }

        /// Reads all octets; throws unless they begin with 0F and an octet of bits.
        public init(from reader: inout OctetReader) throws(Malformed) {
            let mark = try reader.uint8("Feature Response")
            try reader.check(mark == Self.mark, "Feature Response", mark, allowed: "15")
            types = try reader.uint8("Features")
            reader.skipRest()
        }

        /// Appends 17 octets.
        public func append(to octets: inout [UInt8]) {
            octets += [Self.mark, types]
            octets += repeatElement(0, count: Self.size - 2)
        }
    }

    /// A setting of a measurement, with its possible or requested values.
    public struct Setting: OctetCodable, Hashable, Sendable {
        /// The kind of a setting.
        public enum Kind: UInt8, CaseIterable, Sendable {
            /// In Hz, two octets.
            case sampleRate = 0
            /// In bits, two octets.
            case resolution = 1
            /// In the measurement type's unit, two octets.
            case range = 2
            /// One octet.
            case channels = 4
        }

        /// The kind.
        public let kind: Kind
        /// At most 255 values; for `channels`, each is at most 255.
        public let values: [UInt16]

        /// A setting; nil if there are more than 255 values, or a value does not fit into its octets.
        public init?(_ kind: Kind, _ values: [UInt16]) {
            guard values.count <= 255, kind != .channels || values.allSatisfy({ $0 <= 255 }) else { return nil }
            (self.kind, self.values) = (kind, values)
        }

        /// Reads one setting; throws for an unknown kind.
        public init(from reader: inout OctetReader) throws(Malformed) {
            kind = try reader.choice("Setting Type", allowed: "0, 1, 2 or 4")
            let count = try reader.uint8("Setting Count")
            var values: [UInt16] = []
            for _ in 0..<count {
                let field = "Setting Value"
                values.append(kind == .channels ? UInt16(try reader.uint8(field)) : try reader.uint16(field))
            }
            self.values = values
        }

        /// Appends one setting.
        public func append(to octets: inout [UInt8]) {
            octets += [kind.rawValue, UInt8(truncatingIfNeeded: values.count)]
            for value in values {
                if kind == .channels { octets.append(UInt8(truncatingIfNeeded: value)) } else { octets.append(value) }
            }
        }
    }

    fileprivate static func settings(_ reader: inout OctetReader) throws(Malformed) -> [Setting] {
        var settings: [Setting] = []
        while reader.remaining > 0 { settings.append(try Setting(from: &reader)) }
        return settings
    }

    /// The operation of a request: the first octet.
    public enum Operation: UInt8, CaseIterable, Sendable {
        /// Get the possible settings.
        case settings = 1
        /// Start a measurement with these settings.
        case start = 2
        /// Stop the measurement.
        case stop = 3
    }

    /// The result of a request.
    public enum Status: UInt8, CaseIterable, Sendable {
        /// The request succeeded.
        case success = 0
        /// The operation is unknown.
        case invalidOperation = 1
        /// The measurement type is unknown.
        case invalidType = 2
        /// The device does not support the measurement type.
        case notSupported = 3
        /// The request has too few or too many octets.
        case invalidLength = 4
        /// The measurement type does not have the setting.
        case invalidParameter = 5
        /// The measurement is already started, or already stopped.
        case alreadyInState = 6
        /// The resolution is not available.
        case invalidResolution = 7
        /// The sample rate is not available.
        case invalidSampleRate = 8
        /// The range is not available.
        case invalidRange = 9
        /// The MTU has no room for a frame.
        case invalidMTU = 10
        /// The number of channels is not available.
        case invalidChannels = 11
        /// The operation is not possible in the current state.
        case invalidState = 12
        /// The device is charging.
        case charging = 13
    }

    /// A request: written to the control point.
    ///
    /// | Octets | Field            |                                           |
    /// |--------|------------------|-------------------------------------------|
    /// | 1      | operation        | one of `Operation`; others get a `Status` |
    /// | 1      | measurement type | 0 ECG                                     |
    /// | rest   | settings         | each: type, count, values                 |
    public struct Request: OctetCodable, Hashable, Sendable {
        /// The operation, known or not.
        public var operation: UInt8
        /// The measurement type.
        public var type: UInt8
        /// The requested settings.
        public var settings: [Setting]

        /// A request for an electrocardiogram.
        public init(_ operation: Operation, settings: [Setting] = []) {
            (self.operation, type, self.settings) = (operation.rawValue, PMD.ecg, settings)
        }

        /// Reads all octets; throws for an incomplete field or an unknown setting.
        public init(from reader: inout OctetReader) throws(Malformed) {
            operation = try reader.uint8("Operation")
            type = try reader.uint8("Measurement Type")
            settings = try PMD.settings(&reader)
        }

        /// Appends the encoded value.
        public func append(to octets: inout [UInt8]) {
            octets += [operation, type]
            for setting in settings { setting.append(to: &octets) }
        }
    }

    /// A response: indicated by the control point.
    ///
    /// | Octets | Field            |                                               |
    /// |--------|------------------|-----------------------------------------------|
    /// | 1      | mark             | F0                                            |
    /// | 1      | operation        | that of the request                           |
    /// | 1      | measurement type | that of the request                           |
    /// | 1      | status           | one of `Status`                               |
    /// | 1      | more             | 1: another response follows; may be absent    |
    /// | rest   | settings         | each: type, count, values                     |
    public struct Response: OctetCodable, Hashable, Sendable {
        /// The request's operation, known or not.
        public var operation: UInt8
        /// The request's measurement type, known or not.
        public var type: UInt8
        /// The result.
        public var status: Status
        /// Whether another response follows.
        public var isContinued: Bool
        /// The possible settings.
        public var settings: [Setting]
        private static let mark: UInt8 = 0xF0

        /// The response to a request.
        public init(to request: Request, _ status: Status, settings: [Setting] = []) {
            (operation, type, self.status) = (request.operation, request.type, status)
            (isContinued, self.settings) = (false, settings)
        }

        /// Reads all octets; throws for an incomplete field, or an unknown status or setting.
        public init(from reader: inout OctetReader) throws(Malformed) {
            let mark = try reader.uint8("Response")
            try reader.check(mark == Self.mark, "Response", mark, allowed: "240")
            operation = try reader.uint8("Operation")
            type = try reader.uint8("Measurement Type")
            status = try reader.choice("Status", allowed: "0 to 13")
            isContinued = reader.remaining > 0 ? try reader.uint8("More") != 0 : false
            settings = try PMD.settings(&reader)
        }

        /// Appends the encoded value.
        public func append(to octets: inout [UInt8]) {
            octets += [Self.mark, operation, type, status.rawValue, isContinued ? 1 : 0]
            for setting in settings { setting.append(to: &octets) }
        }
    }
}
