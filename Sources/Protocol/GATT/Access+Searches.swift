import ATT
import Bluetooth

// Requests that find attributes.
extension Access {
    /// Answers one request that can belong to a discovery, by this procedure; nil for a request that cannot.
    func discover(
        _ range: HandleRange, by procedure: Discovery.Procedure?, _ server: inout Server,
        _ answer: (inout Server) throws(ErrorResponse) -> PDU
    ) throws(ErrorResponse) -> PDU {
        guard let procedure, server.discovery.includes(procedure, range) else { return try answer(&server) }
        do throws(ErrorResponse) {
            let response = try answer(&server)
            server.noteSearch(by: procedure, response.lastSearched == range.last ? .finished : .started)
            return response
        } catch {
            // After an injected error, the client's next request starts a new discovery.
            if error.isInjected {
                server.noteSearch(by: procedure, .broken)
            } else if error.isEndOfSearch {
                server.noteSearch(by: procedure, .finished)
            }
            throw error
        }
    }

    private func attributes(in range: HandleRange) throws(ErrorResponse) -> ArraySlice<AttributeTable.Attribute> {
        guard range.isValid else { throw ErrorResponse(.invalidHandle, at: range.first) }
        return attributes.inside(range)
    }

    /// Lists attributes whose types have the same length.  Section 3.4.3.2.
    func findInformation(_ range: HandleRange, _ server: Server) throws(ErrorResponse) -> PDU {
        let candidates = try attributes(in: range)
        let length = candidates.first?.type.octets.count ?? 2
        let list = candidates.prefix((server.mtu - 2) / (2 + length)).prefix { $0.type.octets.count == length }
        let types = try server.errorInjection.listed(
            list.map { AttributeType($0.handle, $0.type) }, in: range, \.handle)
        guard !types.isEmpty else { throw .notFound(in: range) }
        return .findInformationResponse(types)
    }

    /// Compares fixed values only, never dynamic ones.  Section 3.4.3.4.
    func findByTypeValue(
        _ range: HandleRange, _ type: UUID, _ value: [UInt8], _ server: Server
    ) throws(ErrorResponse) -> PDU {
        let found = try attributes(in: range).lazy.filter { attribute in
            guard attribute.type == type, isReadable(attribute, by: server) else { return false }
            guard case .fixed(let content) = attribute.content else { return false }
            return content == value
        }
        let groups = found.prefix((server.mtu - 1) / 4).map { HandleRange($0.handle, $0.groupEnd) }
        let list = try server.errorInjection.listed(Array(groups), in: range, \.first)
        guard !list.isEmpty else { throw .notFound(in: range) }
        return .findByTypeValueResponse(list)
    }

    /// Lists values of the same length.  If the first value cannot be read, the response is its error; a later one ends
    /// the list.  Section 3.4.4.2.
    func readByType(
        _ range: HandleRange, _ type: UUID, _ server: inout Server, _ values: inout some AttributeValues
    ) throws(ErrorResponse) -> PDU {
        var (list, room) = ([] as [AttributeData], server.mtu - 2)
        for attribute in try attributes(in: range) where attribute.type == type {
            let value: [UInt8]
            do throws(ErrorResponse) {
                if !type.isDeclaration { try server.errorInjection.check(.read, at: attribute.handle) }
                value = try readSound(attribute, server, &values).cut(to: min(253, server.mtu - 4))
            } catch {
                guard !list.isEmpty else { throw error }
                break
            }
            guard value.count + 2 <= room, list.first.map({ $0.value.count == value.count }) ?? true else { break }
            room -= value.count + 2
            list.append(AttributeData(attribute.handle, value))
        }
        if type.isDeclaration { list = try server.errorInjection.listed(list, in: range, \.handle) }
        guard !list.isEmpty else { throw .notFound(in: range) }
        if type == .databaseHash { server.awareness.hashRead() }
        if type != .characteristic, type != .include {
            server.events += list.map { .read(handle: $0.handle, $0.value) }
        }
        return .readByTypeResponse(list)
    }

    /// Lists service declarations of the same length.  Section 3.4.4.10; only services are groups: Part G, section 2.5.3.
    func readByGroupType(_ range: HandleRange, _ type: UUID, _ server: Server) throws(ErrorResponse) -> PDU {
        guard range.isValid else { throw ErrorResponse(.invalidHandle, at: range.first) }
        guard type == .primaryService || type == .secondaryService else {
            throw ErrorResponse(.unsupportedGroupType, at: range.first)
        }
        var (list, room) = ([] as [GroupData], server.mtu - 2)
        for attribute in try attributes(in: range) where attribute.type == type {
            guard case .fixed(let uuid) = attribute.content else { continue }
            let value = uuid.cut(to: min(251, server.mtu - 6))
            guard value.count + 4 <= room, list.first.map({ $0.value.count == value.count }) ?? true else { break }
            room -= value.count + 4
            list.append(GroupData(HandleRange(attribute.handle, attribute.groupEnd), value))
        }
        list = try server.errorInjection.listed(list, in: range, \.range.first)
        guard !list.isEmpty else { throw .notFound(in: range) }
        return .readByGroupTypeResponse(list)
    }
}

extension PDU {
    /// The last handle that a response covers: that of the last service or attribute; nil for other PDUs.
    fileprivate var lastSearched: UInt16? {
        switch self {
        case .readByGroupTypeResponse(let groups): groups.last?.range.last
        case .findByTypeValueResponse(let groups): groups.last?.last
        case .findInformationResponse(let types): types.last?.handle
        case .readByTypeResponse(let list): list.last?.handle
        default: nil
        }
    }
}
