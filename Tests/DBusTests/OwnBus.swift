import Basics
import DBus
import Glibc
import TestBus
import Testing

/// A `MessageBus` for a test, at a socket in its own folder.
final class OwnBus: TestedBus {
    let bus: MessageBus
    let socket: String
    private let folder: String

    var address: BusAddress { .at("unix:path=\(socket)") }

    init(on loop: EventLoop) throws {
        var name = "/tmp/lubdub-bus-XXXXXX".utf8CString
        let isMade = unsafe name.withUnsafeMutableBufferPointer { name in
            unsafe name.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
        }
        guard isMade else { throw StreamFailure() }
        folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        socket = "\(folder)/bus"
        bus = try MessageBus(at: .at("unix:path=\(socket)"), on: loop)
    }

    deinit { unsafe rmdir(folder) }

    /// Runs a test with a bus on its own loop, for at most 30 s.
    static func run(_ body: @escaping @Sendable (OwnBus, EventLoop) async throws -> Void) throws {
        let loop = EventLoop(pace: .real())
        let own = try OwnBus(on: loop)
        try loop.run {
            try await loop.withTimeout(.seconds(30)) { try await body(own, loop) }
            await own.bus.close()
        }
        #expect(unsafe access(own.socket, F_OK) != 0, "the socket is still there")
    }
}

/// Runs a test with dbus-daemon, and then with a `MessageBus`.
func onBothBuses(_ body: @escaping @Sendable (any TestedBus, EventLoop) async throws -> Void) throws {
    try onBus(body)
    try OwnBus.run(body)
}
