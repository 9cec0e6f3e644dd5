public import Bluetooth
public import Octets

/// Polar Measurement Data: a service by which straps of Polar stream an electrocardiogram.
///
/// Polar's "Polar Measurement Data Specification" (polar-ble-sdk, technical_documentation), and what the client
/// `bleakheart` 0.2.0 reads.
public enum PMD {
    /// The service and its characteristics: `FB00XXXX-02E7-F387-1CAD-8ACD2D8DF0C8`.
    public enum Identifier: UInt16, CaseIterable, Sendable {
        /// The service.
        case service = 0x5C80
        /// Read gives `Features`, Write takes a `Request`, and an indication has a `Response`.
        case controlPoint = 0x5C81
        /// Notified: a `PMDECGFrame`.
        case data = 0x5C82

        /// All 128 bits.
        public var uuid: UUID {
            UUID.full(
                [0xC8, 0xF0, 0x8D, 0x2D, 0xCD, 0x8A, 0xAD, 0x1C, 0x87, 0xF3, 0xE7, 0x02], rawValue, prefix: 0xFB00)
        }
    }

    /// The type of measurement that an electrocardiogram is.
    public static let ecg: UInt8 = 0

    /// What a read of the control point gives: 17 octets, `0F` and a bit for each type of measurement.
    public struct Features: Hashable, Sendable {
        /// Bit n: type n is there.  0 ECG, 1 PPG, 2 acceleration, 3 intervals.
        public var types: UInt8
        private static let mark: UInt8 = 0x0F
        private static let size = 17

        /// These types.
        public init(types: UInt8) { self.types = types }

        /// Reads a value as it came; throws unless it begins with 0F and has an octet of bits.
        public init(octets: [UInt8]) throws(Malformed) {
            var reader = OctetReader(octets)
            let mark = try reader.uint8("Feature Response")
            guard mark == Self.mark else {
                throw .prohibited(field: "Feature Response", at: 0, value: Int(mark), allowed: "15")
            }
            types = try reader.uint8("Features")
        }

        /// The value as it is sent.
        public var octets: [UInt8] { [Self.mark, types] + repeatElement(0, count: Self.size - 2) }
    }

    /// A property of a measurement, and what it may be or shall be.
    public struct Setting: Hashable, Sendable {
        /// Which property.
        public enum Kind: UInt8, CaseIterable, Sendable {
            /// In Hz, two octets.
            case sampleRate = 0
            /// In bits, two octets.
            case resolution = 1
            /// In a unit of the type, two octets.
            case range = 2
            /// One octet.
            case channels = 4
        }

        /// Which property.
        public let kind: Kind
        /// 255 at most; those of `channels` are 255 at most too.
        public let values: [UInt16]

        /// Nil for values that the octets have no room for.
        public init?(_ kind: Kind, _ values: [UInt16]) {
            guard values.count <= 255, kind != .channels || values.allSatisfy({ $0 <= 255 }) else { return nil }
            (self.kind, self.values) = (kind, values)
        }

        /// Takes a setting off the front of what `reader` has left.
        fileprivate init(_ reader: inout OctetReader) throws(Malformed) {
            let number = try reader.uint8("Setting Type")
            guard let kind = Kind(rawValue: number) else {
                throw .prohibited(
                    field: "Setting Type", at: reader.position - 1, value: Int(number), allowed: "0, 1, 2 or 4")
            }
            let count = try reader.uint8("Setting Count")
            var values: [UInt16] = []
            for _ in 0..<count {
                let field = "Setting Value"
                values.append(kind == .channels ? UInt16(try reader.uint8(field)) : try reader.uint16(field))
            }
            (self.kind, self.values) = (kind, values)
        }

        fileprivate var octets: [UInt8] {
            var octets = [kind.rawValue, UInt8(truncatingIfNeeded: values.count)]
            for value in values {
                if kind == .channels { octets.append(UInt8(truncatingIfNeeded: value)) } else { octets.append(value) }
            }
            return octets
        }
    }

    fileprivate static func settings(_ reader: inout OctetReader) throws(Malformed) -> [Setting] {
        var settings: [Setting] = []
        while reader.remaining > 0 { settings.append(try Setting(&reader)) }
        return settings
    }

    /// What a request is about: the first octet.
    public enum Operation: UInt8, CaseIterable, Sendable {
        /// Which settings there are.
        case settings = 1
        /// Start a measurement with these settings.
        case start = 2
        /// Stop it.
        case stop = 3
    }

    /// How a request went.
    public enum Status: UInt8, CaseIterable, Sendable {
        /// It is done.
        case success = 0
        /// Another operation than those of `Operation`.
        case invalidOperation = 1
        /// Another type of measurement than there are.
        case invalidType = 2
        /// A type that this device does not have.
        case notSupported = 3
        /// Too few octets, or too many.
        case invalidLength = 4
        /// A setting that the type does not have.
        case invalidParameter = 5
        /// Started already, or stopped already.
        case alreadyInState = 6
        /// Not one of the resolutions.
        case invalidResolution = 7
        /// Not one of the sample rates.
        case invalidSampleRate = 8
        /// Not one of the ranges.
        case invalidRange = 9
        /// The MTU has no room for a frame.
        case invalidMTU = 10
        /// Not one of the numbers of channels.
        case invalidChannels = 11
        /// Nothing of this kind now.
        case invalidState = 12
        /// Not while it is being charged.
        case charging = 13
    }

    /// What is written to the control point.
    ///
    /// | Octets | Field            |                                           |
    /// |--------|------------------|-------------------------------------------|
    /// | 1      | operation        | one of `Operation`; others get a `Status` |
    /// | 1      | measurement type | 0 ECG                                     |
    /// | rest   | settings         | each: type, count, values                 |
    public struct Request: Hashable, Sendable {
        /// The first octet, whatever it is.
        public var operation: UInt8
        /// The type of measurement.
        public var type: UInt8
        /// What it shall be like.
        public var settings: [Setting]

        /// A request about an electrocardiogram.
        public init(_ operation: Operation, settings: [Setting] = []) {
            (self.operation, type, self.settings) = (operation.rawValue, PMD.ecg, settings)
        }

        /// Reads a value as it came; throws when it ends within a field, and for a setting that is not known.
        public init(octets: [UInt8]) throws(Malformed) {
            var reader = OctetReader(octets)
            operation = try reader.uint8("Operation")
            type = try reader.uint8("Measurement Type")
            settings = try PMD.settings(&reader)
        }

        /// The value as it is sent.
        public var octets: [UInt8] { [operation, type] + settings.flatMap(\.octets) }
    }

    /// What is indicated when a request is done.
    ///
    /// | Octets | Field            |                                               |
    /// |--------|------------------|-----------------------------------------------|
    /// | 1      | mark             | F0                                            |
    /// | 1      | operation        | that of the request                           |
    /// | 1      | measurement type | that of the request                           |
    /// | 1      | status           | one of `Status`                               |
    /// | 1      | more             | 1: another response follows; may be left out  |
    /// | rest   | settings         | each: type, count, values                     |
    public struct Response: Hashable, Sendable {
        /// The request's operation, whatever it was.
        public var operation: UInt8
        /// The request's type, whatever it was.
        public var type: UInt8
        /// How it went.
        public var status: Status
        /// Whether another response follows.
        public var isContinued: Bool
        /// What there is to choose from.
        public var settings: [Setting]
        private static let mark: UInt8 = 0xF0

        /// The answer to a request.
        public init(to request: Request, _ status: Status, settings: [Setting] = []) {
            (operation, type, self.status) = (request.operation, request.type, status)
            (isContinued, self.settings) = (false, settings)
        }

        /// Reads a value as it came; throws when it ends within a field, and for a status or setting that is not known.
        public init(octets: [UInt8]) throws(Malformed) {
            var reader = OctetReader(octets)
            let mark = try reader.uint8("Response")
            guard mark == Self.mark else {
                throw .prohibited(field: "Response", at: 0, value: Int(mark), allowed: "240")
            }
            operation = try reader.uint8("Operation")
            type = try reader.uint8("Measurement Type")
            let number = try reader.uint8("Status")
            guard let status = Status(rawValue: number) else {
                throw .prohibited(field: "Status", at: 3, value: Int(number), allowed: "0 to 13")
            }
            self.status = status
            isContinued = reader.remaining > 0 ? try reader.uint8("More") != 0 : false
            settings = try PMD.settings(&reader)
        }

        /// The value as it is sent.
        public var octets: [UInt8] {
            [Self.mark, operation, type, status.rawValue, isContinued ? 1 : 0] + settings.flatMap(\.octets)
        }
    }
}
