import Conformance
import Expectations
import Testing

@testable import Cases
@testable import Clients

/// A client that never connects fails what hangs on a delivery, if only it can be the reason.
@Suite struct NeverConnectingTests {
    private static func scenario(
        device: String = #""services": [{"service": "heart_rate", "value": 72, "rr_intervals": true}]"#,
        more: String = "", script: String = "", expect: String = "",
        since: String = #"{"event": "delivered", "of": "strap/heart_rate"}"#,
        limit: Int = 20
    ) -> String {
        """
        {"lubdub": 1, "name": "One", "limit": "\(limit) s", "devices": [{"id": "strap", "name": "Strap", \(device)}\(more)],
         "script": [\(script)], "expect": [{"id": "shows", "expect": "seen", "since": \(since), "within": "1 s",
           "event": {"event": "said", "line": {"heart_rate": {}}}}\(expect)]}
        """
    }

    private static func finding(_ client: String, in text: String) throws -> CaseFinding {
        let client: FaultyClient = try #require(FaultyClient.all.first { $0.name == client })
        return try #require(try FaultyCase(text: text).findings(client).first { $0.id == "shows" })
    }

    @Test(arguments: [
        #"{"event": "delivered", "of": "strap/heart_rate"}"#, #"{"event": "connected", "nth": 1}"#,
        #"{"event": "subscribed"}"#,
    ])
    func `A client that saw the device and did not connect fails`(since: String) throws {
        let finding = try Self.finding("never_connects", in: Self.scenario(since: since))
        #expect(finding.verdict == .fail)
        #expect(finding.why?.kinds == [.neverConnected])
        #expect(finding.why?.expected == "a connection of strap, without which this cannot be judged")
        #expect(finding.why?.seen.hasPrefix("never reached: ") == true)
        // The packets that show it.
        #expect(finding.trace.contains { $0.contains("-> LE Set Scan Enable") }, "\(finding.trace)")
        #expect(finding.trace.contains { $0.contains("<- LE Advertising Report") }, "\(finding.trace)")
    }

    @Test(arguments: [
        // It is far away, or has no heart rate.
        scenario(device: #""distance": "30 m", "services": [{"service": "heart_rate"}]"#),
        scenario(device: #""services": [{"service": "health_thermometer"}]"#, since: #"{"event": "connected"}"#),
        scenario(device: #""advertise": {"services": []}, "services": [{"service": "heart_rate"}]"#),
        // The client may choose another, or must not connect.
        scenario(more: #", {"id": "other", "name": "Other", "services": [{"service": "heart_rate"}]}"#),
        scenario(expect: #", {"id": "n", "expect": "never", "event": "connected"}"#),
        // Something keeps it from a connection for some time.
        scenario(script: #"{"when": "5 s", "do": "link_loss", "of": "strap", "for": "2 s"}"#),
        scenario(script: #"{"when": "1 s", "do": "stop_advertising", "of": "strap"}"#),
        scenario(script: #"{"when": "5 s", "do": "change_address", "of": "strap"}"#),
        // It may be about to connect.
        scenario(limit: 7),
    ])
    func `In doubt, it stays inconclusive`(text: String) throws {
        let finding = try Self.finding("never_connects", in: text)
        #expect(finding.verdict == .inconclusive, "\(finding)")
    }

    @Test func `A client that connects is judged as ever`() throws {
        let late = Self.scenario(since: #"{"event": "delivered", "of": "strap/heart_rate", "nth": 90}"#)
        #expect(try FaultyCase(text: late).findings(nil).map(\.verdict) == [.inconclusive])
        #expect(try Self.finding("mute", in: Self.scenario()).verdict == .inconclusive)
    }

    @Test func `A refused read is in the trace of a fail about its value, however long ago it was`() throws {
        let text = """
            {"lubdub": 1, "name": "One", "limit": "60 s", "devices": [{"id": "band", "name": "Band", "security": {"io": "none"},
              "services": [{"service": "heart_rate", "value": 72},
                           {"service": "battery", "value": 41, "permissions": ["encrypted"]}]}],
             "expect": [{"id": "shows", "expect": "seen", "since": {"event": "connected", "nth": 1}, "within": "50 s",
               "event": {"event": "said", "line": {"battery": 41}}}]}
            """
        let finding = try Self.finding("never_pairs", in: text)
        #expect(finding.why?.kinds == [.notPairedAfterRefusal])
        let place = try #require(finding.trace.firstIndex { $0.contains("<- ATT Error Response") }, "\(finding.trace)")
        #expect(place > 0 && finding.trace[place - 1].contains("-> ATT Read Request"), "\(finding.trace)")
        // In chronological order.
        let times = finding.trace.map { $0.split(separator: " ").first.flatMap { Double($0) } ?? 0 }
        #expect(times == times.sorted())
    }

    @Test func `A line that the client did not print is not quoted`() throws {
        let client: FaultyClient = try #require(FaultyClient.all.first { $0.name == "blank" })
        let findings = try FaultyCase("clients/comes_back").findings(client)
        #expect(findings.contains { $0.verdict == .fail })
        for finding in findings {
            // A disconnection clears the display, without a line.
            #expect(finding.why?.seen.contains(#""state": "disconnected""#) == false, "\(finding.line)")
        }
    }
}
