/// A change of what a device sends in one step of pairing, with which a test provokes the peer.
public struct PairingAlteration: Hashable, Sendable {
    /// The octets in place of those that the device should send.
    public enum Content: Hashable, Sendable {
        /// The last octet is inverted.
        case inverted
        /// These octets replace as many from an offset on; the code of the PDU has offset 0.
        case octets([UInt8], offset: Int)
        /// The octets from an offset on keep only the bits of these.
        case mask([UInt8], offset: Int)
        /// The confirm and random values of the peer, with LE legacy pairing (CVE-2020-26558).
        case echo
    }

    /// The step, one that has PDUs; `confirm` for an echo.
    public var step: PairingStep
    /// The octets.
    public var content: Content

    /// An alteration of the PDUs of a step.
    public init(at step: PairingStep, _ content: Content) { (self.step, self.content) = (step, content) }

    /// The octets to send in place of a PDU; the same if the PDU belongs to another step.
    func altered(_ octets: [UInt8]) -> [UInt8] {
        guard let code = octets.first, PairingStep(code: code) == step else { return octets }
        var changed = octets
        switch content {
        case .inverted: changed[octets.count - 1] ^= 0xFF
        case .octets(let other, let offset):
            for (index, octet) in zip(octets.indices.dropFirst(offset), other) { changed[index] = octet }
        case .mask(let mask, let offset):
            for (index, octet) in zip(octets.indices.dropFirst(offset), mask) { changed[index] &= octet }
        case .echo: break
        }
        return changed
    }
}
