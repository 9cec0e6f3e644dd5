import ATT
import Basics
import Bluetooth

/// Carries out one request or command of the client.
struct Access {
    let attributes: [AttributeTable.Attribute]
    let rejectsShortWrites: Bool
    let now: Instant

    init(_ table: AttributeTable, at now: Instant) {
        (attributes, rejectsShortWrites, self.now) = (table.attributes, table.rejectsShortWrites, now)
    }

    /// The response to a request; nil for a command.  Throws the Error Response to send.
    func answer(
        _ octets: ArraySlice<UInt8>, _ server: inout Server, _ values: inout some AttributeValues
    ) throws(ErrorResponse) -> PDU? {
        switch octets.first.flatMap(Opcode.init(rawValue:)) {
        case nil, .signedWriteCommand: throw ErrorResponse(.requestNotSupported)
        default: break
        }
        guard let request = try? PDU(octets) else { throw ErrorResponse(.invalidPDU) }
        try checkAwareness(of: request, &server)
        switch request {
        case .exchangeMTURequest(let clientReceives): return try exchangeMTU(clientReceives, &server)
        case .findInformationRequest(let range):
            return try discover(range, by: .attributes, &server) { (server) throws(ErrorResponse) in
                try findInformation(range, server)
            }
        case .findByTypeValueRequest(let range, let type, let value):
            let procedure: Discovery.Procedure? = UUID(type) == .primaryService ? .services : nil
            return try discover(range, by: procedure, &server) { (server) throws(ErrorResponse) in
                try findByTypeValue(range, UUID(type), value, server)
            }
        case .readByTypeRequest(let range, let type):
            return try discover(range, by: Discovery.Procedure(readingEach: type), &server) {
                (server) throws(ErrorResponse) in
                try readByType(range, type, &server, &values)
            }
        case .readByGroupTypeRequest(let range, let type):
            let procedure: Discovery.Procedure? = type == .primaryService ? .services : nil
            return try discover(range, by: procedure, &server) { (server) throws(ErrorResponse) in
                try readByGroupType(range, type, server)
            }
        case .readRequest(let handle): return .readResponse(try perform(.read(offset: 0), of: handle, &server, &values))
        case .readBlobRequest(let handle, let offset):
            return .readBlobResponse(try perform(.read(offset: Int(offset)), of: handle, &server, &values))
        case .readMultipleRequest(let handles): return try readMultiple(handles, &server, &values)
        case .readMultipleVariableRequest(let handles): return try readMultipleVariable(handles, &server, &values)
        case .writeRequest(let handle, let value):
            _ = try perform(.write(value, isCommand: false), of: handle, &server, &values)
            return .writeResponse
        case .prepareWriteRequest(let handle, let offset, let value):
            // The response repeats the request, which may be longer than the MTU.
            guard 5 + value.count <= server.mtu else { throw ErrorResponse(.invalidPDU, at: handle) }
            try prepare(value, at: offset, for: handle, &server)
            return .prepareWriteResponse(handle: handle, offset: offset, value: value)
        case .executeWriteRequest(let isWrite):
            try execute(isWrite: isWrite, &server, &values)
            return .executeWriteResponse
        case .writeCommand(let handle, let value):
            _ = try perform(.write(value, isCommand: true), of: handle, &server, &values)
            return nil
        default: throw ErrorResponse(.requestNotSupported)
        }
    }

    private func checkAwareness(of pdu: PDU, _ server: inout Server) throws(ErrorResponse) {
        let handle = pdu.handleInUse
        let isRejected =
            isCommand(pdu.opcode.rawValue)
            ? server.awareness.isOutOfSync : server.awareness.isRejected(usingHandles: handle != nil)
        if isRejected { throw ErrorResponse(.databaseOutOfSync, at: handle ?? 0) }
    }

    /// Allowed once per connection; the MTU becomes the smaller of the two Rx MTUs.  Part F, section 3.4.2.
    private func exchangeMTU(_ clientReceives: UInt16, _ server: inout Server) throws(ErrorResponse) -> PDU {
        try server.errorInjection.checkExchangeMTU()
        guard !server.hasExchangedMTU else { throw ErrorResponse(.requestNotSupported) }
        server.hasExchangedMTU = true
        server.adopt(mtu: min(Int(clientReceives), server.receives))
        server.events.append(.exchangedMTU(server.mtu))
        return .exchangeMTUResponse(serverReceives: UInt16(clamping: server.receives))
    }
}

extension [UInt8] {
    /// The first `count` octets; the array itself, uncopied, if it has no more.
    func cut(to count: Int) -> [UInt8] { self.count > count ? Array(prefix(count)) : self }
}

// Requests that read and write attributes.
extension Access {
    /// The octets that a client reads, as many as fit into the MTU; none for a write.
    func perform(
        _ request: ValueRequest, of handle: UInt16, _ server: inout Server, _ values: inout some AttributeValues
    ) throws(ErrorResponse) -> [UInt8] {
        switch request {
        case .read(let offset):
            let part = try read(handle, from: offset, server, &values).cut(to: server.mtu - 1)
            server.events.append(.read(handle: handle, part))
            return part
        case .write(let value, let isCommand):
            try write(value, to: handle, isCommand: isCommand, &server, &values)
            return []
        }
    }

    /// The value from an offset on, or the error that the client gets.
    func read(
        _ handle: UInt16, from offset: Int = 0, _ server: Server, _ values: inout some AttributeValues
    ) throws(ErrorResponse) -> [UInt8] {
        guard let attribute = attributes[handle: handle] else { throw ErrorResponse(.invalidHandle, at: handle) }
        // A declaration can always be read.  Part G, sections 3.1 to 3.3.1.
        if !attribute.type.isDeclaration { try server.errorInjection.check(.read, at: handle) }
        if case .requested = attribute.content { return try requested(attribute, from: offset, server) }
        let value = try readSound(attribute, server, &values)
        guard offset <= value.count else { throw ErrorResponse(.invalidOffset, at: handle) }
        return offset == 0 ? value : Array(value[offset...])
    }

    /// The caller's answer for a value that it reads, from an offset on.
    private func requested(
        _ attribute: AttributeTable.Attribute, from offset: Int, _ server: Server
    ) throws(ErrorResponse) -> [UInt8] {
        try checkReadable(attribute, server)
        return try server.answer(to: [AccessRequest(handle: attribute.handle, offset: offset, written: nil)])
    }

    private func checkReadable(_ attribute: AttributeTable.Attribute, _ server: Server) throws(ErrorResponse) {
        guard attribute.permissions.contains(.readable) else {
            throw ErrorResponse(.readNotPermitted, at: attribute.handle)
        }
        try check(attribute.permissions.securityToRead, attribute.handle, server)
    }

    /// The value without injected errors.
    func readSound(
        _ attribute: AttributeTable.Attribute, _ server: Server, _ values: inout some AttributeValues
    ) throws(ErrorResponse) -> [UInt8] {
        try checkReadable(attribute, server)
        switch attribute.content {
        case .fixed(let value): return value
        case .configuration(let valueHandle, _): return server.configuration(ofValue: valueHandle).octets
        case .clientSupportedFeatures: return [server.awareness.features]
        case .requested: return try requested(attribute, from: 0, server)
        case .dynamic:
            do throws(ATTError) {
                return try values.read(attribute.handle, at: now).cut(to: AttributeTable.maximumValueLength)
            } catch {
                throw ErrorResponse(error, at: attribute.handle)
            }
        }
    }

    /// Concatenates the values and truncates the result to the MTU; one unreadable value fails the request.
    /// Section 3.4.4.7.
    func readMultiple(
        _ handles: [UInt16], _ server: inout Server, _ values: inout some AttributeValues
    ) throws(ErrorResponse) -> PDU {
        var (list, room) = ([] as [UInt8], server.mtu - 1)
        try readEach(handles, &server, &values) { value in
            let part = value.prefix(room)
            room -= part.count
            list += part
            return part
        }
        return .readMultipleResponse(list)
    }

    /// Values with their lengths; the last value may be truncated, a length never is.  Section 3.4.4.12.
    func readMultipleVariable(
        _ handles: [UInt16], _ server: inout Server, _ values: inout some AttributeValues
    ) throws(ErrorResponse) -> PDU {
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

    /// Reads values in order; `take` returns the octets of a value that the response contains.
    private func readEach(
        _ handles: [UInt16], _ server: inout Server, _ values: inout some AttributeValues,
        _ take: ([UInt8]) -> ArraySlice<UInt8>?
    ) throws(ErrorResponse) {
        var reads: [Server.Output] = []
        for handle in handles {
            guard let part = take(try read(handle, server, &values)) else { continue }
            reads.append(.read(handle: handle, Array(part)))
        }
        server.events += reads
    }

    func write(
        _ value: [UInt8], to handle: UInt16, isCommand: Bool = false, _ server: inout Server,
        _ values: inout some AttributeValues
    ) throws(ErrorResponse) {
        let attribute = try writeable(handle, by: server)
        guard value.count <= AttributeTable.maximumValueLength else {
            throw ErrorResponse(.invalidAttributeValueLength, at: handle)
        }
        switch attribute.content {
        case .fixed: throw ErrorResponse(.writeNotPermitted, at: handle)
        case .configuration(let valueHandle, let allowed):
            let bits = try configuration(value, over: server.configuration(ofValue: valueHandle), at: handle)
            guard bits.isSubset(of: allowed) else { throw ErrorResponse(.cccdImproperlyConfigured, at: handle) }
            server.configure(bits, ofValue: valueHandle)
            server.events.append(.written(handle: handle, value))
            server.events.append(bits.isEmpty ? .unsubscribed(handle: valueHandle) : .subscribed(handle: valueHandle))
        case .clientSupportedFeatures:
            guard let features = value.first else { throw ErrorResponse(.invalidAttributeValueLength, at: handle) }
            guard server.awareness.set(features: features) else { throw ErrorResponse(.valueNotAllowed, at: handle) }
            server.events.append(.written(handle: handle, value))
        case .requested:
            let access = [AccessRequest(handle: handle, offset: 0, written: value)]
            if isCommand {
                server.events.append(.requested(access, needsAnswer: false))
            } else {
                _ = try server.answer(to: access)
            }
            server.events.append(.written(handle: handle, value))
        case .dynamic:
            do throws(ATTError) {
                try values.write(value, to: handle, at: now)
            } catch {
                throw ErrorResponse(error, at: handle)
            }
            server.events.append(.written(handle: handle, value))
        }
    }

    /// The defined bits after a write, of which a short one changes the first octets (Vol 3, Part F, section 3.4.5.1);
    /// reserved bits are ignored (Vol 3, Part G, section 3.3.3.3).
    private func configuration(
        _ octets: [UInt8], over present: ClientConfiguration, at handle: UInt16
    ) throws(ErrorResponse) -> ClientConfiguration {
        guard octets.count == 2 || octets.count < 2 && !rejectsShortWrites else {
            throw ErrorResponse(.invalidAttributeValueLength, at: handle)
        }
        var bits = present.rawValue
        for (place, octet) in octets.enumerated() {
            bits = bits & ~(0xFF << (8 * place)) | UInt16(octet) << (8 * place)
        }
        return ClientConfiguration(rawValue: bits).intersection([.notification, .indication])
    }

    private func writeable(_ handle: UInt16, by server: Server) throws(ErrorResponse) -> AttributeTable.Attribute {
        guard let attribute = attributes[handle: handle] else { throw ErrorResponse(.invalidHandle, at: handle) }
        try server.errorInjection.check(
            attribute.type == .clientCharacteristicConfiguration ? .subscribe : .write, at: handle)
        guard attribute.permissions.contains(.writeable) else { throw ErrorResponse(.writeNotPermitted, at: handle) }
        if case .fixed = attribute.content { throw ErrorResponse(.writeNotPermitted, at: handle) }
        try check(attribute.permissions.securityToWrite, handle, server)
        return attribute
    }

    private func check(_ needed: LinkSecurity, _ handle: UInt16, _ server: Server) throws(ErrorResponse) {
        if let error = needed.error(over: server.security) { throw ErrorResponse(error, at: handle) }
    }

    func isReadable(_ attribute: AttributeTable.Attribute, by server: Server) -> Bool {
        attribute.permissions.contains(.readable)
            && attribute.permissions.securityToRead.isSubset(of: server.security)
    }

    // MARK: Queued writes

    /// Queues a part of a value; `execute` checks offset and length.  Section 3.4.6.1.
    func prepare(
        _ octets: [UInt8], at offset: UInt16, for handle: UInt16, _ server: inout Server
    ) throws(ErrorResponse) {
        _ = try writeable(handle, by: server)
        guard server.prepared.add(octets, at: offset, for: handle) else {
            throw ErrorResponse(.prepareQueueFull, at: handle)
        }
    }

    /// Writes all prepared values or none of them, and empties the queue.  Section 3.4.6.3.
    ///
    /// The caller is asked last, and for all parts of its values at once.
    func execute(isWrite: Bool, _ server: inout Server, _ values: inout some AttributeValues) throws(ErrorResponse) {
        let (prepared, waiting) = (server.prepared, server)
        server.prepared = PreparedWrites()
        guard isWrite else { return }
        if let first = prepared.parts.first, prepared.isOutOfSync {
            throw ErrorResponse(.databaseOutOfSync, at: first.handle)
        }
        if !server.errorInjection.isEmpty { for part in prepared.parts { _ = try writeable(part.handle, by: server) } }
        let (serverBefore, valuesBefore) = (server, values)
        do throws(ErrorResponse) {
            let parts = prepared.parts.filter { !isRequested($0.handle) }
            for (handle, value) in try assemble(parts, server, &values) {
                try write(value, to: handle, &server, &values)
            }
            try writeRequested(prepared.parts.filter { isRequested($0.handle) }, &server)
        } catch {
            (server, values) = (error.unanswered.isEmpty ? serverBefore : waiting, valuesBefore)
            throw error
        }
    }

    private func isRequested(_ handle: UInt16) -> Bool {
        if case .requested = attributes[handle: handle]?.content { true } else { false }
    }

    private func writeRequested(_ parts: [PreparedWrites.Part], _ server: inout Server) throws(ErrorResponse) {
        guard !parts.isEmpty else { return }
        for part in parts where part.offset + part.octets.count > AttributeTable.maximumValueLength {
            throw ErrorResponse(.invalidAttributeValueLength, at: part.handle)
        }
        let requests = parts.map { AccessRequest(handle: $0.handle, offset: $0.offset, written: $0.octets) }
        _ = try server.answer(to: requests)
        server.events += parts.map { .written(handle: $0.handle, $0.octets) }
    }

    /// The values assembled from their parts, in the order of their first parts.  A first part with offset 0 starts an
    /// empty value; other parts change the current value, which counts as empty if the client cannot read it.
    private func assemble(
        _ parts: [PreparedWrites.Part], _ server: Server, _ values: inout some AttributeValues
    ) throws(ErrorResponse) -> [(handle: UInt16, value: [UInt8])] {
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
            guard part.offset <= count else { throw ErrorResponse(.invalidOffset, at: part.handle) }
            guard end <= AttributeTable.maximumValueLength else {
                throw ErrorResponse(.invalidAttributeValueLength, at: part.handle)
            }
            wholes[index].value.replaceSubrange(part.offset..<min(end, count), with: part.octets)
        }
        return wholes
    }
}
