import LEHost

/// What a controller makes of `distance` and `rssi`, in lines for people.
struct PowerReports: Sendable {
    private var last: AdvertisingPower?
    private var hasExplainedConnections = false

    /// The line to print; nil if nothing is new.  `power` is nil for a connected device.
    mutating func line(for power: AdvertisingPower?) -> String? {
        guard let power else {
            defer { hasExplainedConnections = true }
            return hasExplainedConnections
                ? nil : "distance and rssi change the power of advertising only; connections keep their power"
        }
        guard let level = power.level else {
            defer { last = power }
            return last == nil ? "the controller has no extended advertising, so its power cannot be changed" : nil
        }
        guard level != last?.level || power.isAsWanted != last?.isAsWanted else { return nil }
        last = power
        let change = power.attenuation
        let words = change == 0 ? "its own choice" : "\(abs(change)) dB \(change > 0 ? "less" : "more") than usual"
        let wanted = power.wantedAttenuation
        let rest =
            power.isAsWanted ? "" : "; \(abs(wanted)) dB \(wanted > 0 ? "less" : "more") is not possible with it"
        return "advertises with \(level) dBm, \(words)\(rest)"
    }
}

extension AdvertisingPower {
    fileprivate var isAsWanted: Bool { attenuation == wantedAttenuation }
}
