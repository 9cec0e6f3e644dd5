extension String {
    /// The longest prefix of whole characters in at most `count` octets.
    package func utf8(atMost count: Int) -> [UInt8] {
        var octets: [UInt8] = []
        for character in self {
            guard octets.count + character.utf8.count <= count else { break }
            octets += character.utf8
        }
        return octets
    }
}
