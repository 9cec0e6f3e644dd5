public import Basics

// The values of client lines and event logs.

extension HeartRateMeasurement: ValueWritable {
    /// Appends `{"bpm": 300, "contact": true, "energy_kj": 12, "rr_ms": [812.5, 1000]}`.
    ///
    /// `contact` is null if the sensor does not support it; `energy_kj` and `rr_ms` are absent if their fields are.
    public func write(into sink: inout some ValueSink) {
        sink.appendObject { sink in
            sink.append(member: "bpm", .number(bpm))
            sink.append(member: "contact", contact == .notSupported ? .null : .bool(contact == .detected))
            if let energyExpended { sink.append(member: "energy_kj", .number(energyExpended)) }
            guard !rrIntervals.isEmpty else { return }
            sink.append(member: "rr_ms") { sink in
                // µs, rounded half up
                sink.append(list: rrIntervals) { $0.append(.thousandths((UInt64($1) * 1_000_000 + 512) / 1024)) }
            }
        }
    }
}

extension BatteryLevel: ValueWritable {
    /// Appends the percentage: `87`.
    public func write(into sink: inout some ValueSink) { sink.append(.number(percent)) }
}

extension TemperatureMeasurement: ValueWritable {
    /// Appends `{"celsius": 36.6, "type": "ear", "timestamp": "2000-01-01T00:00:00"}`.
    ///
    /// `celsius` has at most three decimals, whatever the unit of the value, and is null for a special value; the other
    /// keys are absent if their fields are.
    public func write(into sink: inout some ValueSink) {
        sink.appendObject { sink in
            sink.append(member: "celsius", .celsius(celsius))
            if let type { sink.append(member: "type") { type.write(into: &$0) } }
            if let timeStamp { sink.append(member: "timestamp", .string(timeStamp.description)) }
        }
    }
}

extension Temperature: ValueWritable {
    /// Appends `{"celsius": 36.6}`; null if not known.
    public func write(into sink: inout some ValueSink) {
        sink.appendObject { $0.append(member: "celsius", .celsius(celsius)) }
    }
}

extension MeasurementInterval: ValueWritable {
    /// Appends the seconds: `60`.
    public func write(into sink: inout some ValueSink) { sink.append(.number(seconds)) }
}

extension VendorCount: ValueWritable {
    /// Appends the number: `4211`.
    public func write(into sink: inout some ValueSink) { sink.append(.number(number)) }
}

extension SampleTally: ValueWritable {
    /// Appends `{"samples": 73, "lost": 0}`, and `"dropped": 73` if samples were dropped.
    public func write(into sink: inout some ValueSink) { sink.appendObject { writeMembers(into: &$0) } }

    /// Appends the members without their object.
    public func writeMembers(into sink: inout some ValueSink) {
        sink.append(member: "samples", .number(samples))
        sink.append(member: "lost", .number(lost))
        if dropped > 0 { sink.append(member: "dropped", .number(dropped)) }
    }
}

extension HeartRateFrame: ValueWritable {
    /// Appends the values: `[62, 62, 63]`.
    public func write(into sink: inout some ValueSink) { sink.append(list: values) { $0.append(.number($1)) } }
}

extension ECGFrame: ValueWritable {
    /// Appends the number of samples, the index of the first, and the flags that are set:
    /// `{"samples": 117, "index": 500, "lead_off": true}`.
    public func write(into sink: inout some ValueSink) {
        sink.appendObject { sink in
            sink.append(member: "samples", .number(samples.count))
            sink.append(member: "index", .number(header.index))
            if header.flags.contains(.gap) { sink.append(member: "gap", .bool(true)) }
            if header.flags.contains(.leadOff) { sink.append(member: "lead_off", .bool(true)) }
            if header.flags.contains(.saturated) { sink.append(member: "saturated", .bool(true)) }
        }
    }
}

extension PMDECGFrame: ValueWritable {
    /// Appends the number of samples, and the time of the last in ns since 2000: `{"samples": 73, "timestamp": 1000}`.
    public func write(into sink: inout some ValueSink) {
        sink.appendObject { sink in
            sink.append(member: "samples", .number(samples.count))
            sink.append(member: "timestamp", .number(timeStamp))
        }
    }
}

extension ECGDescription: ValueWritable {
    /// Appends `{"rate": 500, "resolution": 1000, "leads": 1}`.
    public func write(into sink: inout some ValueSink) {
        sink.appendObject { sink in
            sink.append(member: "rate", .number(rate))
            sink.append(member: "resolution", .number(resolution))
            sink.append(member: "leads", .number(leads))
        }
    }
}

extension ValueToken {
    /// Degrees Celsius with at most three decimals; null for nil, and from 10¹² degrees on.
    public static func celsius(_ number: Double?) -> ValueToken {
        number.flatMap { $0.magnitude < 1e12 ? .decimal($0) : nil } ?? .null
    }
}
