import HCI

// The size of data PDUs.  Core 6.0, Vol 6, Part B, section 4.5.10.
extension DataLength {
    /// The size that every link layer supports.
    static let minimum = DataLength(octetCount: 27, microseconds: 328)

    /// Whether both are in their range.
    var isValid: Bool { (27...251).contains(octetCount) && (328...17_040).contains(microseconds) }

    /// The maximum number of octets of payload that respects both.
    var payload: Int { min(Int(octetCount), AirTime.payload(microseconds: Int(microseconds))) }

    /// The lesser value of each field, but at least that of `minimum`.
    func limited(to other: DataLength) -> DataLength {
        DataLength(
            octetCount: max(Self.minimum.octetCount, min(octetCount, other.octetCount)),
            microseconds: max(Self.minimum.microseconds, min(microseconds, other.microseconds)))
    }
}

/// The sizes that one end receives and sends: LL_LENGTH_REQ and LL_LENGTH_RSP.  Core 6.0, Vol 6, Part B, sections
/// 2.4.2.21 and 2.4.2.22.
///
/// | Octets | Field       | Meaning                 |
/// |--------|-------------|-------------------------|
/// | 2      | MaxRxOctets | `receiving.octetCount`  |
/// | 2      | MaxRxTime   | `receiving.microseconds`|
/// | 2      | MaxTxOctets | `sending.octetCount`    |
/// | 2      | MaxTxTime   | `sending.microseconds`  |
struct DataLengths: Hashable, Sendable {
    /// The maximum data PDU that it receives.
    var receiving: DataLength
    /// The maximum data PDU that it sends.
    var sending: DataLength
}

/// One end's part of the Data Length Update procedure.  Core 6.0, Vol 6, Part B, sections 4.5.10 and 5.1.9.
///
///     idle ──prefer──▶ requesting ──response──▶ idle, or requesting again when the preference has changed
///                          └──LL_UNKNOWN_RSP──▶ not supported by the peer: 27 octets
///
/// The peer may send a request at any time, and receives a response.
struct DataLengthUpdate: Sendable {
    /// The current values, in both directions.
    private(set) var effective = DataLengths(receiving: .minimum, sending: .minimum)
    /// False after the peer has responded that it does not support the procedure.
    private(set) var isSupported = true

    private var own: DataLengths
    private var announced = DataLength.minimum  // the value of `own.sending` that the peer has received
    private var isRequesting = false

    /// For an end that receives the maximum, and prefers to send `sending`.
    init(sending: DataLength) { own = DataLengths(receiving: .maximum, sending: sending) }

    /// Changes the preferred size to send.
    mutating func prefer(_ sending: DataLength) { own.sending = sending }

    /// The request to send now; nil: none is needed, or a response is pending.
    mutating func request() -> LinkPDU? {
        guard isSupported, !isRequesting, announced != own.sending else { return nil }
        (isRequesting, announced) = (true, own.sending)
        return .lengthRequest(own)
    }

    /// Handles a PDU of the peer.
    ///
    /// - Returns: The response to send, if any.
    mutating func receive(_ pdu: LinkPDU) -> LinkPDU? {
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
