/// What a path such as `strap/heart_rate/contact` names, as indices into the scenario.
public enum Thing: Hashable, Sendable {
    /// An index of ``Scenario/devices``.
    case device(Int)
    /// A service as a whole: an index of ``Device/services``.
    case service(device: Int, service: Int)
    /// A part: an index of ``Service/parts``.  A service's name alone is its main value, where a part is needed.
    case part(device: Int, service: Int, part: Int)
    /// The client under test.
    case client
    /// An index of ``Scenario/script``.
    case rule(Int)

    /// The device that it is or belongs to.
    public var device: Int? {
        switch self {
        case .device(let device), .service(let device, _), .part(let device, _, _): device
        case .client, .rule: nil
        }
    }
}

extension Scenario {
    /// The part that a thing is; nil for anything else, and for one of another scenario.
    public func part(_ thing: Thing) -> Part? {
        guard case .part(let device, let service, let part) = thing, devices.indices.contains(device),
            devices[device].services.indices.contains(service),
            devices[device].services[service].parts.indices.contains(part)
        else { return nil }
        return devices[device].services[service].parts[part]
    }
}
