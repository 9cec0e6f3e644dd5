/// The maximum size of a data PDU.  Core 6.0, Vol 6, Part B, section 4.5.10.
public struct PDULength: Hashable, Sendable {
    /// Octets of payload: 27 to 251.
    public var octets: UInt16
    /// Time on the air, including headers and a MIC of 4 octets: 328 to 17040 µs.
    public var microseconds: UInt16

    /// The values of HCI, in range or not.
    public init(octets: UInt16, microseconds: UInt16) { (self.octets, self.microseconds) = (octets, microseconds) }

    /// The size that every link layer supports.
    public static let minimum = PDULength(octets: 27, microseconds: 328)
    /// The maximum at 1 Mbit/s.
    public static let maximum = PDULength(octets: 251, microseconds: 2120)

    /// Whether both are in their range.
    public var isValid: Bool { (27...251).contains(octets) && (328...17_040).contains(microseconds) }

    /// The maximum number of octets of payload that respects both.
    public var payload: Int { min(Int(octets), AirTime.payload(microseconds: Int(microseconds))) }

    /// The lesser value of each field, but at least that of `minimum`.
    func limited(to other: PDULength) -> PDULength {
        PDULength(
            octets: max(Self.minimum.octets, min(octets, other.octets)),
            microseconds: max(Self.minimum.microseconds, min(microseconds, other.microseconds)))
    }
}

/// The sizes that one end receives and sends: LL_LENGTH_REQ and LL_LENGTH_RSP.  Core 6.0, Vol 6, Part B, sections
/// 2.4.2.21 and 2.4.2.22.
///
/// | Octets | Field       | Meaning                 |
/// |--------|-------------|-------------------------|
/// | 2      | MaxRxOctets | `receiving.octets`      |
/// | 2      | MaxRxTime   | `receiving.microseconds`|
/// | 2      | MaxTxOctets | `sending.octets`        |
/// | 2      | MaxTxTime   | `sending.microseconds`  |
public struct DataLengths: Hashable, Sendable {
    /// The maximum data PDU that it receives.
    public var receiving: PDULength
    /// The maximum data PDU that it sends.
    public var sending: PDULength

    /// As given, in range or not.
    public init(receiving: PDULength, sending: PDULength) { (self.receiving, self.sending) = (receiving, sending) }
}

/// One end's part of the Data Length Update procedure.  Core 6.0, Vol 6, Part B, sections 4.5.10 and 5.1.9.
///
///     idle ──prefer──▶ requesting ──response──▶ idle, or requesting again when the preference has changed
///                          └──LL_UNKNOWN_RSP──▶ not supported by the peer: 27 octets
///
/// The peer may send a request at any time, and receives a response.
public struct DataLengthUpdate: Sendable {
    /// The current values, in both directions.
    public private(set) var effective = DataLengths(receiving: .minimum, sending: .minimum)
    /// False after the peer has responded that it does not support the procedure.
    public private(set) var isSupported = true

    private var own: DataLengths
    private var announced = PDULength.minimum  // the value of `own.sending` that the peer has received
    private var isRequesting = false

    /// For an end that receives the maximum, and prefers to send `sending`.
    public init(sending: PDULength) { own = DataLengths(receiving: .maximum, sending: sending) }

    /// Changes the preferred size to send.
    public mutating func prefer(_ sending: PDULength) { own.sending = sending }

    /// The request to send now; nil: none is needed, or a response is pending.
    public mutating func request() -> LinkPDU? {
        guard isSupported, !isRequesting, announced != own.sending else { return nil }
        (isRequesting, announced) = (true, own.sending)
        return .lengthRequest(own)
    }

    /// Handles a PDU of the peer.
    ///
    /// - Returns: The response to send, if any.
    public mutating func receive(_ pdu: LinkPDU) -> LinkPDU? {
        switch pdu {
        case .lengthRequest(let remote):
            agree(remote)
            announced = own.sending
            return .lengthResponse(own)
        case .lengthResponse(let remote) where isRequesting:
            isRequesting = false
            agree(remote)
        case .unknown(type: LinkPDU.lengthRequestType) where isRequesting: (isRequesting, isSupported) = (false, false)
        default: break
        }
        return nil
    }

    private mutating func agree(_ remote: DataLengths) {
        effective = DataLengths(
            receiving: own.receiving.limited(to: remote.sending), sending: own.sending.limited(to: remote.receiving))
    }
}
