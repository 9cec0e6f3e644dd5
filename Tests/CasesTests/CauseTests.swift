import Basics
import Conformance
import Expectations
import LEHost
import ScenarioLanguage
import Testing
import VirtualWorld

@testable import Cases
@testable import Clients

/// The likely cause of a failure if a client does not return, or prints something else.
@Suite struct CauseTests {
    private static let away = #"{"when": "20 s", "id": "away", "do": "link_loss", "for": "10 s"}"#
    private static let other =
        #", {"when": "25 s", "do": "change_address", "of": "strap", "to": "C0:FF:EE:00:00:99/random"}"#
    private static let returns =
        #""expect": "seen", "since": {"event": "ended", "of": "away"}, "within": "8 s", "event": "#

    private static func reason(
        _ client: FaultyClient?, script: String = away, expect: String = returns + #""subscribed""#
    ) throws -> Reason? {
        let text = """
            {"lubdub": 1, "name": "One", "limit": "45 s", "devices": [{"id": "strap", "name": "Strap",
              "address": "C0:FF:EE:00:00:01/random", "advertise": {"services": ["180D"]},
              "services": [{"service": "heart_rate", "value": 62}]}],
             "script": [\(script)], "expect": [{"id": "e", \(expect)}]}
            """
        let reading = ScenarioFile.read("a.json", variables: [:]) { _ in Array(text.utf8) }
        var configuration = RunPlan(try #require(reading.scenario, "\(reading.problems)"), seed: 1)
        configuration.faultyClient = client
        var world = try configuration.world()
        world.judgeExpectations()
        var clientRun = try BuiltInClientRun(configuration, in: world, nil)
        clientRun.play { _, _ in }
        clientRun.world.report(.ended)
        return try Judgement(clientRun, of: configuration).findings.first?.why
    }

    private static func client(_ name: String) throws -> FaultyClient {
        try #require(FaultyClient.all.first { $0.name == name })
    }

    @Test func `A client that stays away neither scanned nor connected`() throws {
        let why = try #require(try Self.reason(try Self.client("never_returns")))
        let cause = try #require(why.cause)
        #expect(cause.hasPrefix("the client neither scanned nor connected after the disconnection at 20."), "\(cause)")
        let shows = try Self.reason(
            try Self.client("never_returns"),
            expect: Self.returns + #"{"event": "said", "line": {"heart_rate": {"bpm": 62}}}"#)
        #expect(shows?.cause == cause)
        // The time after which a client notices the loss stays, if it matters.
        let early = try Self.reason(
            try Self.client("never_returns"),
            expect:
                #""expect": "seen", "since": {"event": "began", "of": "away"}, "within": "18 s", "event": "subscribed""#
        )
        #expect(early?.cause?.hasPrefix("the link's supervision timeout was 720 ms") == true)
        #expect(early?.cause?.hasSuffix("; " + cause) == true)
    }

    @Test func `A client that scans, but does not connect, received advertising`() throws {
        let client = FaultyClient.requesting("stays", "does not connect again") { command, view in
            if case .connect = command, view.connections > 0 { [] } else { [.request(command)] }
        }
        let cause = try #require(try Self.reason(client)?.cause)
        #expect(cause.hasPrefix("the client scanned, and did not connect after the disconnection at 20."), "\(cause)")
        #expect(cause.contains("; its controller reported the advertising of strap at 30."), "\(cause)")
    }

    @Test func `A client that stopped scanning before the device was back gave up`() throws {
        let client = FaultyClient.requesting("impatient", "scans for no time") { command, view in
            if case .scan = command, view.connections > 0 {
                [.request(command), .request(.stopScanning)]
            } else {
                [.request(command)]
            }
        }
        let cause = try #require(try Self.reason(client)?.cause)
        #expect(cause.hasPrefix("the client scanned only until 20."), "\(cause)")
        #expect(cause.contains(" s, and did not connect after the disconnection at 20."), "\(cause)")
    }

    @Test func `A client that knows only the old address connects to it`() throws {
        let cause = try #require(
            try Self.reason(try Self.client("knows_one_address"), script: Self.away + Self.other)?.cause)
        #expect(cause.hasPrefix("after the disconnection at 20."), "\(cause)")
        #expect(
            cause.contains(
                " s, the client tried to connect to C0:FF:EE:00:00:01/random only; "
                    + "strap began to advertise as C0:FF:EE:00:00:99/random at 25."), "\(cause)")
        // With the old address, it returns.
        #expect(try Self.reason(try Self.client("knows_one_address"))?.cause == nil)
    }

    @Test(arguments: [
        // It has returned; something else is missing.
        Self.returns + #"{"event": "said", "line": {"heart_rate": {"bpm": 99}}}"#,
        // It need not return for that.
        #""expect": "seen", "since": "disconnected", "within": "8 s", "event": {"event": "said", "line": {"state": "x"}}"#,
        #""expect": "never", "since": "disconnected", "event": "scanning""#,
        // It had the value.
        #""expect": "seen", "since": {"event": "delivered", "of": "heart_rate", "nth": 15}, "within": "9 s", "event": {"event": "said", "line": {"heart_rate": {"bpm": 99}}}"#,
    ])
    func `A failure that has nothing to do with a return has no such cause`(expect: String) throws {
        let why = try #require(try Self.reason(nil, expect: expect))
        #expect(why.cause == nil, "\(why)")
    }

    // MARK: Lines

    private static func printed(_ lines: String...) -> PrintedLines {
        var printed = PrintedLines()
        for (second, line) in lines.enumerated() {
            guard let line = ClientLine(Array(line.utf8)) else { continue }
            printed.take(line, at: .start.advanced(by: .seconds(second)))
        }
        return printed
    }

    private static let advice = "; see \"What your client prints\" in Documentation/testing-your-client.md"

    @Test func `The first line that is not of the contract is the cause`() {
        let late = Instant.start.advanced(by: .seconds(60))
        let nested = Self.printed(#"{"state": "connected"}"#, #"{"bpm": 71}"#, #"{"bpm": 72}"#)
        #expect(nested.cause == #"the client printed {"bpm": 71}; it should print {"heart_rate": {"bpm": 71}}"#)
        #expect(nested.cause(of: ["heart_rate"], at: late) == nested.cause)
        #expect(nested.cause(of: ["heart_rate"], at: .start) == nil)
        #expect(nested.cause(of: ["battery"], at: late) == nil)
        let text = Self.printed("72 bpm", "73 bpm")
        #expect(text.cause == #"the client printed text that is not a JSON object: "72 bpm""# + Self.advice)
        #expect(text.cause(of: ["battery"], at: late) == text.cause)
        #expect(Self.printed(#"{"reading": 71}"#).cause == #"the client printed {"reading": 71}"# + Self.advice)
    }

    @Test func `A client may print lines for others`() {
        let late = Instant.start.advanced(by: .seconds(60))
        let own = Self.printed("connecting", #"{"goal": 80}"#, #"{"heart_rate": {"bpm": 71}}"#)
        #expect(own.cause(of: ["battery"], at: late) == nil)
        #expect(own.cause == nil)
        #expect(Self.printed().cause == nil)
        let twice = Self.printed(#"{"bpm": 71}"#, #"{"heart_rate": {"bpm": 71}}"#)
        #expect(twice.cause(of: ["heart_rate"], at: late) == nil)
        #expect(twice.cause(of: ["heart_rate"], at: .start) == twice.cause(of: [], at: .start))
        let member = Self.printed(#"{"heart_rate": {"bpm": 71}}"#, #"{"heart_rate": {"bpm": 71, "energy": 2}}"#)
        #expect(member.cause(of: ["heart_rate"], at: late)?.hasSuffix(#""energy_kj": 2}}"#) == true)
        // A line that resembles the contract is a mistake nevertheless.
        let mixed = Self.printed(#"{"heart_rate": {"bpm": 71}}"#, #"{"Battery": 87}"#)
        #expect(
            mixed.cause(of: ["battery"], at: late)
                == #"the client printed {"Battery": 87}; it should print {"battery": 87}"#)
    }
}
