import Bluetooth
import Characteristics
import GATT
import Octets
import Simulation

/// A Temperature Measurement, or an Intermediate Temperature, as it came.
struct HeardTemperature {
    let octets: [UInt8]
    let instant: Instant
    /// Nil when the octets end before what the flags promise.
    let value: TemperatureMeasurement?

    init(_ notice: Examiner.Notice) {
        (octets, instant) = (notice.octets, notice.instant)
        value = try? TemperatureMeasurement(octets: notice.octets)
    }

    /// For a fail: `02 6C 01 00 FF … at 3.250000 s`.
    var words: String { "\(octets.hex) at \(instant) s" }

    /// What is wrong with its octets by themselves; nil when nothing is.  Health Thermometer Service 1.0, section 3.1.
    var fault: String? {
        guard let flags = octets.first else { return "flags" }
        guard flags & 0xF8 == 0 else { return "flags whose bits 3 to 7 are 0" }
        guard let value else { return "all fields that the flags promise, and a date and time that there is" }
        if value.octets.count != octets.count { return "no octets behind those that the flags explain" }
        if let type = value.type, type.name == nil { return "a Temperature Type from 01 to 09" }
        return nil
    }
}

extension Examiner {
    /// Subscribes to a temperature; a refusal is a fail.
    mutating func subscribeToTemperature(
        _ uuid: UUID = .temperatureMeasurement
    ) throws(CheckExit) -> DiscoveredCharacteristic {
        let value = try characteristic(uuid, of: .healthThermometer)
        try subscribe(uuid == .temperatureMeasurement ? .indication : .notification, to: value)
        return value
    }

    /// The first temperature from now on; nil when none comes in time.
    mutating func nextTemperature(
        of value: DiscoveredCharacteristic, within duration: Duration
    ) throws(CheckExit) -> HeardTemperature? {
        try next(of: value.valueHandle, within: duration).map(HeardTemperature.init)
    }

    /// All temperatures from now on, for so long; inconclusive when there is none.
    mutating func listenToTemperature(_ uuid: UUID, for duration: Duration) throws(CheckExit) -> [HeardTemperature] {
        let value = try subscribeToTemperature(uuid)
        let heard = try notices(of: value.valueHandle, for: duration).map(HeardTemperature.init)
        guard !heard.isEmpty else { throw .inconclusive("no value of \(uuid) came within \(duration.inWords)") }
        return heard
    }
}
