import Basics
import Glibc
import Sockets
import Synchronization
import Testing

/// Both ends of streams over the loopback, and what happened at each, in words.
private final class StreamHarness: Sendable {
    struct State {
        var connections: [StreamConnection] = []
        var received: [[UInt8]] = [[], []]
        var happened: [[String]] = [[], []]
    }

    let loop = EventLoop(pace: .real())
    let state = Mutex(State())
    static let client = 0
    static let server = 1

    func happened(_ side: Int) -> [String] { state.withLock { $0.happened[side] } }
    func received(_ side: Int) -> [UInt8] { state.withLock { $0.received[side] } }

    func keep(_ connection: StreamConnection, as side: Int) {
        state.withLock { $0.connections.append(connection) }
        connection.start { event in
            self.state.withLock { state in
                switch event {
                case .received(let octets): state.received[side] += octets
                case .opened: state.happened[side].append("opened")
                case .ended: state.happened[side].append("ended")
                case .failed(let failure): state.happened[side].append("\(failure)")
                }
            }
        }
    }

    func listen(at address: StreamAddress) throws -> StreamListener {
        try StreamListener(at: address, on: loop) { self.keep($0, as: Self.server) }
    }

    func connect(to address: StreamAddress, sendLimit: Int = StreamConnection.defaultLimit) throws -> StreamConnection {
        let connection = try StreamConnection(to: address, on: loop, sendLimit: sendLimit)
        keep(connection, as: Self.client)
        return connection
    }

    /// Waits until `condition` holds, for 10 s at most.
    func until(_ condition: @escaping @Sendable () -> Bool) async throws {
        let loop = loop
        try await loop.withTimeout(.seconds(10)) {
            while !condition() { try await loop.sleep(for: .milliseconds(1)) }
        }
    }

    func closeAll() { for connection in state.withLock({ $0.connections }) { connection.close() } }
}

@Suite struct StreamTests {
    private let harness = StreamHarness()

    private static func path(_ name: String) -> String { "/tmp/lubdub-\(getpid())-\(name)" }
    private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    @Test(arguments: [
        StreamAddress.tcp(host: "127.0.0.1", port: 0), .tcp(host: "localhost", port: 0),
        .unix(path: path("both-ways")),
    ])
    func `Octets arrive in order in both directions, followed by the end`(address: StreamAddress) throws {
        let harness = harness
        try harness.loop.run {
            let listener = try harness.listen(at: address)
            if case .tcp(_, let port) = listener.address { #expect(port != 0) }
            let client = try harness.connect(to: listener.address)
            client.send([1, 2, 3])  // before it is open
            try await harness.until { harness.received(StreamHarness.server).count == 3 }
            let server = try #require(harness.state.withLock { $0.connections.last })
            let long = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            server.send(long)
            client.send([4])
            try await harness.until { harness.received(StreamHarness.client).count == long.count }
            #expect(harness.received(StreamHarness.client) == long)
            try await harness.until { harness.received(StreamHarness.server) == [1, 2, 3, 4] }
            client.close()
            try await harness.until { harness.happened(StreamHarness.server) == ["opened", "ended"] }
            #expect(harness.happened(StreamHarness.client) == ["opened"])
            listener.close()
            harness.closeAll()
        }
    }

    @Test func `Sending to a closed stream fails without a signal`() throws {
        let harness = harness
        try harness.loop.run {
            let listener = try harness.listen(at: .tcp(host: "127.0.0.1", port: 0))
            let client = try harness.connect(to: listener.address)
            try await harness.until { harness.happened(StreamHarness.server) == ["opened"] }
            client.pause()  // does not see the end
            try #require(harness.state.withLock { $0.connections.last }).close()
            try await harness.until {
                client.send([0])
                return harness.happened(StreamHarness.client).count == 2
            }
            #expect(harness.happened(StreamHarness.client).last?.hasPrefix("connection broken: ") == true)
        }
    }

    @Test func `A peer that never reads is disconnected`() throws {
        let harness = harness
        try harness.loop.run {
            let listener = try harness.listen(at: .unix(path: Self.path("flood")))
            let client = try harness.connect(to: listener.address, sendLimit: 10_000)
            try await harness.until { harness.happened(StreamHarness.server) == ["opened"] }
            try #require(harness.state.withLock { $0.connections.last }).pause()
            try await harness.until {
                client.send([UInt8](repeating: 0, count: 9_000))
                return harness.happened(StreamHarness.client).count == 2
            }
            #expect(
                harness.happened(StreamHarness.client).last
                    == "the other side does not read: more than 10000 octets are waiting to be sent")
            #expect(client.queued == 0)
            harness.closeAll()
        }
    }

    @Test func `Octets sent in one turn to a peer that never reads do not pile up`() throws {
        let harness = harness
        try harness.loop.run {
            let listener = try harness.listen(at: .unix(path: Self.path("pile")))
            let client = try harness.connect(to: listener.address, sendLimit: 10_000)
            try await harness.until { harness.happened(StreamHarness.server) == ["opened"] }
            try #require(harness.state.withLock { $0.connections.last }).pause()
            for _ in 0..<1000 { client.send([UInt8](repeating: 0, count: 9_000)) }
            #expect((10_001...19_000).contains(client.queued))
            try await harness.until { harness.happened(StreamHarness.client).count == 2 }
            #expect(client.queued == 0)
            harness.closeAll()
        }
    }

    @Test func `A paused connection receives everything after it resumes`() throws {
        let harness = harness
        try harness.loop.run {
            let listener = try harness.listen(at: .tcp(host: "127.0.0.1", port: 0))
            let client = try harness.connect(to: listener.address)
            try await harness.until { harness.happened(StreamHarness.server) == ["opened"] }
            let server = try #require(harness.state.withLock { $0.connections.last })
            server.pause()
            client.send([7])
            try await harness.loop.sleep(for: .milliseconds(20))
            #expect(harness.received(StreamHarness.server).isEmpty)
            server.resume()
            try await harness.until { harness.received(StreamHarness.server) == [7] }
            harness.closeAll()
        }
    }

    @Test func `Connecting to a port without a listener fails`() throws {
        let harness = harness
        try harness.loop.run {
            let listener = try harness.listen(at: .tcp(host: "127.0.0.1", port: 0))
            let address = listener.address
            listener.close()
            _ = try harness.connect(to: address)
            try await harness.until { harness.happened(StreamHarness.client).count == 1 }
            #expect(
                harness.happened(StreamHarness.client)
                    == ["cannot connect to \(address): Connection refused (is a program listening there?)"])
        }
    }

    @Test func `The failure for a port in use includes the fix`() throws {
        let listener = try harness.listen(at: .tcp(host: "127.0.0.1", port: 0))
        let error = #expect(throws: SocketFailure.self) { _ = try harness.listen(at: listener.address) }
        #expect(
            error?.description == "cannot listen at \(listener.address): Address already in use "
                + "(use another port, or 0 for any free port)")
        listener.close()
        let next = try harness.listen(at: listener.address)
        next.close()
    }

    @Test func `A socket file is removed on close, replaced if stale, and kept if in use`() throws {
        let path = Self.path("stale")
        let address = StreamAddress.unix(path: path)
        let listener = try harness.listen(at: address)
        #expect(Self.exists(path))
        let error = #expect(throws: SocketFailure.self) { _ = try harness.listen(at: address) }
        #expect(error == .cannotListen(address, code: EADDRINUSE))
        #expect(unsafe rename(path, path + ".kept") == 0)
        listener.close()  // finds no file of its own, and leaves a stale one under the other name
        #expect(Self.exists(path + ".kept"))
        let heir = try harness.listen(at: .unix(path: path + ".kept"))
        heir.close()
        #expect(!Self.exists(path + ".kept"))
    }

    @Test func `A socket for its owner only has that mode, whatever the umask is`() throws {
        let before = umask(0)
        defer { umask(before) }
        for (isForOwnerOnly, mode) in [(true, 0o600), (false, 0o777)] as [(Bool, UInt32)] {
            let path = Self.path("mode")
            let listener = try StreamListener(
                at: .unix(path: path), on: harness.loop, forOwnerOnly: isForOwnerOnly, whenConnected: { _ in })
            var status = stat()
            #expect(unsafe lstat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == mode)
            listener.close()
        }
    }

    @Test func `A file that is not a socket is kept`() throws {
        let path = Self.path("file")
        let descriptor = unsafe creat(path, 0o600)
        #expect(close(descriptor) == 0)
        let error = #expect(throws: SocketFailure.self) { _ = try harness.listen(at: .unix(path: path)) }
        #expect(error == .notASocket(.unix(path: path)))
        #expect(unsafe unlink(path) == 0)
    }

    @Test func `A host that cannot be resolved is a failure`() {
        let address = StreamAddress.tcp(host: "no host", port: 1)
        let error = #expect(throws: SocketFailure.self) { _ = try harness.listen(at: address) }
        #expect(error?.description.hasPrefix("cannot resolve the host of tcp:no host:1: ") == true)
    }
}
