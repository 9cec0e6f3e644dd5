import Bluetooth
import Characteristics
import GATT
import Octets
import Simulation

/// A received Temperature Measurement or Intermediate Temperature.
struct ReceivedTemperature {
    let octets: [UInt8]
    let instant: Instant
    /// Nil if the octets are too short for the flags.
    let value: TemperatureMeasurement?

    init(_ received: Examiner.ReceivedValue) {
        (octets, instant) = (received.octets, received.instant)
        value = try? TemperatureMeasurement(octets: received.octets)
    }

    /// `02 6C 01 00 FF … at 3.250000 s`
    var description: String { "\(octets.hex) at \(instant) s" }

    /// What a malformed value should have; nil if well-formed.  Health Thermometer Service 1.0, section 3.1.
    var formatError: String? {
        guard let flags = octets.first else { return "flags" }
        guard flags & 0xF8 == 0 else { return "flags with bits 3 to 7 set to 0" }
        guard let value else { return "all fields that the flags announce, and a valid date and time" }
        if value.octets.count != octets.count { return "no octets after the fields that the flags announce" }
        if let type = value.type, type.name == nil { return "a Temperature Type from 01 to 09" }
        return nil
    }
}

extension Examiner {
    /// Subscribes to a temperature; an Error Response is a fail.
    mutating func subscribeToTemperature(
        _ uuid: UUID = .temperatureMeasurement
    ) throws(CheckExit) -> DiscoveredCharacteristic {
        let value = try characteristic(uuid, of: .healthThermometer)
        try subscribe(uuid == .temperatureMeasurement ? .indication : .notification, to: value)
        return value
    }

    /// The next temperature; nil if none arrives in time.
    mutating func nextTemperature(
        of value: DiscoveredCharacteristic, within duration: Duration
    ) throws(CheckExit) -> ReceivedTemperature? {
        try next(of: value.valueHandle, within: duration).map(ReceivedTemperature.init)
    }

    /// Subscribes and returns all temperatures during `duration`; inconclusive if there are none.
    mutating func receiveTemperatures(_ uuid: UUID, for duration: Duration) throws(CheckExit) -> [ReceivedTemperature] {
        let value = try subscribeToTemperature(uuid)
        let received = try receivedValues(of: value.valueHandle, for: duration).map(ReceivedTemperature.init)
        guard !received.isEmpty else { throw .inconclusive("no \(uuid.name) within \(duration.formatted)") }
        return received
    }
}
