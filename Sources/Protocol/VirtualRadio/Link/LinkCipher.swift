/// With which keys one end of a link sends and receives, and which PDUs it holds back meanwhile.  Core 6.0, Vol 6, Part
/// B, sections 5.1.3.1 and 5.1.3.2.
///
/// The PDUs of the procedures change it:
///
/// | PDU                            | central                                | peripheral                             |
/// |--------------------------------|----------------------------------------|----------------------------------------|
/// | LL_ENC_REQ, LL_PAUSE_ENC_REQ   | queued: holds other PDUs               | received: holds other PDUs             |
/// | LL_START_ENC_REQ               | received: sends and receives encrypted | queued: holds all; sent: receives encrypted |
/// | LL_START_ENC_RSP               | received: holds nothing                | received: sends encrypted, holds other PDUs; queued: holds nothing |
/// | LL_PAUSE_ENC_RSP               | received: sends and receives in clear  | queued: holds all; sent: receives in clear; received: sends in clear, holds other PDUs |
/// | LL_REJECT_IND, LL_UNKNOWN_RSP  | received: holds nothing                | queued: holds nothing                  |
///
/// The peripheral sends no LL_TERMINATE_IND while it sends with another key than the central receives.
///
/// No packet is encrypted, since the air carries packets between the two ends of one link: instead of a MIC, the link
/// compares the key with which a packet was sent to that with which it is received.
struct LinkCipher {
    /// The length of a MIC in octets.
    static let micCount = 4

    private enum Holding { case nothing, others, all }

    /// The key that the procedure introduces.
    var sessionKey: SessionKey?
    /// The key of the packets that are sent next; nil: in clear.
    private(set) var sending: SessionKey?
    /// The key of the packets that are received next; nil: in clear.
    private(set) var receiving: SessionKey?
    /// The key of the packet that is sent until it is acknowledged.
    private(set) var packet: SessionKey?
    /// The PDUs that wait for the end of the procedure, in their order.
    private(set) var held: [LinkPDU] = []
    private var holding = Holding.nothing

    /// Keeps a PDU that may not be sent now.
    ///
    /// - Returns: Whether it did.
    mutating func hold(_ pdu: LinkPDU) -> Bool {
        guard holds(pdu) else { return false }
        held.append(pdu)
        return true
    }

    private func holds(_ pdu: LinkPDU) -> Bool {
        switch (holding, pdu) {
        case (.nothing, _): false
        case (.others, .terminate): false
        case (.others, _), (.all, _): !pdu.isOfEncryption
        }
    }

    /// Forgets the held PDUs that may be sent now, and returns them.
    mutating func release() -> [LinkPDU] {
        let released = held.filter { !holds($0) }
        held = held.filter { holds($0) }
        return released
    }

    /// A PDU has been added to the queue.
    mutating func queued(_ pdu: LinkPDU, at end: LinkEnd) {
        switch (pdu, end) {
        case (.encryptionRequest, _), (.pauseEncryptionRequest, _): holding = .others
        case (.startEncryptionRequest, _), (.pauseEncryptionResponse, .peripheral): holding = .all
        case (.startEncryptionResponse, .peripheral), (.rejection, _), (.unknown, _): holding = .nothing
        default: break
        }
    }

    /// A PDU is sent for the first time.
    mutating func launched(_ pdu: LinkPDU) {
        packet = sending
        switch pdu {
        case .startEncryptionRequest: receiving = sessionKey
        case .pauseEncryptionResponse: receiving = nil
        default: break
        }
    }

    /// A PDU has been received.
    mutating func received(_ pdu: LinkPDU, at end: LinkEnd) {
        switch (pdu, end) {
        case (.encryptionRequest, _), (.pauseEncryptionRequest, _): holding = .others
        case (.startEncryptionRequest, _): (sending, receiving) = (sessionKey, sessionKey)
        case (.startEncryptionResponse, .peripheral): (sending, holding) = (sessionKey, .others)
        case (.pauseEncryptionResponse, _): (sending, receiving, holding) = (nil, nil, .others)
        case (.startEncryptionResponse, .central), (.rejection, _), (.unknown, _): holding = .nothing
        default: break
        }
    }
}
