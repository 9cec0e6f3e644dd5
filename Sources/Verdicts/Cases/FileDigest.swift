/// A digest that detects changed files: 64-bit FNV-1a over the length and octets of each file, in the order of reading.
package struct FileDigest {
    package init() {}

    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    package mutating func add(_ octets: [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: octets.count >> shift)) }
        for octet in octets { add(octet) }
    }

    private mutating func add(_ octet: UInt8) { state = (state ^ UInt64(octet)) &* 0x100_0000_01B3 }

    /// In 16 hexadecimal digits.
    package var text: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
