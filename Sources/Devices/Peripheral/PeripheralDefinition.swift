public import Bluetooth
public import Characteristics
public import Sensors

/// What a device is, before it has handles and a radio.
public struct PeripheralDefinition: Sendable {
    /// Device Name, and the name in its advertising.
    public var name: String
    /// What it looks like to those who show an icon.
    public var appearance: Appearance
    /// What it offers besides Generic Access and Generic Attribute, in the order of their handles.
    public var services: [Service]
    /// Those of them, counted from 0, that are not there from the start: their handles are kept free for them.
    public var absentServices: [Int] = []
    /// The clock on the wall, at the start.
    public var clock = WallClock()
    /// Peripheral Preferred Connection Parameters, and what it asks a central for; nil: it does not mind.
    public var preferredConnection: ConnectionParameters?

    /// A device with these services, on 2000-01-01.
    public init(name: String, appearance: Appearance, services: [Service]) {
        (self.name, self.appearance, self.services) = (name, appearance, services)
    }

    /// A service that a device can have.
    public enum Service: Sendable {
        /// 0x180D.
        case heartRate(HeartRate)
        /// 0x180F.
        case battery(Battery)
        /// 0x180A: the strings that are there, in this order.
        case deviceInformation([(DeviceInformation, String)])
        /// 0x1809.
        case healthThermometer(HealthThermometer)
        /// Vendor 0x0100.
        case fitness(Fitness)
        /// Vendor 0x0200, or Polar Measurement Data.
        case ecg(Electrocardiogram)
        /// Vendor 0x0300.
        case measurements(Measurements)
        /// Vendor 0x0400.
        case feed(Feed)
        /// Any.
        case custom(Custom)
    }

    /// The Heart Rate Service and what its sensor measures.
    public struct HeartRate: Sendable {
        /// Beats per minute.
        public var rate: Signal
        /// One octet where that is enough, or always two.
        public var format: HeartRateMeasurement.Format
        /// The highest that is said: what is more is said as this.
        public var highest: UInt16
        /// Whether there is contact, from 0.5 up; nil when the sensor cannot tell.
        public var contact: Signal?
        /// Where energy expended comes from.
        public var energy: Energy
        /// Whether measurements carry RR-Intervals.
        public var hasRRIntervals: Bool
        /// No more of them in one measurement; nil: as many as the MTU has room for.
        public var mostRRIntervals: Int?
        /// Nil: the characteristic is not there.
        public var location: BodySensorLocation?
        /// From one notification to the next.
        public var period: Duration

        /// Where energy expended comes from.
        public enum Energy: Sendable {
            /// The field and the control point are not there.
            case none
            /// It follows from the heart rate.
            case computed
            /// Kilojoules by a curve.
            case scripted(Signal)
        }

        /// One that measures `rate` once a second, and nothing else until the other properties are set.
        public init(rate: Signal) {
            (self.rate, format, highest, contact, energy) = (rate, .automatic, .max, nil, .none)
            (hasRRIntervals, mostRRIntervals, location, period) = (false, nil, nil, .seconds(1))
        }
    }

    /// The Battery Service.
    public struct Battery: Sendable {
        /// In percent; what is outside of 0 to 100 is moved to the nearer end.
        public var level: Signal
        /// How often a subscribed client is told, if the level has changed.
        public var period: Duration

        /// A battery with this level.
        public init(level: Signal, period: Duration = .seconds(1)) { (self.level, self.period) = (level, period) }
    }
}
