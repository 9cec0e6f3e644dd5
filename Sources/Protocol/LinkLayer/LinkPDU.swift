public import Octets

/// What one end of a link sends to the other.  Core 6.0, Vol 6, Part B, sections 2.4.1 and 2.4.2.
public enum LinkPDU: Hashable, Sendable {
    /// A fragment of an L2CAP frame, without any header; `isStart` tells the first of a frame (LLID 2) from the others (1).
    /// A link cuts it where it is too long for one PDU.
    case data(Packet, isStart: Bool)
    /// LL_TERMINATE_IND: the link ends, with a reason of HCI.
    case terminate(reason: UInt8)
    /// LL_FEATURE_REQ or LL_PERIPHERAL_FEATURE_REQ, with the sender's features.
    case featureRequest(UInt64)
    /// LL_FEATURE_RSP, with the features that both have.
    case featureResponse(UInt64)
    /// LL_VERSION_IND: each end sends it once in the life of a link.
    case version(LinkVersion)
    /// LL_CONNECTION_UPDATE_IND: other parameters from the connection event with the number `instant` on.
    case connectionUpdate(LinkParameters, instant: UInt16)
    /// LL_LENGTH_REQ: how large data PDUs the sender takes and sends.
    case lengthRequest(DataLengths)
    /// LL_LENGTH_RSP: the same of the one who was asked.
    case lengthResponse(DataLengths)
    /// LL_UNKNOWN_RSP: the sender does not know the control PDU with this opcode.
    case unknown(type: UInt8)

    /// The opcode of LL_LENGTH_REQ.
    static let lengthRequestType: UInt8 = 0x14

    /// Its payload in octets, which is what it takes time for.
    public var payload: Int {
        switch self {
        case .data(let packet, _): packet.count
        case .terminate, .unknown: 2
        case .featureRequest, .featureResponse, .lengthRequest, .lengthResponse: 9
        case .version: 6
        case .connectionUpdate: 12
        }
    }
}

/// Who made a link layer.  Core 6.0, Vol 6, Part B, section 2.4.2.13.
public struct LinkVersion: Hashable, Sendable {
    /// Of the Core Specification: 9 is 5.0.
    public var number: UInt8
    /// A company identifier of the Bluetooth SIG; 0xFFFF is nobody's.
    public var company: UInt16
    /// The company's own.
    public var subversion: UInt16

    /// The three fields of LL_VERSION_IND.
    public init(number: UInt8, company: UInt16, subversion: UInt16) {
        (self.number, self.company, self.subversion) = (number, company, subversion)
    }
}
