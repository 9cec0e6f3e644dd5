import Basics
import CMicrohttpd
import Glibc

/// libmicrohttpd's server.
///
/// It has no threads: it calls back, and does anything at all, only in `run` and in its deinitialization.
@safe final class Daemon {
    private let raw: OpaquePointer
    private let context: Context

    /// Serves at a listening socket, whose ownership it takes; nil if the system has no descriptors left.
    init?(_ library: Library, listening descriptor: CInt, _ limits: HTTPLimits, answer: @escaping HTTPServer.Handler) {
        context = Context(library, limits, answer: answer)
        let callbacks = unsafe ServerCallbacks(
            connection: notePlace, target: beginRequest, answer: handleRequest, completed: forgetRequest)
        let started = unsafe startDaemon(
            descriptor, UInt32(limits.connections), limits.octetsPerConnection, callbacks,
            Unmanaged.passUnretained(context).toOpaque())
        guard let started = unsafe started else { return nil }
        unsafe raw = started
    }

    deinit {
        for stream in context.streams { stream.end() }
        unsafe context.library.functions.stop_daemon(raw)
    }

    /// The descriptor that is readable when `run` has something to do.
    var descriptor: CInt { unsafe descriptorOf(raw) }

    /// In how many milliseconds `run` has something to do, whatever the descriptor says; nil: only the descriptor decides.
    var timeout: Int64? {
        var milliseconds: CUnsignedLongLong = 0
        let isKnown = unsafe context.library.functions.get_timeout(raw, &milliseconds) == .YES
        return isKnown ? Int64(clamping: milliseconds) : nil
    }

    /// Accepts, reads, answers and writes as much as possible without blocking, and ends the connections whose time is over.
    func run(at now: Instant, pace: Double) {
        context.now = now
        for place in context.places where place.time.isOver(at: now, context.limits, pace: pace) { place.end() }
        _ = unsafe context.library.functions.run(raw)
    }

    /// The open streams.
    var streams: [OpenStream] { context.streams }
}

/// Called when a connection begins, and when it has ended.
private let notePlace: MHD_NotifyConnectionCallback = { context, connection, kept, event in
    guard let context = unsafe context, let connection = unsafe connection, let kept = unsafe kept else { return }
    let shared = unsafe Context.of(context)
    guard event == .CONNECTION_NOTIFY_STARTED else {
        if let pointer = unsafe kept.pointee {
            let place = unsafe Unmanaged<Place>.fromOpaque(pointer).takeRetainedValue()
            shared.places.removeAll { $0 === place }
        }
        unsafe kept.pointee = nil
        return
    }
    let place = Place(of: unsafe socketOf(connection), at: shared.now)
    shared.places.append(place)
    unsafe kept.pointee = Unmanaged.passRetained(place).toOpaque()
}

/// Called when the first line of a request has arrived.
private let beginRequest: TargetCallback = { _, target, _ in
    let count = unsafe target.map { unsafe strlen($0) } ?? 0
    return unsafe Unmanaged.passRetained(Incoming(targetCount: count)).toOpaque()
}

/// Called when the header of a request has arrived, for each part of its body, and when it is complete.
private let handleRequest: MHD_AccessHandlerCallback = { context, raw, target, method, version, part, size, place in
    guard let context = unsafe context, let raw = unsafe raw, let target = unsafe target, let method = unsafe method,
        let version = unsafe version, let size = unsafe size, let known = unsafe place?.pointee
    else { return .NO }
    let connection = unsafe Connection(raw: raw, context: Context.of(context))
    let incoming = unsafe Unmanaged<Incoming>.fromOpaque(known).takeUnretainedValue()
    guard let request = incoming.request else {
        return unsafe connection.begin(
            incoming, String(cString: method), String(cString: target), String(cString: version))
    }
    guard unsafe size.pointee == 0 else {
        let octets = unsafe UnsafeRawBufferPointer(start: part, count: size.pointee)
        unsafe size.pointee = 0
        let fits = unsafe incoming.add(octets, upTo: connection.context.limits.body)
        return fits ? .YES : .NO  // closes the connection
    }
    let response = connection.context.answer(request, connection.context.streams.count)
    return connection.send(response, for: incoming)
}

/// Called when a request is over, however it ended.
private let forgetRequest: MHD_RequestCompletedCallback = { context, connection, place, _ in
    guard let context = unsafe context, let known = unsafe place?.pointee else { return }
    let shared = unsafe Context.of(context)
    let incoming = unsafe Unmanaged<Incoming>.fromOpaque(known).takeRetainedValue()
    unsafe place?.pointee = nil
    if let stream = incoming.stream { shared.streams.removeAll { $0 === stream } }
    if let connection = unsafe connection {
        unsafe Connection(raw: connection, context: shared).place?.time.answered(at: shared.now)
    }
}
