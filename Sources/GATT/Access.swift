import ATT
import Bluetooth
import Octets
import Simulation

/// One request or command of the client, while it is played: what it may touch, and what there is to tell about it.
struct Access {
    var server = Server(receives: Server.defaultMTU)
    let attributes: [AttributeTable.Attribute]
    let now: Instant

    /// Of a server that is still to be put in.
    init(_ attributes: [AttributeTable.Attribute], now: Instant) { (self.attributes, self.now) = (attributes, now) }

    /// The response to a request; nil for a command.
    mutating func answer(_ octets: ArraySlice<UInt8>, _ values: inout some AttributeValues) throws(Refusal) -> PDU? {
        switch octets.first.flatMap(Opcode.init(rawValue:)) {
        case nil, .signedWriteCommand: throw Refusal(.requestNotSupported)
        default: break
        }
        guard let request = try? PDU(octets) else { throw Refusal(.invalidPDU) }
        try checkAwareness(of: request)
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
            server.events.append(.read(handle: handle, value))
            return .readResponse(value)
        case .readBlobRequest(let handle, let offset):
            let value = try read(handle, &values)
            guard Int(offset) <= value.count else { throw Refusal(.invalidOffset, at: handle) }
            let part = Array(value[Int(offset)...].prefix(server.mtu - 1))
            server.events.append(.read(handle: handle, part))
            return .readBlobResponse(part)
        case .readMultipleRequest(let handles): return try readMultiple(handles, &values)
        case .readMultipleVariableRequest(let handles): return try readMultipleVariable(handles, &values)
        case .writeRequest(let handle, let value):
            try write(value, to: handle, &values)
            return .writeResponse
        case .prepareWriteRequest(let handle, let offset, let value):
            try prepare(value, at: offset, for: handle)
            return .prepareWriteResponse(handle: handle, offset: offset, value: value)
        case .executeWriteRequest(let isWrite):
            try execute(isWrite: isWrite, &values)
            return .executeWriteResponse
        case .writeCommand(let handle, let value):
            try write(value, to: handle, &values)
            return nil
        default: throw Refusal(.requestNotSupported)
        }
    }

    private mutating func checkAwareness(of pdu: PDU) throws(Refusal) {
        let handle = pdu.handleInUse
        let isRefused =
            isCommand(pdu.opcode.rawValue)
            ? server.awareness.isOutOfSync : server.awareness.isRefused(usingHandles: handle != nil)
        if isRefused { throw Refusal(.databaseOutOfSync, at: handle ?? 0) }
    }

    /// The client sends this once at most; the MTU is the lesser of what both sides take.  Part F, section 3.4.2.
    private mutating func exchangeMTU(_ clientReceives: UInt16) throws(Refusal) -> PDU {
        guard !server.hasExchangedMTU else { throw Refusal(.requestNotSupported) }
        server.hasExchangedMTU = true
        server.adopt(mtu: min(Int(clientReceives), server.receives))
        server.events.append(.exchangedMTU(server.mtu))
        return .exchangeMTUResponse(serverReceives: UInt16(clamping: server.receives))
    }
}
