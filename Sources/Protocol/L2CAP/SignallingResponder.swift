public import Bluetooth

/// Answers the peer's PDUs on the LE signalling channel.  Core 6.0, Vol 3, Part A, section 4.
///
/// It opens no channels; a central accepts all valid connection parameters, or none.  It has no state.
public struct SignallingResponder: Sendable {
    /// The local role on the link.
    public enum Role: Sendable {
        /// Decides about connection parameters.
        case central
        /// May request other connection parameters.
        case peripheral
    }

    /// The reaction to a PDU.
    public struct Answer: Hashable, Sendable {
        /// The payload to send; nil if the PDU needs no response.
        public var reply: [UInt8]?
        /// The accepted parameters, which the host must now request from its controller; nil if there are none.
        public var update: ConnectionParameters?
    }

    private let role: Role
    private let acceptsParameters: Bool

    /// A responder with this local role; a central can reject all connection parameters.
    public init(_ role: Role, acceptsParameters: Bool = true) {
        (self.role, self.acceptsParameters) = (role, acceptsParameters)
    }

    /// Answers the payload of a frame: a malformed one with Command Reject, if it has an identifier.
    public func answer(to octets: [UInt8]) -> Answer {
        guard let signal = try? Signal(octets: octets) else {
            guard octets.count >= 2, octets[1] != 0, !Self.responses.contains(octets[0]) else { return Answer() }
            return Answer(reply: Signal(octets[1], .commandReject(.notUnderstood)).octets)
        }
        var update: ConnectionParameters?
        let content: Signal.Content
        switch signal.content {
        case .connectionParameterUpdateRequest(let parameters) where role == .central:
            let isAccepted = acceptsParameters && parameters.isValid
            if isAccepted { update = parameters }
            content = .connectionParameterUpdateResponse(isAccepted: isAccepted)
        case .creditBasedConnectionRequest:
            let none = Signal.CreditBasedChannel(channel: Channel(rawValue: 0), mtu: 0, mps: 0, credits: 0)
            content = .creditBasedConnectionResponse(none, result: 2)
        case .disconnectionRequest(let destination, let source):
            content = .commandReject(.invalidChannel(local: destination, remote: source))
        case .commandReject, .disconnectionResponse, .connectionParameterUpdateResponse,
            .creditBasedConnectionResponse, .flowControlCredit:
            return Answer()
        case .unknown(let code, _) where Self.responses.contains(code): return Answer()
        case .unknown, .connectionParameterUpdateRequest: content = .commandReject(.notUnderstood)
        }
        return Answer(reply: Signal(signal.identifier, content).octets, update: update)
    }

    /// Codes without a response: rejections, responses and credits.
    private static let responses: [UInt8] = [0x01, 0x07, 0x13, 0x15, 0x16, 0x18, 0x1A]
}
