// How one table follows from another.
extension AttributeTable {
    /// The same services, from one of them on so many handles further on; fixed handles move as well.
    public func moving(from first: Int, by distance: UInt16) throws(DefinitionError) -> AttributeTable {
        guard services.indices.contains(first) else { return self }
        func further(_ handle: UInt16) throws(DefinitionError) -> UInt16 {
            let (moved, isBeyondLast) = handle.addingReportingOverflow(distance)
            if isBeyondLast { throw .outOfHandles }
            return moved
        }
        var moved = services
        for service in moved.indices[first...] {
            if let handle = moved[service].handle { moved[service].handle = try further(handle) }
            for index in moved[service].characteristics.indices {
                guard let handle = moved[service].characteristics[index].handle else { continue }
                moved[service].characteristics[index].handle = try further(handle)
            }
        }
        moved[first].handle = try further(serviceHandles[first])
        return try AttributeTable(moved)
    }

    /// The same services at the same handles, of which some are not there any more, and then others are.
    public func removing(_ removed: [Int], adding added: [Int]) throws(DefinitionError) -> AttributeTable {
        var changed = services
        for service in removed where changed.indices.contains(service) { changed[service].isThere = false }
        for service in added where changed.indices.contains(service) { changed[service].isThere = true }
        return changed == services ? self : try AttributeTable(changed)
    }

    /// Whether a value of another table has the same characteristic and the same handle in this one.
    func keeps(_ handle: UInt16, of old: AttributeTable) -> Bool {
        for (index, service) in old.services.enumerated() {
            for (place, characteristic) in service.characteristics.enumerated()
            where old.handle(ofValue: place, service: index) == handle {
                return self.handle(ofValue: place, service: index) == handle && services[index].uuid == service.uuid
                    && services[index].characteristics[place] == characteristic
            }
        }
        return false
    }
}
