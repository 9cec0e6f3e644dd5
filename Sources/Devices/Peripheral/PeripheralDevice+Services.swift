import Bluetooth
import Characteristics
import GATT
import Sensors
import Services
import Simulation

/// What a definition becomes: attributes, and sensors behind them.
extension PeripheralDevice {
    static func genericAccess(_ definition: PeripheralDefinition) -> ServiceDefinition {
        let name = definition.name.utf8(atMost: DeviceName.maximumCount)
        let preferred = definition.preferredConnection.map {
            CharacteristicDefinition(
                uuid: .peripheralPreferredConnectionParameters, properties: .read, value: .fixed($0.octets))
        }
        return ServiceDefinition(
            uuid: .genericAccess,
            characteristics: [
                CharacteristicDefinition(uuid: .deviceName, properties: .read, value: .fixed(name)),
                CharacteristicDefinition(
                    uuid: .appearance, properties: .read, value: .fixed(definition.appearance.octets)),
            ] + (preferred.map { [$0] } ?? []))
    }

    /// Service Changed, and what robust caching needs.  Core 6.0, Vol 3, Part G, section 7.
    static var genericAttribute: ServiceDefinition {
        ServiceDefinition(
            uuid: .genericAttribute,
            characteristics: [
                CharacteristicDefinition(uuid: .serviceChanged, properties: .indicate, value: .fixed([])),
                CharacteristicDefinition(
                    uuid: .clientSupportedFeatures, properties: [.read, .write], value: .clientSupportedFeatures),
                CharacteristicDefinition(uuid: .databaseHash, properties: .read, value: .databaseHash),
            ])
    }

    /// What stands behind each service, and what they share.  Electrocardiograms are of the heart of the first Heart Rate
    /// Service, or of one that beats once a second.
    static func sensors(
        for definition: PeripheralDefinition, seed: RandomStream
    ) -> (sensors: [any ServiceSensor], attributes: [Attributes], body: SensorContext) {
        var body = SensorContext(clock: definition.clock, mtu: Server.defaultMTU)
        let seeds = definition.services.indices.map { index in
            var chance = seed.stream("service \(index)")
            return chance.next()
        }
        for (service, seed) in zip(definition.services, seeds) {
            guard let rate = service.heartRate else { continue }
            body.pulses.append(Pulse(Heart(rate: rate, seed: seed)))
        }
        if body.pulses.isEmpty, let first = seeds.first {
            body.pulses.append(Pulse(Heart(rate: Signal(60), seed: first)))
        }
        var hearts = 0
        var attributes: [Attributes] = []
        let sensors = zip(definition.services, seeds).map { service, seed -> any ServiceSensor in
            func own(_ sensor: some UndescribedSensor) -> any ServiceSensor {
                attributes.append(sensor.attributes)
                return sensor
            }
            switch service {
            case .described(let description, let configuration, let chance):
                attributes.append(description.attributes(configuration))
                if service.heartRate != nil { hearts += 1 }
                let heart = service.heartRate == nil ? 0 : hearts - 1
                return description.makeSensor(configuration, chance: chance, heart: heart)
            case .deviceInformation(let strings): return own(InformationSensor(strings))
            case .healthThermometer(let thermometer): return own(ThermometerSensor(thermometer))
            case .fitness(let fitness): return own(FitnessSensor(fitness, definition.clock))
            case .ecg(let ecg):
                return ecg.form == .vendor
                    ? own(ECGSensor(ecg, pulse: 0, seed: seed)) : own(PMDSensor(ecg, pulse: 0, seed: seed))
            case .measurements(let measurements): return own(MeasurementsSensor(measurements))
            case .custom(let custom): return own(CustomSensor(custom))
            }
        }
        return (sensors, attributes, body)
    }
}

/// A service's attributes, and the quantity that each of its characteristics stands for.
typealias Attributes = (ServiceDefinition, [Part.Quantity])

/// The sensor of a service that has no description yet.
protocol UndescribedSensor: ServiceSensor {
    var attributes: Attributes { get }
}

extension PeripheralDefinition.Service {
    /// How fast the heart beats that it measures; nil for one that measures none.
    fileprivate var heartRate: Signal? {
        guard case .described(let description, let configuration, let chance) = self else { return nil }
        return description.heartRate(configuration, chance: chance)
    }
}
