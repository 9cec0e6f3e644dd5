import Basics
import CMicrohttpd

/// What the callbacks of a daemon share.
final class Context {
    let library: Library
    let limits: HTTPLimits
    let answer: HTTPServer.Handler
    var now = Instant.start
    var places: [Place] = []
    var streams: [OpenStream] = []

    init(_ library: Library, _ limits: HTTPLimits, answer: @escaping HTTPServer.Handler) {
        (self.library, self.limits, self.answer) = (library, limits, answer)
    }

    static func of(_ pointer: UnsafeMutableRawPointer) -> Context {
        unsafe Unmanaged<Context>.fromOpaque(pointer).takeUnretainedValue()
    }
}

/// A connection of a daemon.
@safe struct Connection {
    let raw: OpaquePointer
    let context: Context

    var place: Place? {
        unsafe contextOf(raw).map { unsafe Unmanaged<Place>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The names and values of a kind.
    func values(_ kind: MHD_ValueKind) -> [(name: String, value: String?)] {
        var values: [(name: String, value: String?)] = []
        unsafe withUnsafeMutablePointer(to: &values) { list in
            _ = unsafe context.library.functions.get_connection_values(
                raw, kind,
                { list, _, name, value in
                    if let list = unsafe list, let name = unsafe name {
                        let list = unsafe list.assumingMemoryBound(to: [(name: String, value: String?)].self)
                        unsafe list.pointee.append(
                            (String(cString: name), value.map { unsafe String(cString: $0) }))
                    }
                    return .YES
                }, list)
        }
        return values
    }

    /// The header has arrived.
    func begin(_ incoming: Incoming, _ method: String, _ target: String, _ version: String) -> MHD_Result {
        do throws(Refusal) {
            let fields = values(.HEADER_KIND).map { Request.Field($0.name, $0.value ?? "") }
            try incoming.checkLength(unsafe headSizeOf(raw), method, version, fields)
            let parameters = values(.GET_ARGUMENT_KIND).compactMap { parameter in
                parameter.value.map { Request.Parameter(parameter.name, $0) }
            }
            let request = try Request(method, target: target, fields, parameters)
            try incoming.begin(request, bodyUpTo: context.limits.body)
            return .YES
        } catch {
            return send(Response(error), for: incoming)
        }
    }

    /// Sends a response; without memory for it, the connection is closed.
    func send(_ response: Response, for incoming: Incoming) -> MHD_Result {
        switch response.content {
        case .octets(let octets):
            return unsafe queue(
                octets.withUnsafeBytes { octets in
                    unsafe context.library.functions.create_response_from_buffer(
                        octets.count, UnsafeMutableRawPointer(mutating: octets.baseAddress), .RESPMEM_MUST_COPY)
                }, response)
        case .stream(let first, let channel):
            guard let place else { return .NO }
            let events = StreamQueue(limit: context.limits.waitingPerStream, first: first)
            let stream = unsafe OpenStream(context, on: raw, at: place, events, channel: channel)
            let created = unsafe context.library.functions.create_response_from_callback(
                .max, 1 << 12, readStream, Unmanaged.passRetained(stream).toOpaque(), releaseStream)
            guard let created = unsafe created else {
                unsafe Unmanaged.passUnretained(stream).release()
                return .NO
            }
            unsafe endWithConnection(created)
            let result = unsafe queue(created, response)
            if result == .YES {
                incoming.stream = stream
                context.streams.append(stream)
            }
            return result
        }
    }

    /// Queues a response with the header fields of another. While others wait for a place, nobody keeps one by sending
    /// request after request.
    private func queue(_ created: OpaquePointer?, _ response: Response) -> MHD_Result {
        guard let created = unsafe created else { return .NO }
        let functions = context.library.functions
        defer { unsafe functions.destroy_response(created) }
        for field in response.fields { _ = unsafe functions.add_response_header(created, field.name, field.value) }
        if context.places.count >= context.limits.connections {
            _ = unsafe functions.add_response_header(created, "Connection", "close")
        }
        return unsafe functions.queue_response(raw, response.status, created)
    }
}

private let readStream: MHD_ContentReaderCallback = { stream, _, target, room in
    guard let stream = unsafe stream, let target = unsafe target else { return -1 }
    return unsafe Unmanaged<OpenStream>.fromOpaque(stream).takeUnretainedValue()
        .write(to: UnsafeMutableRawBufferPointer(start: target, count: room))
}

private let releaseStream: MHD_ContentReaderFreeCallback = { stream in
    if let stream = unsafe stream { unsafe Unmanaged<OpenStream>.fromOpaque(stream).release() }
}
