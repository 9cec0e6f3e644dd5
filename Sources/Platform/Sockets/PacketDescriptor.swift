package import Basics
import Glibc
import Synchronization

/// A descriptor with one H4 packet per read and per write: `/dev/vhci`, or an HCI socket of the kernel.
package final class PacketDescriptor: OctetStream {
    /// Above `HCI_MAX_FRAME_SIZE` of the kernel.
    private static let maximumPacketLength = 1 << 12

    private struct State {
        var isOpen = true
        var reading: EventLoop.Watch?
        var writing: EventLoop.Watch?
        var waiting: [[UInt8]] = []  // packets that the kernel has not accepted
        var queued = 0
        var handler: StreamConnection.Handler?
    }

    private let loop: EventLoop
    private let descriptor: CInt
    private let limit: Int
    private let state = Mutex(State())

    /// Takes the ownership of a non-blocking descriptor.
    package init(_ descriptor: CInt, on loop: EventLoop, sendLimit limit: Int = StreamConnection.defaultLimit) {
        (self.descriptor, self.loop, self.limit) = (descriptor, loop, limit)
    }

    deinit { close() }

    package func start(_ handler: @escaping StreamConnection.Handler) {
        state.withLock { state in
            guard state.isOpen else { return }
            state.handler = handler
            state.reading = loop.watch(descriptor, for: .readable) { [weak self] in self?.read() }
        }
        loop.call(at: loop.now) { [weak self] in self?.state.withLock { $0.handler }?(.opened) }
    }

    package func send(_ packet: [UInt8]) {
        let failure = state.withLock { state -> SocketFailure? in
            guard state.isOpen else { return nil }
            guard state.waiting.isEmpty else { return enqueue(packet, &state) }
            guard unsafe write(descriptor, packet, packet.count) < 0 else { return nil }
            return errno == EAGAIN || errno == EINTR ? enqueue(packet, &state) : .broken(code: errno)
        }
        if let failure { loop.call(at: loop.now) { [weak self] in self?.end(.failed(failure)) } }
    }

    package var queued: Int { state.withLock { $0.queued } }

    package func close() {
        state.withLock { state in
            guard state.isOpen else { return }
            for watch in [state.reading, state.writing] { if let watch { loop.cancel(watch) } }
            state = State(isOpen: false)
            Glibc.close(descriptor)
        }
    }

    private func enqueue(_ packet: [UInt8], _ state: inout State) -> SocketFailure? {
        guard state.queued + packet.count <= limit else { return .neverReads(limit: limit) }
        state.waiting.append(packet)
        state.queued += packet.count
        if state.writing == nil {
            state.writing = loop.watch(descriptor, for: .writable) { [weak self] in self?.writeWaiting() }
        }
        return nil
    }

    private func writeWaiting() {
        let failure = state.withLock { state -> SocketFailure? in
            guard state.isOpen else { return nil }
            var count = 0
            while count < state.waiting.count {
                let packet = state.waiting[count]
                if unsafe write(descriptor, packet, packet.count) < 0 {
                    guard errno == EAGAIN || errno == EINTR else { return .broken(code: errno) }
                    break
                }
                state.queued -= packet.count
                count += 1
            }
            state.waiting.removeFirst(count)
            if state.waiting.isEmpty, let watch = state.writing.take() { loop.cancel(watch) }
            return nil
        }
        if let failure { end(.failed(failure)) }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.maximumPacketLength)
        let (count, code, handler) = state.withLock { state -> (Int, CInt, StreamConnection.Handler?) in
            guard state.isOpen else { return (-1, EAGAIN, nil) }
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            return (count, count < 0 ? errno : EPIPE, state.handler)
        }
        if count > 0 {
            handler?(.received(Array(buffer[..<count])))
        } else if code != EAGAIN, code != EINTR {
            end(.failed(.broken(code: code)))
        }
    }

    private func end(_ event: StreamConnection.Event) {
        let handler = state.withLock { $0.handler }
        close()
        handler?(event)
    }
}
