/// How large a data PDU may be.  Core 6.0, Vol 6, Part B, section 4.5.10.
public struct PDULength: Hashable, Sendable {
    /// Of payload: 27 to 251.
    public var octets: UInt16
    /// On the air, with everything around the payload and a MIC of 4 octets: 328 to 17040 µs.
    public var microseconds: UInt16

    /// In the units of HCI, in range or not.
    public init(octets: UInt16, microseconds: UInt16) { (self.octets, self.microseconds) = (octets, microseconds) }

    /// What every link layer sends and takes.
    public static let minimum = PDULength(octets: 27, microseconds: 328)
    /// What fits into a packet at 1 Mbit/s.
    public static let maximum = PDULength(octets: 251, microseconds: 2120)

    /// Whether both are in their range.
    public var isValid: Bool { (27...251).contains(octets) && (328...17_040).contains(microseconds) }

    /// The most octets of payload that respect both.
    public var payload: Int { min(Int(octets), AirTime.payload(microseconds: Int(microseconds))) }

    /// The lesser of both in each respect; what a peer says below `minimum` counts as that.
    func limited(to other: PDULength) -> PDULength {
        PDULength(
            octets: max(Self.minimum.octets, min(octets, other.octets)),
            microseconds: max(Self.minimum.microseconds, min(microseconds, other.microseconds)))
    }
}

/// What one end takes, and what it sends: LL_LENGTH_REQ and LL_LENGTH_RSP.  Core 6.0, Vol 6, Part B, sections 2.4.2.21
/// and 2.4.2.22.
///
/// | Octets | Field       | Meaning                 |
/// |--------|-------------|-------------------------|
/// | 2      | MaxRxOctets | `receiving.octets`      |
/// | 2      | MaxRxTime   | `receiving.microseconds`|
/// | 2      | MaxTxOctets | `sending.octets`        |
/// | 2      | MaxTxTime   | `sending.microseconds`  |
public struct DataLengths: Hashable, Sendable {
    /// The largest data PDU that it takes.
    public var receiving: PDULength
    /// The largest data PDU that it sends.
    public var sending: PDULength

    /// As given, in range or not.
    public init(receiving: PDULength, sending: PDULength) { (self.receiving, self.sending) = (receiving, sending) }
}

/// One end's part in agreeing about the length of data PDUs.  Core 6.0, Vol 6, Part B, sections 4.5.10 and 5.1.9.
///
///     idle ──wants more──▶ asking ──response──▶ idle, or asking when something else is wanted by now
///                             └──LL_UNKNOWN_RSP──▶ the peer does not know: 27 octets for ever
///
/// The other end may ask at any time, too, and is answered.
public struct DataLengthUpdate: Sendable {
    /// What holds now, in both directions.
    public private(set) var effective = DataLengths(receiving: .minimum, sending: .minimum)
    /// Whether the peer has not said that it knows nothing of this.
    public private(set) var isSupported = true

    private var own: DataLengths
    private var told = PDULength.minimum  // what the peer knows of `own.sending`
    private var isAsking = false

    /// Of an end that takes the most there is, and wants to send so much.
    public init(sending: PDULength) { own = DataLengths(receiving: .maximum, sending: sending) }

    /// Wants to send so much from now on.
    public mutating func prefer(_ sending: PDULength) { own.sending = sending }

    /// The request to send now; nil when there is nothing to tell, or an answer has to come first.
    public mutating func request() -> LinkPDU? {
        guard isSupported, !isAsking, told != own.sending else { return nil }
        (isAsking, told) = (true, own.sending)
        return .lengthRequest(own)
    }

    /// Takes a PDU of the peer, and returns the answer to it.
    public mutating func receive(_ pdu: LinkPDU) -> LinkPDU? {
        switch pdu {
        case .lengthRequest(let remote):
            agree(remote)
            told = own.sending
            return .lengthResponse(own)
        case .lengthResponse(let remote) where isAsking:
            isAsking = false
            agree(remote)
        case .unknown(type: LinkPDU.lengthRequestType) where isAsking: (isAsking, isSupported) = (false, false)
        default: break
        }
        return nil
    }

    private mutating func agree(_ remote: DataLengths) {
        effective = DataLengths(
            receiving: own.receiving.limited(to: remote.sending), sending: own.sending.limited(to: remote.receiving))
    }
}
