import Characteristics
import GATT
import Octets
package import Sensors
package import ServiceFramework
import Simulation
import TextFormatting

extension ServiceDescription {
    /// The vendor-specific Feed service, 0x0400: a number that is notified periodically.
    package static let feed = ServiceDescription(
        "feed", VendorUUID.feed.uuid, "vendor service: a number, notified periodically",
        fields: [FeedFields.value, FeedFields.period],
        characteristics: [
            CharacteristicDescription(
                .feedValue, [.read, .notify], format: FeedValue.self,
                value: ValueDescription(.number(FeedFields.range)),
                client: ClientUse("feed", "1999", isMeasurement: true))
        ],
        sensor: { FeedSensor($0) })
}

/// The keys of `feed` in a scenario.
package enum FeedFields {
    static let range = 0.0...4_294_967_295
    /// A whole number, rounded down.
    package static let value = Field.curve("value", range, "A whole number.")
    package static let period = Field.period("Notification interval; 1 s by default.")
}

/// Feed Value, vendor 0x0401: a `VendorCount`.
package struct FeedValue: NumberValue {
    package static let field = "Value"
    package let number: UInt32
    package init(_ number: UInt32) { self.number = number }
    /// `feed 1999`.
    package var words: String { "feed \(number)" }
}
