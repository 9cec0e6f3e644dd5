import ATT
import Bluetooth

/// `Procedure.discoverEverything`: searches for the primary services; in each service for characteristics, and for
/// included services if there are handles before the first characteristic; after each value for descriptors.
struct FullDiscovery: Sendable {
    private enum Position {
        case services, characteristics(service: Int), included(service: Int)
        case descriptors(service: Int, characteristic: Int)
    }

    private var position = Position.services
    private var search = AttributeSearch(.primaryServices, in: .all)
    private var services: [DiscoveredService] = []
    private var count = 0
    /// The searches after the first, in order; the first `started` of them have started.
    private var pending: [(position: Position, search: AttributeSearch)] = []
    private var started = 0

    var request: PDU { search.request }

    mutating func receive(error: ATTError, handle: UInt16) throws(Procedure.Failure) -> AttributeSearch.Step {
        try advance(after: try search.receive(error: error, handle: handle))
    }

    mutating func receive(_ response: PDU) throws(Procedure.Failure) -> AttributeSearch.Step {
        try advance(after: try search.receive(response))
    }

    /// When the search has finished, stores its results in `services` and starts the next search.
    private mutating func advance(after step: AttributeSearch.Step) throws(Procedure.Failure) -> AttributeSearch.Step {
        guard case .finished = step else { return step }
        switch position {
        case .services:
            services = search.services
            count += services.count
            for index in services.indices { enqueueSearch(of: index) }
        case .characteristics(let service):
            services[service].characteristics = search.characteristics
            count += search.characteristics.count
            if let range = services[service].includeRange {
                pending.append((.included(service: service), AttributeSearch(.included, in: range)))
            }
            for (index, characteristic) in search.characteristics.enumerated() {
                guard let range = characteristic.descriptorRange else { continue }
                let next = Position.descriptors(service: service, characteristic: index)
                pending.append((next, AttributeSearch(.descriptors, in: range)))
            }
        case .included(let service):
            services[service].included = search.included
            count += search.included.count
            for found in search.included { add(found) }
        case .descriptors(let service, let characteristic):
            services[service].characteristics[characteristic].descriptors = search.descriptors
            count += search.descriptors.count
        }
        guard count <= Client.maximumDiscovered else { throw .tooMuch }
        guard started < pending.count else { return .finished(.services(services)) }
        (position, search) = pending[started]
        started += 1
        return .request(search.request)
    }

    /// Adds an included service, unless it is known already.
    private mutating func add(_ found: IncludedService) {
        guard !services.contains(where: { $0.range.first == found.range.first }) else { return }
        services.append(DiscoveredService(uuid: found.uuid, range: found.range, isPrimary: false))
        enqueueSearch(of: services.count - 1)
    }

    private mutating func enqueueSearch(of index: Int) {
        let range = services[index].range
        guard range.first < range.last else { return }
        let inside = HandleRange(range.first + 1, range.last)
        pending.append((.characteristics(service: index), AttributeSearch(.characteristics, in: inside)))
    }
}
