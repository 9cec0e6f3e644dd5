/// The category of a device, for an icon.  Assigned Numbers, section 2.6.
///
/// | Bits  | Field        |
/// |-------|--------------|
/// | 15–6  | category     |
/// | 5–0   | sub-category |
public struct Appearance: Hashable, Sendable {
    /// All 16 bits, known or not.
    public let number: UInt16

    /// The appearance with this number.
    public init(_ number: UInt16) { self.number = number }

    /// The category: 13 is a heart rate sensor.
    public var category: UInt16 { number >> 6 }

    /// The sub-category; 0 for generic.
    public var subcategory: UInt16 { number & 0x3F }

    /// 0: unknown.
    public static let unknown = Appearance(0)
    /// 192: generic watch.
    public static let watch = Appearance(0x00C0)
    /// 768: generic thermometer.
    public static let thermometer = Appearance(0x0300)
    /// 833: heart rate belt.
    public static let heartRateBelt = Appearance(0x0341)
}
