package import Devices

/// The entity that a path such as `strap/heart_rate/contact` names, as indices into the scenario.
package enum EntityReference: Hashable, Sendable {
    /// An index of ``Scenario/devices``.
    case device(Int)
    /// A service: an index of ``Device/services``.
    case service(device: Int, service: Int)
    /// A value: an index of `Service.values`.  Where a value is required, the path of a service names its main value.
    case value(device: Int, service: Int, value: Int)
    case client
    /// An index of ``Scenario/script``.
    case rule(Int)

    /// The device, or the device of a service or value; nil for others.
    package var device: Int? {
        switch self {
        case .device(let device), .service(let device, _), .value(let device, _, _): device
        case .client, .rule: nil
        }
    }
}

extension Scenario {
    /// The value of a reference; nil for other entities, and for indices that the scenario does not have.
    package func value(_ entity: EntityReference) -> ServiceValue? {
        guard case .value(let device, let service, let value) = entity, devices.indices.contains(device),
            devices[device].services.indices.contains(service),
            devices[device].services[service].values.indices.contains(value)
        else { return nil }
        return devices[device].services[service].values[value]
    }

    /// The path of an entity: `strap/heart_rate/contact`; nil if it has none.
    package func path(of entity: EntityReference) -> String? {
        switch entity {
        case .client: return "client"
        case .rule(let index): return script.indices.contains(index) ? script[index].id : nil
        case .device(let index): return devices.indices.contains(index) ? devices[index].id : nil
        case .service(let device, let index):
            guard devices.indices.contains(device), devices[device].services.indices.contains(index) else { return nil }
            return "\(devices[device].id)/\(devices[device].services[index].id)"
        case .value(let device, let service, _):
            guard let value = value(entity), let owner = path(of: .service(device: device, service: service)) else {
                return nil
            }
            return value.name.isEmpty ? owner : "\(owner)/\(value.name)"
        }
    }

    /// The first value of a device with a name in a kind of service, or its main value; nil if there is none.
    package func value(
        named name: String? = nil, of description: ServiceDescription, device: Int
    ) -> EntityReference? {
        guard devices.indices.contains(device) else { return nil }
        for (index, service) in devices[device].services.enumerated() where service.description.name == description.name
        {
            let place = name.map { name in service.values.firstIndex { $0.name == name } } ?? service.mainValue
            if let place { return .value(device: device, service: index, value: place) }
        }
        return nil
    }
}
