import Basics
package import Linux
package import ScenarioModel

/// The event log file of `--events`: one JSON object per line.
package final class EventFile: Sendable {
    private let file: OutputFile
    private let wording: ValueFormatter

    /// Creates the file, as an `OutputFile`, and writes its first line.
    package init(
        _ path: String, wording: ValueFormatter, version: String, scenario: String, seed: UInt64,
        source: EventRecord.Source? = nil, isWhole: Bool = false
    ) throws(OutputFailure) {
        file = try OutputFile(path, isWhole: isWhole)
        self.wording = wording
        write(EventRecord.start(version: version, scenario: scenario, seed: seed, source: source))
    }

    package var failure: OutputFailure? { file.failure }

    package func write(_ chunk: EventChunk) {
        var text = JSONText()
        chunk.write(in: wording, to: &text)
        file.write(text.octets)
    }

    package func flush() { file.flush() }

    /// Writes the last line and closes the file; throws the first error since the file was created.
    package func close(status: Int32) throws(OutputFailure) {
        write(EventRecord.end(status: status))
        try file.close()
    }

    private func write(_ line: String) { file.write(Array((line + "\n").utf8)[...]) }
}
