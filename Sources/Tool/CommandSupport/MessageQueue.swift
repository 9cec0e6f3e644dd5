import Basics
import Linux

/// Messages that wait for room at standard error, so that the program does not.
struct MessageQueue: Sendable {
    /// The maximum number of octets that wait; further messages are dropped.
    static let limit = 1 << 20
    /// How often, and how long in milliseconds, the end of the queue waits for the reader.
    private static let (finalWaits, finalWait): (Int, CInt) = (20, 50)

    private let loop: EventLoop
    private let descriptor: CInt
    private let whenRoom: @Sendable () -> Void
    private var octets: ArraySlice<UInt8> = []
    private var dropped = 0
    private var watch: EventLoop.Watch?

    /// A queue for a descriptor; `whenRoom` has to call `write`.
    init(on loop: EventLoop, watching descriptor: CInt, whenRoom: @escaping @Sendable () -> Void) {
        (self.loop, self.descriptor, self.whenRoom) = (loop, descriptor, whenRoom)
    }

    /// Writes a message as soon as possible, or drops it.
    mutating func add(_ message: [UInt8], to output: OutputDescriptor) {
        guard dropped == 0, octets.count + message.count <= Self.limit else {
            dropped += 1
            return
        }
        octets += message
        if watch == nil { write(to: output) }
    }

    /// Writes what the reader accepts, and continues when it accepts more.
    mutating func write(to output: OutputDescriptor) {
        while !octets.isEmpty {
            switch output.tryToWrite(octets) {
            case .written(let count): octets = octets.dropFirst(count)
            case .full:
                watch = watch ?? loop.watch(descriptor, for: .writable, whenReady: whenRoom)
                return
            case .failed: (octets, dropped) = ([], 0)
            }
            guard octets.isEmpty, dropped > 0 else { continue }
            octets = Array("lubdub: \(dropped) messages were dropped, because nobody read them\n".utf8)[...]
            dropped = 0
        }
        cancel()
    }

    /// Writes the rest while there is a reader; false if there is none.
    mutating func finish(to output: OutputDescriptor) -> Bool {
        for _ in 0..<Self.finalWaits where !octets.isEmpty {
            _ = OutputDescriptor.hasRoom(descriptor, within: Self.finalWait)
            write(to: output)
        }
        cancel()
        return octets.isEmpty
    }

    private mutating func cancel() {
        if let watch = watch.take() { loop.cancel(watch) }
    }
}
