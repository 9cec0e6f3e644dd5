import Characteristics
import GATT
public import Octets
public import Sensors
import Simulation
public import Spelling

extension ServiceDescription {
    /// Lubdub's own Feed service, vendor 0x0400: a number that is notified again and again.
    public static let feed = ServiceDescription(
        "feed", VendorUUID.feed.uuid, "a number that is notified again and again",
        fields: [FeedFields.value.description, FeedFields.period.description],
        characteristics: [
            CharacteristicDescription(
                .feedValue, [.read, .notify], format: FeedValue.self,
                value: ValueDescription(.number(FeedFields.range)),
                client: ClientUse("feed", "1999", isMeasurement: true))
        ],
        sensor: { FeedSensor($0) })
}

/// The keys of `feed` in a scenario.
public enum FeedFields {
    static let range = 0.0...4_294_967_295
    /// Rounded down.
    public static let value = Field.curve("value", range, "A whole number.")
    /// From one notification to the next.
    public static let period = Field.period("How often it is sent; 1 s if it is left out.")
}

/// Feed Value, vendor 0x0401: a `VendorCount`.
public struct FeedValue: CharacteristicValue {
    private let count: VendorCount

    /// Four octets.
    public init(octets: ArraySlice<UInt8>) throws(Malformed) { count = try VendorCount(octets: octets, "Value") }

    /// Adds the number.
    public func write(to text: inout JSONText) { count.write(to: &text) }
    /// `feed 1999`.
    public var words: String { "feed \(count.number)" }
}
