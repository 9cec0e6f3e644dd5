import CommandSupport
import Documents
import Sensors
import TextFormatting

@testable import ClientTesting
@testable import ScenarioLanguage

extension Reader {
    /// Readers of files and lines.
    static let texts = [
        Reader("json", "JSON: it is read again as it is written, on one line or indented") { octets throws(Broken) in
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

    private static func clientLines(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var output = ClientOutput()
        var lines = pieces.flatMap { output.take($0) }
        if let last = output.finish() { lines.append(last) }
        return lines.map(\.json)
    }
}
