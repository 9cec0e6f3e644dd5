import Basics
import Characteristics

/// The octets to notify for a heart rate of 72 with skin contact, and two RR-Intervals.
public func encodedMeasurement() -> [UInt8] {
    let measurement = HeartRateMeasurement(bpm: 72, contact: .detected, rrIntervals: [853, 840])
    return measurement.octets  // 16 48 55 03 48 03
}

/// A notified value in words: `72 bpm`.
public func text(of octets: [UInt8]) -> String {
    do {
        let measurement = try HeartRateMeasurement(octets: octets)
        return "\(measurement.bpm) bpm"
    } catch {
        return "malformed: \(error)"  // for example: octet 1: Heart Rate Measurement Value needs 1 octet(s), …
    }
}
