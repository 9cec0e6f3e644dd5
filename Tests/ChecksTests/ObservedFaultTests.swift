import CheckCatalogue
import Expectations
import Testing

@testable import Checks

/// Faults of peripherals that nobody can act on: checks judge what they can observe.
@Suite struct ObservedFaultTests {
    private static let replaying = Peripheral(
        name: "replaying", about: "", services: [Peripheral.plainHeartRate],
        script: [#"{"when": "subscribed", "do": "notify", "of": "strap/heart_rate", "times": 4}"#])

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

    @Test(arguments: Peripheral.correct.map(\.name))
    func `no correct peripheral fails`(name: String) throws {
        let peripheral = try #require(Peripheral.correct.first { $0.name == name })
        for id in ["heart_rate/is_plausible", "HRS/SEN/CN/BV-04-C", "reconnection/nothing_is_replayed"] {
            let outcome = try Self.outcome(id, of: peripheral)
            #expect(peripheral.verdictsIfReal.contains(outcome.verdict), "\(outcome.words)")
        }
    }
}
