public import Basics
public import Bluetooth

/// A PDU of the LE signalling channel, one per frame.  Core 6.0, Vol 3, Part A, section 4.
///
/// | Octets | Field      | Meaning                               |
/// |--------|------------|---------------------------------------|
/// | 1      | Code       | see `Content`                         |
/// | 1      | Identifier | 1 to 255; a response repeats it       |
/// | 2      | Length     | of Data                               |
/// | …      | Data       | see the cases of `Content`            |
public struct Signal: Hashable, Sendable {
    /// The command of a PDU; section numbers refer to Part A.
    public enum Content: Hashable, Sendable {
        /// Section 4.1, code 0x01: the response to a command that is not understood.
        case commandReject(Rejection)
        /// Section 4.6, code 0x06: ends a channel, named by the receiver's and the sender's identifier.
        case disconnectionRequest(destination: Channel, source: Channel)
        /// Section 4.7, code 0x07: confirms the end of a channel.
        case disconnectionResponse(destination: Channel, source: Channel)
        /// Section 4.20, code 0x12: a peripheral requests other connection parameters.
        case connectionParameterUpdateRequest(ConnectionParameters)
        /// Section 4.21, code 0x13: whether the central accepts them; result 0 if so, else 1.
        case connectionParameterUpdateResponse(isAccepted: Bool)
        /// Section 4.22, code 0x14: opens a channel.
        case creditBasedConnectionRequest(CreditBasedChannel, spsm: UInt16)
        /// Section 4.23, code 0x15: result 0 opens it; 2: the SPSM is not supported.
        case creditBasedConnectionResponse(CreditBasedChannel, result: UInt16)
        /// Section 4.24, code 0x16: the peer may send `count` more frames on a channel.
        case flowControlCredit(Channel, count: UInt16)
        /// Any other code, with its data.
        case unknown(code: UInt8, [UInt8])
    }

    /// The reason of a Command Reject: section 4.1.
    public enum Rejection: Hashable, Sendable {
        /// Reason 0: an unknown code, or malformed data.
        case notUnderstood
        /// Reason 1: the PDU exceeds the receiver's signalling MTU, which is `actual`.
        case mtuExceeded(actual: UInt16)
        /// Reason 2: the channel does not exist; with the request's two identifiers.
        case invalidChannel(local: Channel, remote: Channel)
    }

    /// One side's parameters of a credit-based channel.
    public struct CreditBasedChannel: Hashable, Sendable {
        /// The sender's identifier of the channel; 0 if the channel is rejected.
        public var channel: Channel
        /// The largest SDU that the sender can receive, in octets.
        public var mtu: UInt16
        /// The largest frame payload that the sender can receive, in octets.
        public var mps: UInt16
        /// The initial number of frames that the sender can receive.
        public var credits: UInt16

        /// A channel with these parameters.
        public init(channel: Channel, mtu: UInt16, mps: UInt16, credits: UInt16) {
            (self.channel, self.mtu, self.mps, self.credits) = (channel, mtu, mps, credits)
        }
    }

    /// Matches a response with its request: 1 to 255.
    public var identifier: UInt8
    /// The command and its data.
    public var content: Content

    /// A PDU with this identifier and command.
    public init(_ identifier: UInt8, _ content: Content) { (self.identifier, self.content) = (identifier, content) }

    /// Decodes the payload of a frame; throws for a wrong length or a prohibited value.
    public init(octets: [UInt8]) throws(Malformed) {
        var reader = OctetReader(octets)
        let code = try reader.uint8("Code")
        identifier = try reader.uint8("Identifier")
        try reader.check(identifier != 0, "Identifier", identifier, allowed: "1 to 255")
        let length = Int(try reader.uint16("Length"))
        try reader.expect(length, "Data")
        content = try Content(code, from: &reader)
        try reader.finish()
    }

    /// The encoded PDU: the payload of a frame.
    public var octets: [UInt8] {
        let data = content.data
        var octets = [content.code, identifier]
        octets.append(UInt16(clamping: data.count))
        return octets + data
    }
}

extension Signal.Content {
    fileprivate var code: UInt8 {
        switch self {
        case .commandReject: 0x01
        case .disconnectionRequest: 0x06
        case .disconnectionResponse: 0x07
        case .connectionParameterUpdateRequest: 0x12
        case .connectionParameterUpdateResponse: 0x13
        case .creditBasedConnectionRequest: 0x14
        case .creditBasedConnectionResponse: 0x15
        case .flowControlCredit: 0x16
        case .unknown(let code, _): code
        }
    }

    fileprivate init(_ code: UInt8, from reader: inout OctetReader) throws(Malformed) {
        self =
            switch code {
            case 0x01: .commandReject(try Signal.Rejection(from: &reader))
            case 0x06:
                .disconnectionRequest(
                    destination: try reader.channel("Destination CID"), source: try reader.channel("Source CID"))
            case 0x07:
                .disconnectionResponse(
                    destination: try reader.channel("Destination CID"), source: try reader.channel("Source CID"))
            case 0x12: .connectionParameterUpdateRequest(try ConnectionParameters(from: &reader))
            case 0x13:
                .connectionParameterUpdateResponse(
                    isAccepted: try reader.uint16("Result", upTo: 1, allowed: "0 or 1") == 0)
            case 0x14: try .connectionRequest(from: &reader)
            case 0x15:
                .creditBasedConnectionResponse(
                    try Signal.CreditBasedChannel(from: &reader, "Destination CID"),
                    result: try reader.uint16("Result"))
            case 0x16: .flowControlCredit(try reader.channel("CID"), count: try reader.uint16("Credits"))
            default: .unknown(code: code, reader.rest())
            }
    }

    private static func connectionRequest(from reader: inout OctetReader) throws(Malformed) -> Self {
        let spsm = try reader.uint16("SPSM")
        return .creditBasedConnectionRequest(try Signal.CreditBasedChannel(from: &reader, "Source CID"), spsm: spsm)
    }

    fileprivate var data: [UInt8] {
        var data: [UInt8] = []
        switch self {
        case .commandReject(let rejection): rejection.append(to: &data)
        case .disconnectionRequest(let destination, let source),
            .disconnectionResponse(let destination, let source):
            data.append(destination.rawValue)
            data.append(source.rawValue)
        case .connectionParameterUpdateRequest(let parameters): data = parameters.octets
        case .connectionParameterUpdateResponse(let isAccepted): data.append(isAccepted ? 0 : 1 as UInt16)
        case .creditBasedConnectionRequest(let channel, let spsm):
            data.append(spsm)
            channel.append(to: &data)
        case .creditBasedConnectionResponse(let channel, let result):
            channel.append(to: &data)
            data.append(result)
        case .flowControlCredit(let channel, let count):
            data.append(channel.rawValue)
            data.append(count)
        case .unknown(_, let octets): data = octets
        }
        return data
    }
}

extension Signal.Rejection {
    fileprivate init(from reader: inout OctetReader) throws(Malformed) {
        self =
            switch try reader.uint16("Reason", upTo: 2, allowed: "0 to 2") {
            case 1: .mtuExceeded(actual: try reader.uint16("Actual MTU"))
            case 2: .invalidChannel(local: try reader.channel("Local CID"), remote: try reader.channel("Remote CID"))
            default: .notUnderstood
            }
    }

    fileprivate func append(to data: inout [UInt8]) {
        switch self {
        case .notUnderstood: data.append(0 as UInt16)
        case .mtuExceeded(let actual):
            data.append(1 as UInt16)
            data.append(actual)
        case .invalidChannel(let local, let remote):
            data.append(2 as UInt16)
            data.append(local.rawValue)
            data.append(remote.rawValue)
        }
    }
}

extension Signal.CreditBasedChannel {
    fileprivate init(from reader: inout OctetReader, _ field: String) throws(Malformed) {
        channel = try reader.channel(field)
        mtu = try reader.uint16("MTU")
        mps = try reader.uint16("MPS")
        credits = try reader.uint16("Initial Credits")
    }

    fileprivate func append(to data: inout [UInt8]) {
        for field in [channel.rawValue, mtu, mps, credits] { data.append(field) }
    }
}

extension OctetReader {
    fileprivate mutating func channel(_ field: String) throws(Malformed) -> Channel {
        Channel(rawValue: try uint16(field))
    }

    fileprivate mutating func uint16(_ field: String, upTo maximum: UInt16, allowed: String) throws(Malformed) -> UInt16
    {
        let value = try uint16(field)
        try check(value <= maximum, field, value, allowed: allowed)
        return value
    }
}
