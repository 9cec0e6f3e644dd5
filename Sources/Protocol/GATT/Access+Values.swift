import ATT
import Bluetooth
import Octets

// What reads and writes attributes.
extension Access {
    /// The whole value, if it may be read.
    func read(
        _ handle: UInt16, _ server: Server, _ values: inout some AttributeValues
    ) throws(Refusal) -> [UInt8] {
        guard let attribute = attributes[handle: handle] else { throw Refusal(.invalidHandle, at: handle) }
        try server.refusals.check(.read, at: handle)
        return try readSound(attribute, server, &values)
    }

    /// As if there were no faults.
    func readSound(
        _ attribute: AttributeTable.Attribute, _ server: Server, _ values: inout some AttributeValues
    ) throws(Refusal) -> [UInt8] {
        guard attribute.permissions.contains(.readable) else {
            throw Refusal(.readNotPermitted, at: attribute.handle)
        }
        try check(attribute.permissions.securityToRead, attribute.handle, server)
        switch attribute.content {
        case .fixed(let value): return value
        case .configuration(let valueHandle, _):
            var value: [UInt8] = []
            value.append(server.configuration(ofValue: valueHandle).rawValue)
            return value
        case .clientSupportedFeatures: return [server.awareness.features]
        case .dynamic:
            do throws(ATTError) {
                return try values.read(attribute.handle, at: now).cut(to: AttributeTable.longestValue)
            } catch {
                throw Refusal(error, at: attribute.handle)
            }
        }
    }

    /// Section 3.4.4.7: the values one behind the other, as far as there is room.  One that cannot be read spoils all.
    func readMultiple(
        _ handles: [UInt16], _ server: inout Server, _ values: inout some AttributeValues
    ) throws(Refusal) -> PDU {
        var (list, room) = ([] as [UInt8], server.mtu - 1)
        try readEach(handles, &server, &values) { value in
            let part = value.prefix(room)
            room -= part.count
            list += part
            return part
        }
        return .readMultipleResponse(list)
    }

    /// Section 3.4.4.12: each with its length; the last may be cut off, but not within its length.
    func readMultipleVariable(
        _ handles: [UInt16], _ server: inout Server, _ values: inout some AttributeValues
    ) throws(Refusal) -> PDU {
        var (list, room) = ([] as [LengthValue], server.mtu - 1)
        try readEach(handles, &server, &values) { value in
            guard room >= 2 else {
                room = 0
                return nil
            }
            let part = value.prefix(room - 2)
            room -= 2 + part.count
            list.append(LengthValue(length: UInt16(clamping: value.count), Array(part)))
            return part
        }
        return .readMultipleVariableResponse(list)
    }

    /// `take` returns what the client is told of a value.
    private func readEach(
        _ handles: [UInt16], _ server: inout Server, _ values: inout some AttributeValues,
        _ take: ([UInt8]) -> ArraySlice<UInt8>?
    ) throws(Refusal) {
        var told: [Server.Output] = []
        for handle in handles {
            guard let part = take(try read(handle, server, &values)) else { continue }
            told.append(.read(handle: handle, Array(part)))
        }
        server.events += told
    }

    func write(
        _ value: [UInt8], to handle: UInt16, _ server: inout Server, _ values: inout some AttributeValues
    ) throws(Refusal) {
        let attribute = try writeable(handle, by: server)
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
            server.events.append(.written(handle: handle, value))
            server.events.append(wanted.isEmpty ? .unsubscribed(handle: valueHandle) : .subscribed(handle: valueHandle))
        case .clientSupportedFeatures:
            guard let features = value.first else { throw Refusal(.invalidAttributeValueLength, at: handle) }
            guard server.awareness.set(features: features) else { throw Refusal(.valueNotAllowed, at: handle) }
            server.events.append(.written(handle: handle, value))
        case .dynamic:
            do throws(ATTError) {
                try values.write(value, to: handle, at: now)
            } catch {
                throw Refusal(error, at: handle)
            }
            server.events.append(.written(handle: handle, value))
        }
    }

    private func writeable(_ handle: UInt16, by server: Server) throws(Refusal) -> AttributeTable.Attribute {
        guard let attribute = attributes[handle: handle] else { throw Refusal(.invalidHandle, at: handle) }
        try server.refusals.check(
            attribute.type == .clientCharacteristicConfiguration ? .subscribe : .write, at: handle)
        guard attribute.permissions.contains(.writeable) else { throw Refusal(.writeNotPermitted, at: handle) }
        if case .fixed = attribute.content { throw Refusal(.writeNotPermitted, at: handle) }
        try check(attribute.permissions.securityToWrite, handle, server)
        return attribute
    }

    private func check(_ needed: LinkSecurity, _ handle: UInt16, _ server: Server) throws(Refusal) {
        if let error = needed.subtracting(server.security).refusal { throw Refusal(error, at: handle) }
    }

    func isReadable(_ attribute: AttributeTable.Attribute, by server: Server) -> Bool {
        attribute.permissions.contains(.readable)
            && attribute.permissions.securityToRead.isSubset(of: server.security)
    }

    // MARK: Queued writes

    /// Offset and length are looked at when the write is executed.  Section 3.4.6.1.
    func prepare(
        _ octets: [UInt8], at offset: UInt16, for handle: UInt16, _ server: inout Server
    ) throws(Refusal) {
        _ = try writeable(handle, by: server)
        guard server.prepared.add(octets, at: offset, for: handle) else { throw Refusal(.prepareQueueFull, at: handle) }
    }

    /// Writes all that is prepared, or nothing of it; then the queue is empty.  Section 3.4.6.3.
    func execute(isWrite: Bool, _ server: inout Server, _ values: inout some AttributeValues) throws(Refusal) {
        let prepared = server.prepared
        server.prepared = PreparedWrites()
        guard isWrite else { return }
        if let first = prepared.parts.first, prepared.isOutOfSync {
            throw Refusal(.databaseOutOfSync, at: first.handle)
        }
        if !server.refusals.isEmpty { for part in prepared.parts { _ = try writeable(part.handle, by: server) } }
        let (serverBefore, valuesBefore) = (server, values)
        do throws(Refusal) {
            for (handle, value) in try assemble(prepared.parts, server, &values) {
                try write(value, to: handle, &server, &values)
            }
        } catch {
            (server, values) = (serverBefore, valuesBefore)
            throw error
        }
    }

    /// The values that come of the parts, in the order in which each was begun.  A value is made anew when its first
    /// part is for offset 0; otherwise the parts change what it is, which counts as empty where it cannot be read.
    private func assemble(
        _ parts: [PreparedWrites.Part], _ server: Server, _ values: inout some AttributeValues
    ) throws(Refusal) -> [(handle: UInt16, value: [UInt8])] {
        var wholes: [(handle: UInt16, value: [UInt8])] = []
        for part in parts {
            let index: Int
            if let known = wholes.firstIndex(where: { $0.handle == part.handle }) {
                index = known
            } else {
                var before: [UInt8] = []
                if part.offset > 0, let attribute = attributes[handle: part.handle], isReadable(attribute, by: server) {
                    before = try readSound(attribute, server, &values)
                }
                index = wholes.count
                wholes.append((part.handle, before))
            }
            let (count, end) = (wholes[index].value.count, part.offset + part.octets.count)
            guard part.offset <= count else { throw Refusal(.invalidOffset, at: part.handle) }
            guard end <= AttributeTable.longestValue else {
                throw Refusal(.invalidAttributeValueLength, at: part.handle)
            }
            wholes[index].value.replaceSubrange(part.offset..<min(end, count), with: part.octets)
        }
        return wholes
    }
}
