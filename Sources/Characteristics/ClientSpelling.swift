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

extension TemperatureMeasurement: JSONWritable {
    /// Adds `{"celsius": 36.6, "type": "ear", "timestamp": "2000-01-01T00:00:00"}`.
    ///
    /// Always in °C, to three decimals; null for what is no temperature.  The others are left out with their fields.
    public func write(to text: inout JSONText) {
        text.append("{\"celsius\": ")
        text.append(celsius: celsius)
        if let type {
            text.append(", \"type\": ")
            type.write(to: &text)
        }
        if let timeStamp {
            text.append(", \"timestamp\": ")
            text.append(quoted: timeStamp.description)
        }
        text.append("}")
    }
}

extension Temperature: JSONWritable {
    /// Adds `{"celsius": 36.6}`; null for what is not known.
    public func write(to text: inout JSONText) {
        text.append("{\"celsius\": ")
        text.append(celsius: hundredths.map { Double($0) / 100 })
        text.append("}")
    }
}

extension TemperatureType: JSONWritable {
    /// Adds `"ear"`, or the bare number of a reserved value.
    public func write(to text: inout JSONText) {
        if let name { text.append(quoted: name) } else { text.append(Int64(number)) }
    }
}

extension MeasurementInterval: JSONWritable {
    /// Adds the seconds: `60`.
    public func write(to text: inout JSONText) { text.append(Int64(seconds)) }
}

extension VendorCount: JSONWritable {
    /// Adds `4211`.
    public func write(to text: inout JSONText) { text.append(Int64(number)) }
}

extension SampleTally: JSONWritable {
    /// Adds `{"samples": 73, "lost": 0}`.
    public func write(to text: inout JSONText) {
        text.append("{\"samples\": ")
        text.append(samples, digits: 1)
        text.append(", \"lost\": ")
        text.append(lost, digits: 1)
        text.append("}")
    }
}

extension JSONText {
    /// Adds degrees to three decimals; null from 10¹² degrees on, where no three are left.
    fileprivate mutating func append(celsius: Double?) {
        guard let celsius, celsius.magnitude < 1e12 else { return append("null") }
        let thousandths = UInt64((celsius.magnitude * 1000).rounded())
        if celsius < 0, thousandths > 0 { append("-") }
        append(thousandths: thousandths)
    }
}
