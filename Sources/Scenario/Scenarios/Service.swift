public import Bluetooth
import Characteristics
import GATT
public import Services

/// A service of a device, and where its values come from.
public struct Service: Hashable, Sendable {
    /// The kinds of services, as they are written.
    public struct Kind: RawRepresentable, CaseIterable, Hashable, Sendable {
        /// As it is written.
        public let rawValue: String
        /// Nil for a word that stands for none.
        public init?(rawValue: String) {
            guard Self.allCases.contains(where: { $0.rawValue == rawValue }) else { return nil }
            self.rawValue = rawValue
        }
        private init(_ word: String) { rawValue = word }

        /// 180D.
        public static let heartRate = Kind("heart_rate")
        /// 1809.
        public static let healthThermometer = Kind("health_thermometer")
        /// Steps and a temperature: a vendor service.
        public static let fitness = Kind("fitness")
        /// An electrocardiogram: a vendor service.
        public static let ecg = Kind("ecg")
        /// Heart rates, several hundred in a second: a vendor service.
        public static let measurements = Kind("measurements")
        /// 180F.
        public static let battery = Kind("battery")
        /// 180A.
        public static let deviceInformation = Kind("device_information")
        /// Whatever a file describes.
        public static let custom = Kind("custom")

        /// In the order of the schema.
        public static let allCases: [Kind] = {
            let old = [heartRate, healthThermometer, fitness, ecg, measurements, Kind("feed"), battery,
                deviceInformation, custom]
            return old + ServiceRegistry.all.map { Kind($0.name) }.filter { !old.contains($0) }
        }()

        /// Nil for one that is described elsewhere.
        var description: ServiceDescription? { ServiceRegistry.service(named: rawValue) }
    }

    /// What a service has, by its kind.
    public enum Content: Hashable, Sendable {
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
        /// Of a service that has a description: what the scenario says of it.
        case described(ServiceDescription, ServiceConfiguration)
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
        case .described(let description, _): description.uuid
        case .deviceInformation: .deviceInformation
        case .healthThermometer: .healthThermometer
        case .fitness: VendorUUID.fitness.uuid
        case .ecg(let ecg): ecg.form == .pmd ? PMD.Identifier.service.uuid : VendorUUID.ecg.uuid
        case .measurements: VendorUUID.measurements.uuid
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
        let uuids = filter { $0.isThereFromStart && $0.kind.isAdvertised }.map(\.uuid)
        let others = uuids.filter { $0.number == nil }.prefix(1)
        return uuids.enumerated().filter { index, uuid in
            (uuid.number != nil || others.contains(uuid)) && uuids.firstIndex(of: uuid) == index
        }.map(\.element)
    }
}

extension Service.Kind {
    fileprivate var isAdvertised: Bool { description?.isAdvertised ?? (self != .deviceInformation) }
}

extension Part {
    /// What a described value is to a scenario.
    init(_ value: ValueDescription, in characteristic: CharacteristicDescription) {
        let pairs: [(CharacteristicProperties, Properties)] = [
            (.read, .read), (.write, .write), (.writeWithoutResponse, .write), (.notify, .notify),
            (.indicate, .indicate),
        ]
        let properties = pairs.filter { characteristic.properties.contains($0.0) }.map(\.1)
        self.init(
            name: value.name, role: value.name.isEmpty ? .value : value.isTruth ? .contact : .named, properties: Properties(properties))
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
