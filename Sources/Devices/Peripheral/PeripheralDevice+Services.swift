import Bluetooth
import Characteristics
import GATT
import Sensors
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
    ) -> (sensors: [any ServiceSensor], body: Body) {
        var body = Body(clock: definition.clock, mtu: Server.defaultMTU)
        let seeds = definition.services.indices.map { index in
            var chance = seed.stream("service \(index)")
            return chance.next()
        }
        for (service, seed) in zip(definition.services, seeds) {
            guard case .heartRate(let heartRate) = service else { continue }
            body.pulses.append(Pulse(Heart(rate: heartRate.rate, seed: seed)))
        }
        if body.pulses.isEmpty, let first = seeds.first {
            body.pulses.append(Pulse(Heart(rate: Signal(60), seed: first)))
        }
        var hearts = 0
        let sensors = zip(definition.services, seeds).map { service, seed -> any ServiceSensor in
            switch service {
            case .heartRate(let heartRate):
                hearts += 1
                return HeartRateSensor(heartRate, pulse: hearts - 1)
            case .battery(let battery): return BatterySensor(battery)
            case .deviceInformation(let strings): return InformationSensor(strings)
            case .healthThermometer(let thermometer): return ThermometerSensor(thermometer)
            case .fitness(let fitness): return FitnessSensor(fitness, definition.clock)
            case .ecg(let ecg):
                return ecg.form == .vendor
                    ? ECGSensor(ecg, pulse: 0, seed: seed) : PMDSensor(ecg, pulse: 0, seed: seed)
            case .measurements(let measurements): return MeasurementsSensor(measurements)
            case .feed(let feed): return FeedSensor(feed)
            case .custom(let custom): return CustomSensor(custom)
            }
        }
        return (sensors, body)
    }
}
