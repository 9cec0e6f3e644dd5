import Clients
import Conformance
import Documents
import Expectations
import FoundationEssentials
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

/// That the verdicts on clients are true: each expectation of the repository's scenarios is met by the built-in client,
/// as `BadDaysTests` shows, and there is a faulty one that does not meet it.
@Suite struct ClientVerdictTests {
    private static let page =
        #filePath.dropLast("Tests/VirtualWorldTests/ClientVerdictTests.swift".count)
        + "Documentation/verdicts-of-clients.md"

    /// With the tolerance of real time, which excuses no faulty client; without it, even more fails.
    @Test func `Each faulty client has expectations`() {
        #expect(Set(Catches.all.keys) == Set(FaultyClient.all.map(\.name)))
    }

    @Test(arguments: FaultyClient.all)
    func `A faulty client fails what is named for it`(client: FaultyClient) throws {
        #expect(!client.caughtBy.isEmpty)
        for (path, ids) in Dictionary(grouping: client.caughtBy, by: ClientCases.path) {
            let scenario = try TestScenario("scenarios/\(path).json").scenario
            let harness = try WorldHarness(
                scenario, seed: scenario.seed, isJudged: true,
                on: Judge.Terms(grace: .milliseconds(500), judgesInventions: true), isWorded: false, client: client)
            let failed = harness.world.rulings.filter { $0.verdict == .fail }.map { ruling in
                "\(path) \(scenario.expectation(of: ruling).id)"
            }
            for id in ids { #expect(failed.contains(id), "\(id) is not failed by \(client.name)") }
        }
    }

    @Test(arguments: [
        ("big_endian", "clients/two_octets shows_300", "bpm 11265 instead of 300; it looks like swapped octets"),
        ("big_endian", "formats/two_byte shows", "bpm 1 instead of 256; it looks like swapped octets"),
        ("one_octet", "clients/two_octets shows_300", "bpm 44 instead of 300; it looks like only one of two octets"),
        (
            "contact_as_mask", "clients/contact shows_off",
            "looks like bits 1 and 2 of the flags, read as one (without bit 2, the contact is unknown)"
        ),
        ("milliseconds", "clients/rr_alone shows_1000_ms", "looks like RR-Intervals in 1/1024 s, taken for ms"),
        (
            "energy_as_interval", "clients/energy_and_rr shows_rr",
            "looks like Energy Expended, taken for an RR-Interval"
        ),
        (
            "fahrenheit", "collector/thermometer/float fahrenheit_shown",
            "looks like degrees Fahrenheit, taken for Celsius"
        ),
        ("one_more_listener", "clients/comes_back once", "looks like a duplicate subscription"),
        (
            "big_endian", "clients/two_octets nothing_invented",
            "bpm 11265, but the latest was 300; it looks like swapped octets"
        ),
        ("invents_battery", "formats/two_batteries nothing_invented", "battery 3, but the latest was"),
    ])
    func `A failure names the likely cause`(name: String, id: String, cause: String) throws {
        let client = try #require(FaultyClient.all.first { $0.name == name })
        let scenario = try TestScenario("scenarios/\(ClientCases.path(of: id)).json").scenario
        let harness = try WorldHarness(
            scenario, seed: scenario.seed, isJudged: true, on: Judge.Terms(judgesInventions: true), isWorded: false,
            client: client)
        let ruling = harness.world.rulings.first { id.hasSuffix(" " + scenario.expectation(of: $0).id) }
        let reason = try #require(ruling?.reason)
        #expect(reason.contains(cause), "\(reason)")
    }

    @Test func `Every expectation has a faulty client`() throws {
        let caught = Set(FaultyClient.all.flatMap(\.caughtBy))
        let names = FaultyClient.all.map(\.name)
        #expect(Set(names).count == names.count)
        for id in try ClientCases.read().expectations.map(\.id) where !caught.contains(id) {
            Issue.record("\(id): no faulty client names it in caughtBy")
        }
    }

    @Test func `Every LE test case of a collector is judged, or has a reason why not`() throws {
        let required = Set(try ClientCases.read().expectations.compactMap(\.requirement))
        let known = CollectorCase.all.map(\.id)
        #expect(Set(known).count == known.count)
        for asked in CollectorCase.all {
            #expect(required.contains(asked.id) == (asked.limitation == nil), "\(asked.id)")
        }
        #expect(required.filter { ($0.contains("/COL/") || $0.contains("/CEN/")) && !known.contains($0) } == [])
    }

    @Test func `The page is current`() throws {
        let text = try ClientCases.page()
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try text.write(toFile: String(Self.page), atomically: true, encoding: .utf8)
        }
        let current = try String(contentsOfFile: String(Self.page), encoding: .utf8)
        #expect(current == text, "regenerate it with make generate")
    }
}
