extension BinaryInteger {
    /// Its digits, upper case, with zeros in front up to so many; a sign counts as one.
    public func text(digits count: Int, radix: Int = 10) -> String {
        let text = String(self, radix: radix, uppercase: true)
        return String(repeating: "0", count: Swift.max(0, count - text.count)) + text
    }
}

extension String {
    /// With spaces behind it up to so many characters.
    public func filled(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
