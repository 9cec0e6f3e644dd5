/// How values stand in a client's lines and in the event log: as JSON, always with the same characters.
extension HeartRateMeasurement {
    /// `{"bpm": 300, "contact": true, "energy_kj": 12, "rr_ms": [812.5, 1000]}` on one line.
    ///
    /// `contact` is null where it is not supported; `energy_kj` and `rr_ms` are left out with their fields.
    public var json: String {
        let contact =
            switch contact {
            case .notSupported: "null"
            case .notDetected: "false"
            case .detected: "true"
            }
        var text = "{\"bpm\": \(bpm), \"contact\": \(contact)"
        if let energyExpended { text += ", \"energy_kj\": \(energyExpended)" }
        if !rrIntervals.isEmpty {
            text += ", \"rr_ms\": [\(rrIntervals.map(Self.milliseconds).joined(separator: ", "))]"
        }
        return text + "}"
    }

    /// 1/1024 s in milliseconds, rounded to the nearest microsecond (half up), without zeros at the end.
    static func milliseconds(_ ticks: UInt16) -> String {
        let microseconds = (UInt64(ticks) * 1_000_000 + 512) / 1024
        var decimals = String(1000 + microseconds % 1000).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(microseconds / 1000)" + (decimals.isEmpty ? "" : ".\(decimals)")
    }
}

extension BatteryLevel {
    /// `87`.
    public var json: String { "\(percent)" }
}

extension BodySensorLocation {
    /// `"chest"`, or the bare number of a reserved value.
    public var json: String { name.map { "\"\($0)\"" } ?? "\(number)" }
}
