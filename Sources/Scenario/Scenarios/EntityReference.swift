/// The entity that a path such as `strap/heart_rate/contact` names, as indices into the scenario.
public enum EntityReference: Hashable, Sendable {
    /// An index of ``Scenario/devices``.
    case device(Int)
    /// A service: an index of ``Device/services``.
    case service(device: Int, service: Int)
    /// A value: an index of ``Service/parts``.  Where a value is required, the path of a service names its main value.
    case part(device: Int, service: Int, part: Int)
    /// The client under test.
    case client
    /// An index of ``Scenario/script``.
    case rule(Int)

    /// The device, or the device of a service or value; nil for others.
    public var device: Int? {
        switch self {
        case .device(let device), .service(let device, _), .part(let device, _, _): device
        case .client, .rule: nil
        }
    }
}

extension Scenario {
    /// The value of a reference; nil for other entities, and for indices that the scenario does not have.
    public func part(_ entity: EntityReference) -> Part? {
        guard case .part(let device, let service, let part) = entity, devices.indices.contains(device),
            devices[device].services.indices.contains(service),
            devices[device].services[service].parts.indices.contains(part)
        else { return nil }
        return devices[device].services[service].parts[part]
    }

    /// The path of an entity: `strap/heart_rate/contact`; nil if it has none.
    public func path(of entity: EntityReference) -> String? {
        switch entity {
        case .client: return "client"
        case .rule(let index): return script.indices.contains(index) ? script[index].id : nil
        case .device(let index): return devices.indices.contains(index) ? devices[index].id : nil
        case .service(let device, let index):
            guard devices.indices.contains(device), devices[device].services.indices.contains(index) else { return nil }
            return "\(devices[device].id)/\(devices[device].services[index].id)"
        case .part(let device, let service, _):
            guard let part = part(entity), let owner = path(of: .service(device: device, service: service)) else {
                return nil
            }
            return part.name.isEmpty ? owner : "\(owner)/\(part.name)"
        }
    }

    /// The first value of a device with a role in a kind of service; nil if there is none.
    public func part(_ role: Part.Role, of kind: Service.Kind, device: Int) -> EntityReference? {
        part(of: kind, device: device) { $0.role == role }
    }

    /// The first value of a device with a name in a kind of service; nil if there is none.
    public func part(named name: String, of kind: Service.Kind, device: Int) -> EntityReference? {
        part(of: kind, device: device) { $0.name == name }
    }

    private func part(of kind: Service.Kind, device: Int, where isMatch: (Part) -> Bool) -> EntityReference? {
        guard devices.indices.contains(device) else { return nil }
        for (index, service) in devices[device].services.enumerated() where service.kind == kind {
            guard let place = service.parts.firstIndex(where: isMatch) else { continue }
            return .part(device: device, service: index, part: place)
        }
        return nil
    }
}

extension Part {
    /// Under which key an object that a characteristic carries has this part: `bpm`.
    public func key(in kind: Service.Kind) -> String {
        switch (kind, role) {
        case (.heartRate, .value): "bpm"
        case (.healthThermometer, .value): "celsius"
        case (.healthThermometer, _) where name == "intermediate": "celsius"
        case (.fitness, _) where name == "temperature": "celsius"
        default: name
        }
    }

    /// By how much a client's words may differ from what was delivered: it rounds.
    public func leeway(in kind: Service.Kind) -> Double {
        switch (role, key(in: kind)) {
        case (.rrIntervals, _): 1
        case (_, "celsius"): 0.05
        default: 0
        }
    }
}
