import CheckCatalogue
import Expectations
import Testing
import VirtualWorld

@testable import Checks

/// Faults of peripherals that nobody can act on: checks judge what they can observe.
@Suite struct ObservedFaultTests {
    private static let replaying = Peripheral(
        name: "replaying", about: "", services: [Peripheral.plainHeartRate],
        script: [#"{"when": "subscribed", "do": "notify", "of": "strap/heart_rate", "times": 4}"#])

    /// RR-Intervals of a heart, in 1/1024 s.
    private static let beats = [870, 905, 842, 891, 918, 856, 880, 829, 899, 861, 912, 847, 873, 902, 838]

    /// A strap that sends a measurement with one of these intervals each second, when `moment` says.
    private static func strap(_ name: String, when moment: (Int) -> String) -> Peripheral {
        let rules = beats.enumerated().map { second, beat in
            let octets = [0x10, 0x48, beat & 0xFF, beat >> 8].map { byte in
                (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return #"{"when": \#(moment(second)), "do": "raw", "of": "heart_rate", "octets": "\#(octets.joined())"}"#
        }
        return Peripheral(
            name: name, about: "", services: [#"{"service": "heart_rate", "value": 72, "period": "10 min"}"#],
            script: rules)
    }

    /// It sends the same to each client that subscribes.
    private static let replayingAtPace = strap("replaying_at_pace") {
        #"{"event": "subscribed", "of": "heart_rate", "after": "\#($0).3 s"}"#
    }

    /// The simulated heart of a developer's board repeats itself, whether there is a client or not.
    private static let looping = strap("looping") { #"{"at": "\#($0).3 s", "every": "15 s"}"# }

    private static let living = Peripheral(
        name: "living", about: "",
        services: [
            #"""
            {"service": "heart_rate", "rr_intervals": true,
             "value": {"curve": "walk", "start": 70, "by": 3, "period": "1 s", "range": [55, 90]}}
            """#
        ])

    private static func mutant(_ name: String) throws -> Peripheral {
        try #require(Peripheral.mutants.first { $0.name == name })
    }

    private static func outcome(_ id: String, of peripheral: Peripheral) throws -> Check.Outcome {
        let check = try #require(Check.all.first { $0.id == id })
        let host = try ExaminerHostTests.RealHost(peripheral)
        return check.run(on: .name(peripheral.deviceName), over: host)
    }

    @Test(arguments: ["heart_rate/is_plausible", "HRS/SEN/CN/BV-04-C"])
    func `swapped octets of a high heart rate`(id: String) throws {
        let outcome = try Self.outcome(id, of: Self.mutant("higher_octet_first"))
        #expect(outcome.verdict == .fail)
        let seen = try #require(outcome.finding?.seen)
        #expect(seen.contains("11265 bpm") && seen.hasSuffix("which looks like swapped octets of 300 bpm"), "\(seen)")
    }

    @Test func `a heart rate above 255 in two octets`() throws {
        let fast = Peripheral(name: "fast", about: "", services: Peripheral.fast)
        #expect(try Self.outcome("HRS/SEN/CN/BV-04-C", of: fast).verdict == .pass)
        #expect(try Self.outcome("heart_rate/is_plausible", of: fast).verdict == .pass)
    }

    @Test func `swapped octets that intervals reveal`() throws {
        let seen = try Self.outcome("heart_rate/is_plausible", of: Self.mutant("higher_octet_first_at_256")).finding?
            .seen
        #expect(seen?.hasSuffix("which looks like swapped octets of 256 bpm") == true, "\(seen ?? "")")
    }

    @Test func `energy for an interval`() throws {
        let seen = try Self.outcome("heart_rate/is_plausible", of: Self.mutant("energy_for_an_interval")).finding?.seen
        #expect(
            seen?.hasSuffix("an interval of 3 ms, which looks like Energy Expended (3 kJ) without its flag, bit 3")
                == true,
            "\(seen ?? "")")
    }

    @Test func `a replay in a burst`() throws {
        let outcome = try Self.outcome("reconnection/nothing_is_replayed", of: Self.replaying)
        #expect(outcome.verdict == .fail, "\(outcome.reason ?? "")")
    }

    @Test func `a replay at the usual pace`() throws {
        let outcome = try Self.outcome("reconnection/nothing_is_replayed", of: Self.replayingAtPace)
        #expect(outcome.verdict == .fail, "\(outcome.words)")
        #expect(outcome.finding?.seen.contains("intervals that came in this order before") == true)
    }

    @Test func `a heart that repeats itself is not a replay, and a living one never repeats`() throws {
        let looping = try Self.outcome("reconnection/nothing_is_replayed", of: Self.looping)
        #expect(looping.verdict == .skip, "\(looping.words)")
        let living = try Self.outcome("reconnection/nothing_is_replayed", of: Self.living)
        #expect(living.verdict == .pass, "\(living.words)")
    }

    /// The checks as `check` of a scenario runs them.
    @Test func `a peripheral that never advertises again fails one check`() throws {
        let gone = try Self.mutant("gone_for_good")
        var absence: String?
        var outcomes: [Check.Outcome] = []
        for check in Check.all {
            let world = try World(gone.scenario(), seed: 1)
            outcomes.append(try check.run(on: 0, in: world, isStrict: true, knowing: &absence).outcome)
        }
        let bad = outcomes.filter { $0.verdict != .pass && $0.verdict != .skip }
        #expect(bad.map(\.check.id) == ["reconnection/advertises_again"], "\(bad.map(\.words))")
        #expect(bad.first?.verdict == .fail)
        #expect(outcomes.count { $0.reason == absence } >= 9)
        #expect(absence?.hasSuffix("see reconnection/advertises_again") == true)
    }

    /// As long as the peripheral was not found again.
    @Test func `a real peripheral that never advertises again fails one check`() throws {
        let host = try ExaminerHostTests.RealHost(Self.mutant("gone_for_good"))
        let checks = Check.all.filter { $0.id.hasPrefix("reconnection/") || $0.id.hasPrefix("advertising/") }
        var examination = Examination(of: .name("Lubdub HRM"), by: host, isStrict: false, running: checks)
        for check in checks.sorted(by: { $0.rank < $1.rank }) {
            let outcome = examination.outcome(of: check)
            guard outcome.verdict == .fail else { continue }
            #expect(check.id == "reconnection/advertises_again")
            #expect(examination.absence != nil)
            return
        }
        Issue.record("no check failed")
    }

    /// It was in use in the first connection, and in no later one.
    @Test func `a strap that sends in its first connection only`() throws {
        let host = try ExaminerHostTests.RealHost(Self.mutant("silent_after_all"))
        let checks = Check.all.filter { ["reconnection/advertises_again", "reconnection/sends_again"].contains($0.id) }
        var examination = Examination(of: .name("Lubdub HRM"), by: host, isStrict: false, running: checks)
        let outcomes = checks.map { examination.outcome(of: $0) }
        #expect(outcomes.map(\.verdict) == [.pass, .fail], "\(outcomes.map(\.words))")
    }

    @Test(arguments: Peripheral.correct.map(\.name))
    func `no correct peripheral fails`(name: String) throws {
        let peripheral = try #require(Peripheral.correct.first { $0.name == name })
        let ids = [
            "heart_rate/is_plausible", "HRS/SEN/CN/BV-04-C", "reconnection/nothing_is_replayed",
            "reconnection/advertises_again", "reconnection/sends_again",
        ]
        for id in ids {
            let outcome = try Self.outcome(id, of: peripheral)
            #expect(peripheral.verdictsIfReal.contains(outcome.verdict), "\(outcome.words)")
        }
    }
}
