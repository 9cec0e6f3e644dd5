import CommandSupport
import Drivers
import Glibc
import Simulation
import VirtualWorld

/// A client under test in a live world, from its start to its end: what it prints and how it ends become events there.
actor ProcessSession: ClientSession {
    /// How long it has until its host says HCI Reset.
    static let patience = Duration.seconds(10)
    private static let beat = Duration.milliseconds(20)
    private static let portion = 16 << 10
    private static let mostPortions = 64  // what a pipe can hold for who is not root

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private let live: LiveWorld
    private let socket: ClientOutputSocket?
    private let completion: RunCompletion
    private let tell: @Sendable (Instant, ClientLine) -> Void
    private let started: Instant
    private var client: ClientProcess
    private var output = ClientOutput()
    private var buffer = [UInt8](repeating: 0, count: portion)
    private var watch: EventLoop.Watch?
    private var isOver = false
    private var record = ClientRecord()

    /// Around a client that has just been started.
    init(
        _ client: ClientProcess, _ live: LiveWorld, _ socket: ClientOutputSocket?, _ completion: RunCompletion,
        tell: @escaping @Sendable (Instant, ClientLine) -> Void
    ) {
        (self.client, self.live, self.socket) = (client, live, socket)
        (self.completion, self.tell) = (completion, tell)
        loop = live.loop
        started = live.loop.now
    }

    /// Watches it from now on.
    func start() {
        watch = client.watch(on: loop) { self.assumeIsolated { $0.read() } }
        socket?.assumeIsolated { socket in
            socket.listen { lines in self.assumeIsolated { $0.said(lines) } }
        }
        look()
    }

    /// Ends it and all that it has started: asked for, and forced after 2 s or when one more signal comes.
    func end(_ signals: Signals) async -> ClientRecord {
        isOver = true
        record.hasPlayed = await live.isPlaying
        record.textLeftOut = output.leftOut
        client.send(SIGTERM)
        let limit = loop.now.advanced(by: .seconds(2))
        client.look()
        while !client.isGone, loop.now < limit, signals.take() == nil { await pause() }
        client.send(SIGKILL)
        let last = loop.now.advanced(by: .seconds(2))  // what hangs in the kernel is not waited for
        while !client.isGone, loop.now < last { await pause() }
        client.endStrays()
        stopReading()
        client.close()
        await socket?.close()
        return record
    }

    private func pause() async {
        try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(2)))
        client.look()
    }

    private func stopReading() {
        if let watch { loop.cancel(watch) }
        watch = nil
    }

    // MARK: What it says

    /// Takes what it has printed, a portion only, so that one that prints without end does not stop all others.
    private func read() {
        guard let octets = client.read(into: &buffer) else {
            stopReading()
            if let line = output.finish() { said([line]) }
            return
        }
        guard !isOver else { return }
        said(output.take(octets))
    }

    private func said(_ lines: [ClientLine]) {
        guard !isOver, !lines.isEmpty else { return }
        record.lines += lines.count
        record.measurements += lines.count(where: \.isMeasurement)
        let now = live.assumeIsolated { live in
            live.visit { world, now in
                for line in lines { world.clientSaid(line) }
                return now
            }
        }
        for line in lines { tell(now, line) }
    }

    // MARK: How it ends

    /// Looks again and again whether it is still there.
    private func look() {
        guard !isOver else { return }
        client.look()
        if let status = client.status, record.exit == nil { exited(status) }
        let (isPlaying, hasGuests) = live.assumeIsolated { ($0.isPlaying, $0.hasGuests) }
        let hasSpeakers = socket?.assumeIsolated { $0.hasSpeakers } ?? false
        let isSilent = client.isGone && watch == nil && !hasGuests && !hasSpeakers
        guard isPlaying ? record.exit?.isFailure != true : !isSilent && loop.now < started.advanced(by: Self.patience)
        else {
            if !isPlaying { record.waited = client.waited }
            return completion.finish(.time)
        }
        // Nobody is left outside: what is to come can come at once.
        if isPlaying, isSilent { live.assumeIsolated { $0.skip(.seconds(1)) } }
        loop.call(at: isPlaying && isSilent ? loop.now : loop.now.advanced(by: Self.beat)) {
            self.assumeIsolated { $0.look() }
        }
    }

    private func exited(_ status: UInt8) {
        // What it printed before stands before its end.
        for _ in 0..<Self.mostPortions {
            guard watch != nil, let octets = client.read(into: &buffer), !octets.isEmpty else { break }
            said(output.take(octets))
        }
        if let line = output.finish() { said([line]) }
        let now = live.assumeIsolated { live in
            live.visit { world, now in
                world.clientExited(status)
                return now
            }
        }
        record.exit = ClientRecord.Exit(status: status, at: now)
    }
}
