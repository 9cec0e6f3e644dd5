import Basics
import Bluetooth

/// One end's part of the procedures that start encryption, and that change its key.  Core 6.0, Vol 6, Part B, sections
/// 5.1.3.1 and 5.1.3.2.
///
///     central      idle ──start──▶ requesting ──LL_ENC_RSP──▶ ready ──LL_START_ENC_REQ──▶ confirming ──LL_START_ENC_RSP──▶ idle
///                    └──start, encrypted──▶ pausing ──LL_PAUSE_ENC_RSP──▶ requesting
///     peripheral   idle ──LL_ENC_REQ──▶ awaitingKey ──provide──▶ starting ──LL_START_ENC_RSP──▶ idle
///                    └──LL_PAUSE_ENC_REQ──▶ paused ──LL_ENC_REQ──▶ awaitingKey
///
/// The link changes keys, and holds other PDUs, as these PDUs pass: `LinkCipher`.
struct LinkEncryption: Sendable {
    /// The maximum time until the peer answers, in nanoseconds: section 5.2.
    static let responseTimeout: Int64 = 40_000_000_000

    /// What the procedure requests of its owner, in this order.
    enum Output: Hashable, Sendable {
        /// Pass this key to `Link.prepare`.
        case prepare(SessionKey)
        /// Send this PDU.
        case send(LinkPDU)
        /// Ask the peripheral's host for the key, then call `provide` or `decline`.
        case requestKey(random: UInt64, diversifier: UInt16)
        /// Report to the host how the procedure ended; `isRefresh`: the link was encrypted before.
        case ended(status: HCIStatus, isRefresh: Bool)
        /// End the link with LL_TERMINATE_IND, for this reason.
        case terminate(reason: HCIStatus)
    }

    private struct Start: Hashable, Sendable {
        var key: [UInt8]
        var random: UInt64
        var diversifier: UInt16
    }

    private enum Phase: Hashable, Sendable {
        case idle
        case pausing(Start), requesting(key: [UInt8], SessionPart), ready, confirming
        case paused, awaitingKey(central: SessionPart, peripheral: SessionPart), starting
    }

    private var phase = Phase.idle
    private var isRefresh = false
    /// Whether both ends encrypt what they send.
    private(set) var isOn = false

    /// Whether a procedure has begun and not ended.
    var isActive: Bool { phase != .idle }

    /// Whether `provide` or `decline` is expected.
    var awaitsKey: Bool { if case .awaitingKey = phase { true } else { false } }

    /// Starts encryption as the central, or changes its key; ignored while a procedure is active.
    ///
    /// - Parameters:
    ///   - key: The Long Term Key, 16 octets, the most significant first.
    ///   - random: What identifies the key to the peripheral's host, with `diversifier`.
    ///   - diversifier: EDIV.
    ///   - chance: The source of this end's part of the session.
    ///   - outbox: Receives the outputs.
    mutating func start(
        key: [UInt8], random: UInt64, diversifier: UInt16, chance: inout RandomStream, into outbox: inout [Output]
    ) {
        guard !isActive else { return }
        isRefresh = isOn
        let start = Start(key: key, random: random, diversifier: diversifier)
        guard isRefresh else { return request(start, &chance, into: &outbox) }
        phase = .pausing(start)
        outbox.append(.send(.pauseEncryptionRequest))
    }

    private mutating func request(_ start: Start, _ chance: inout RandomStream, into outbox: inout [Output]) {
        let part = SessionPart(from: &chance)
        phase = .requesting(key: start.key, part)
        let request = EncryptionRequest(random: start.random, diversifier: start.diversifier, part: part)
        outbox.append(.send(.encryptionRequest(request)))
    }

    /// Answers `.requestKey` with the Long Term Key, 16 octets, the most significant first; ignored if nothing was asked.
    mutating func provide(key: [UInt8], into outbox: inout [Output]) {
        guard case .awaitingKey(let central, let peripheral) = phase else { return }
        prepare(key, central, peripheral, then: .starting, into: &outbox)
        if phase == .starting { outbox.append(.send(.startEncryptionRequest)) }
    }

    /// Answers `.requestKey` without a key: the link stays as it is, or ends if it was encrypted before.
    mutating func decline(into outbox: inout [Output]) {
        guard awaitsKey else { return }
        phase = .idle
        outbox.append(
            isRefresh ? .terminate(reason: .keyMissing) : .send(.rejection(reason: .keyMissing, of: nil)))
    }

    private mutating func prepare(
        _ key: [UInt8], _ central: SessionPart, _ peripheral: SessionPart, then next: Phase,
        into outbox: inout [Output]
    ) {
        guard let key = try? SessionKey(longTermKey: key, central: central, peripheral: peripheral) else {
            phase = .idle
            return outbox.append(.terminate(reason: .hardwareFailure))
        }
        phase = next
        outbox.append(.prepare(key))
    }

    private mutating func end(_ status: HCIStatus, into outbox: inout [Output]) {
        phase = .idle
        outbox.append(.ended(status: status, isRefresh: isRefresh))
    }

    /// Handles a PDU of the peer.
    ///
    /// - Parameters:
    ///   - pdu: Any PDU; others than those of the procedures have no effect.
    ///   - chance: The source of this end's part of the session.
    ///   - outbox: Receives the outputs.
    mutating func receive(_ pdu: LinkPDU, chance: inout RandomStream, into outbox: inout [Output]) {
        guard pdu.isOfEncryption else { return }
        switch (phase, pdu) {
        case (.pausing(let start), .pauseEncryptionResponse):
            isOn = false
            outbox.append(.send(.pauseEncryptionResponse))
            request(start, &chance, into: &outbox)
        case (.requesting(let key, let central), .encryptionResponse(let peripheral)):
            prepare(key, central, peripheral, then: .ready, into: &outbox)
        case (.ready, .startEncryptionRequest):
            phase = .confirming
            outbox.append(.send(.startEncryptionResponse))
        case (.confirming, .startEncryptionResponse):
            isOn = true
            end(.success, into: &outbox)
        case (.requesting, .rejection(let reason, _)), (.ready, .rejection(let reason, _)):
            end(reason, into: &outbox)
        case (.requesting, .unknown), (.pausing, .unknown): end(.unsupportedRemoteFeature, into: &outbox)
        default: answer(pdu, &chance, into: &outbox)
        }
    }

    /// The peripheral's part.
    private mutating func answer(_ pdu: LinkPDU, _ chance: inout RandomStream, into outbox: inout [Output]) {
        switch (phase, pdu) {
        case (.idle, .pauseEncryptionRequest) where isOn:
            (phase, isRefresh) = (.paused, true)
            outbox.append(.send(.pauseEncryptionResponse))
        case (.paused, .pauseEncryptionResponse): isOn = false
        case (.idle, .encryptionRequest(let request)) where !isOn, (.paused, .encryptionRequest(let request)):
            if phase == .idle { isRefresh = false }
            let part = SessionPart(from: &chance)
            phase = .awaitingKey(central: request.part, peripheral: part)
            outbox.append(.send(.encryptionResponse(part)))
            outbox.append(.requestKey(random: request.random, diversifier: request.diversifier))
        case (.starting, .startEncryptionResponse):
            isOn = true
            outbox.append(.send(.startEncryptionResponse))
            end(.success, into: &outbox)
        default: break
        }
    }
}
