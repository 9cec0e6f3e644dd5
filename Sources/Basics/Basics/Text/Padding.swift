extension BinaryInteger {
    /// The number in upper-case digits, padded with leading zeros to `count` characters, a sign included.
    public func zeroPadded(to count: Int, radix: Int = 10) -> String {
        let text = String(self, radix: radix, uppercase: true)
        return String(repeating: "0", count: Swift.max(0, count - text.count)) + text
    }
}

extension String {
    /// The string padded with trailing spaces to `width` characters.
    public func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
