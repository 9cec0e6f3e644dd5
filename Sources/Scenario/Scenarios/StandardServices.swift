public import Sensors

// The services of the SIG that a device can have.

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

/// The health-thermometer service, 1809.
public struct HealthThermometer: Hashable, Sendable {
    /// In what it says a temperature.
    public enum Unit: String, CaseIterable, Sendable {
        /// °C.
        case celsius
        /// °F.
        case fahrenheit
    }

    /// Where it measures; its number is the octet of Temperature Type, 2A1D.
    public enum Site: UInt8, CaseIterable, Sendable {
        /// Armpit.
        case armpit = 1
        /// Body, in general.
        case body
        /// Ear, usually the lobe.
        case ear
        /// Finger.
        case finger
        /// Gastro-intestinal tract.
        case gastroIntestinal
        /// Mouth.
        case mouth
        /// Rectum.
        case rectum
        /// Toe.
        case toe
        /// Tympanum, the ear drum.
        case tympanum

        /// As it is written: `gastro_intestinal`.
        public var name: String { self == .gastroIntestinal ? "gastro_intestinal" : "\(self)" }
    }

    /// In °C.
    public var value: Curve
    /// Between two measurements.
    public var period: Duration
    /// Whether a client can read the period, and write it.
    public var hasInterval: Bool
    /// In what it says them.
    public var unit: Unit
    /// Where it measures; nil when it does not say.
    public var site: Site?
    /// Whether it keeps measurements while no client is there.
    public var isStoring: Bool
}
