public import Bluetooth

/// An Attribute Protocol PDU.  Core 6.0, Vol 3, Part F, section 3.4.
///
/// Each case lists the octets that follow the opcode, and ends with the number of its section.  Numbers are
/// little-endian.
public enum PDU: Hashable, Sendable {
    /// Request Opcode In Error (1), Attribute Handle In Error (2), Error Code (1).  3.4.1.1
    case errorResponse(request: UInt8, handle: UInt16, ATTError)

    /// Client Rx MTU (2): the largest PDU that the client can receive, in octets.  3.4.2.1
    case exchangeMTURequest(clientReceives: UInt16)
    /// Server Rx MTU (2): the largest PDU that the server can receive, in octets.  3.4.2.2
    case exchangeMTUResponse(serverReceives: UInt16)

    /// Starting Handle (2), Ending Handle (2).  3.4.3.1
    case findInformationRequest(HandleRange)
    /// Format (1), then one or more: Handle (2), UUID (2 with format 1, 16 with format 2).  3.4.3.2
    case findInformationResponse([AttributeType])
    /// Starting Handle (2), Ending Handle (2), Attribute Type (2), Attribute Value (0 to MTU − 7).  3.4.3.3
    case findByTypeValueRequest(HandleRange, type: UInt16, value: [UInt8])
    /// One or more: Found Attribute Handle (2), Group End Handle (2).  3.4.3.4
    case findByTypeValueResponse([HandleRange])

    /// Starting Handle (2), Ending Handle (2), Attribute Type (2 or 16).  3.4.4.1
    case readByTypeRequest(HandleRange, type: UUID)
    /// Length (1), then one or more entries of this length: Attribute Handle (2), Attribute Value (0 to 253).  3.4.4.2
    ///
    /// All values have the length of the first; encoding stops before a value of another length.
    case readByTypeResponse([AttributeData])
    /// Attribute Handle (2).  3.4.4.3
    case readRequest(handle: UInt16)
    /// Attribute Value (0 to MTU − 1).  3.4.4.4
    case readResponse([UInt8])
    /// Attribute Handle (2), Value Offset (2).  3.4.4.5
    case readBlobRequest(handle: UInt16, offset: UInt16)
    /// Part Attribute Value (0 to MTU − 1).  3.4.4.6
    case readBlobResponse([UInt8])
    /// Two or more: Attribute Handle (2).  3.4.4.7
    case readMultipleRequest([UInt16])
    /// The concatenated values (0 to MTU − 1).  3.4.4.8
    case readMultipleResponse([UInt8])
    /// Starting Handle (2), Ending Handle (2), Attribute Group Type (2 or 16).  3.4.4.9
    case readByGroupTypeRequest(HandleRange, type: UUID)
    /// Length (1), then one or more entries of this length: Attribute Handle (2), End Group Handle (2), Attribute Value
    /// (0 to 251).  3.4.4.10
    ///
    /// All values have the length of the first; encoding stops before a value of another length.
    case readByGroupTypeResponse([GroupData])
    /// Two or more: Attribute Handle (2).  3.4.4.11
    case readMultipleVariableRequest([UInt16])
    /// One or more: Value Length (2), Attribute Value; the last value may be truncated, and values without room are
    /// missing.  3.4.4.12
    case readMultipleVariableResponse([LengthValue])

    /// Attribute Handle (2), Attribute Value (0 to MTU − 3).  3.4.5.1
    case writeRequest(handle: UInt16, value: [UInt8])
    /// Nothing.  3.4.5.2
    case writeResponse
    /// Attribute Handle (2), Attribute Value (0 to MTU − 3).  3.4.5.3
    case writeCommand(handle: UInt16, value: [UInt8])
    /// Attribute Handle (2), Attribute Value (0 to MTU − 15), Authentication Signature (12).  3.4.5.4
    case signedWriteCommand(handle: UInt16, value: [UInt8], signature: [UInt8])
    /// Attribute Handle (2), Value Offset (2), Part Attribute Value (0 to MTU − 5).  3.4.6.1
    case prepareWriteRequest(handle: UInt16, offset: UInt16, value: [UInt8])
    /// The octets of the request.  3.4.6.2
    case prepareWriteResponse(handle: UInt16, offset: UInt16, value: [UInt8])
    /// Flags (1): 0x00 cancels the prepared writes, 0x01 executes them.  3.4.6.3
    case executeWriteRequest(write: Bool)
    /// Nothing.  3.4.6.4
    case executeWriteResponse

    /// Attribute Handle (2), Attribute Value (0 to MTU − 3).  3.4.7.1
    case handleValueNotification(handle: UInt16, value: [UInt8])
    /// Attribute Handle (2), Attribute Value (0 to MTU − 3).  3.4.7.2
    case handleValueIndication(handle: UInt16, value: [UInt8])
    /// Nothing.  3.4.7.3
    case handleValueConfirmation
    /// Two or more: Attribute Handle (2), Value Length (2), Attribute Value.  3.4.7.4
    case multipleHandleValueNotification([AttributeData])

    /// The opcode of this PDU.
    public var opcode: Opcode {
        switch self {
        case .errorResponse: .errorResponse
        case .exchangeMTURequest: .exchangeMTURequest
        case .exchangeMTUResponse: .exchangeMTUResponse
        case .findInformationRequest: .findInformationRequest
        case .findInformationResponse: .findInformationResponse
        case .findByTypeValueRequest: .findByTypeValueRequest
        case .findByTypeValueResponse: .findByTypeValueResponse
        case .readByTypeRequest: .readByTypeRequest
        case .readByTypeResponse: .readByTypeResponse
        case .readRequest: .readRequest
        case .readResponse: .readResponse
        case .readBlobRequest: .readBlobRequest
        case .readBlobResponse: .readBlobResponse
        case .readMultipleRequest: .readMultipleRequest
        case .readMultipleResponse: .readMultipleResponse
        case .readByGroupTypeRequest: .readByGroupTypeRequest
        case .readByGroupTypeResponse: .readByGroupTypeResponse
        case .readMultipleVariableRequest: .readMultipleVariableRequest
        case .readMultipleVariableResponse: .readMultipleVariableResponse
        case .writeRequest: .writeRequest
        case .writeResponse: .writeResponse
        case .writeCommand: .writeCommand
        case .signedWriteCommand: .signedWriteCommand
        case .prepareWriteRequest: .prepareWriteRequest
        case .prepareWriteResponse: .prepareWriteResponse
        case .executeWriteRequest: .executeWriteRequest
        case .executeWriteResponse: .executeWriteResponse
        case .handleValueNotification: .handleValueNotification
        case .handleValueIndication: .handleValueIndication
        case .handleValueConfirmation: .handleValueConfirmation
        case .multipleHandleValueNotification: .multipleHandleValueNotification
        }
    }
}
