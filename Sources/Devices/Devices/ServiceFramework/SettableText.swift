/// The octets of a characteristic that a device may lack, and that a script may replace.
package struct SettableText: Sendable {
    private let configured: [UInt8]?
    private var replacement: [UInt8]?

    /// Nil: the device does not have the characteristic.
    package init(_ configured: [UInt8]?) { self.configured = configured }

    package var octets: [UInt8]? { replacement ?? configured }

    /// Replaces the octets, or restores them at the end of an override; false for numbers and for a missing
    /// characteristic.
    package mutating func set(_ input: SensorInput?) -> Bool {
        guard configured != nil, input.isTextOrEnd else { return false }
        replacement = input?.octets
        return true
    }
}
