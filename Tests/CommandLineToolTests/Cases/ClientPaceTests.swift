import Basics
import Conformance
import Linux
import Testing

@testable import Cases
@testable import CommandLineTool
@testable import CommandSupport

@Suite struct ClientPaceTests {
    private func pace(_ words: [String], realTimeFor obstacle: String? = nil) throws -> ClientPace {
        try ClientPace(try runGrammar.parse(["a.json", "--client", "true"] + words), realTimeFor: obstacle)
    }

    @Test(arguments: [[], ["--speed", "1"]] as [[String]])
    func `A client is in real time by default`(words: [String]) throws {
        let pace = try pace(words, realTimeFor: "--said")
        #expect(!pace.canBeVirtual)
        #expect(pace.time == nil)
    }

    @Test(
        arguments: [
            (["--speed", "max"], nil), (["--speed", "10"], 10), (["--speed", "0.5", "--compute", "1ms..5ms"], 0.5),
            (["--compute", "5ms", "--speed", "max"], nil),
        ] as [([String], Double?)])
    func `Other speeds are virtual time, and the options repeat it`(words: [String], factor: Double?) throws {
        let pace = try pace(words)
        guard case .virtual(let time) = pace else { return #expect(Bool(false), "\(pace)") }
        #expect(time.factor == factor)
        #expect(pace.time == .virtual)
        #expect(Set(time.options) == Set(words))
        #expect(pace.charge?.description == (words.contains("--compute") ? time.options.last : nil))
    }

    @Test func `auto is virtual time until somebody cannot follow`() throws {
        guard case .automatic(let choice) = try pace(["--speed", "auto"]) else { return #expect(Bool(false)) }
        #expect(choice.isVirtual)
        #expect(choice.time == nil)
        choice.note(.virtual)
        #expect(choice.time == .virtual)
        #expect(choice.takeRealTime())
        #expect(!choice.takeRealTime())  // a case beside it
        #expect(!choice.isVirtual)
        choice.note(.real)
        #expect(choice.time == .mixed)
        guard case .automatic(let other) = try pace(["--speed", "auto"], realTimeFor: "--said: why") else {
            return #expect(Bool(false))
        }
        #expect(!other.isVirtual)
    }

    @Test(
        arguments: [
            (["--compute", "5ms"], nil, "--compute needs virtual time: add --speed max"),
            (["--compute", "5ms", "--speed", "1"], nil, "--compute needs virtual time: add --speed max"),
            (["--compute", "5ms", "--speed", "auto"], nil, "--compute needs virtual time: use --speed max"),
            (["--compute", "5", "--speed", "max"], nil, "--compute must be a duration such as 5ms"),
            (["--speed", "10"], "--said: why", "--speed 10 cannot be combined with --said: why"),
            (["--speed", "max"], "--said: why", "--speed max cannot be combined with --said: why"),
            (["--speed", "fast"], nil, #"--speed must be a number from 0.001 to 1000, "max" or "auto", not "fast""#),
        ] as [([String], String?, String)])
    func `An option that cannot be meant so is refused, with the fix`(
        words: [String], obstacle: String?, message: String
    ) throws {
        let failure = #expect(throws: Obstacle.self) { try pace(words, realTimeFor: obstacle) }
        #expect(failure?.code == .usage)
        #expect(failure?.description.hasPrefix(message) == true)
    }

    @Test func `auto is for clients; the built-in one follows`() throws {
        #expect(try RunPlan.speed(try runGrammar.parse(["a.json", "--speed", "auto"])) == .max)
        #expect(throws: Obstacle.self) { try RunPlan.speed(try serveGrammar.parse(["a.json", "--speed", "auto"])) }
    }
}
