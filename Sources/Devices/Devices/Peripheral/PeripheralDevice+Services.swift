import Basics
import Bluetooth
import Characteristics
import GATT

/// Makes attributes and sensors from a definition.
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

    /// The sensors of the services, and their shared context.
    ///
    /// A service that needs a heart and does not define one uses the first of the device, or one at 60 bpm.  A service
    /// that reads steps and counts none uses the first step counter of the device.
    static func sensors(
        for definition: PeripheralDefinition, clock: WallClock, seed: RandomStream
    ) -> (sensors: [any ServiceSensor], context: SensorContext) {
        var context = SensorContext(clock: clock, mtu: Server.defaultMTU)
        let chances = definition.services.indices.map { seed.stream("service \($0)") }
        var hearts: [Int] = []
        var counters: [Int?] = []
        for (service, chance) in zip(definition.services, chances) {
            if let counter = service.stepCounter(chance: chance, clock: clock) {
                counters.append(context.steps.count)
                context.steps.append(counter)
            } else {
                counters.append(nil)
            }
            guard let rate = service.heartRate(chance: chance) else {
                hearts.append(0)
                continue
            }
            hearts.append(context.pulses.count)
            context.pulses.append(Pulse(Heart(rate: rate, seed: first(of: chance))))
        }
        if context.pulses.isEmpty, let first = chances.first {
            context.pulses.append(Pulse(Heart(rate: Signal(60), seed: self.first(of: first))))
        }
        let sensors = definition.services.indices.map { index in
            definition.services[index].makeSensor(
                chance: chances[index], heart: hearts[index],
                steps: counters[index] ?? context.steps.indices.first, clock: clock)
        }
        return (sensors, context)
    }

    private static func first(of chance: RandomStream) -> UInt64 {
        var chance = chance
        return chance.next()
    }
}

extension ServiceDefinition {
    /// Leaves the values of Generic Attribute that depend on the table or the client to the server.
    mutating func provideServerValues() {
        guard uuid == .genericAttribute else { return }
        for index in characteristics.indices {
            switch characteristics[index].uuid {
            case .serviceChanged: characteristics[index].value = .fixed([])
            case .clientSupportedFeatures: characteristics[index].value = .clientSupportedFeatures
            case .databaseHash: characteristics[index].value = .databaseHash
            default: break
            }
        }
    }
}
