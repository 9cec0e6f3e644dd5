public import Bluetooth
public import Services

/// A service of a device in a scenario.
public struct Service: Hashable, Sendable {
    /// What the scenario calls it: its `id`, or else the word under `service`.
    public var id: String
    /// What it is, and what the scenario says of it.
    public var configured: ConfiguredService
    /// Whether the device has it from the start; others a rule may add.
    public var isThereFromStart = true

    /// What every service of its kind has.
    public var description: ServiceDescription { configured.description }
    /// The values that the device has; ``EntityReference`` counts them from 0.
    public var values: [ServiceValue] { configured.values }
    /// The UUID that a client discovers.
    public var uuid: UUID { description.uuid }

    /// The place in ``values`` of the value that the service's name alone stands for; nil when there is none.
    public var mainValue: Int? {
        description.mainValue.flatMap { main in values.firstIndex { $0.id == main.id } }
    }
}

extension Service {
    /// Whether two definitions of a device mean the same service, whenever the device has it.
    func isDefined(as other: Service) -> Bool { id == other.id && configured == other.configured }
}

extension [Service] {
    /// What a device advertises unless the scenario says what: the 16-bit UUIDs, and the first UUID of 128 bits, since a
    /// second one has no room.
    var advertised: [UUID] {
        let uuids = filter { $0.isThereFromStart && $0.description.isAdvertised }.map(\.uuid)
        let others = uuids.filter { $0.number == nil }.prefix(1)
        return uuids.enumerated().filter { index, uuid in
            (uuid.number != nil || others.contains(uuid)) && uuids.firstIndex(of: uuid) == index
        }.map(\.element)
    }
}
