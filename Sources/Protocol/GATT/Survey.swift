import ATT
import Bluetooth

/// The discovery of everything: a search for services, one in each of them for characteristics, one for included services
/// where there are handles before the first characteristic, and one behind each value for descriptors.
struct Survey: Sendable {
    private enum Place {
        case services, characteristics(service: Int), included(service: Int)
        case descriptors(service: Int, characteristic: Int)
    }

    private var place = Place.services
    private var search = Search(.primaryServices, in: .all)
    private var services: [DiscoveredService] = []
    private var count = 0
    /// The searches that follow from what was found, in order; the first `begun` of them have begun.
    private var pending: [(place: Place, search: Search)] = []
    private var begun = 0

    var request: PDU { search.request }

    mutating func receive(error: ATTError, handle: UInt16) throws(Procedure.Failure) -> Search.Step {
        try goOn(after: try search.receive(error: error, handle: handle))
    }

    mutating func receive(_ response: PDU) throws(Procedure.Failure) -> Search.Step {
        try goOn(after: try search.receive(response))
    }

    /// When the search is at its end, puts what it found into the tree, and begins the next one.
    private mutating func goOn(after step: Search.Step) throws(Procedure.Failure) -> Search.Step {
        guard case .finished = step else { return step }
        switch place {
        case .services:
            services = search.services
            count += services.count
            for index in services.indices { lookInto(index) }
        case .characteristics(let service):
            services[service].characteristics = search.characteristics
            count += search.characteristics.count
            if let range = services[service].includeRange {
                pending.append((.included(service: service), Search(.included, in: range)))
            }
            for (index, characteristic) in search.characteristics.enumerated() {
                guard let range = characteristic.descriptorRange else { continue }
                let next = Place.descriptors(service: service, characteristic: index)
                pending.append((next, Search(.descriptors, in: range)))
            }
        case .included(let service):
            services[service].included = search.included
            count += search.included.count
            for found in search.included { add(found) }
        case .descriptors(let service, let characteristic):
            services[service].characteristics[characteristic].descriptors = search.descriptors
            count += search.descriptors.count
        }
        guard count <= Client.mostFound else { throw .tooMuch }
        guard begun < pending.count else { return .finished(.services(services)) }
        (place, search) = pending[begun]
        begun += 1
        return .request(search.request)
    }

    /// A service that was found by itself is not looked into again, nor one that several others include.
    private mutating func add(_ found: IncludedService) {
        guard !services.contains(where: { $0.range.first == found.range.first }) else { return }
        services.append(DiscoveredService(uuid: found.uuid, range: found.range, isPrimary: false))
        lookInto(services.count - 1)
    }

    private mutating func lookInto(_ index: Int) {
        let range = services[index].range
        guard range.first < range.last else { return }
        let inside = HandleRange(range.first + 1, range.last)
        pending.append((.characteristics(service: index), Search(.characteristics, in: inside)))
    }
}
