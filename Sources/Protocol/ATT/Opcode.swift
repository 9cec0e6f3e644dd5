/// The first octet of an ATT PDU.  Core 6.0, Vol 3, Part F, section 3.3.1.
///
///     bit  7           6        5 … 0
///          signature   command  method
public enum Opcode: UInt8, CaseIterable, Sendable {
    /// `ATT_ERROR_RSP`
    case errorResponse = 0x01
    /// `ATT_EXCHANGE_MTU_REQ`
    case exchangeMTURequest = 0x02
    /// `ATT_EXCHANGE_MTU_RSP`
    case exchangeMTUResponse = 0x03
    /// `ATT_FIND_INFORMATION_REQ`
    case findInformationRequest = 0x04
    /// `ATT_FIND_INFORMATION_RSP`
    case findInformationResponse = 0x05
    /// `ATT_FIND_BY_TYPE_VALUE_REQ`
    case findByTypeValueRequest = 0x06
    /// `ATT_FIND_BY_TYPE_VALUE_RSP`
    case findByTypeValueResponse = 0x07
    /// `ATT_READ_BY_TYPE_REQ`
    case readByTypeRequest = 0x08
    /// `ATT_READ_BY_TYPE_RSP`
    case readByTypeResponse = 0x09
    /// `ATT_READ_REQ`
    case readRequest = 0x0A
    /// `ATT_READ_RSP`
    case readResponse = 0x0B
    /// `ATT_READ_BLOB_REQ`
    case readBlobRequest = 0x0C
    /// `ATT_READ_BLOB_RSP`
    case readBlobResponse = 0x0D
    /// `ATT_READ_MULTIPLE_REQ`
    case readMultipleRequest = 0x0E
    /// `ATT_READ_MULTIPLE_RSP`
    case readMultipleResponse = 0x0F
    /// `ATT_READ_BY_GROUP_TYPE_REQ`
    case readByGroupTypeRequest = 0x10
    /// `ATT_READ_BY_GROUP_TYPE_RSP`
    case readByGroupTypeResponse = 0x11
    /// `ATT_WRITE_REQ`
    case writeRequest = 0x12
    /// `ATT_WRITE_RSP`
    case writeResponse = 0x13
    /// `ATT_PREPARE_WRITE_REQ`
    case prepareWriteRequest = 0x16
    /// `ATT_PREPARE_WRITE_RSP`
    case prepareWriteResponse = 0x17
    /// `ATT_EXECUTE_WRITE_REQ`
    case executeWriteRequest = 0x18
    /// `ATT_EXECUTE_WRITE_RSP`
    case executeWriteResponse = 0x19
    /// `ATT_HANDLE_VALUE_NTF`
    case handleValueNotification = 0x1B
    /// `ATT_HANDLE_VALUE_IND`
    case handleValueIndication = 0x1D
    /// `ATT_HANDLE_VALUE_CFM`
    case handleValueConfirmation = 0x1E
    /// `ATT_READ_MULTIPLE_VARIABLE_REQ`
    case readMultipleVariableRequest = 0x20
    /// `ATT_READ_MULTIPLE_VARIABLE_RSP`
    case readMultipleVariableResponse = 0x21
    /// `ATT_MULTIPLE_HANDLE_VALUE_NTF`
    case multipleHandleValueNotification = 0x23
    /// `ATT_WRITE_CMD`
    case writeCommand = 0x52
    /// `ATT_SIGNED_WRITE_CMD`
    case signedWriteCommand = 0xD2

    /// The opcode of the response to this request; nil for other PDUs.
    public var response: Opcode? {
        switch self {
        case .exchangeMTURequest: .exchangeMTUResponse
        case .findInformationRequest: .findInformationResponse
        case .findByTypeValueRequest: .findByTypeValueResponse
        case .readByTypeRequest: .readByTypeResponse
        case .readRequest: .readResponse
        case .readBlobRequest: .readBlobResponse
        case .readMultipleRequest: .readMultipleResponse
        case .readByGroupTypeRequest: .readByGroupTypeResponse
        case .writeRequest: .writeResponse
        case .prepareWriteRequest: .prepareWriteResponse
        case .executeWriteRequest: .executeWriteResponse
        case .readMultipleVariableRequest: .readMultipleVariableResponse
        default: nil
        }
    }
}

/// Whether an opcode, known or not, is a command's: the server never answers commands.
public func isCommand(_ opcode: UInt8) -> Bool { opcode & 0x40 != 0 }

/// Whether the server, rather than the client, receives PDUs with this opcode.
///
/// The client receives responses, notifications and indications; the server everything else, including unknown opcodes,
/// which it answers with Request Not Supported.
public func isForServer(_ opcode: UInt8) -> Bool {
    switch Opcode(rawValue: opcode) {
    case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse, .readByTypeResponse,
        .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse, .writeResponse,
        .prepareWriteResponse, .executeWriteResponse, .readMultipleVariableResponse, .handleValueNotification,
        .handleValueIndication, .multipleHandleValueNotification:
        false
    default: true
    }
}
