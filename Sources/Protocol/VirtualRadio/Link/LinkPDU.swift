import Basics
import Bluetooth
import HCI

/// A PDU between the ends of a link.  Core 6.0, Vol 6, Part B, sections 2.4.1 and 2.4.2.
enum LinkPDU: Hashable, Sendable {
    /// A fragment of an L2CAP frame, without a header; `isStart`: the first of the frame (LLID 2), else LLID 1.  A link
    /// splits it if it is too long for one PDU.
    case data(Packet, isStart: Bool)
    /// LL_TERMINATE_IND: the link ends, for this reason.
    case terminate(reason: HCIStatus)
    /// LL_FEATURE_REQ or LL_PERIPHERAL_FEATURE_REQ, with the sender's features.
    case featureRequest(LEFeatures)
    /// LL_FEATURE_RSP, with the features of both ends.
    case featureResponse(LEFeatures)
    /// LL_VERSION_IND: each end sends it once on each link.
    case version(LinkVersion)
    /// LL_CONNECTION_UPDATE_IND: other parameters, starting with the connection event `instant`.
    case connectionUpdate(ConnectionTiming, instant: UInt16)
    /// LL_LENGTH_REQ: the sizes of data PDUs that the sender receives and sends.
    case lengthRequest(DataLengths)
    /// LL_LENGTH_RSP: the same of the responder.
    case lengthResponse(DataLengths)
    /// LL_ENC_REQ: the central starts encryption.
    case encryptionRequest(EncryptionRequest)
    /// LL_ENC_RSP: the peripheral's part of the session.
    case encryptionResponse(SessionPart)
    /// LL_START_ENC_REQ: the peripheral has the key.
    case startEncryptionRequest
    /// LL_START_ENC_RSP: the first encrypted PDU of each end.
    case startEncryptionResponse
    /// LL_PAUSE_ENC_REQ: the central wants another key.
    case pauseEncryptionRequest
    /// LL_PAUSE_ENC_RSP: of the peripheral the last encrypted PDU, of the central the first in clear.
    case pauseEncryptionResponse
    /// LL_REJECT_IND, or LL_REJECT_EXT_IND with the opcode of the rejected PDU.
    case rejection(reason: HCIStatus, of: UInt8?)
    /// LL_UNKNOWN_RSP: the sender does not support the control PDU with this opcode.
    case unknown(type: UInt8)

    /// The opcode of LL_ENC_REQ.
    static let encryptionRequestType: UInt8 = 0x03
    /// The opcode of LL_PAUSE_ENC_REQ.
    static let pauseEncryptionRequestType: UInt8 = 0x0A
    /// The opcode of LL_LENGTH_REQ.
    static let lengthRequestType: UInt8 = 0x14

    /// The number of octets of payload, which determines the time on the air.
    var payload: Int {
        switch self {
        case .data(let packet, _): packet.count
        case .terminate, .unknown, .rejection(_, nil): 2
        case .rejection: 3
        case .startEncryptionRequest, .startEncryptionResponse, .pauseEncryptionRequest, .pauseEncryptionResponse: 1
        case .encryptionRequest: 23
        case .encryptionResponse: 13
        case .featureRequest, .featureResponse, .lengthRequest, .lengthResponse: 9
        case .version: 6
        case .connectionUpdate: 12
        }
    }

    /// Whether it belongs to the procedures that start and pause encryption.
    var isOfEncryption: Bool {
        switch self {
        case .encryptionRequest, .encryptionResponse, .startEncryptionRequest, .startEncryptionResponse,
            .pauseEncryptionRequest, .pauseEncryptionResponse, .rejection(_, nil):
            true
        case .unknown(let type), .rejection(_, let type?):
            type == Self.encryptionRequestType || type == Self.pauseEncryptionRequestType
        case .data, .terminate, .featureRequest, .featureResponse, .version, .connectionUpdate, .lengthRequest,
            .lengthResponse:
            false
        }
    }
}

/// The version of a link layer.  Core 6.0, Vol 6, Part B, section 2.4.2.13.
struct LinkVersion: Hashable, Sendable {
    /// The version of the Core specification: 9 is 5.0.
    var number: UInt8
    /// A company identifier; 0xFFFF is not assigned.
    var company: UInt16
    /// The company's revision.
    var subversion: UInt16
}
