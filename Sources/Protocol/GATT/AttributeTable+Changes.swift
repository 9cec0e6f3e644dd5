// Tables derived from another table.
extension AttributeTable {
    /// A table in which the services from index `first` on have moved up by `distance` handles, fixed handles included.
    ///
    /// Throws `.outOfHandles` when a handle exceeds 0xFFFF.
    public func moving(from first: Int, by distance: UInt16) throws(DefinitionError) -> AttributeTable {
        guard services.indices.contains(first) else { return self }
        func shifted(_ handle: UInt16) throws(DefinitionError) -> UInt16 {
            let (moved, isBeyondLast) = handle.addingReportingOverflow(distance)
            if isBeyondLast { throw .outOfHandles }
            return moved
        }
        var moved = services
        for service in moved.indices[first...] {
            if let handle = moved[service].handle { moved[service].handle = try shifted(handle) }
            for index in moved[service].characteristics.indices {
                guard let handle = moved[service].characteristics[index].handle else { continue }
                moved[service].characteristics[index].handle = try shifted(handle)
            }
        }
        moved[first].handle = try shifted(serviceHandles[first])
        return try AttributeTable(moved, like: self)
    }

    /// A table in which the services with indices `removed` are absent and those with indices `added` present; the
    /// handles stay.
    public func removing(_ removed: [Int], adding added: [Int]) throws(DefinitionError) -> AttributeTable {
        var changed = services
        for service in removed where changed.indices.contains(service) { changed[service].isPresent = false }
        for service in added where changed.indices.contains(service) { changed[service].isPresent = true }
        return changed == services ? self : try AttributeTable(changed, like: self)
    }

    /// A table with the other properties of another one.
    private init(_ services: [ServiceDefinition], like other: AttributeTable) throws(DefinitionError) {
        try self.init(services)
        rejectsShortWrites = other.rejectsShortWrites
    }

    /// Whether a value handle of an old table belongs to the same characteristic in this one.
    func keeps(_ handle: UInt16, of old: AttributeTable) -> Bool {
        for (index, service) in old.services.enumerated() {
            for (position, characteristic) in service.characteristics.enumerated()
            where old.handle(ofValue: position, service: index) == handle {
                return self.handle(ofValue: position, service: index) == handle && services[index].uuid == service.uuid
                    && services[index].characteristics[position] == characteristic
            }
        }
        return false
    }
}
