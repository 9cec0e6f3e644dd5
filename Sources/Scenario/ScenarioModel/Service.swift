package import Bluetooth
package import Devices

/// A service of a device in a scenario.
package struct Service: Hashable, Sendable {
    /// Its name in the scenario: its `id`, or else the word under `service`.
    package var id: String
    package var configured: ConfiguredService
    /// Whether the device has it at the start; otherwise a rule may add it.
    package var isThereFromStart = true

    package init(id: String, _ configured: ConfiguredService) { (self.id, self.configured) = (id, configured) }

    package var description: ServiceDescription { configured.description }
    /// The values that the device has; ``EntityReference`` counts them from 0.
    package var values: [ServiceValue] { configured.values }
    package var uuid: UUID { description.uuid }

    /// The index in `values` of the characteristic value that includes a value; nil for a characteristic value.
    package func carrier(of place: Int) -> Int? {
        let id = values[place].id
        return values[place].isCarried ? values.firstIndex { $0.id == id.characteristicValue } : nil
    }

    /// The index in `values` of the value addressed by the service's name alone; nil when it has none.
    package var mainValue: Int? {
        description.mainValue.flatMap { main in values.firstIndex { $0.id == main.id } }
    }
}

extension Service {
    fileprivate var isAdvertised: Bool {
        isThereFromStart && description.isAdvertised && !configured.declaration.isSecondary
    }

    /// Whether two definitions of a device mean the same service, even if the device has it at different times.
    package func isDefined(as other: Service) -> Bool { id == other.id && configured == other.configured }
}

extension [Service] {
    /// The default of the UUIDs that a device advertises: of primary services, all of 16 bits, and the first of 128 bits,
    /// since a second one does not fit.
    package var advertised: [UUID] {
        let uuids = filter(\.isAdvertised).map(\.uuid)
        let others = uuids.filter { $0.number == nil }.prefix(1)
        var known: Set<UUID> = []
        return uuids.filter { ($0.number != nil || others.contains($0)) && known.insert($0).inserted }
    }
}
