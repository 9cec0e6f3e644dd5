import Basics
import DBus
import Glibc
import Synchronization

/// This side of a pair of sockets whose other side a program has; each packet is a value. It is closed when it is released.
final class AcquiredSocket: Sendable {
    private let descriptor: Descriptor
    private let loop: EventLoop
    private let watches = Mutex<(reading: EventLoop.Watch?, end: EventLoop.Watch?)>((nil, nil))

    private init(_ descriptor: Descriptor, _ loop: EventLoop) { (self.descriptor, self.loop) = (descriptor, loop) }

    deinit {
        let watches = watches.withLock { $0 }
        for watch in [watches.reading, watches.end] { if let watch { loop.cancel(watch) } }
        loop.noteStimulus()
    }

    /// Both sides; nil, with `errno` set, if the system has no descriptors left.
    static func pair(on loop: EventLoop) -> (ours: AcquiredSocket, theirs: Descriptor)? {
        var pair: [CInt] = [-1, -1]
        let kind = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        guard unsafe socketpair(AF_UNIX, CInt(kind), 0, &pair) == 0 else { return nil }
        return (AcquiredSocket(Descriptor(owning: pair[0]), loop), Descriptor(owning: pair[1]))
    }

    /// Calls `action` when the program has closed its side.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        guard let number = descriptor.number else { return }
        watches.withLock { $0.end = loop.watch(number, for: .gone, whenReady: action) }
    }

    /// Calls `action` while there is something to receive; nil: not any more.
    func onValue(_ action: (@Sendable () -> Void)?) {
        guard let number = descriptor.number else { return }
        watches.withLock { watches in
            if let watch = watches.reading.take() { loop.cancel(watch) }
            if let action { watches.reading = loop.watch(number, for: .readable, whenReady: action) }
        }
    }

    /// Sends a value. One for which the socket has no room is lost, because the program does not read.
    func send(_ value: [UInt8]) {
        guard let number = descriptor.number else { return }
        _ = unsafe Glibc.send(number, value, value.count, CInt(MSG_NOSIGNAL))
        loop.noteStimulus()
    }

    /// The next value, cut after `limit` octets; nil if there is none now.
    func receive(limit: Int) -> [UInt8]? {
        guard let number = descriptor.number else { return nil }
        var value = [UInt8](repeating: 0, count: limit)
        let count = unsafe recv(number, &value, value.count, 0)
        return count > 0 ? Array(value[..<count]) : nil
    }
}
