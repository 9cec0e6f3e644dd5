struct ECGSamples {
    let flags: UInt8, sequence: UInt16, index: UInt32, lead: UInt8
    let microvolts: [Int16]

    init?(_ octets: [UInt8]) {
        guard octets.count >= 10, octets[0] == 1, octets.count == 10 + 2 * Int(octets[8]) else { return nil }
        func uint16(_ at: Int) -> UInt16 { UInt16(octets[at]) | UInt16(octets[at + 1]) << 8 }
        flags = octets[1]
        sequence = uint16(2)
        index = UInt32(uint16(4)) | UInt32(uint16(6)) << 16
        lead = octets[9]
        microvolts = stride(from: 10, to: octets.count, by: 2).map { Int16(bitPattern: uint16($0)) }
    }
}
