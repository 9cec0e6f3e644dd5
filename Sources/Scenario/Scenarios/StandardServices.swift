public import Sensors

// The services of the SIG that a device can have.

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
