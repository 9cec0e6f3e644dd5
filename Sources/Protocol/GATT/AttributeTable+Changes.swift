// Tables derived from another table.
extension AttributeTable {
    /// A table in which the services from index `first` on have moved up by `distance` handles, fixed handles included.
    ///
    /// Throws `.outOfHandles` when a handle exceeds 0xFFFF.
    public func moving(from first: Int, by distance: UInt16) throws(DefinitionError) -> AttributeTable {
        guard services.indices.contains(first) else { return self }
        var moved = services
        for service in moved.indices[first...] { try moved[service].moveFixedHandles(by: distance) }
        moved[first].handle = try serviceHandles[first].moved(by: distance)
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
        guard let (index, position) = old.place(ofValue: handle) else { return false }
        let (service, characteristic) = (old.services[index], old.services[index].characteristics[position])
        return self.handle(ofValue: position, service: index) == handle && services[index].uuid == service.uuid
            && services[index].characteristics[position] == characteristic
    }
}

extension ServiceDefinition {
    fileprivate mutating func moveFixedHandles(by distance: UInt16) throws(AttributeTable.DefinitionError) {
        handle = try handle?.moved(by: distance)
        for index in characteristics.indices {
            characteristics[index].declarationHandle = try characteristics[index].declarationHandle?.moved(by: distance)
            characteristics[index].handle = try characteristics[index].handle?.moved(by: distance)
            for place in characteristics[index].descriptors.indices {
                let handle = characteristics[index].descriptors[place].handle
                characteristics[index].descriptors[place].handle = try handle?.moved(by: distance)
            }
        }
    }
}

extension UInt16 {
    fileprivate func moved(by distance: UInt16) throws(AttributeTable.DefinitionError) -> UInt16 {
        let (moved, isBeyondLast) = addingReportingOverflow(distance)
        if isBeyondLast { throw .outOfHandles }
        return moved
    }
}
