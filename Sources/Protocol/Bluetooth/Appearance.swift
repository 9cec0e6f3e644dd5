/// What a device looks like, for an icon.  Assigned Numbers, section 2.6.
///
/// | Bits  | Field        |
/// |-------|--------------|
/// | 15–6  | category     |
/// | 5–0   | sub-category |
public struct Appearance: Hashable, Sendable {
    /// All 16 bits; every number is allowed, known or not.
    public let number: UInt16

    /// The appearance with this number.
    public init(_ number: UInt16) { self.number = number }

    /// What kind of device: 13 is a heart rate sensor.
    public var category: UInt16 { number >> 6 }

    /// Which one of its kind; 0 for any of them.
    public var subcategory: UInt16 { number & 0x3F }

    /// 0.
    public static let unknown = Appearance(0)
    /// 192.
    public static let watch = Appearance(0x00C0)
    /// 193.
    public static let sportsWatch = Appearance(0x00C1)
    /// 768.
    public static let thermometer = Appearance(0x0300)
    /// 832.
    public static let heartRateSensor = Appearance(0x0340)
    /// 833.
    public static let heartRateBelt = Appearance(0x0341)
}
