import GATT

/// The values of the descriptors that clients can write.
struct WriteableDescriptors: Sendable {
    private struct Place: Sendable {
        /// Indices in the table.
        let service: Int
        let characteristic: Int
        let descriptor: Int
        var value: [UInt8]
        /// Nil while the device does not have the service.
        var handle: UInt16?
    }

    private var places: [Place] = []
    private var handles = HandleIndex([])

    /// Takes the initial values out of the definitions, which follow `own` other services in the table.
    init(of services: inout [(definition: ServiceDefinition, ids: [ValueID])], after own: Int) {
        for service in services.indices {
            for (index, characteristic) in services[service].definition.characteristics.enumerated() {
                for (place, descriptor) in characteristic.descriptors.enumerated() {
                    guard descriptor.permissions.contains(.writeable), let value = descriptor.value else { continue }
                    places.append(
                        Place(service: service + own, characteristic: index, descriptor: place, value: value))
                    services[service].definition.characteristics[index].descriptors[place].value = nil
                }
            }
        }
    }

    mutating func find(in table: AttributeTable) {
        for index in places.indices {
            let place = places[index]
            places[index].handle = table.handle(
                ofDescriptor: place.descriptor, characteristic: place.characteristic, service: place.service)
        }
        handles = HandleIndex(places.map(\.handle))
    }

    /// The value of a writeable descriptor; nil for other handles, which cannot be set.
    subscript(handle: UInt16) -> [UInt8]? {
        get { handles[handle].map { places[$0].value } }
        set {
            guard let newValue, let index = handles[handle] else { return }
            places[index].value = newValue
        }
    }
}
