public import Sensors

/// A service of a device, and where its values come from.
public struct Service: Hashable, Sendable {
    /// The kinds of services, as they are written.
    public enum Kind: String, CaseIterable, Sendable {
        /// 180D.
        case heartRate = "heart_rate"
        /// 1809.
        case healthThermometer = "health_thermometer"
        /// Steps and a temperature: a vendor service.
        case fitness
        /// An electrocardiogram: a vendor service.
        case ecg
        /// Heart rates, several hundred in a second: a vendor service.
        case measurements
        /// A number that changes: a vendor service.
        case feed
        /// 180F.
        case battery
        /// 180A.
        case deviceInformation = "device_information"
        /// Whatever a file describes.
        case custom
    }

    /// What a service has, by its kind.
    public enum Content: Hashable, Sendable {
        /// 180D.
        case heartRate(HeartRate)
        /// 180F.
        case battery(Battery)
        /// 180A.
        case deviceInformation(DeviceInformation)
        /// Checked, and not played yet.
        case notPlayed
    }

    /// What the scenario calls it: its `id`, or else its kind.
    public var id: String
    /// What sort of service it is.
    public var kind: Kind
    /// What it has.
    public var content: Content
    /// What can be named in it; ``Thing`` points here.
    public var parts: [Part]
}

/// The heart-rate service, 180D.
public struct HeartRate: Hashable, Sendable {
    /// How wide the heart rate is in a Heart Rate Measurement.
    public enum Format: String, CaseIterable, Sendable {
        /// One octet up to 255 bpm, two above.
        case auto
        /// Always one octet; more than 255 bpm is sent as 255.
        case uint8
        /// Always two octets.
        case uint16
    }

    /// Where the energy that has been expended comes from.
    public enum Energy: Hashable, Sendable {
        /// It is counted from the heart rate.
        case counted
        /// In kilojoules.
        case curve(Curve)
    }

    /// Where the sensor is worn; its number is the octet of Body Sensor Location, 2A38.
    public enum Location: UInt8, CaseIterable, Sendable {
        /// Elsewhere.
        case other
        /// On the chest.
        case chest
        /// At the wrist.
        case wrist
        /// At a finger.
        case finger
        /// At the hand.
        case hand
        /// At an ear lobe.
        case earLobe
        /// At a foot.
        case foot

        /// As it is written: `ear_lobe`.
        public var name: String { self == .earLobe ? "ear_lobe" : "\(self)" }
    }

    /// In beats per minute, 0…65535.
    public var value: Curve
    /// Between two measurements.
    public var period: Duration
    /// How wide a heart rate is sent.
    public var format: Format
    /// Whether the skin is touched: 0 is no, and anything else yes; nil when the sensor cannot know.
    public var contact: Curve?
    /// The energy that has been expended; nil when the sensor does not count it, and has no control point.
    public var energy: Energy?
    /// Whether the intervals between beats are sent.
    public var hasRRIntervals: Bool
    /// So many intervals in each measurement; nil for those that came since the last.
    public var rrPerNotification: Int?
    /// Where it is worn; nil when it does not say.
    public var location: Location?
}

/// The battery service, 180F.
public struct Battery: Hashable, Sendable {
    /// In per cent, 0…100.
    public var value: Curve
    /// Between two looks at the curve.
    public var period: Duration
}

/// The device-information service, 180A; nil for what it does not have.
public struct DeviceInformation: Hashable, Sendable {
    /// 2A29.
    public var manufacturer: String?
    /// 2A24.
    public var model: String?
    /// 2A25.
    public var serial: String?
    /// 2A27.
    public var hardware: String?
    /// 2A26.
    public var firmware: String?
    /// 2A28.
    public var software: String?
}

/// Something in a service that has a name of its own in events and actions.
public struct Part: Hashable, Sendable {
    /// What can be done with it over the air.
    public struct Properties: OptionSet, Hashable, Sendable {
        /// A set of the properties below.
        public let rawValue: UInt8
        /// The set with these bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// A client may read it.
        public static let read = Properties(rawValue: 1)
        /// A client may write it.
        public static let write = Properties(rawValue: 2)
        /// It can be notified.
        public static let notify = Properties(rawValue: 4)
        /// It can be indicated.
        public static let indicate = Properties(rawValue: 8)
    }

    /// Which part, for those who play it.
    public enum Role: Hashable, Sendable {
        /// What the service is there for: bpm, °C, per cent.
        case value
        /// `heart_rate/contact`.
        case contact
        /// `heart_rate/energy_kj`.
        case energy
        /// `heart_rate/rr_ms`.
        case rrIntervals
        /// `heart_rate/location`.
        case location
        /// Of another service: by its name only.
        case named
    }

    /// Behind the service's name; empty for the service's main value.
    public var name: String
    /// Which part it is.
    public var role: Role
    /// Of the characteristic that carries it.
    public var properties: Properties
}
