import ATT
import Bluetooth
import Octets
import Simulation

/// One request or command of the client, while it is played: what it may touch, and what there is to tell about it.
struct Access {
    var server: Server
    let table: AttributeTable
    let now: Instant
    private(set) var events: [Server.Output] = []

    init(server: Server, table: AttributeTable, now: Instant) {
        (self.server, self.table, self.now) = (server, table, now)
    }

    /// The response to a request; nil for a command.
    mutating func answer(_ octets: [UInt8], _ values: inout some AttributeValues) throws(Refusal) -> PDU? {
        switch octets.first.flatMap(Opcode.init(rawValue:)) {
        case nil, .signedWriteCommand, .readMultipleRequest, .readMultipleVariableRequest, .prepareWriteRequest,
            .executeWriteRequest:
            throw Refusal(.requestNotSupported)
        default: break
        }
        guard let request = try? PDU(octets) else { throw Refusal(.invalidPDU) }
        switch request {
        case .exchangeMTURequest(let clientReceives): return try exchangeMTU(clientReceives)
        case .findInformationRequest(let range): return try findInformation(range)
        case .findByTypeValueRequest(let range, let type, let value):
            guard UUID(type) == .primaryService else { return try findByTypeValue(range, UUID(type), value) }
            return try discover(range) { (access) throws(Refusal) in
                try access.findByTypeValue(range, .primaryService, value)
            }
        case .readByTypeRequest(let range, let type): return try readByType(range, type, &values)
        case .readByGroupTypeRequest(let range, let type):
            guard type == .primaryService else { return try readByGroupType(range, type) }
            return try discover(range) { (access) throws(Refusal) in try access.readByGroupType(range, type) }
        case .readRequest(let handle):
            let value = Array(try read(handle, &values).prefix(server.mtu - 1))
            events.append(.read(handle: handle, value))
            return .readResponse(value)
        case .readBlobRequest(let handle, let offset):
            let value = try read(handle, &values)
            guard Int(offset) <= value.count else { throw Refusal(.invalidOffset, at: handle) }
            let part = Array(value[Int(offset)...].prefix(server.mtu - 1))
            events.append(.read(handle: handle, part))
            return .readBlobResponse(part)
        case .writeRequest(let handle, let value):
            try write(value, to: handle, &values)
            return .writeResponse
        case .writeCommand(let handle, let value):
            try write(value, to: handle, &values)
            return nil
        default: throw Refusal(.requestNotSupported)
        }
    }

    /// The client sends this once at most; the MTU is the lesser of what both sides take.  Part F, section 3.4.2.
    private mutating func exchangeMTU(_ clientReceives: UInt16) throws(Refusal) -> PDU {
        guard !server.hasExchangedMTU else { throw Refusal(.requestNotSupported) }
        server.hasExchangedMTU = true
        server.adopt(mtu: min(Int(clientReceives), server.receives))
        events.append(.exchangedMTU(server.mtu))
        return .exchangeMTUResponse(serverReceives: UInt16(clamping: server.receives))
    }

    // MARK: One attribute

    /// The whole value, if it may be read.
    private mutating func read(_ handle: UInt16, _ values: inout some AttributeValues) throws(Refusal) -> [UInt8] {
        guard let attribute = table[handle] else { throw Refusal(.invalidHandle, at: handle) }
        return try read(attribute, &values)
    }

    private mutating func read(
        _ attribute: AttributeTable.Attribute, _ values: inout some AttributeValues
    ) throws(Refusal) -> [UInt8] {
        guard attribute.permissions.contains(.readable) else {
            throw Refusal(.readNotPermitted, at: attribute.handle)
        }
        switch attribute.content {
        case .fixed(let value): return value
        case .configuration(let valueHandle, _):
            var value: [UInt8] = []
            value.append(server.configuration(ofValue: valueHandle).rawValue)
            return value
        case .dynamic:
            do throws(ATTError) {
                return Array(try values.read(attribute.handle, at: now).prefix(AttributeTable.longestValue))
            } catch {
                throw Refusal(error, at: attribute.handle)
            }
        }
    }

    private mutating func write(
        _ value: [UInt8], to handle: UInt16, _ values: inout some AttributeValues
    ) throws(Refusal) {
        guard let attribute = table[handle] else { throw Refusal(.invalidHandle, at: handle) }
        guard attribute.permissions.contains(.writeable) else { throw Refusal(.writeNotPermitted, at: handle) }
        guard value.count <= AttributeTable.longestValue else {
            throw Refusal(.invalidAttributeValueLength, at: handle)
        }
        switch attribute.content {
        case .fixed: throw Refusal(.writeNotPermitted, at: handle)
        case .configuration(let valueHandle, let allowed):
            guard value.count == 2 else { throw Refusal(.invalidAttributeValueLength, at: handle) }
            let wanted = ClientConfiguration(rawValue: UInt16(value[0]) | UInt16(value[1]) << 8)
            guard wanted.isSubset(of: allowed) else { throw Refusal(.cccdImproperlyConfigured, at: handle) }
            server.configure(wanted, ofValue: valueHandle)
            events.append(.written(handle: handle, value))
            events.append(wanted.isEmpty ? .unsubscribed(handle: valueHandle) : .subscribed(handle: valueHandle))
        case .dynamic:
            do throws(ATTError) {
                try values.write(value, to: handle, at: now)
            } catch {
                throw Refusal(error, at: handle)
            }
            events.append(.written(handle: handle, value))
        }
    }

    // MARK: Searches

    /// A step of a search for services, which ends with the last handle of its range or with Attribute Not Found.
    /// Part G, section 4.4.
    private mutating func discover(
        _ range: HandleRange, _ answer: (Access) throws(Refusal) -> PDU
    ) throws(Refusal) -> PDU {
        do throws(Refusal) {
            let response = try answer(self)
            noteSearch(isOver: response.lastGroupEnd == range.last)
            return response
        } catch {
            if error.isEndOfSearch { noteSearch(isOver: true) }
            throw error
        }
    }

    private mutating func noteSearch(isOver: Bool) {
        if !server.isSearched { events.append(.discovering) }
        if isOver { events.append(.discovered) }
        server.isSearched = !isOver
    }

    private func attributes(in range: HandleRange) throws(Refusal) -> ArraySlice<AttributeTable.Attribute> {
        guard range.isValid else { throw Refusal(.invalidHandle, at: range.first) }
        return table.attributes(in: range)
    }

    /// Section 3.4.3.2: types of one length.
    private func findInformation(_ range: HandleRange) throws(Refusal) -> PDU {
        let candidates = try attributes(in: range)
        guard let first = candidates.first else { throw .notFound(in: range) }
        let length = first.type.octets.count
        let list = candidates.prefix((server.mtu - 2) / (2 + length)).prefix { $0.type.octets.count == length }
        return .findInformationResponse(list.map { AttributeType($0.handle, $0.type) })
    }

    /// Section 3.4.3.4.  Only declarations and descriptors are compared: dynamic values are not asked for.
    private func findByTypeValue(_ range: HandleRange, _ type: UUID, _ value: [UInt8]) throws(Refusal) -> PDU {
        let found = try attributes(in: range).lazy.filter { attribute in
            guard attribute.type == type, attribute.permissions.contains(.readable) else { return false }
            guard case .fixed(let content) = attribute.content else { return false }
            return content == value
        }
        let groups = found.prefix((server.mtu - 1) / 4).map { HandleRange($0.handle, $0.groupEnd) }
        guard !groups.isEmpty else { throw .notFound(in: range) }
        return .findByTypeValueResponse(Array(groups))
    }

    /// Section 3.4.4.2: values of one length.  That the first cannot be read is an error; a later one ends the list.
    private mutating func readByType(
        _ range: HandleRange, _ type: UUID, _ values: inout some AttributeValues
    ) throws(Refusal) -> PDU {
        var (list, room) = ([] as [AttributeData], server.mtu - 2)
        for attribute in try attributes(in: range) where attribute.type == type {
            let value: [UInt8]
            do throws(Refusal) {
                value = Array(try read(attribute, &values).prefix(min(253, server.mtu - 4)))
            } catch {
                guard !list.isEmpty else { throw error }
                break
            }
            guard value.count + 2 <= room, list.first.map({ $0.value.count == value.count }) ?? true else { break }
            room -= value.count + 2
            list.append(AttributeData(attribute.handle, value))
        }
        guard !list.isEmpty else { throw .notFound(in: range) }
        if type != .characteristic, type != .include {
            events += list.map { .read(handle: $0.handle, $0.value) }
        }
        return .readByTypeResponse(list)
    }

    /// Section 3.4.4.10: declarations of one length.  GATT groups by services only; Part G, section 2.5.3.
    private func readByGroupType(_ range: HandleRange, _ type: UUID) throws(Refusal) -> PDU {
        guard range.isValid else { throw Refusal(.invalidHandle, at: range.first) }
        guard type == .primaryService || type == .secondaryService else {
            throw Refusal(.unsupportedGroupType, at: range.first)
        }
        var (list, room) = ([] as [GroupData], server.mtu - 2)
        for attribute in try attributes(in: range) where attribute.type == type {
            guard case .fixed(let uuid) = attribute.content else { continue }
            let value = Array(uuid.prefix(min(251, server.mtu - 6)))
            guard value.count + 4 <= room, list.first.map({ $0.value.count == value.count }) ?? true else { break }
            room -= value.count + 4
            list.append(GroupData(HandleRange(attribute.handle, attribute.groupEnd), value))
        }
        guard !list.isEmpty else { throw .notFound(in: range) }
        return .readByGroupTypeResponse(list)
    }
}

extension PDU {
    /// Where the last of the services in a response ends.
    fileprivate var lastGroupEnd: UInt16? {
        switch self {
        case .readByGroupTypeResponse(let groups): groups.last?.range.last
        case .findByTypeValueResponse(let groups): groups.last?.last
        default: nil
        }
    }
}
