import CMicrohttpd

/// A response that goes on.
///
/// libmicrohttpd suspends a stream that has nothing to send; only this class wakes it.
@safe final class OpenStream {
    let channel: Int
    private let context: Context
    private let connection: OpaquePointer
    private let place: Place
    private var queue: StreamQueue
    private var isSuspended = false
    private var isOver = false

    init(_ context: Context, on connection: OpaquePointer, at place: Place, _ queue: StreamQueue, channel: Int) {
        unsafe self.connection = connection
        (self.context, self.place, self.queue, self.channel) = (context, place, queue, channel)
    }

    func send(_ event: [UInt8]) {
        queue.add(event)
        resume()
    }

    func end() {
        isOver = true
        resume()
    }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        unsafe context.library.functions.resume_connection(connection)
    }

    /// Writes the next octets to `target`, and suspends the connection if there are none. The reader has taken those before.
    func write(to target: UnsafeMutableRawBufferPointer) -> Int {
        let octets = queue.take(target.count)
        place.time.streamed(isMore: !octets.isEmpty, at: context.now)
        guard octets.isEmpty else {
            unsafe target.copyBytes(from: octets)
            return octets.count
        }
        guard !isOver else { return -1 }  // MHD_CONTENT_READER_END_OF_STREAM
        isSuspended = true
        unsafe context.library.functions.suspend_connection(connection)
        return 0
    }
}
