import Bluetooth
import Characteristics
import GATT
import Peripheral
import Scenarios
import Sensors
import Services
import Simulation

// From what a scenario says to what a device is.

extension PeripheralDefinition {
    /// A scenario's device, service by service.
    init(_ device: Scenarios.Device, begins: WallTime, chance: RandomStream) {
        let services = device.services.enumerated().map { index, service in
            Service(service, chance: chance.stream("service \(index)"))
        }
        self.init(
            name: device.name, appearance: Appearance(device.advertising.payload.appearance ?? 0), services: services)
        absentServices = device.services.indices.filter { !device.services[$0].isThereFromStart }
        clock = WallClock(begins: 946_684_800 + begins.secondsSince2000)
        preferredConnection = ConnectionParameters(device.link)
    }
}

extension ConnectionParameters {
    /// What a device prefers; nil when it does not mind.  What is left out comes from Core 6.0, Vol 3, Part C, appendix A:
    /// 30 to 50 ms; no event is slept through, and the timeout is 720 ms, or what so long an interval takes.
    init?(_ link: Scenarios.Link) {
        guard link.interval != nil || link.latency != nil || link.timeout != nil else { return nil }
        let interval = link.interval.map { UInt16(clamping: $0.inNanoseconds / 1_250_000) }
        let (longest, latency) = (interval ?? 40, UInt16(clamping: link.latency ?? 0))
        // 10 ms · timeout > (1 + latency) · 2 · 1.25 ms · interval
        let least = (1 + Int(latency)) * Int(longest) / 4 + 1
        self.init(
            minimumInterval: interval ?? 24, maximumInterval: longest, latency: latency,
            supervisionTimeout: link.timeout.map { UInt16(clamping: $0.inNanoseconds / 10_000_000) }
                ?? UInt16(clamping: min(3200, max(72, least))))
    }
}

extension PeripheralDefinition.Service {
    init(_ service: Scenarios.Service, chance: RandomStream) {
        switch service.content {
        case .described(let description, let configuration):
            self = .described(description, configuration, chance: chance)
        case .deviceInformation(let information):
            let strings: [(Characteristics.DeviceInformation, String?)] = [
                (.manufacturer, information.manufacturer), (.model, information.model), (.serial, information.serial),
                (.hardware, information.hardware), (.firmware, information.firmware), (.software, information.software),
            ]
            self = .deviceInformation(strings.compactMap { kind, text in text.map { (kind, $0) } })
        case .healthThermometer(let thermometer): self = .healthThermometer(.init(thermometer, chance: chance))
        case .fitness(let fitness): self = .fitness(.init(fitness, chance: chance))
        case .ecg(let ecg): self = .ecg(.init(ecg, chance: chance))
        case .measurements(let measurements):
            self = .measurements(.init(value: chance.signal(measurements.value, "rate"), rate: measurements.rate))
        case .custom(let custom): self = .custom(.init(custom, chance: chance))
        }
    }
}

extension PeripheralDefinition.HealthThermometer {
    init(_ service: Scenarios.HealthThermometer, chance: RandomStream) {
        self.init(value: chance.signal(service.value, "temperature"))
        (period, hasInterval, isStoring) = (service.period, service.hasInterval, service.isStoring)
        unit = service.unit == .celsius ? .celsius : .fahrenheit
        type = service.site.map { TemperatureType($0.rawValue) }
    }
}

extension PeripheralDefinition.Fitness {
    init(_ service: Scenarios.Fitness, chance: RandomStream) {
        self.init()
        var steps = chance.stream("steps")
        (self.steps, seed) = (service.steps, steps.next())
        temperature = service.temperature.map { chance.signal($0, "temperature") }
        (dailyReset, period) = (service.dailyReset, service.period)
    }
}

extension PeripheralDefinition.Electrocardiogram {
    init(_ service: Scenarios.Electrocardiogram, chance: RandomStream) {
        self.init(service.form == .pmd ? .pmd : .vendor, rate: service.rate)
        func microvolts(_ millivolts: Double?, else resting: Double) -> Double {
            millivolts.map { $0 * 1000 } ?? resting
        }
        noise = ECG.Noise(
            wander: microvolts(service.wander, else: ECG.Noise.resting.wander),
            mains: service.mains.map { ECG.Noise.Mains(hertz: $0) },
            muscle: microvolts(service.muscle, else: ECG.Noise.resting.muscle))
        lead = chance.signal(service.lead, "lead")
    }
}

extension PeripheralDefinition.Custom {
    init(_ service: Scenarios.Custom, chance: RandomStream) {
        self.init(
            uuid: service.uuid,
            characteristics: service.characteristics.enumerated().map { index, characteristic in
                Characteristic(characteristic, chance: chance.stream("characteristic \(index)"))
            })
    }
}

extension PeripheralDefinition.Custom.Characteristic {
    init(_ characteristic: Scenarios.Custom.Characteristic, chance: RandomStream) {
        var chance = chance
        let seed = chance.next()
        self.init(
            uuid: characteristic.uuid, format: characteristic.format,
            properties: CharacteristicProperties(characteristic.properties.map(\.bit)),
            value: characteristic.value.map { SensorInput($0, as: characteristic.format, seed: seed) } ?? .octets([]))
        (period, handle) = (characteristic.period, characteristic.handle)
        security = LinkSecurity(characteristic.permissions.map(\.security))
        descriptors = characteristic.descriptors.map { DescriptorDefinition(uuid: $0.uuid, value: $0.octets) }
    }
}

extension SensorInput {
    /// A value that a scenario gives to a part; text is UTF-8 unless its format says octets.
    init(_ value: Value, as format: ValueFormat?, seed: UInt64) {
        switch value {
        case .curve(let curve): self = .signal(Signal(curve, seed: seed))
        case .text: self = .octets(value.octets(as: format ?? .utf8) ?? [])
        }
    }
}

extension Scenarios.Custom.Characteristic.Permission {
    /// What a link needs for it; keys that were confirmed encrypt it too.
    fileprivate var security: LinkSecurity {
        switch self {
        case .encrypted: .encrypted
        case .authenticated: [.encrypted, .authenticated]
        case .authorized: .authorized
        }
    }
}

extension Scenarios.Custom.Characteristic.Property {
    fileprivate var bit: CharacteristicProperties {
        switch self {
        case .read: .read
        case .write: .write
        case .writeCommand: .writeWithoutResponse
        case .notify: .notify
        case .indicate: .indicate
        }
    }
}

extension RandomStream {
    /// A curve whose chance has a name of its own.
    func signal(_ curve: Curve, _ name: String) -> Signal {
        var chance = stream(name)
        return Signal(curve, seed: chance.next())
    }
}
