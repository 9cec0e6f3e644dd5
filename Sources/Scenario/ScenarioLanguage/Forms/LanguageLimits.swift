/// Bounds of the language that no type of a key shows.
package enum LanguageLimits {
    /// The number of levels to which files include others.
    package static let includes = 8
    /// The largest `times` of a repeated moment.
    package static let repetitions = 1_000_000
    /// The longest Device Name, in octets.  Core 6.0, Vol 3, Part C, section 12.1.
    package static let deviceName = 248
    /// The longest value of an attribute, in octets.  Core 6.0, Vol 3, Part F, section 3.2.9.
    package static let value = 512
    /// The longest PDU of `raw`, in octets.
    package static let pdu = 540
}
