import HCI

extension H4Framer.Framed {
    /// Whether it is an HCI Reset: Core Specification, volume 4, part E, 7.3.2.
    var isReset: Bool {
        kind == .command && octets.count >= 2
            && Opcode(rawValue: UInt16(octets[0]) | UInt16(octets[1]) << 8) == .reset
    }
}
