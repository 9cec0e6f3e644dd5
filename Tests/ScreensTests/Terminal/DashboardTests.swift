import Basics
import Testing

@testable import Screens

@Suite struct DashboardTests {
    private func rows(_ inputs: Dashboard.Input..., at now: Instant = .start) -> [String] {
        var dashboard = Dashboard(rows: ["battery", "temperature"])
        for input in inputs { dashboard.take(input, at: .start) }
        return dashboard.rows(width: 80, height: 24, .unicode, at: now).map(\.text)
    }

    @Test(arguments: [
        ("\u{1B}[2Jstrap", "\\u001b[2Jstrap"), ("a\u{202E}b\u{2066}c\u{200F}d", "a\\u202eb\\u2066c\\u200fd"),
        ("two\nlines\u{9B}1m", "two\\nlines\\u009b1m"), ("心拍計", "心拍計"), ("e\u{301}t", "e\u{301}t"),
    ]) func `a name cannot do anything to the screen`(name: String, shown: String) {
        let head = rows(.device(address: "C0:FF:EE:00:00:01", name: name))[0]
        #expect(head == " \(shown)  C0:FF:EE:00:00:01  scanning")
    }

    @Test func `a long name leaves room for the state and the session`() {
        let name = String(repeating: "心", count: 300)
        let shown = rows(.device(address: "C0:FF:EE:00:00:01", name: name), .link(.connected))[0]
        #expect(shown.hasSuffix("心…  connected   session 0:00:00"))
    }

    @Test func `a session lasts from the connection to its end`() {
        var dashboard = Dashboard(rows: ["battery", "temperature"])
        #expect(dashboard.session(at: .start) == nil)
        let at = { (seconds: Int64) in Instant(nanoseconds: seconds * 1_000_000_000) }
        dashboard.take(.link(.connected), at: at(10))
        dashboard.take(.link(.subscribed), at: at(11))
        #expect(dashboard.session(at: at(75)) == .seconds(65))
        dashboard.take(.link(.disconnected(reason: "connection_timeout")), at: at(100))
        dashboard.take(.link(.scanning), at: at(101))
        #expect(dashboard.session(at: at(500)) == .seconds(90))
        dashboard.take(.link(.connected), at: at(600))
        #expect(dashboard.session(at: at(600)) == .zero)
    }

    @Test func `what is cleared is a dash, and a gap in the chart`() {
        var dashboard = Dashboard(rows: ["battery", "temperature"])
        for input: Dashboard.Input in [
            .cleared, .heartRate(60, contact: true, energy: nil), .cleared, .cleared,
            .heartRate(61, contact: nil, energy: nil),
        ] { dashboard.take(input, at: .start) }
        #expect(dashboard.history.rates == [60, nil, 61])
        dashboard.take(.cleared, at: .start)
        #expect(dashboard.bpm == nil)
        #expect(dashboard.rows(width: 80, height: 1, .ascii, at: .start)[0].text == " - bpm")
    }

    @Test func `no contact and a low battery are warnings`() {
        var dashboard = Dashboard(rows: ["battery", "temperature"])
        dashboard.take(.heartRate(60, contact: false, energy: nil), at: .start)
        dashboard.take(.fact(.init(label: "battery", value: "10 %", isWarning: true)), at: .start)
        let runs = dashboard.rows(width: 80, height: 24, .unicode, at: .start).flatMap(\.runs)
        #expect(runs.filter { $0.style == .warning }.map(\.text) == ["no", "10 %"])
    }

    @Test func `measurements take the place of heart rates in the chart`() {
        var dashboard = Dashboard(rows: ["battery", "temperature"])
        dashboard.take(.heartRate(60, contact: nil, energy: nil), at: .start)
        dashboard.take(.measurements([]), at: .start)
        dashboard.take(.measurements(Array(0..<400)), at: .start)
        dashboard.take(.heartRate(60, contact: nil, energy: nil), at: .start)
        #expect(dashboard.history.rates == Array(100..<400))
        #expect(dashboard.bpm == 60)
    }

    @Test func `another device begins anew`() {
        var dashboard = Wearer.dashboard()
        dashboard.take(.device(address: "C0:FF:EE:00:00:01/random", name: nil), at: .start)
        #expect(dashboard.name == "Lubdub 心拍")
        #expect(dashboard.bpm == 77)
        dashboard.take(.device(address: "C0:FF:EE:00:00:02/random", name: nil), at: .start)
        #expect(dashboard.name == nil)
        #expect(dashboard.month == nil && dashboard.ecg == nil && dashboard.history.rates.isEmpty)
    }

    @Test func `an electrode that is off is a warning`() {
        for isOff in [true, false] {
            let rows = rows(.ecg([0], at: 0, rate: 500, isLeadOff: isOff))
            #expect(rows.contains(" ECG in mV, the last 3 s, 500 Hz" + (isOff ? "  lead off" : "")))
        }
    }

    @Test func `the largest of everything is shown`() {
        let rows = rows(
            .heartRate(.max, contact: true, energy: .max), .fact(.init(label: "battery", value: "255 %")), .steps(.max),
            .stepsToday(.max, on: .first), .ecg([.max, .min], at: .max, rate: .max, isLeadOff: false),
            .ecg([.max], at: 1, rate: .min, isLeadOff: false))
        #expect(rows[4].contains("65535 kJ"))
        #expect(rows.contains { $0.hasPrefix(" January 1  4,294,967,295 steps") })
    }
}
