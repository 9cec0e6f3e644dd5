import Conformance
import ScenarioLanguage
import ScenarioModel
import SecurityManager
import Testing

/// That the scenarios named for a test case SM/CEN do to the client what the Bluetooth SIG's test suite does: SM.TS p30.
@Suite struct PairingCaseTests {
    /// How the Lower Tester ends or breaks pairing, in each test case that is not about success.
    private static let deviations: [String: Set<String>] = [
        "JW/BV-05": ["refuse_pairing"],
        "JW/BI-01": ["alter_pairing confirm"],
        "JW/BI-06": ["alter_pairing confirm"],
        "PKE/BI-01": ["alter_pairing random"],
        "PKE/BI-02": ["user cancel"],
        "PKE/BI-03": ["alter_pairing confirm"],
        "OOB/BI-01": ["alter_pairing confirm"],
        "KDU/BI-01": ["alter_pairing public_key"],
        "KDU/BI-04": ["alter_pairing public_key"],
        "SCJW/BI-01": ["refuse_pairing", "user wrong"],
        "SCPK/BI-01": ["refuse_pairing", "user cancel"],
        "SCPK/BI-02": ["alter_pairing confirm"],
        "SCOB/BI-01": ["refuse_pairing", "alter_pairing random"],
        "SCOB/BI-04": ["alter_pairing public_key"],
    ]

    /// The reasons of Pairing Failed in answer to Pairing Request.
    private static let reasons: [String: [UInt8]] = [
        "JW/BV-05": [0x08, 0x05, 0x09, 0x10], "SCJW/BI-01": [0x03, 0x08, 0x05, 0x09],
        "SCPK/BI-01": [0x03, 0x08, 0x05, 0x09], "SCOB/BI-01": [0x03, 0x08, 0x05, 0x09],
    ]

    private static func actions(of test: String) throws -> [Action.Operation] {
        try ClientCases.paths.map { try TestScenario($0).scenario }
            .filter { $0.expectations.contains { $0.requirement == "SM/CEN/\(test)-C" } }
            .flatMap { $0.script.map(\.action.operation) }
    }

    @Test(arguments: deviations.keys.sorted())
    func `The device deviates as the Lower Tester does`(test: String) throws {
        #expect(Set(try Self.actions(of: test).compactMap(\.deviation)) == Self.deviations[test])
    }

    @Test(arguments: reasons.keys.sorted())
    func `Pairing Failed has the reasons of the test suite`(test: String) throws {
        let used = try Self.actions(of: test).compactMap { action in
            if case .refusePairing(let reason) = action { reason.rawValue } else { nil }
        }
        #expect(used == Self.reasons[test])
    }

    @Test func `No scenario breaks pairing in any other test case`() throws {
        let tests = CollectorCase.all.map(\.id).filter { $0.hasPrefix("SM/CEN/") }
            .map { String($0.dropFirst("SM/CEN/".count).dropLast("-C".count)) }
        for test in tests where Self.deviations[test] == nil {
            #expect(try Self.actions(of: test).compactMap(\.deviation) == [], "\(test)")
        }
    }
}

extension Action.Operation {
    /// The word of a fault in pairing, with the step or answer; nil for another action, and for other features.
    fileprivate var deviation: String? {
        switch self {
        case .refusePairing: "refuse_pairing"
        case .alterPairing(let alteration) where alteration.step != .features:
            "alter_pairing \(alteration.step.rawValue)"
        case .user(let answer) where answer != .earlier: "user \(answer.rawValue)"
        default: nil
        }
    }
}
