import Basics
import CLubdubLinux
import Glibc
import Linux
import Testing

@testable import CommandSupport

/// A queue at the writing end of a pipe.
private struct QueuedPipe: ~Copyable {
    let reader: CInt
    private let writer: CInt
    private let output: OutputDescriptor
    private var queue: MessageQueue

    init() {
        var ends: [CInt] = [0, 0]
        let status = unsafe openPipe(&ends)
        #expect(status == 0)
        (reader, writer) = (ends[0], ends[1])
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
        output = OutputDescriptor(sharing: writer)
        queue = MessageQueue(on: EventLoop(pace: .real()), watching: output.number) {}
    }

    deinit {
        _ = output.close()
        close(writer)
        close(reader)
    }

    mutating func add(_ message: String) { queue.add(Array(message.utf8), to: output) }
    mutating func finish() -> Bool { queue.finish(to: output) }
    mutating func write() { queue.write(to: output) }

    /// What a reader finds at once; the queue writes what then has room, until nothing is left.
    mutating func readAll() -> String {
        var octets: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = unsafe read(reader, &buffer, buffer.count), count > 0 {
            octets += buffer[..<count]
            write()
        }
        return String(decoding: octets, as: UTF8.self)
    }
}

@Suite struct MessageQueueTests {
    private static let line = String(repeating: "m", count: 1023) + "\n"

    @Test func `A message is written at once when there is room`() {
        var pipe = QueuedPipe()
        pipe.add("one\n")
        #expect(pipe.readAll() == "one\n")
    }

    @Test func `Messages without a reader wait, and keep their order`() {
        var pipe = QueuedPipe()
        let messages = (0..<500).map { "\($0) \(Self.line)" }
        for message in messages { pipe.add(message) }
        #expect(pipe.readAll() == messages.joined())
    }

    @Test func `Messages beyond the limit are dropped, and counted when reading goes on`() {
        var pipe = QueuedPipe()
        for _ in 0..<10_000 { pipe.add(Self.line) }
        let lines = pipe.readAll().split(separator: "\n")
        let kept = lines.count - 1
        #expect(kept * Self.line.utf8.count <= MessageQueue.limit + 1 << 16)
        #expect(kept * Self.line.utf8.count > MessageQueue.limit - Self.line.utf8.count)
        #expect(lines.last == "lubdub: \(10_000 - kept) messages were dropped, because nobody read them")
        pipe.add("again\n")
        #expect(pipe.readAll() == "again\n")
    }

    @Test func `The end of a queue waits only for a reader`() {
        var pipe = QueuedPipe()
        pipe.add("one\n")
        let isRead = pipe.finish()
        #expect(isRead)
        for _ in 0..<1000 { pipe.add(Self.line) }
        let isUnread = !pipe.finish()
        #expect(isUnread)
    }
}
