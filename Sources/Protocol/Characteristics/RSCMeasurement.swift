public import Basics

/// RSC Measurement, 0x2A53.  Running Speed and Cadence Service 1.0, section 3.1.
///
/// | Octets | Field                       | Present when   | Unit      |
/// |--------|-----------------------------|----------------|-----------|
/// | 1      | Flags                       | always         |           |
/// | 2      | Instantaneous Speed         | always         | 1/256 m/s |
/// | 1      | Instantaneous Cadence       | always         | 1/min     |
/// | 2      | Instantaneous Stride Length | bit 0 of Flags | 1/100 m   |
/// | 4      | Total Distance              | bit 1 of Flags | 1/10 m    |
///
/// Bit 2 of the Flags is 1 for running and 0 for walking; bits 3 to 7 are reserved for future use: sent as 0 and ignored
/// on receipt.
public struct RSCMeasurement: OctetCodable, Hashable, Sendable {
    /// In 1/256 m/s.
    public var speed: UInt16
    /// In steps per minute.
    public var cadence: UInt8
    /// In centimetres.  Nil if the field is absent.
    public var strideLength: UInt16?
    /// In decimetres.  Nil if the field is absent.
    public var totalDistance: UInt32?
    /// Bit 2 of the Flags.
    public var isRunning: Bool

    /// A measurement; the optional fields default to absent.
    public init(
        speed: UInt16, cadence: UInt8, strideLength: UInt16? = nil, totalDistance: UInt32? = nil,
        isRunning: Bool = false
    ) {
        (self.speed, self.cadence, self.isRunning) = (speed, cadence, isRunning)
        (self.strideLength, self.totalDistance) = (strideLength, totalDistance)
    }

    /// A measurement of quantities in m/s, 1/min and m, each rounded and clamped to its range.
    public init(
        metresPerSecond: Double, stepsPerMinute: Double = 0, strideMetres: Double? = nil, metres: Double? = nil,
        isRunning: Bool = false
    ) {
        self.init(
            speed: UInt16(saturating: (metresPerSecond * 256).rounded()),
            cadence: UInt8(saturating: stepsPerMinute.rounded()),
            strideLength: strideMetres.map { UInt16(saturating: ($0 * 100).rounded()) },
            totalDistance: metres.map { UInt32(saturating: ($0 * 10).rounded()) }, isRunning: isRunning)
    }

    /// Reads all octets; throws if they end before a field that the flags announce.
    ///
    /// Ignores reserved flags and octets after the last field.
    public init(from reader: inout OctetReader) throws(Malformed) {
        let flags = try reader.uint8("Flags")
        speed = try reader.uint16("Instantaneous Speed")
        cadence = try reader.uint8("Instantaneous Cadence")
        strideLength = flags & Flag.strideLength == 0 ? nil : try reader.uint16("Instantaneous Stride Length")
        totalDistance = flags & Flag.totalDistance == 0 ? nil : try reader.uint32("Total Distance")
        isRunning = flags & Flag.running != 0
        reader.skipRest()
    }

    private var flags: UInt8 {
        (strideLength == nil ? 0 : Flag.strideLength) | (totalDistance == nil ? 0 : Flag.totalDistance)
            | (isRunning ? Flag.running : 0)
    }

    /// Appends the encoded value.
    public func append(to octets: inout [UInt8]) {
        octets.append(flags)
        octets.append(speed)
        octets.append(cadence)
        if let strideLength { octets.append(strideLength) }
        if let totalDistance { octets.append(totalDistance) }
    }

    /// Appends the encoded value to a packet, without allocating.
    public func append(to packet: inout Packet, in pool: inout PacketPool) {
        pool.append(flags, to: &packet)
        pool.append(speed, to: &packet)
        pool.append(cadence, to: &packet)
        if let strideLength { pool.append(strideLength, to: &packet) }
        guard let totalDistance else { return }
        pool.append(UInt16(truncatingIfNeeded: totalDistance), to: &packet)
        pool.append(UInt16(truncatingIfNeeded: totalDistance >> 16), to: &packet)
    }

    private enum Flag {
        static let strideLength: UInt8 = 0x01
        static let totalDistance: UInt8 = 0x02
        static let running: UInt8 = 0x04
    }
}

extension RSCMeasurement: JSONWritable {
    /// Appends `{"speed_mps": 3.5, "cadence": 168, "stride_length_m": 1.25, "total_distance_m": 42.5, "running": true}`.
    ///
    /// `stride_length_m` and `total_distance_m` are absent if their fields are.
    public func write(to text: inout JSONText) {
        text.append("{\"speed_mps\": ")
        text.append(thousandths: (UInt64(speed) * 1000 + 128) / 256)
        text.append(", \"cadence\": ")
        text.append(Int64(cadence))
        if let strideLength {
            text.append(", \"stride_length_m\": ")
            text.append(thousandths: UInt64(strideLength) * 10)
        }
        if let totalDistance {
            text.append(", \"total_distance_m\": ")
            text.append(thousandths: UInt64(totalDistance) * 100)
        }
        text.append(isRunning ? ", \"running\": true}" : ", \"running\": false}")
    }
}

/// RSC Feature, 0x2A54: two octets.  Running Speed and Cadence Service 1.0, section 3.2.
///
/// | Bit  | Feature                                 |
/// |------|-----------------------------------------|
/// | 0    | Instantaneous Stride Length Measurement |
/// | 1    | Total Distance Measurement              |
/// | 2    | Walking or Running Status               |
/// | 3    | Calibration Procedure                   |
/// | 4    | Multiple Sensor Locations               |
/// | 5–15 | reserved for future use                 |
public struct RSCFeature: OptionSet, OctetCodable, Hashable, Sendable {
    /// All 16 bits, known or not.
    public let rawValue: UInt16

    /// The features with these bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Measurements can have a stride length.
    public static let strideLength = RSCFeature(rawValue: 0x01)
    /// Measurements can have a total distance, which a client can set.
    public static let totalDistance = RSCFeature(rawValue: 0x02)
    /// Measurements have the status walking or running.
    public static let walkingOrRunning = RSCFeature(rawValue: 0x04)

    /// The bits that the specification defines.
    public static let defined: UInt16 = 0x1F

    /// The names of bits 0 to 4.
    public static let names = [
        "stride_length", "total_distance", "walking_or_running", "calibration", "multiple_locations",
    ]

    /// Reads two octets.
    public init(from reader: inout OctetReader) throws(Malformed) { rawValue = try reader.uint16("RSC Feature") }

    /// Appends two octets.
    public func append(to octets: inout [UInt8]) { octets.append(rawValue) }

    /// The names of the defined bits that are set.
    public var namesOfSet: [String] { Self.names.enumerated().filter { rawValue >> $0.offset & 1 == 1 }.map(\.element) }
}

extension RSCFeature: JSONWritable {
    /// Appends the names of the defined bits that are set: `["stride_length", "total_distance"]`.
    public func write(to text: inout JSONText) { text.append(list: namesOfSet) { $0.append(quoted: $1) } }
}

/// Sensor Location, 0x2A5D: one octet.  Running Speed and Cadence Service 1.0, section 3.3.
public struct SensorLocation: NamedOctet {
    /// The octet.
    public let number: UInt8

    /// The location with this number, reserved or not.
    public init(_ number: UInt8) { self.number = number }

    /// `Sensor Location`.
    public static let field = "Sensor Location"

    /// The names of the numbers 0 to 16.
    public static let names = [
        "other", "top_of_shoe", "in_shoe", "hip", "front_wheel", "left_crank", "right_crank", "left_pedal",
        "right_pedal", "front_hub", "rear_dropout", "chainstay", "rear_wheel", "rear_hub", "chest", "spider",
        "chain_ring",
    ]
}
