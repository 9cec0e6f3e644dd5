public import EventLog
import Spelling

/// A file of everything that happened, a JSON object a line, as `--events` asks for it.
public final class EventFile: Sendable {
    private let file: OutputFile
    private let wording: ValueFormatter

    /// Makes the file and writes its first line; `-` is standard output.
    public init(
        _ path: String, wording: ValueFormatter, version: String, scenario: String, seed: UInt64,
        source: EventRecord.Source? = nil
    ) throws(OutputFailure) {
        file = try OutputFile(path)
        self.wording = wording
        write(EventRecord.start(version: version, scenario: scenario, seed: seed, source: source))
    }

    /// What went wrong so far, if anything did.
    public var failure: OutputFailure? { file.failure }

    /// Adds a line for each entry of a chunk.
    public func write(_ chunk: EventChunk) {
        var text = JSONText()
        chunk.write(in: wording, to: &text)
        file.write(text.octets)
    }

    /// Gives to the system what is still in the buffer, so that a reader sees it.
    public func flush() { file.flush() }

    /// Writes the last line; throws what went wrong since the file was made.
    public func close(status: Int32) throws(OutputFailure) {
        write(EventRecord.end(status: status))
        try file.close()
    }

    private func write(_ line: String) { file.write(Array((line + "\n").utf8)[...]) }
}
