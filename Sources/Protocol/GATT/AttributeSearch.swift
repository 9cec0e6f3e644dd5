import ATT
import Basics
import Bluetooth

/// One discovery procedure: each request starts after the last handle found, until the server answers that no more
/// attributes match.  Every answer must advance the handle, so the search ends whatever the server sends.
struct AttributeSearch: Sendable {
    enum Target: Sendable { case primaryServices, primaryServicesOf(UUID), included, characteristics, descriptors }

    /// The next step of a procedure.
    enum Step: Sendable {
        case request(PDU)
        case finished(Procedure.Outcome)
    }

    private let target: Target
    private let range: HandleRange
    private var next: UInt16
    private var count = 0
    /// Included services whose 128-bit UUIDs must still be read from their declarations.
    private var unnamed: [(declaration: UInt16, range: HandleRange)] = []
    private var isMore = true
    private(set) var services: [DiscoveredService] = []
    private(set) var included: [IncludedService] = []
    private(set) var characteristics: [DiscoveredCharacteristic] = []
    private(set) var descriptors: [AttributeType] = []

    init(_ target: Target, in range: HandleRange) {
        (self.target, self.range, self.next) = (target, range, range.first)
    }

    var request: PDU {
        if let service = unnamed.first { return .readRequest(handle: service.range.first) }
        let rest = HandleRange(next, range.last)
        return switch target {
        case .primaryServices: .readByGroupTypeRequest(rest, type: .primaryService)
        case .primaryServicesOf(let uuid): .findByTypeValueRequest(rest, type: 0x2800, value: uuid.octets)
        case .included: .readByTypeRequest(rest, type: .include)
        case .characteristics: .readByTypeRequest(rest, type: .characteristic)
        case .descriptors: .findInformationRequest(rest)
        }
    }

    var outcome: Procedure.Outcome {
        switch target {
        case .primaryServices, .primaryServicesOf: .services(services)
        case .included: .included(included)
        case .characteristics: .characteristics(characteristics)
        case .descriptors: .descriptors(descriptors)
        }
    }

    /// Attribute Not Found ends the search normally; every other error fails it.
    mutating func receive(error: ATTError, handle: UInt16) throws(Procedure.Failure) -> Step {
        guard error == .attributeNotFound, unnamed.isEmpty else { throw .refused(error, handle: handle) }
        return .finished(outcome)
    }

    /// Stores the listed attributes, and continues unless they reach the end of the range.
    mutating func receive(_ response: PDU) throws(Procedure.Failure) -> Step {
        switch (target, response) {
        case (.primaryServices, .readByGroupTypeResponse(let groups)):
            for group in groups {
                isMore = try pass(group.range)
                services.append(DiscoveredService(uuid: try uuid(group.value), range: group.range))
            }
        case (.primaryServicesOf(let uuid), .findByTypeValueResponse(let groups)):
            for group in groups {
                isMore = try pass(group)
                services.append(DiscoveredService(uuid: uuid, range: group))
            }
        case (.included, .readByTypeResponse(let list)):
            for entry in list {
                isMore = try pass(HandleRange(entry.handle, entry.handle))
                try include(entry)
            }
        case (.included, .readResponse(let octets)) where !unnamed.isEmpty:
            let service = unnamed.removeFirst()
            let name = try uuid(octets)
            included.append(IncludedService(declaration: service.declaration, range: service.range, uuid: name))
        case (.characteristics, .readByTypeResponse(let list)):
            for entry in list {
                isMore = try pass(HandleRange(entry.handle, entry.handle))
                if let last = characteristics.indices.last {
                    guard characteristics[last].valueHandle < entry.handle else {
                        throw .handleOutOfOrder(characteristics[last].valueHandle)
                    }
                    characteristics[last].range.last = entry.handle - 1
                }
                characteristics.append(try characteristic(entry))
            }
        case (.descriptors, .findInformationResponse(let list)):
            for entry in list {
                isMore = try pass(HandleRange(entry.handle, entry.handle))
                descriptors.append(entry)
            }
        default: throw .unexpected(opcode: response.opcode.rawValue)
        }
        return isMore || !unnamed.isEmpty ? .request(request) : .finished(outcome)
    }

    /// Moves past the handles `found`, and returns whether more can follow; throws if they are outside the request.
    private mutating func pass(_ found: HandleRange) throws(Procedure.Failure) -> Bool {
        guard found.first >= next, next > 0 else { throw .handleOutOfOrder(found.first) }
        // A service may end at 0xFFFF, but never after the requested range.
        guard found.first <= found.last, found.last <= range.last else { throw .handleOutOfOrder(found.last) }
        count += 1
        guard count <= Client.maximumDiscovered else { throw .tooMuch }
        next = found.last &+ 1
        return found.last < range.last
    }

    private func uuid(_ octets: [UInt8]) throws(Procedure.Failure) -> UUID {
        do throws(Malformed) {
            var reader = OctetReader(octets)
            return try UUID(rest: &reader)
        } catch {
            throw .malformed(error)
        }
    }

    private func declaration<Declaration: OctetCodable>(
        _ entry: AttributeData
    ) throws(Procedure.Failure) -> Declaration {
        do throws(Malformed) { return try Declaration(octets: entry.value) } catch { throw .malformed(error) }
    }

    private mutating func include(_ entry: AttributeData) throws(Procedure.Failure) {
        let include: IncludeDeclaration = try declaration(entry)
        guard include.range.isValid else { throw .handleOutOfOrder(include.range.first) }
        guard let uuid = include.uuid else { return unnamed.append((entry.handle, include.range)) }
        included.append(IncludedService(declaration: entry.handle, range: include.range, uuid: uuid))
    }

    private func characteristic(_ entry: AttributeData) throws(Procedure.Failure) -> DiscoveredCharacteristic {
        let found: CharacteristicDeclaration = try declaration(entry)
        guard found.valueHandle > entry.handle, found.valueHandle <= range.last else {
            throw .handleOutOfOrder(found.valueHandle)
        }
        return DiscoveredCharacteristic(
            uuid: found.uuid, range: HandleRange(entry.handle, range.last), properties: found.properties,
            valueHandle: found.valueHandle)
    }
}

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
