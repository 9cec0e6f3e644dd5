import Basics
import Checks
import Expectations
import Testing

@testable import Cases
@testable import CommandLineTool
@testable import CommandSupport
@testable import Conformance

/// What `check` prints after its checks.
@Suite struct PresentationTests {
    @Test func `Skipped checks are folded by their reasons`() {
        let lines = CheckPrinter.folded([
            ("HTS/1", "not applicable: no service"), ("GATT/1", "a"), ("HTP/1", "no service"), ("GATT/2", "b"),
            ("BAS/1", "there is one battery"), ("thermometer/1", "no service"), ("GATT/3", "needs pairing"),
            ("GATT/4", "needs pairing"),
        ])
        #expect(
            lines == [
                "3  no service", "2  needs pairing", "1  BAS/1: there is one battery", "2  GATT/*: different reasons",
            ])
        #expect(CheckPrinter.folded([]) == [])
        let many = (0..<12).map { (id: "a/\($0)", reason: $0 < 11 ? "x" : "y") }
        #expect(CheckPrinter.folded(many) == ["11  x", " 1  a/11: y"])
    }

    private static func packets(_ words: [(octets: [UInt8], isNotification: Bool)]) -> [RecentPackets.Packet] {
        words.enumerated().map { number, word in
            RecentPackets.Packet(
                instant: .start, line: "\(number)", octets: word.octets[...], isNotification: word.isNotification)
        }
    }

    @Test func `A trace has the evidence and few notifications`() {
        let request: ([UInt8], Bool) = ([0x0A], false)
        let notification: ([UInt8], Bool) = ([0x1B, 0x06, 0x48], true)
        let declaration: ([UInt8], Bool) = ([0x09, 0x10, 0x0E, 0x00, 0x37, 0x2A], false)
        let tables: [(packets: [([UInt8], Bool)], evidence: [UInt8], lines: [String])] = [
            ([request, request], [], ["0", "1"]),
            (Array(repeating: request, count: 9), [], ["3", "4", "5", "6", "7", "8"]),
            ([request] + Array(repeating: notification, count: 9), [], ["0", "8", "9"]),
            ([declaration] + Array(repeating: request, count: 9), [0x0E, 0x00], ["0", "5", "6", "7", "8", "9"]),
            ([notification, request, notification], [0x06, 0x48], ["0", "1", "2"]),
            ([request, request], [0x06, 0x48], ["0", "1"]), ([], [0x06], []),
        ]
        for table in tables {
            let words = table.packets.map { (octets: $0.0, isNotification: $0.1) }
            #expect(RecentPackets.lines(Self.packets(words), showing: table.evidence) == table.lines)
        }
    }

    // MARK: Baselines

    private static func report(_ verdicts: [(String, Verdict)]) -> Report {
        var report = Report(version: "0")
        for (id, verdict) in verdicts { report.add(id, Outcome(verdict, title: id)) }
        return report
    }

    private static func baseline(_ text: String) throws(Obstacle) -> Baseline {
        try Baseline(Array(text.utf8), file: "known.json")
    }

    @Test(arguments: [
        ("5", "1:16: LD0108: deviations: expected a list, found 5"),
        ("null", "1:16: LD0108: deviations: expected a list, found null"),
        ("{}", "1:16: LD0108: deviations: expected a list, found an object"),
        (#"["battery/level"]"#, "1:17: LD0106: deviations[0].case: \"case\" is required"),
        (#"[{"id": "battery/level"}]"#, "1:17: LD0106: deviations[0].case: \"case\" is required"),
        (#"[{"case": 1}]"#, "1:26: LD0108: deviations[0].case: expected the id of a check, found 1"),
    ])
    func `A list of deviations that accepts nothing is a problem`(list: String, problem: String) {
        let error = #expect(throws: Obstacle.self) { try Self.baseline("{\"deviations\": \(list)}") }
        #expect(error?.code == .usage)
        #expect(error?.lines.first == "known.json:\(problem)", "\(error?.lines ?? [])")
    }

    @Test func `Ids that no check has are known`() throws {
        let text = #"{"deviations": [{"case": "GATT/SR/GAR/BI-01-C"}, {"case": "GATT/SR/GAR/BI-1-C", "why": "x"}]}"#
        #expect(try Self.baseline(text).unknownIDs == ["GATT/SR/GAR/BI-1-C"])
        #expect(try Self.baseline(#"{"deviations": []}"#).unknownIDs == [])
        let report = JSONReport.text(of: Self.report([("resting", .fail), ("other", .pass)]))
        #expect(try Self.baseline(report).unknownIDs == ["resting"])
    }

    @Test func `A stack is named by its known deviations`() throws {
        let ids = ["GATT/SR/GAR/BI-01-C", "GATT/SR/GAR/BI-06-C", "GATT/SR/GAR/BI-12-C", "GATT/SR/GAR/BI-18-C"]
        let bumble = ids + ["GATT/SR/GAR/BI-19-C"]
        let name = "known deviations of Bumble 0.0.236: accept them with --baseline 'Bumble 0.0.236'"
        let tables: [(cases: [(String, Verdict)], facts: [String])] = [
            (bumble.map { ($0, .fail) }, ["all 5 fails are \(name)"]),
            (bumble.map { ($0, .fail) } + [("battery/x", .fail)], ["5 of the 6 fails are \(name)"]),
            (ids.map { ($0, .fail) }, []), (ids.map { ($0, .fail) } + [("GATT/SR/GAR/BI-19-C", .pass)], []),
            (bumble.map { ($0, .pass) }, []), (bumble.map { ($0, .skip) }, []), ([], []),
        ]
        for table in tables {
            #expect(try Baseline.facts(Self.report(table.cases), nil) == table.facts)
        }
    }
}
