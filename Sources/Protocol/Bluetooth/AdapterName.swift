/// The name of an adapter, as Linux gives it: `hci0`.
package enum AdapterName {
    /// The number in `hci0`; nil for other text.
    package static func number(in name: some StringProtocol) -> UInt16? {
        name.hasPrefix("hci") ? number(name.dropFirst("hci".count)) : nil
    }

    /// The number that a text consists of, as Linux writes it: without a sign and leading zeros.
    package static func number(_ digits: some StringProtocol) -> UInt16? {
        UInt16(digits).flatMap { "\($0)" == digits ? $0 : nil }
    }
}
