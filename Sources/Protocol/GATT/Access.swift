import ATT
import Bluetooth
import Octets
import Simulation

/// Carries out one request or command of the client.
struct Access {
    let attributes: [AttributeTable.Attribute]
    let now: Instant

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
        case .findInformationRequest(let range): return try findInformation(range, server)
        case .findByTypeValueRequest(let range, let type, let value):
            guard UUID(type) == .primaryService else { return try findByTypeValue(range, UUID(type), value, server) }
            return try discover(range, &server) { (server) throws(ErrorResponse) in
                try findByTypeValue(range, .primaryService, value, server)
            }
        case .readByTypeRequest(let range, let type): return try readByType(range, type, &server, &values)
        case .readByGroupTypeRequest(let range, let type):
            guard type == .primaryService else { return try readByGroupType(range, type, server) }
            return try discover(range, &server) { (server) throws(ErrorResponse) in
                try readByGroupType(range, type, server)
            }
        case .readRequest(let handle):
            let value = try read(handle, server, &values).cut(to: server.mtu - 1)
            server.events.append(.read(handle: handle, value))
            return .readResponse(value)
        case .readBlobRequest(let handle, let offset):
            let value = try read(handle, server, &values)
            guard Int(offset) <= value.count else { throw ErrorResponse(.invalidOffset, at: handle) }
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
