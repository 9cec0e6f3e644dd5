public import ATT
import Basics
public import Bluetooth
public import Cryptography

/// A device's attributes in the order of their handles: built once, and shared by its connections.
/// Core 6.0, Vol 3, Part G, section 2.6.
///
///     service                   2800 or 2801
///       included services       2802: their handles, and a 16-bit UUID
///       characteristic          2803: properties, handle of the value, UUID
///         value                 its UUID
///         configuration         2902, with Notify or Indicate, unless a definition has it among the other descriptors;
///                               each `Server` keeps its client's value
///         other descriptors     their UUIDs
public struct AttributeTable: Hashable, Sendable {
    /// The maximum length of an attribute value, in octets.  Core 6.0, Vol 3, Part F, section 3.2.9.
    public static let maximumValueLength = 512

    /// A mistake in service definitions.
    public enum DefinitionError: Error, Hashable, Sendable {
        /// The fixed handle is in use, or below one that precedes it; `lowestFree` is the lowest handle that is possible.
        case handleTaken(UInt16, lowestFree: UInt16)
        /// The definitions need handles above 0xFFFF.
        case outOfHandles
        /// A fixed value has more than `maximumValueLength` octets.
        case valueTooLong(UUID, count: Int)
        /// A service includes an index that has no service.
        case noSuchService(Int)
        /// AES-CMAC failed for the Database Hash.
        case databaseHash(CryptographyFailure)
    }

    struct Attribute: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            case fixed([UInt8])
            case dynamic
            case requested
            /// A Client Characteristic Configuration.
            case configuration(ofValue: UInt16, allowed: ClientConfiguration)
            case clientSupportedFeatures
        }

        let handle: UInt16
        let type: UUID
        let permissions: AttributePermissions
        var content: Content
        /// The last handle of the group that this attribute declares; its own handle if it declares none.
        var groupEnd: UInt16
    }

    /// The definitions of this table.
    public let services: [ServiceDefinition]
    /// Whether a write of fewer octets than a Client Characteristic Configuration has is rejected with Invalid Attribute
    /// Value Length, as some stacks do.  By default it changes the first octets: Core 6.0, Vol 3, Part F, section 3.4.5.1.
    public var rejectsShortWrites = false
    private(set) var attributes: [Attribute] = []
    private var valueHandles: [[UInt16]] = []
    private var descriptorHandles: [[[UInt16]]] = []
    /// The indices of the service declarations in `attributes`, before absent services are removed.
    private var declarations: [Int] = []
    /// The declaration handle of each service, present or not.
    private(set) var serviceHandles: [UInt16] = []
    private var nextFree: UInt32 = 1

    /// A table without attributes.
    public init() { services = [] }

    /// Assigns handles from 0x0001 on, without gaps except before fixed handles and for absent services.
    public init(_ services: [ServiceDefinition]) throws(DefinitionError) {
        self.services = services
        for service in services { try add(service) }
        try resolveIncludes()
        removeAbsent()
        try computeHash()
    }

    /// The value handle of a characteristic, by its index and its service's; nil if there is none, or if the service is
    /// absent.
    public func handle(ofValue characteristic: Int, service: Int) -> UInt16? {
        guard valueHandles.indices.contains(service), valueHandles[service].indices.contains(characteristic) else {
            return nil
        }
        return valueHandles[service][characteristic]
    }

    /// The indices of the characteristic with a value handle and of its service; nil for other handles.
    func place(ofValue handle: UInt16) -> (service: Int, characteristic: Int)? {
        // Handles ascend in the order of the definitions.
        let service = serviceHandles.count(below: handle) - 1
        guard service >= 0 else { return nil }
        let characteristic = valueHandles[service].count(below: handle)
        guard characteristic < valueHandles[service].count, valueHandles[service][characteristic] == handle else {
            return nil
        }
        return (service, characteristic)
    }

    /// The handle of a descriptor, by indices; nil if there is none.  The indices count defined descriptors: the Client
    /// Characteristic Configuration that Notify or Indicate adds does not count.
    public func handle(ofDescriptor descriptor: Int, characteristic: Int, service: Int) -> UInt16? {
        guard handle(ofValue: characteristic, service: service) != nil else { return nil }
        let handles = descriptorHandles[service][characteristic]
        return handles.indices.contains(descriptor) ? handles[descriptor] : nil
    }

    /// The value handle of the first characteristic with this UUID; nil if there is none.
    public func handle(ofFirst characteristic: UUID) -> UInt16? {
        for (index, service) in services.enumerated() where service.isPresent {
            let position = service.characteristics.firstIndex { $0.uuid == characteristic }
            if let position { return handle(ofValue: position, service: index) }
        }
        return nil
    }

    /// The handles of a service, by its index, from the declaration to the last attribute; nil if there is none.
    public func range(ofService service: Int) -> HandleRange? {
        guard declarations.indices.contains(service) else { return nil }
        let declaration = attributes[declarations[service]]
        return HandleRange(declaration.handle, declaration.groupEnd)
    }

    /// The handles of a characteristic, by its value handle, from the declaration to the last descriptor; nil for other
    /// handles.
    public func range(ofCharacteristicWithValue handle: UInt16) -> HandleRange? {
        // The value follows its declaration.
        let index = attributes.firstIndex(from: handle)
        guard index > 0, index < attributes.count, attributes[index].handle == handle,
            attributes[index - 1].type == .characteristic
        else { return nil }
        return HandleRange(attributes[index - 1].handle, attributes[index - 1].groupEnd)
    }

    /// The type of the attribute with this handle; nil if there is none.
    public func type(of handle: UInt16) -> UUID? { attributes[handle: handle]?.type }
}

extension [UInt16] {
    /// The number of handles below `handle`, of ascending ones.
    fileprivate func count(below handle: UInt16) -> Int { searchedIndex(after: { $0 < handle }) }
}

// Binary search in attributes that are sorted by handle.
extension [AttributeTable.Attribute] {
    subscript(handle handle: UInt16) -> Element? {
        let index = firstIndex(from: handle)
        return index < count && self[index].handle == handle ? self[index] : nil
    }

    /// The attributes whose handles are in `range`.
    func inside(_ range: HandleRange) -> ArraySlice<Element> {
        let first = firstIndex(from: range.first)
        let end = range.last == .max ? count : firstIndex(from: range.last + 1)
        return self[first..<Swift.max(first, end)]
    }

    fileprivate func firstIndex(from handle: UInt16) -> Int { searchedIndex(after: { $0.handle < handle }) }
}

extension AttributeTable {
    private mutating func add(_ service: ServiceDefinition) throws(DefinitionError) {
        let declaration = attributes.count
        let type: UUID = service.isPrimary ? .primaryService : .secondaryService
        serviceHandles.append(try add(type, [.readable], .fixed(service.uuid.octets), at: service.handle))
        declarations.append(declaration)
        var (values, descriptors): ([UInt16], [[UInt16]]) = ([], [])
        // `resolveIncludes` writes their values when all services have handles.
        for _ in service.includes { _ = try add(.include, [.readable], .fixed([]), at: nil) }
        for characteristic in service.characteristics {
            let handles = try add(characteristic)
            values.append(handles.value)
            descriptors.append(handles.descriptors)
        }
        valueHandles.append(values)
        descriptorHandles.append(descriptors)
        endGroup(declaration)
    }

    private mutating func resolveIncludes() throws(DefinitionError) {
        for (service, declaration) in zip(services, declarations) {
            for (position, included) in service.includes.enumerated() {
                guard declarations.indices.contains(included) else { throw .noSuchService(included) }
                let target = attributes[declarations[included]]
                let include = IncludeDeclaration(HandleRange(target.handle, target.groupEnd), services[included].uuid)
                attributes[declaration + 1 + position].content = .fixed(include.octets)
            }
        }
    }

    /// Removes absent services, and the declarations that include them.
    private mutating func removeAbsent() {
        guard services.contains(where: { !$0.isPresent }) else { return }
        var isPresent = attributes.map { _ in true }
        for (index, service) in services.enumerated() {
            let end = declarations.indices.contains(index + 1) ? declarations[index + 1] : attributes.count
            if !service.isPresent {
                for position in declarations[index]..<end { isPresent[position] = false }
                valueHandles[index] = []
            }
            for (position, included) in service.includes.enumerated() where !services[included].isPresent {
                isPresent[declarations[index] + 1 + position] = false
            }
        }
        attributes = zip(attributes, isPresent).filter(\.1).map(\.0)
    }

    private mutating func computeHash() throws(DefinitionError) {
        for (index, service) in services.enumerated() where service.isPresent {
            for (position, characteristic) in service.characteristics.enumerated()
            where characteristic.value == .databaseHash {
                do throws(CryptographyFailure) {
                    let at = attributes.firstIndex(from: valueHandles[index][position])
                    attributes[at].content = .fixed(try databaseHash())
                } catch {
                    throw .databaseHash(error)
                }
            }
        }
    }

    private mutating func add(
        _ characteristic: CharacteristicDefinition
    ) throws(DefinitionError) -> (value: UInt16, descriptors: [UInt16]) {
        let declaration = attributes.count
        // The declaration contains the value's handle, which a definition may fix.
        let declarationHandle = characteristic.declarationHandle.map(UInt32.init) ?? nextFree
        let valueHandle = characteristic.handle ?? UInt16(clamping: declarationHandle + 1)
        guard valueHandle > declarationHandle else {
            throw declarationHandle < 0xFFFF
                ? .handleTaken(valueHandle, lowestFree: UInt16(clamping: declarationHandle + 1)) : .outOfHandles
        }
        let declared = CharacteristicDeclaration(
            characteristic.properties, valueHandle: valueHandle, characteristic.uuid)
        _ = try add(.characteristic, [.readable], .fixed(declared.octets), at: characteristic.declarationHandle)
        let content: Attribute.Content =
            switch characteristic.value {
            case .fixed(let value): .fixed(value)
            case .dynamic: .dynamic
            case .requested: .requested
            case .databaseHash: .fixed([])
            case .clientSupportedFeatures: .clientSupportedFeatures
            }
        _ = try add(characteristic.uuid, characteristic.permissions, content, at: valueHandle)
        let descriptors = try addDescriptors(of: characteristic, valueHandle)
        endGroup(declaration)
        return (valueHandle, descriptors)
    }

    /// Returns the handles of the defined descriptors.
    private mutating func addDescriptors(
        of characteristic: CharacteristicDefinition, _ valueHandle: UInt16
    ) throws(DefinitionError) -> [UInt16] {
        let allowed = characteristic.configurations
        let configuration = Attribute.Content.configuration(ofValue: valueHandle, allowed: allowed)
        if !allowed.isEmpty, !characteristic.descriptors.contains(where: \.isConfiguration) {
            let security = characteristic.permissions.securityToRead.union(characteristic.permissions.securityToWrite)
            _ = try add(
                .clientCharacteristicConfiguration, [.readable, .writeable(needing: security)], configuration, at: nil)
        }
        var handles: [UInt16] = []
        for descriptor in characteristic.descriptors {
            let variable = descriptor.isRequested ? Attribute.Content.requested : .dynamic
            let content =
                descriptor.isConfiguration && !allowed.isEmpty
                ? configuration : descriptor.value.map { Attribute.Content.fixed($0) } ?? variable
            handles.append(try add(descriptor.uuid, descriptor.permissions, content, at: descriptor.handle))
        }
        return handles
    }

    private mutating func add(
        _ type: UUID, _ permissions: AttributePermissions, _ content: Attribute.Content, at fixed: UInt16?
    ) throws(DefinitionError) -> UInt16 {
        guard nextFree <= 0xFFFF else { throw .outOfHandles }
        let lowest = UInt16(clamping: nextFree)
        let handle = fixed ?? lowest
        guard handle >= lowest else { throw .handleTaken(handle, lowestFree: lowest) }
        if case .fixed(let value) = content, value.count > Self.maximumValueLength {
            throw .valueTooLong(type, count: value.count)
        }
        attributes.append(
            Attribute(handle: handle, type: type, permissions: permissions, content: content, groupEnd: handle))
        nextFree = UInt32(handle) + 1
        return handle
    }

    /// Ends the group of the attribute at `index` with the last attribute added.
    private mutating func endGroup(_ index: Int) {
        attributes[index].groupEnd = UInt16(clamping: nextFree - 1)
    }
}

extension AttributeTable {
    /// Whether a client may write this Client Characteristic Configuration of a value.
    func accepts(_ configuration: ClientConfiguration, ofValue handle: UInt16) -> Bool {
        guard let range = range(ofCharacteristicWithValue: handle) else { return false }
        return attributes.inside(range).contains { attribute in
            guard case .configuration(ofValue: handle, let allowed) = attribute.content else { return false }
            return configuration.isSubset(of: allowed)
        }
    }
}

extension CharacteristicDefinition {
    /// The bits that a client may set in the Client Characteristic Configuration; empty if there is no such descriptor.
    fileprivate var configurations: ClientConfiguration {
        var allowed: ClientConfiguration = []
        if properties.contains(.notify) { allowed.insert(.notification) }
        if properties.contains(.indicate) { allowed.insert(.indication) }
        return allowed
    }
}

extension AttributeTable {
    /// AES-CMAC, with a zero key, of the attributes' definitions; 16 octets, the least significant first.
    /// Core 6.0, Vol 3, Part G, sections 7.3 and 7.3.1.
    func databaseHash() throws(CryptographyFailure) -> [UInt8] {
        let key = [UInt8](repeating: 0, count: AESCMAC.count)
        return try AESCMAC.code(of: attributes.flatMap(\.definition), key: key).reversed()
    }

    /// The range of handles in which the definitions of the two tables differ, including attributes that only one of them
    /// has; nil if there is no difference.  Values that clients cannot cache do not count.
    func changes(since old: AttributeTable) -> HandleRange? {
        func isSame(_ one: Attribute, _ other: Attribute) -> Bool {
            one.handle == other.handle && one.type == other.type && one.permissions == other.permissions
                && one.groupEnd == other.groupEnd && one.definition == other.definition
        }
        let count = min(attributes.count, old.attributes.count)
        let same = zip(attributes, old.attributes).prefix { isSame($0, $1) }.count
        guard same < max(attributes.count, old.attributes.count) else { return nil }
        let tail = zip(attributes.reversed(), old.attributes.reversed()).prefix(count - same).prefix { isSame($0, $1) }
        let (new, gone) = (attributes[same...].dropLast(tail.count), old.attributes[same...].dropLast(tail.count))
        let (first, last) = (
            [new.first, gone.first].compactMap { $0?.handle }, [new.last, gone.last].compactMap(\.?.lastAffected)
        )
        guard let first = first.min(), let last = last.max() else { return nil }
        return HandleRange(first, last)
    }
}

extension AttributeTable.Attribute {
    /// The last handle that changes with this attribute: a characteristic's declaration affects the whole characteristic.
    fileprivate var lastAffected: UInt16 { type == .characteristic ? groupEnd : handle }

    /// The octets of this attribute that the hash covers: handle (2), type (2), and for declarations and Characteristic
    /// Extended Properties the value; none for a characteristic's value.
    fileprivate var definition: [UInt8] {
        guard let number = type.number else { return [] }
        var octets: [UInt8] = []
        octets.append(handle)
        octets.append(number)
        switch type {
        case .primaryService, .secondaryService, .include, .characteristic, .characteristicExtendedProperties:
            guard case .fixed(let value) = content else { return octets }
            return octets + value
        case .characteristicUserDescription, .clientCharacteristicConfiguration, .serverCharacteristicConfiguration,
            .characteristicPresentationFormat, UUID(0x2905):  // Characteristic Aggregate Format
            return octets
        default: return []
        }
    }
}
