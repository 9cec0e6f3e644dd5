import ATT
import Bluetooth
import Octets
import Simulation

/// One request or command of the client, while a server plays it: what it may touch.
struct Access {
    let attributes: [AttributeTable.Attribute]
    let now: Instant

    /// The response to a request; nil for a command.
    func answer(
        _ octets: ArraySlice<UInt8>, _ server: inout Server, _ values: inout some AttributeValues
    ) throws(Refusal) -> PDU? {
        switch octets.first.flatMap(Opcode.init(rawValue:)) {
        case nil, .signedWriteCommand: throw Refusal(.requestNotSupported)
        default: break
        }
        guard let request = try? PDU(octets) else { throw Refusal(.invalidPDU) }
        try checkAwareness(of: request, &server)
        switch request {
        case .exchangeMTURequest(let clientReceives): return try exchangeMTU(clientReceives, &server)
        case .findInformationRequest(let range): return try findInformation(range, server)
        case .findByTypeValueRequest(let range, let type, let value):
            guard UUID(type) == .primaryService else { return try findByTypeValue(range, UUID(type), value, server) }
            return try discover(range, &server) { (server) throws(Refusal) in
                try findByTypeValue(range, .primaryService, value, server)
            }
        case .readByTypeRequest(let range, let type): return try readByType(range, type, &server, &values)
        case .readByGroupTypeRequest(let range, let type):
            guard type == .primaryService else { return try readByGroupType(range, type, server) }
            return try discover(range, &server) { (server) throws(Refusal) in
                try readByGroupType(range, type, server)
            }
        case .readRequest(let handle):
            let value = try read(handle, server, &values).cut(to: server.mtu - 1)
            server.events.append(.read(handle: handle, value))
            return .readResponse(value)
        case .readBlobRequest(let handle, let offset):
            let value = try read(handle, server, &values)
            guard Int(offset) <= value.count else { throw Refusal(.invalidOffset, at: handle) }
            let part = Array(value[Int(offset)...].prefix(server.mtu - 1))
            server.events.append(.read(handle: handle, part))
            return .readBlobResponse(part)
        case .readMultipleRequest(let handles): return try readMultiple(handles, &server, &values)
        case .readMultipleVariableRequest(let handles): return try readMultipleVariable(handles, &server, &values)
        case .writeRequest(let handle, let value):
            try write(value, to: handle, &server, &values)
            return .writeResponse
        case .prepareWriteRequest(let handle, let offset, let value):
            try prepare(value, at: offset, for: handle, &server)
            return .prepareWriteResponse(handle: handle, offset: offset, value: value)
        case .executeWriteRequest(let isWrite):
            try execute(isWrite: isWrite, &server, &values)
            return .executeWriteResponse
        case .writeCommand(let handle, let value):
            try write(value, to: handle, &server, &values)
            return nil
        default: throw Refusal(.requestNotSupported)
        }
    }

    private func checkAwareness(of pdu: PDU, _ server: inout Server) throws(Refusal) {
        let handle = pdu.handleInUse
        let isRefused =
            isCommand(pdu.opcode.rawValue)
            ? server.awareness.isOutOfSync : server.awareness.isRefused(usingHandles: handle != nil)
        if isRefused { throw Refusal(.databaseOutOfSync, at: handle ?? 0) }
    }

    /// The client sends this once at most; the MTU is the lesser of what both sides take.  Part F, section 3.4.2.
    private func exchangeMTU(_ clientReceives: UInt16, _ server: inout Server) throws(Refusal) -> PDU {
        guard !server.hasExchangedMTU else { throw Refusal(.requestNotSupported) }
        server.hasExchangedMTU = true
        server.adopt(mtu: min(Int(clientReceives), server.receives))
        server.events.append(.exchangedMTU(server.mtu))
        return .exchangeMTUResponse(serverReceives: UInt16(clamping: server.receives))
    }
}

extension [UInt8] {
    /// The first `count` of them; when there are no more, these themselves and no copy.
    func cut(to count: Int) -> [UInt8] { self.count > count ? Array(prefix(count)) : self }
}
