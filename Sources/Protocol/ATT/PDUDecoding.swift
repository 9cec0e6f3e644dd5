public import Basics
import Bluetooth

extension PDU {
    /// Decodes a whole PDU.
    ///
    /// Throws for an unknown opcode, a length that does not match the PDU, an empty list, and a prohibited value.
    public init(_ octets: ArraySlice<UInt8>) throws(Malformed) {
        var reader = OctetReader(octets)
        self = try reader.parameters(of: reader.choice("Opcode", allowed: "one of the specification's"))
        try reader.finish()
    }
}

extension OctetReader {
    fileprivate mutating func parameters(of opcode: Opcode) throws(Malformed) -> PDU {
        switch opcode {
        case .errorResponse:
            let (request, handle) = (try uint8("Request Opcode In Error"), try uint16("Attribute Handle In Error"))
            return .errorResponse(request: request, handle: handle, ATTError(rawValue: try uint8("Error Code")))
        case .exchangeMTURequest: return .exchangeMTURequest(clientReceives: try uint16("Client Rx MTU"))
        case .exchangeMTUResponse: return .exchangeMTUResponse(serverReceives: try uint16("Server Rx MTU"))
        case .findInformationRequest: return .findInformationRequest(try range())
        case .findInformationResponse: return .findInformationResponse(try types())
        case .findByTypeValueRequest:
            return .findByTypeValueRequest(try range(), type: try uint16("Attribute Type"), value: rest())
        case .findByTypeValueResponse:
            return .findByTypeValueResponse(try list { reader throws(Malformed) in try reader.range() })
        case .readByTypeRequest: return .readByTypeRequest(try range(), type: try type())
        case .readByTypeResponse:
            let length = try length(atLeast: 2)
            return .readByTypeResponse(
                try list { reader throws(Malformed) in
                    AttributeData(try reader.handle(), try reader.octets("Attribute Value", count: length - 2))
                })
        case .readRequest: return .readRequest(handle: try handle())
        case .readResponse: return .readResponse(rest())
        case .readBlobRequest: return .readBlobRequest(handle: try handle(), offset: try uint16("Value Offset"))
        case .readBlobResponse: return .readBlobResponse(rest())
        case .readMultipleRequest: return .readMultipleRequest(try handles())
        case .readMultipleResponse: return .readMultipleResponse(rest())
        case .readByGroupTypeRequest: return .readByGroupTypeRequest(try range(), type: try type())
        case .readByGroupTypeResponse:
            let length = try length(atLeast: 4)
            return .readByGroupTypeResponse(
                try list { reader throws(Malformed) in
                    GroupData(try reader.range(), try reader.octets("Attribute Value", count: length - 4))
                })
        case .readMultipleVariableRequest: return .readMultipleVariableRequest(try handles())
        case .readMultipleVariableResponse: return .readMultipleVariableResponse(try lengthValues())
        case .writeRequest: return .writeRequest(handle: try handle(), value: rest())
        case .writeResponse: return .writeResponse
        case .writeCommand: return .writeCommand(handle: try handle(), value: rest())
        case .signedWriteCommand:
            let handle = try handle()
            let value = try octets("Attribute Value", count: max(0, remaining - 12))
            return .signedWriteCommand(
                handle: handle, value: value, signature: try octets("Authentication Signature", count: 12))
        case .prepareWriteRequest:
            return .prepareWriteRequest(handle: try handle(), offset: try uint16("Value Offset"), value: rest())
        case .prepareWriteResponse:
            return .prepareWriteResponse(handle: try handle(), offset: try uint16("Value Offset"), value: rest())
        case .executeWriteRequest: return .executeWriteRequest(write: try executeFlag())
        case .executeWriteResponse: return .executeWriteResponse
        case .handleValueNotification: return .handleValueNotification(handle: try handle(), value: rest())
        case .handleValueIndication: return .handleValueIndication(handle: try handle(), value: rest())
        case .handleValueConfirmation: return .handleValueConfirmation
        case .multipleHandleValueNotification:
            return .multipleHandleValueNotification(
                try list(atLeast: 2) { reader throws(Malformed) in
                    let (handle, length) = (try reader.handle(), try reader.uint16("Value Length"))
                    return AttributeData(handle, try reader.octets("Attribute Value", count: Int(length)))
                })
        }
    }

    private mutating func handle() throws(Malformed) -> UInt16 { try uint16("Attribute Handle") }

    private mutating func range() throws(Malformed) -> HandleRange {
        HandleRange(try uint16("Starting Handle"), try uint16("Ending Handle"))
    }

    /// A UUID of the 2 or 16 octets that are left.
    private mutating func type() throws(Malformed) -> UUID {
        let (at, octets) = (position, rest())
        guard let type = UUID(octets: octets) else {
            throw .prohibited(field: "length of Attribute Type", at: at, value: octets.count, allowed: "2 or 16")
        }
        return type
    }

    private mutating func types() throws(Malformed) -> [AttributeType] {
        let format = try uint8("Format")
        try check(format == 1 || format == 2, "Format", format, allowed: "1 or 2")
        return try list { reader throws(Malformed) in
            let (handle, at) = (try reader.handle(), reader.position)
            let octets = try reader.octets("UUID", count: format == 1 ? 2 : 16)
            guard let type = UUID(octets: octets) else {
                throw .prohibited(field: "length of UUID", at: at, value: octets.count, allowed: "2 or 16")
            }
            return AttributeType(handle, type)
        }
    }

    private mutating func length(atLeast least: Int) throws(Malformed) -> Int {
        let length = try uint8("Length")
        try check(length >= least, "Length", length, allowed: "\(least) or more")
        return Int(length)
    }

    private mutating func handles() throws(Malformed) -> [UInt16] {
        try list(atLeast: 2) { reader throws(Malformed) in try reader.handle() }
    }

    private mutating func lengthValues() throws(Malformed) -> [LengthValue] {
        try list { reader throws(Malformed) in
            let length = try reader.uint16("Value Length")
            let value = try reader.octets("Attribute Value", count: min(Int(length), reader.remaining))
            return LengthValue(length: length, value)
        }
    }

    private mutating func executeFlag() throws(Malformed) -> Bool {
        let flags = try uint8("Flags")
        try check(flags <= 1, "Flags", flags, allowed: "0 or 1")
        return flags == 1
    }

    /// Reads entries until no octets are left, at least `least`.
    private mutating func list<Entry>(
        atLeast least: Int = 1, _ entry: (inout OctetReader) throws(Malformed) -> Entry
    ) throws(Malformed) -> [Entry] {
        var entries: [Entry] = []
        while remaining > 0 || entries.count < least { entries.append(try entry(&self)) }
        return entries
    }
}
