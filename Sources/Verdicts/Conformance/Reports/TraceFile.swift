package import Linux
package import ScenarioModel

/// The file of all HCI packets of `--trace`, in btsnoop format.
package final class TraceFile: Sendable {
    private let file: OutputFile
    private let format: Btsnoop

    /// Creates the file, as an `OutputFile`, and writes its header; the instant 0 s is `epoch` after 1970-01-01T00:00:00Z.
    package init(_ path: String, epoch: Duration, isWhole: Bool = false) throws(OutputFailure) {
        file = try OutputFile(path, isWhole: isWhole)
        format = Btsnoop(epoch: epoch)
        file.write(Btsnoop.header[...])
    }

    package var failure: OutputFailure? { file.failure }

    package func write(_ chunk: PacketChunk) {
        var octets: [UInt8] = []
        for record in chunk.records { format.append(record, chunk.octets(of: record), to: &octets) }
        file.write(octets[...])
    }

    package func flush() { file.flush() }

    /// Flushes and closes the file; throws the first error since it was created.
    package func close() throws(OutputFailure) { try file.close() }
}
