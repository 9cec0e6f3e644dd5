import Basics
import Bluetooth
import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The vendor-specific Feed service, 0x0400: a number that is notified periodically.
    package static let feed = ServiceDescription(
        "feed", VendorUUID.feed.uuid, "vendor service: a number, notified periodically",
        example: [
            "service": "feed", "period": "20 ms",
            "value": ["curve": "walk", "start": 9000, "by": 900, "period": "20 ms", "range": [0, 25000]],
        ],
        fields: [FeedFields.value, FeedFields.period],
        characteristics: [
            CharacteristicDescription(
                .feedValue, [.read, .notify], format: FeedValue.self,
                value: ValueDescription(.number(FeedFields.range)),
                client: ClientUse("feed", 1999, isMeasurement: true))
        ],
        sensor: { FeedSensor($0) })
}

/// The keys of `feed` in a scenario.
package enum FeedFields {
    static let range = 0.0...4_294_967_295
    package static let value = Field.curve("value", range, "A whole number.")
    package static let period = Field.period("Notification interval.")
}

/// Feed Value, vendor 0x0401: a `VendorCount`.
package struct FeedValue: NumberValue {
    package static let field = "Value"
    package let number: UInt32
    package init(_ number: UInt32) { self.number = number }
    /// `feed 1999`.
    package var words: String { "feed \(number)" }
}

/// The Feed service of a device.
struct FeedSensor: PeriodicSensor {
    var schedule: Schedule
    private var gauge: Gauge

    init(_ source: SensorSource) {
        gauge = Gauge(source.signal(FeedFields.value, "value"))
        schedule = Schedule(every: source.configuration[FeedFields.period])
    }

    mutating func read(
        _ id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError) -> [UInt8] {
        let value = gauge.value(at: now) ?? 0
        context.noteSaturation(of: value, as: id, in: FeedFields.range)
        return VendorCount(roundingDown: value).octets
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if trigger == .scheduled { schedule.reschedule(after: now) }
        guard let value = gauge.value(at: now) else { return false }
        context.noteSaturation(of: value, as: id, in: FeedFields.range)
        VendorCount(roundingDown: value).append(to: &packet, in: &pool)
        return true
    }

    mutating func set(
        _: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context _: inout SensorContext
    ) -> Bool {
        guard let signal = input.signal else { return false }
        gauge.set(signal, at: now, begun: begun)
        gauge.forget(before: now)
        return true
    }

    func number(of _: ValueID, at now: Instant, context _: SensorContext) -> Double? {
        var gauge = gauge
        return gauge.value(at: now)
    }

    func octets(of _: ValueID, for input: SensorInput) -> [UInt8]? {
        input.number.map { VendorCount(roundingDown: $0).octets }
    }
}
