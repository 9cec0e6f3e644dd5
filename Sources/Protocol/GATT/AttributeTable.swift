public import ATT
public import Bluetooth
public import Cryptography
import Octets

/// The attributes of a device in the order of their handles: built once, and shared by all of its connections.
/// Core 6.0, Vol 3, Part G, section 2.6.
///
///     service                   2800 or 2801
///       included services       2802: their handles, and the UUID if it is a number
///       characteristic          2803: properties, handle of the value, UUID
///         value                 its UUID
///         configuration         2902, if it notifies or indicates; its value is kept by each `Server`
///         other descriptors     their UUIDs
public struct AttributeTable: Hashable, Sendable {
    /// The longest value that an attribute can have, in octets.  Core 6.0, Vol 3, Part F, section 3.2.9.
    public static let longestValue = 512

    /// Why some definitions cannot become a table.
    public enum DefinitionError: Error, Hashable, Sendable {
        /// The handle asked for is taken, or lower than one before it; for a value the lowest possible is named.
        case handleTaken(UInt16, lowestFree: UInt16)
        /// There are attributes left, and no handles.
        case outOfHandles
        /// A fixed value has more octets than an attribute can have.
        case valueTooLong(UUID, count: Int)
        /// A service includes one that is not there.
        case noSuchService(Int)
        /// A Database Hash is wanted, and cannot be computed.
        case databaseHash(AESCMAC.Failure)
    }

    struct Attribute: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            case fixed([UInt8])
            case dynamic
            /// A Client Characteristic Configuration.
            case configuration(ofValue: UInt16, allowed: ClientConfiguration)
            case clientSupportedFeatures
        }

        let handle: UInt16
        let type: UUID
        let permissions: AttributePermissions
        var content: Content
        /// The last handle of the group that this attribute declares: its own if it declares none.
        var groupEnd: UInt16
    }

    /// What it was made of.
    public let services: [ServiceDefinition]
    private(set) var attributes: [Attribute] = []
    private var valueHandles: [[UInt16]] = []
    /// Where the declarations of the services are among the attributes, while these are laid out.
    private var declarations: [Int] = []
    /// Of the declarations; also of services that are not there.
    private(set) var serviceHandles: [UInt16] = []
    private var nextFree: UInt32 = 1

    /// Gives every attribute its handle, from 0x0001 on and without gaps but for those that fixed handles make, and
    /// services that are not there.
    public init(_ services: [ServiceDefinition]) throws(DefinitionError) {
        self.services = services
        for service in services { try add(service) }
        try resolveIncludes()
        leaveOutAbsent()
        try computeHash()
    }

    /// The handle of the value of a characteristic, both counted from 0 in the order of definition; nil if there are
    /// not so many, or if the service is not there.
    public func handle(ofValue characteristic: Int, service: Int) -> UInt16? {
        guard valueHandles.indices.contains(service), valueHandles[service].indices.contains(characteristic) else {
            return nil
        }
        return valueHandles[service][characteristic]
    }

    /// The handle of a descriptor of a characteristic, all three counted from 0 in the order of definition; a Client
    /// Characteristic Configuration that the properties lead to does not count.  Nil if there are not so many.
    public func handle(ofDescriptor descriptor: Int, characteristic: Int, service: Int) -> UInt16? {
        guard let value = handle(ofValue: characteristic, service: service) else { return nil }
        let definition = services[service].characteristics[characteristic]
        guard definition.descriptors.indices.contains(descriptor) else { return nil }
        return value + (definition.configurations.isEmpty ? 1 : 2) + UInt16(clamping: descriptor)
    }

    /// The handle of the value of the first characteristic with this UUID; nil if there is none.
    public func handle(ofFirst characteristic: UUID) -> UInt16? {
        for (index, service) in services.enumerated() where service.isThere {
            let place = service.characteristics.firstIndex { $0.uuid == characteristic }
            if let place { return handle(ofValue: place, service: index) }
        }
        return nil
    }

    /// From the declaration of a service, counted from 0 in the order of definition, to its last attribute; nil if there
    /// are not so many.
    public func range(ofService service: Int) -> HandleRange? {
        guard declarations.indices.contains(service) else { return nil }
        let declaration = attributes[declarations[service]]
        return HandleRange(declaration.handle, declaration.groupEnd)
    }

    /// From the declaration of a characteristic to its last descriptor, by the handle of its value; nil if that is none.
    public func range(ofCharacteristicWithValue handle: UInt16) -> HandleRange? {
        let declaration = attributes.last { $0.type == .characteristic && $0.handle < handle }
        guard let declaration, valueHandles.contains(where: { $0.contains(handle) }) else { return nil }
        return HandleRange(declaration.handle, declaration.groupEnd)
    }

    /// The type of the attribute with this handle; nil if there is none.
    public func type(of handle: UInt16) -> UUID? { attributes[handle: handle]?.type }
}

// Attributes in the order of their handles, found by halving: O(log n).
extension [AttributeTable.Attribute] {
    subscript(handle handle: UInt16) -> Element? {
        let index = firstIndex(from: handle)
        return index < count && self[index].handle == handle ? self[index] : nil
    }

    /// Those whose handles are in `range`.
    func inside(_ range: HandleRange) -> ArraySlice<Element> {
        self[firstIndex(from: range.first)...].prefix { $0.handle <= range.last }
    }

    fileprivate func firstIndex(from handle: UInt16) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].handle < handle { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension AttributeTable {
    private mutating func add(_ service: ServiceDefinition) throws(DefinitionError) {
        let declaration = attributes.count
        let type: UUID = service.isPrimary ? .primaryService : .secondaryService
        serviceHandles.append(try add(type, [.readable], .fixed(service.uuid.octets), at: service.handle))
        declarations.append(declaration)
        valueHandles.append([])
        // What they say is known when all services have their handles.
        for _ in service.includes { _ = try add(.include, [.readable], .fixed([]), at: nil) }
        for characteristic in service.characteristics {
            valueHandles[valueHandles.count - 1].append(try add(characteristic))
        }
        endGroup(declaration)
    }

    /// Included Service Attribute Handle (2), End Group Handle (2), Service UUID (2) unless it has 128 bits.
    private mutating func resolveIncludes() throws(DefinitionError) {
        for (service, declaration) in zip(services, declarations) {
            for (place, included) in service.includes.enumerated() {
                guard declarations.indices.contains(included) else { throw .noSuchService(included) }
                let target = attributes[declarations[included]]
                var value: [UInt8] = []
                value.append(target.handle)
                value.append(target.groupEnd)
                if let number = services[included].uuid.number { value.append(number) }
                attributes[declaration + 1 + place].content = .fixed(value)
            }
        }
    }

    /// Takes out the services that are not there, and the declarations that include them.
    private mutating func leaveOutAbsent() {
        guard services.contains(where: { !$0.isThere }) else { return }
        var isThere = attributes.map { _ in true }
        for (index, service) in services.enumerated() {
            let end = declarations.indices.contains(index + 1) ? declarations[index + 1] : attributes.count
            if !service.isThere {
                for place in declarations[index]..<end { isThere[place] = false }
                valueHandles[index] = []
            }
            for (place, included) in service.includes.enumerated() where !services[included].isThere {
                isThere[declarations[index] + 1 + place] = false
            }
        }
        attributes = zip(attributes, isThere).filter(\.1).map(\.0)
    }

    private mutating func computeHash() throws(DefinitionError) {
        for (index, service) in services.enumerated() where service.isThere {
            for (place, characteristic) in service.characteristics.enumerated()
            where characteristic.value == .databaseHash {
                do throws(AESCMAC.Failure) {
                    let at = attributes.firstIndex(from: valueHandles[index][place])
                    attributes[at].content = .fixed(try databaseHash())
                } catch {
                    throw .databaseHash(error)
                }
            }
        }
    }

    private mutating func add(_ characteristic: CharacteristicDefinition) throws(DefinitionError) -> UInt16 {
        let declaration = attributes.count
        // The declaration names the value's handle, which need not be the next.
        let valueHandle = characteristic.handle ?? UInt16(clamping: nextFree + 1)
        guard valueHandle > nextFree else {
            throw nextFree < 0xFFFF
                ? .handleTaken(valueHandle, lowestFree: UInt16(clamping: nextFree + 1)) : .outOfHandles
        }
        var declared: [UInt8] = [characteristic.properties.rawValue]
        declared.append(valueHandle)
        declared += characteristic.uuid.octets
        _ = try add(.characteristic, [.readable], .fixed(declared), at: nil)
        let content: Attribute.Content =
            switch characteristic.value {
            case .fixed(let value): .fixed(value)
            case .dynamic: .dynamic
            case .databaseHash: .fixed([])
            case .clientSupportedFeatures: .clientSupportedFeatures
            }
        _ = try add(characteristic.uuid, characteristic.permissions, content, at: valueHandle)

        let allowed = characteristic.configurations
        if !allowed.isEmpty {
            let content = Attribute.Content.configuration(ofValue: valueHandle, allowed: allowed)
            let security = characteristic.permissions.securityToRead.union(characteristic.permissions.securityToWrite)
            _ = try add(
                .clientCharacteristicConfiguration, [.readable, .writeable(needing: security)], content, at: nil)
        }
        for descriptor in characteristic.descriptors {
            let content = descriptor.value.map { Attribute.Content.fixed($0) } ?? .dynamic
            _ = try add(descriptor.uuid, descriptor.permissions, content, at: nil)
        }
        endGroup(declaration)
        return valueHandle
    }

    private mutating func add(
        _ type: UUID, _ permissions: AttributePermissions, _ content: Attribute.Content, at wanted: UInt16?
    ) throws(DefinitionError) -> UInt16 {
        guard nextFree <= 0xFFFF else { throw .outOfHandles }
        let lowest = UInt16(clamping: nextFree)
        let handle = wanted ?? lowest
        guard handle >= lowest else { throw .handleTaken(handle, lowestFree: lowest) }
        if case .fixed(let value) = content, value.count > Self.longestValue {
            throw .valueTooLong(type, count: value.count)
        }
        attributes.append(
            Attribute(handle: handle, type: type, permissions: permissions, content: content, groupEnd: handle))
        nextFree = UInt32(handle) + 1
        return handle
    }

    /// The group that the attribute at `index` declares ends with the last attribute so far.
    private mutating func endGroup(_ index: Int) {
        attributes[index].groupEnd = UInt16(clamping: nextFree - 1)
    }
}

extension CharacteristicDefinition {
    /// What a client may ask for by a Client Characteristic Configuration; nothing where there is none.
    fileprivate var configurations: ClientConfiguration {
        var allowed: ClientConfiguration = []
        if properties.contains(.notify) { allowed.insert(.notification) }
        if properties.contains(.indicate) { allowed.insert(.indication) }
        return allowed
    }
}
