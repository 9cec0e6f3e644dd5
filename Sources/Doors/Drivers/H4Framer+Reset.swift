import HCI

extension H4Framer.Framed {
    /// Whether it is an HCI Reset.  Core 6.0, Vol 4, Part E, section 7.3.2.
    var isReset: Bool {
        kind == .command && Opcode(ofCommand: octets) == Command.reset.opcode
    }
}
