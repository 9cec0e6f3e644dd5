public import Basics

// The JSON form of values, in client lines and event logs.

extension HeartRateMeasurement: JSONWritable {
    /// Appends `{"bpm": 300, "contact": true, "energy_kj": 12, "rr_ms": [812.5, 1000]}`.
    ///
    /// `contact` is null if the sensor does not support it; `energy_kj` and `rr_ms` are absent if their fields are.
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
    /// Appends the percentage: `87`.
    public func write(to text: inout JSONText) { text.append(Int64(percent)) }
}

extension TemperatureMeasurement: JSONWritable {
    /// Appends `{"celsius": 36.6, "type": "ear", "timestamp": "2000-01-01T00:00:00"}`.
    ///
    /// `celsius` has at most three decimals, whatever the unit of the value, and is null for a special value; the other
    /// keys are absent if their fields are.
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
    /// Appends `{"celsius": 36.6}`; null if not known.
    public func write(to text: inout JSONText) {
        text.append("{\"celsius\": ")
        text.append(celsius: celsius)
        text.append("}")
    }
}

extension MeasurementInterval: JSONWritable {
    /// Appends the seconds: `60`.
    public func write(to text: inout JSONText) { text.append(Int64(seconds)) }
}

extension VendorCount: JSONWritable {
    /// Appends the number: `4211`.
    public func write(to text: inout JSONText) { text.append(Int64(number)) }
}

extension SampleTally: JSONWritable {
    /// Appends `{"samples": 73, "lost": 0, "index": 500}`, or with the `timestamp` of the last sample, and `"dropped": 73` if
    /// samples were dropped.
    public func write(to text: inout JSONText) {
        text.append("{")
        writeMembers(to: &text)
        text.append("}")
    }

    /// Appends the members without the braces.
    public func writeMembers(to text: inout JSONText) {
        text.append("\"samples\": ")
        text.append(samples, digits: 1)
        text.append(", \"lost\": ")
        text.append(lost, digits: 1)
        switch position {
        case .index(let index)?:
            text.append(", \"index\": ")
            text.append(Int64(index))
        case .timeStamp(let timeStamp)?:
            text.append(", \"timestamp\": ")
            text.append(timeStamp, digits: 1)
        case nil: break
        }
        guard dropped > 0 else { return }
        text.append(", \"dropped\": ")
        text.append(dropped, digits: 1)
    }
}

extension HeartRateFrame: JSONWritable {
    /// Appends the values: `[62, 62, 63]`.
    public func write(to text: inout JSONText) { text.append(list: values) { $0.append(Int64($1)) } }
}

extension ECGFrame: JSONWritable {
    /// Appends the number of samples, the index of the first, and the flags that are set:
    /// `{"samples": 117, "index": 500, "lead_off": true}`.
    public func write(to text: inout JSONText) {
        text.append("{\"samples\": ")
        text.append(Int64(samples.count))
        text.append(", \"index\": ")
        text.append(Int64(header.index))
        if header.flags.contains(.gap) { text.append(", \"gap\": true") }
        if header.flags.contains(.leadOff) { text.append(", \"lead_off\": true") }
        if header.flags.contains(.saturated) { text.append(", \"saturated\": true") }
        text.append("}")
    }
}

extension PMDECGFrame: JSONWritable {
    /// Appends the number of samples, and the time of the last in ns since 2000: `{"samples": 73, "timestamp": 1000}`.
    public func write(to text: inout JSONText) {
        text.append("{\"samples\": ")
        text.append(Int64(samples.count))
        text.append(", \"timestamp\": ")
        text.append(timeStamp, digits: 1)
        text.append("}")
    }
}

extension ECGDescription: JSONWritable {
    /// Appends `{"rate": 500, "resolution": 1000, "leads": 1}`.
    public func write(to text: inout JSONText) {
        text.append("{\"rate\": ")
        text.append(Int64(rate))
        text.append(", \"resolution\": ")
        text.append(Int64(resolution))
        text.append(", \"leads\": ")
        text.append(Int64(leads))
        text.append("}")
    }
}

extension JSONText {
    /// Appends degrees Celsius with at most three decimals; null for nil, and from 10¹² degrees on.
    public mutating func append(celsius: Double?) {
        guard let celsius, celsius.magnitude < 1e12 else { return append("null") }
        append(decimal: celsius)
    }

    /// Appends a finite number with at most three decimals.
    mutating func append(decimal number: Double) {
        let thousandths = UInt64((number.magnitude * 1000).rounded())
        if number < 0, thousandths > 0 { append("-") }
        append(thousandths: thousandths)
    }
}
