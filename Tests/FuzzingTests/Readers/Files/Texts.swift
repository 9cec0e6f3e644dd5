import Basics
import CommandSupport
import DeviceRecording
import Devices
import Documents
import Fuzzing

@testable import Cases
@testable import ScenarioLanguage

extension Reader {
    /// Readers of files and lines.
    static let files = [
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
            for keepsValues in [true, false] {
                var settings = RecordedScenario.Settings(note: "a test", table: "a.csv")
                settings.keepsValues = keepsValues
                try readRecording(RecordedScenario(device, settings))
            }
        }
    }

    private static func readRecording(_ recording: RecordedScenario) throws(Broken) {
        guard let playable = try? PlayableScenario(recording, path: "a.json") else { return }
        let files = ["a.json": playable.root.indentedJSON, "a.csv": playable.table?.text ?? ""]
        let reading = ScenarioFile.read("a.json") { path in files[path].map { Array($0.utf8) } }
        try require(reading.scenario != nil && reading.problems.isEmpty, "\(reading.problems)")
    }

    private static func clientLines(_ pieces: [ArraySlice<UInt8>]) -> [String] {
        var output = ClientOutput()
        var lines = pieces.flatMap { output.take($0) }
        if let last = output.finish() { lines.append(last) }
        return lines.map(\.json)
    }
}
