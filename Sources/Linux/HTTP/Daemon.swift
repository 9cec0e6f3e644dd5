import CMicrohttpd

/// libmicrohttpd's server. All pointers of this module stay in this file.
///
/// It has no threads: it calls back, and does anything at all, only in `run` and in its deinitialization. libmicrohttpd suspends
/// a stream that has nothing to send; then only this class wakes it.
@safe final class Daemon {
    private let raw: OpaquePointer
    private let context: Context

    /// Serves at a listening socket, whose ownership it takes; nil if the system has no descriptors left.
    init?(listening descriptor: CInt, _ limits: HTTPLimits, answer: @escaping (Request, _ streams: Int) -> Response) {
        context = Context(limits, answer: answer)
        let started = unsafe startDaemon(
            descriptor, UInt32(limits.connections), limits.octetsPerConnection, UInt32(limits.secondsWithoutTraffic),
            handleRequest, forgetRequest, Unmanaged.passUnretained(context).toOpaque())
        guard let started = unsafe started else { return nil }
        unsafe raw = started
    }

    deinit {
        for stream in context.streams { stream.end() }
        unsafe MHD_stop_daemon(raw)
    }

    /// The descriptor that is readable when `run` has something to do.
    var descriptor: CInt { unsafe descriptorOf(raw) }

    /// In how many milliseconds `run` has something to do, whatever the descriptor says; nil: only the descriptor decides.
    var timeout: Int64? {
        var milliseconds: CUnsignedLongLong = 0
        return unsafe MHD_get_timeout(raw, &milliseconds) == .YES ? Int64(clamping: milliseconds) : nil
    }

    /// Accepts, reads, answers and writes as much as possible without blocking.
    func run() { _ = unsafe MHD_run(raw) }

    /// The number of open streams.
    var streamCount: Int { context.streams.count }

    /// Sends an event to all streams.
    func send(_ event: [UInt8]) {
        for stream in context.streams { stream.send(event) }
    }
}

/// What the callbacks of a daemon share.
private final class Context {
    let limits: HTTPLimits
    let answer: (Request, _ streams: Int) -> Response
    var streams: [OpenStream] = []

    init(_ limits: HTTPLimits, answer: @escaping (Request, _ streams: Int) -> Response) {
        (self.limits, self.answer) = (limits, answer)
    }
}

/// A request whose body may be incomplete.
private final class Incoming {
    var request: Request
    var stream: OpenStream?

    init(_ request: Request) { self.request = request }
}

/// A response that goes on.
@safe private final class OpenStream {
    private let connection: OpaquePointer
    private var queue: StreamQueue
    private var isSuspended = false
    private var isOver = false

    init(on connection: OpaquePointer, _ queue: StreamQueue) {
        unsafe self.connection = connection
        self.queue = queue
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
        unsafe MHD_resume_connection(connection)
    }

    /// Writes the next octets to `target`, and suspends the connection if there are none.
    func write(to target: UnsafeMutableRawBufferPointer) -> Int {
        let octets = queue.take(target.count)
        guard octets.isEmpty else {
            unsafe target.copyBytes(from: octets)
            return octets.count
        }
        guard !isOver else { return -1 }  // MHD_CONTENT_READER_END_OF_STREAM
        isSuspended = true
        unsafe MHD_suspend_connection(connection)
        return 0
    }
}

/// Called when the header of a request has arrived, for each part of its body, and when it is complete.
private let handleRequest: MHD_AccessHandlerCallback = { context, connection, path, method, _, part, size, place in
    guard let context = unsafe context, let connection = unsafe connection, let path = unsafe path,
        let method = unsafe method, let size = unsafe size, let place = unsafe place
    else { return .NO }
    let shared = unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
    guard let known = unsafe place.pointee else {
        let request = unsafe Request(String(cString: method), String(cString: path), fields(of: connection))
        unsafe place.pointee = Unmanaged.passRetained(Incoming(request)).toOpaque()
        return .YES
    }
    let incoming = unsafe Unmanaged<Incoming>.fromOpaque(known).takeUnretainedValue()
    let count = unsafe size.pointee
    guard count == 0 else {
        guard let part = unsafe part, incoming.request.body.count + count <= shared.limits.body else {
            return .NO  // closes the connection
        }
        unsafe incoming.request.body += UnsafeRawBufferPointer(start: part, count: count)
        unsafe size.pointee = 0
        return .YES
    }
    let response = shared.answer(incoming.request, shared.streams.count)
    switch response.content {
    case .octets(let octets):
        return unsafe queue(
            octets.withUnsafeBytes { octets in
                unsafe MHD_create_response_from_buffer(
                    octets.count, UnsafeMutableRawPointer(mutating: octets.baseAddress), .RESPMEM_MUST_COPY)
            }, response, on: connection)
    case .stream(let first):
        let events = StreamQueue(limit: shared.limits.waitingPerStream, first: first)
        let stream = unsafe OpenStream(on: connection, events)
        let created = unsafe MHD_create_response_from_callback(
            .max, 1 << 12, readStream, Unmanaged.passRetained(stream).toOpaque(), releaseStream)
        if unsafe created == nil { unsafe Unmanaged.passUnretained(stream).release() }
        let result = unsafe queue(created, response, on: connection)
        if result == .YES {
            incoming.stream = stream
            shared.streams.append(stream)
        }
        return result
    }
}

/// Called when a request is over, however it ended.
private let forgetRequest: MHD_RequestCompletedCallback = { context, _, place, _ in
    guard let context = unsafe context, let known = unsafe place?.pointee else { return }
    let shared = unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
    let incoming = unsafe Unmanaged<Incoming>.fromOpaque(known).takeRetainedValue()
    unsafe place?.pointee = nil
    if let stream = incoming.stream { shared.streams.removeAll { $0 === stream } }
}

private let readStream: MHD_ContentReaderCallback = { stream, _, target, room in
    guard let stream = unsafe stream, let target = unsafe target else { return -1 }
    return unsafe Unmanaged<OpenStream>.fromOpaque(stream).takeUnretainedValue()
        .write(to: UnsafeMutableRawBufferPointer(start: target, count: room))
}

private let releaseStream: MHD_ContentReaderFreeCallback = { stream in
    if let stream = unsafe stream { unsafe Unmanaged<OpenStream>.fromOpaque(stream).release() }
}

/// The header fields of a request.
private func fields(of connection: OpaquePointer) -> [Request.Field] {
    var fields: [Request.Field] = []
    unsafe withUnsafeMutablePointer(to: &fields) { list in
        _ = unsafe MHD_get_connection_values(
            connection, .HEADER_KIND,
            { list, _, name, value in
                if let list = unsafe list, let name = unsafe name {
                    let field = unsafe Request.Field(
                        String(cString: name), value.map { unsafe String(cString: $0) } ?? "")
                    unsafe list.assumingMemoryBound(to: [Request.Field].self).pointee.append(field)
                }
                return .YES
            }, list)
    }
    return fields
}

/// Queues a response with the header fields of another; without one, or without memory, the connection is closed.
private func queue(_ raw: OpaquePointer?, _ response: Response, on connection: OpaquePointer) -> MHD_Result {
    guard let raw = unsafe raw else { return .NO }
    defer { unsafe MHD_destroy_response(raw) }
    for field in response.fields { _ = unsafe MHD_add_response_header(raw, field.name, field.value) }
    return unsafe MHD_queue_response(connection, response.status, raw)
}
