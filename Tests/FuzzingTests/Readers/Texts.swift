import CommandSupport
import DeviceRecording
import Documents
import ScenarioForms
import Sensors
import TextFormatting

@testable import ClientTesting
@testable import ScenarioLanguage

extension Reader {
    /// Readers of files and lines.
    static let texts = [
        Reader("json", "JSON: it is read again as it is written, on one line or indented; errors have a place") {
            octets throws(Broken) in
            try readRepaired(octets)
            guard let node = try? Node(json: octets, file: "a.json") else { return }
            for text in [node.json, node.indentedJSON] {
                try require((try? Node(json: text.utf8, file: ""))?.json == node.json, "it is written as \(text)")
            }
        },
        Reader("csv", "CSV files: the times rise, and all values are finite") { octets throws(Broken) in
            for (column, time) in [(nil, nil), ("ecg", nil), (nil, "ecg")] as [(String?, String?)] {
                guard let samples = try? CSVTable.samples(octets, column: column, time: time) else { continue }
                try require(!samples.isEmpty && samples.allSatisfy { $0.value.isFinite }, "a value is not finite")
                let rises = zip(samples, samples.dropFirst()).allSatisfy { $0.time < $1.time }
                try require(rises && samples[0].time >= .zero, "the times do not rise")
            }
        },
        Reader("trace", "btsnoop files: each recorded device is a scenario, or one with problems that have a place") {
            octets throws(Broken) in
            try readTrace(octets)
        },
        Reader("scenario", "scenario files: problems have a place, and a scenario can be written as one file") {
            octets throws(Broken) in
            try readScenario(octets)
        },
        Reader("control", "lines of the control socket: an action's line is read again as the same action") {
            octets throws(Broken) in
            try readInstructions(octets)
        },
        Reader("lines", "lines of a client: each is JSON on one line, whatever the pieces") { octets throws(Broken) in
            let lines = clientLines([octets[...]])
            for line in lines {
                try require(!line.utf8.contains(0x0A), "\(line) has a line feed")
                try require((try? Node(json: line.utf8, file: "")) != nil, "\(line) is not JSON")
            }
            let middle = octets.count / 2
            try require(clientLines([octets[..<middle], octets[middle...]]) == lines, "two pieces give other lines")
        },
        Reader("report", "JSON reports: they are written as they were read, and in all formats") {
            octets throws(Broken) in
            try readReport(octets)
        },
        Reader("replay", "event logs: a log or a typed error, and a scenario that is JSON") { octets throws(Broken) in
            try readLog(octets)
        },
    ]

    /// Records the devices of a trace, and reads the scenarios that play them.
    private static func readTrace(_ octets: [UInt8]) throws(Broken) {
        var capture = DeviceCapture()
        var trace = try? PacketTrace(octets)
        try? trace?.forEach { capture.take($0, controller: $1, at: $2, $3) }
        for device in capture.devices + capture.others {
            let recording = RecordedScenario(device, .init(note: "a test", table: "a.csv"))
            let files = ["a.json": recording.root.indentedJSON, "a.csv": recording.table ?? ""]
            let reading = ScenarioFile.read("a.json") { path in files[path].map { Array($0.utf8) } }
            try require(reading.scenario != nil || !reading.problems.isEmpty, "a scenario without problems is missing")
            try require(!reading.problems.contains { $0.code == .syntax }, "\(reading.problems)")
        }
    }

    /// Reads JSON and goes on after errors: there are none exactly if the text is JSON, and each is printed on safe lines.
    private static func readRepaired(_ octets: [UInt8]) throws(Broken) {
        let log = ProblemLog()
        let node = Node.repaired(json: octets, file: "a.json", log: log)
        let problems = log.problems
        let syntax = problems.filter { $0.code != .duplicateKey }
        try require(syntax.total <= 101, "there are \(syntax.total) errors")
        if let strict = try? Node(json: octets, file: "a.json") {
            try require(syntax.isEmpty && node == strict, "the text is JSON, and has \(syntax)")
        } else {
            try require(!syntax.isEmpty, "the text is not JSON, and has no error")
        }
        let lines = octets.count { $0 == 0x0A } + 1
        for problem in problems {
            try require(problem.position.line <= lines, "\(problem) is in no line")
            try require(problem.excerpt != nil || problem.others > 0, "\(problem) shows no line")
            let texts = problem.lines + [problem.json, problem.annotation]
            try require(texts.allSatisfy { $0 == $0.escapingControls }, "\(texts) has a control character")
            try require((try? Node(json: problem.json.utf8, file: "")) != nil, "\(problem.json) is not JSON")
        }
    }

    private static func clientLines(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var output = ClientOutput()
        var lines = pieces.flatMap { output.take($0) }
        if let last = output.finish() { lines.append(last) }
        return lines.map(\.json)
    }
}
