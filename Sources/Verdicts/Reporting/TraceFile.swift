public import EventLog

/// A file of every HCI packet, as `--trace` asks for it.
public final class TraceFile: Sendable {
    private let file: OutputFile
    private let format: Btsnoop

    /// Makes the file and writes its header; the instant 0 s is `epoch` after 1970-01-01T00:00:00Z.
    public init(_ path: String, epoch: Duration) throws(OutputFailure) {
        file = try OutputFile(path)
        format = Btsnoop(epoch: epoch)
        file.write(Btsnoop.header[...])
    }

    /// What went wrong so far, if anything did.
    public var failure: OutputFailure? { file.failure }

    /// Adds the packets of a chunk.
    public func write(_ chunk: PacketChunk) {
        var octets: [UInt8] = []
        for record in chunk.records { format.append(record, chunk.octets(of: record), to: &octets) }
        file.write(octets[...])
    }

    /// Gives to the system what is still in the buffer, so that a reader sees it.
    public func flush() { file.flush() }

    /// Writes what is left; throws what went wrong since the file was made.
    public func close() throws(OutputFailure) { try file.close() }
}
