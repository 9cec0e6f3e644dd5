public import Bluetooth
import Characteristics

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
        /// 1809.
        case healthThermometer(HealthThermometer)
        /// Steps and a temperature.
        case fitness(Fitness)
        /// An electrocardiogram.
        case ecg(Electrocardiogram)
        /// Heart rates, several hundred in a second.
        case measurements(Measurements)
        /// A number that changes.
        case feed(Feed)
        /// Whatever a file describes.
        case custom(Custom)
    }

    /// What the scenario calls it: its `id`, or else its kind.
    public var id: String
    /// What sort of service it is.
    public var kind: Kind
    /// What it has.
    public var content: Content
    /// What can be named in it; ``Thing`` points here.
    public var parts: [Part]
    /// Whether the device has it from the start; others a rule may add.
    public var isThereFromStart = true

    /// The one that a client discovers.
    public var uuid: UUID {
        switch content {
        case .heartRate: .heartRate
        case .battery: .battery
        case .deviceInformation: .deviceInformation
        case .healthThermometer: .healthThermometer
        case .fitness: VendorUUID.fitness.uuid
        case .ecg(let ecg): ecg.form == .pmd ? PMD.Identifier.service.uuid : VendorUUID.ecg.uuid
        case .measurements: VendorUUID.measurements.uuid
        case .feed: VendorUUID.feed.uuid
        case .custom(let custom): custom.uuid
        }
    }
}

extension Service {
    /// Whether two of a device are the same, whenever it has them.
    func isDefined(as other: Service) -> Bool {
        id == other.id && kind == other.kind && content == other.content && parts == other.parts
    }
}

extension [Service] {
    /// What a device advertises that does not say which: the numbers of the SIG, and the first UUID of another's, for a
    /// second one has no room; neither its battery nor what it is.
    var advertised: [UUID] {
        let uuids = filter { $0.isThereFromStart && $0.kind != .battery && $0.kind != .deviceInformation }.map(\.uuid)
        let others = uuids.filter { $0.number == nil }.prefix(1)
        return uuids.enumerated().filter { index, uuid in
            (uuid.number != nil || others.contains(uuid)) && uuids.firstIndex(of: uuid) == index
        }.map(\.element)
    }
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
