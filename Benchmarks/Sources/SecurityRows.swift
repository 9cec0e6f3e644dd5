import Basics
import Cases
import Clients
import CommandSupport
import Linux

// The cost of pairing and encryption.
extension BenchRow {
    /// A day of a strap, whose heart rate needs encryption if it is secure.
    private static func day(isSecure: Bool) throws(Obstacle) -> (spent: Int64, shown: Int) {
        let heart = #""rr_intervals": true, "period": "1 s", "value": 62"#
        let permissions = isSecure ? #", "permissions": ["encrypted"]"# : ""
        var stage = try LoggedRun(strap(heart + permissions, more: isSecure ? #""security": {}, "# : ""))
        let meter = Meter()
        stage.clientRun.play { _, _ in }
        let shown = stage.clientRun.measurements
        try stage.close()
        return (meter.spent, shown)
    }

    /// The two are played alternately, and the cheapest of each counts: load on the machine only adds time.
    static func encryptedDay() throws(Obstacle) -> Figures {
        var (clear, secure, shown) = (Int64.max, Int64.max, 0)
        for _ in 0..<3 {
            clear = min(clear, try day(isSecure: false).spent)
            let played = try day(isSecure: true)
            (secure, shown) = (min(secure, played.spent), played.shown)
        }
        return Figures(
            value: (Double(secure) / Double(clear) - 1) * 100, unit: "% more CPU", items: max(1, shown),
            nanoseconds: secure, allocations: nil,
            fault: (86_390...86_400).contains(shown) ? nil : "the client reported \(shown) measurements")
    }

    /// From Pairing Request to the last key, again and again.
    static func pairing() throws(Obstacle) -> Figures {
        let wanted = 200
        var stage = try LoggedRun(
            strap(
                #""permissions": ["encrypted"], "period": "1 s", "value": 62"#,
                script: #"{"when": {"event": "paired", "after": "100 ms"}, "do": "disconnect"}"#,
                more: #""security": {"bonding": false, "secure_connections": "required"}, "#), isLogged: false)
        var (count, spent) = (0, Int64(0))
        while count < wanted {
            guard stage.clientRun.play(until: { $0 == .pairing(.started) }) else { break }
            let meter = Meter()
            guard stage.clientRun.play(until: { if case .pairing(.paired) = $0 { true } else { false } }) else { break }
            spent += meter.spent
            count += 1
        }
        try stage.close()
        return Figures(
            value: Double(spent) / 1e6 / Double(max(1, count)), unit: "ms of CPU per pairing", items: count,
            nanoseconds: spent, allocations: nil,
            fault: count == wanted ? nil : "\(count) of \(wanted) pairings succeeded")
    }
}
