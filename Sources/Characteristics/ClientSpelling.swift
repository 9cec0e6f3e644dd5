public import Spelling

// How values stand in a client's lines and in the event log.

extension HeartRateMeasurement: JSONWritable {
    /// Adds `{"bpm": 300, "contact": true, "energy_kj": 12, "rr_ms": [812.5, 1000]}`.
    ///
    /// `contact` is null where it is not supported; `energy_kj` and `rr_ms` are left out with their fields.
    public func write(to text: inout JSONText) {
        text.append("{\"bpm\": ")
        text.append(Int64(bpm))
        switch contact {
        case .notSupported: text.append(", \"contact\": null")
        case .notDetected: text.append(", \"contact\": false")
        case .detected: text.append(", \"contact\": true")
        }
        if let energyExpended {
            text.append(", \"energy_kj\": ")
            text.append(Int64(energyExpended))
        }
        for (index, interval) in rrIntervals.enumerated() {
            text.append(index == 0 ? ", \"rr_ms\": [" : ", ")
            text.append(thousandths: (UInt64(interval) * 1_000_000 + 512) / 1024)  // µs, rounded half up
        }
        text.append(rrIntervals.isEmpty ? "}" : "]}")
    }
}

extension BatteryLevel: JSONWritable {
    /// Adds `87`.
    public func write(to text: inout JSONText) { text.append(Int64(percent)) }
}

extension BodySensorLocation: JSONWritable {
    /// Adds `"chest"`, or the bare number of a reserved value.
    public func write(to text: inout JSONText) {
        if let name { text.append(quoted: name) } else { text.append(Int64(number)) }
    }
}
