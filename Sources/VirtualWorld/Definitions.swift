import Bluetooth
import Characteristics
import Peripheral
import Scenarios
import Sensors
import Simulation

// From what a scenario says to what a device is.

extension PeripheralDefinition {
    /// What is played of a scenario's device, service by service; what is not played has no attributes.
    init(_ device: Scenarios.Device, chance: RandomStream) {
        let services = device.services.enumerated().map { index, service in
            Service(service, chance: chance.stream("service \(index)"))
        }
        self.init(
            name: device.name, appearance: Appearance(device.advertising.payload.appearance ?? 0), services: services)
    }
}

extension PeripheralDefinition.Service {
    init(_ service: Scenarios.Service, chance: RandomStream) {
        switch service.content {
        case .heartRate(let heartRate): self = .heartRate(.init(heartRate, chance: chance))
        case .battery(let battery):
            self = .battery(.init(level: chance.signal(battery.value, "level"), period: battery.period))
        case .deviceInformation(let information):
            let strings: [(Characteristics.DeviceInformation, String?)] = [
                (.manufacturer, information.manufacturer), (.model, information.model), (.serial, information.serial),
                (.hardware, information.hardware), (.firmware, information.firmware), (.software, information.software),
            ]
            self = .deviceInformation(strings.compactMap { kind, text in text.map { (kind, $0) } })
        case .notPlayed: self = .deviceInformation([])
        }
    }
}

extension PeripheralDefinition.HeartRate {
    init(_ service: Scenarios.HeartRate, chance: RandomStream) {
        self.init(rate: chance.signal(service.value, "rate"))
        format = service.format == .uint16 ? .uint16 : .automatic
        contact = service.contact.map { chance.signal($0, "contact") }
        energy =
            switch service.energy {
            case nil: .none
            case .counted: .computed
            case .curve(let curve): .scripted(chance.signal(curve, "energy"))
            }
        hasRRIntervals = service.hasRRIntervals
        mostRRIntervals = service.rrPerNotification
        location = service.location.map { BodySensorLocation($0.rawValue) }
        period = service.period
    }
}

extension Peripheral.Part {
    /// Which quantity a scenario's part is; nil for one that is not played.
    init?(_ part: Scenarios.Part, of service: Scenarios.Service, at index: Int) {
        switch (service.content, part.role) {
        case (.heartRate, .value): self.init(service: index, .heartRate)
        case (.heartRate, .contact): self.init(service: index, .contact)
        case (.heartRate, .energy): self.init(service: index, .energy)
        case (.heartRate, .location): self.init(service: index, .location)
        case (.heartRate, .named) where part.name == "control_point": self.init(service: index, .controlPoint)
        case (.battery, .value): self.init(service: index, .battery)
        case (.deviceInformation, .named):
            guard let kind = Characteristics.DeviceInformation(rawValue: part.name) else { return nil }
            self.init(service: index, .information(kind))
        default: return nil
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

extension Scenarios.Device {
    /// The two payloads of legacy advertising.  What has no room in the first goes into the second: the name always does
    /// when the scenario does not say what the scan response holds.
    var advertisement: (data: [UInt8], scanResponse: [UInt8]) {
        var (data, response) = (AdvertisingData(), AdvertisingData())
        try? data.append(flags: [.generalDiscoverable, .lowEnergyOnly])
        let missing = data.append(advertising.payload)
        if let payload = advertising.scanResponse { _ = response.append(payload) } else { _ = response.append(missing) }
        try? response.append(localName: name)
        return (data.octets, response.octets)
    }
}

extension AdvertisingData {
    /// Adds what there is room for, and returns the rest.
    mutating func append(_ payload: Advertising.Payload) -> Advertising.Payload {
        var rest = payload
        (rest.services, rest.serviceData, rest.manufacturerData) = ([], [], [])
        (rest.appearance, rest.txPower) = (nil, nil)
        do { try append(services: payload.services) } catch { rest.services = payload.services }
        if let appearance = payload.appearance {
            do { try append(appearance: Appearance(appearance)) } catch { rest.appearance = appearance }
        }
        if let power = payload.txPower { do { try append(txPowerLevel: power) } catch { rest.txPower = power } }
        for data in payload.serviceData {
            do { try append(serviceData: data.octets, of: data.uuid) } catch { rest.serviceData.append(data) }
        }
        for data in payload.manufacturerData {
            do {
                try append(manufacturerSpecificData: data.octets, company: data.company)
            } catch { rest.manufacturerData.append(data) }
        }
        return rest
    }
}
