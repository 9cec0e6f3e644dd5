import Characteristics
import GATT
public import Octets
public import Sensors
public import Spelling

extension ServiceDescription {
    /// Lubdub's own Feed service, vendor 0x0400: a number that is notified again and again.
    public static let feed = ServiceDescription(
        "feed", VendorUUID.feed.uuid,
        fields: [FeedFields.value.description, FeedFields.period.description],
        characteristics: [
            CharacteristicDescription(
                VendorUUID.feedValue.uuid, "Feed Value", [.read, .notify],
                userDescription: VendorUUID.feedValue.userDescription, format: FeedValue.self,
                value: .number(in: FeedFields.range), client: ClientUse("feed", isMeasurement: true))
        ],
        sensor: { FeedSensor($0) })
}

/// What a scenario can say of a feed.
public enum FeedFields {
    /// Of four octets.
    public static let range = 0.0...4_294_967_295
    /// Rounded down.
    public static let value = Field.curve("value", range, "A whole number.")
    /// From one notification to the next.
    public static let period = Field.period("How often it is sent; 1 s if it is left out.")
}

/// Feed Value, vendor 0x0401.
public struct FeedValue: CharacteristicValue {
    private let count: VendorCount

    /// Reads a value as it came.
    public init(octets: ArraySlice<UInt8>) throws(Malformed) { count = try VendorCount(octets: octets, "Value") }

    /// Adds the number.
    public func write(to text: inout JSONText) { count.write(to: &text) }
    /// `feed 1999`.
    public var words: String { "feed \(count.number)" }
}
