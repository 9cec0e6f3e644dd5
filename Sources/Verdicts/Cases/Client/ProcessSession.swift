import Basics
import Drivers
import Glibc
import Linux
import ScenarioModel
import VirtualWorld

/// The process of a client under test, and its world: its lines and its exit become events of the world.
actor ProcessSession: ClientSession {
    /// The maximum time until its host sends HCI Reset.
    static let patience = Duration.seconds(10)
    private static let beat = Duration.milliseconds(20)
    private static let chunk = 16 << 10
    private static let maximumChunks = 64  // the default limit of a pipe

    nonisolated let loop: EventLoop
    private let live: LiveWorld
    private let socket: ClientOutputSocket?
    private let system: PlayedSystem.Running?
    private let programs: ProgramHistories?
    private let completion: RunCompletion
    private let report: @Sendable (Instant, ClientLine) -> Void
    private let reportErrors: @Sendable (_ lines: [String], _ octets: ArraySlice<UInt8>) -> Void
    private let started: Instant
    private var client: ClientProcess
    private var output: ClientOutput
    private var buffer = [UInt8](repeating: 0, count: chunk)
    private var watch: EventLoop.Watch?
    private var errorWatch: EventLoop.Watch?
    private var isOver = false
    private var record = ClientRecord()

    init(
        _ client: ClientProcess, _ live: LiveWorld, _ socket: ClientOutputSocket?,
        _ system: (running: PlayedSystem.Running, programs: ProgramHistories)?, _ completion: RunCompletion,
        _ patterns: [LinePattern],
        report: @escaping @Sendable (Instant, ClientLine) -> Void,
        reportErrors: @escaping @Sendable (_ lines: [String], _ octets: ArraySlice<UInt8>) -> Void
    ) {
        (self.client, self.live, self.socket) = (client, live, socket)
        output = ClientOutput(patterns)
        (self.system, programs) = (system?.running, system?.programs)
        record.usesSystem = system != nil
        (self.completion, self.report, self.reportErrors) = (completion, report, reportErrors)
        loop = live.loop
        started = live.loop.now
    }

    func start() {
        watch = client.watch(on: loop) { [weak self] in self?.assumeIsolated { $0.read() } }
        errorWatch = client.watchErrors(on: loop) { [weak self] in self?.assumeIsolated { _ = $0.readErrors() } }
        socket?.assumeIsolated { socket in
            socket.listen { [weak self] lines in self?.assumeIsolated { $0.received(lines) } }
        }
        poll()
    }

    /// Ends the process and all that it has started: its group with SIGTERM and, after 2 s or at the next signal, all
    /// with SIGKILL.
    func end(_ signals: Signals) async -> ClientRecord {
        isOver = true
        record.program = programs?.history
        record.hasPlayed = await live.isPlaying
        record.textLeftOut = output.leftOut
        client.send(SIGTERM)
        client.time?.hurry()
        loop.leaveClock()
        let limit = loop.now.advanced(by: .seconds(2))
        client.poll()
        while !client.isGone, loop.now < limit, signals.take() == nil { await pause() }
        client.endAll()
        if client.time != nil { client.waitForEnd(milliseconds: 2000) }
        let last = loop.now.advanced(by: .seconds(2))  // a process that hangs in the kernel does not end
        while !client.hasEnded, loop.now < last { await pause() }
        stopReading()
        readRemainingErrors()
        client.close()
        await socket?.close()
        await system?.close()
        return record
    }

    private func pause() async {
        try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(2)))
        client.poll()
    }

    private func stopReading() {
        if let watch { loop.cancel(watch) }
        watch = nil
    }

    // MARK: Output

    /// Reads one chunk of its output, so that endless output does not block other work.
    private func read() {
        guard let octets = client.read(into: &buffer) else {
            stopReading()
            if let line = output.finish() { received([line]) }
            return
        }
        guard !isOver else { return }
        received(output.take(octets))
    }

    /// Reads a chunk of its standard error; false if there is none now.
    private func readErrors() -> Bool {
        guard let octets = client.readErrors(into: &buffer) else {
            stopReadingErrors()
            if let line = record.errors.finish() { reportErrors([line], []) }
            return false
        }
        guard !octets.isEmpty else { return false }
        let lines = record.errors.take(octets)
        reportErrors(lines, record.errors.saving(octets))
        return true
    }

    private func readRemainingErrors() {
        for _ in 0..<Self.maximumChunks {
            guard errorWatch != nil, readErrors() else { break }
        }
        stopReadingErrors()
        if let line = record.errors.finish() { reportErrors([line], []) }
    }

    private func stopReadingErrors() {
        if let errorWatch { loop.cancel(errorWatch) }
        errorWatch = nil
    }

    private func received(_ lines: [ClientLine]) {
        guard !isOver, !lines.isEmpty else { return }
        record.lines += lines.count
        record.measurements += lines.count(where: \.isMeasurement)
        let now = live.assumeIsolated { live in
            live.visit { world, now in
                for line in lines { world.clientReported(line) }
                return now
            }
        }
        for line in lines {
            record.printed.take(line, at: now)
            report(now, line)
        }
    }

    // MARK: Exit

    /// Checks periodically whether the process still runs.
    private func poll() {
        guard !isOver else { return }
        client.poll()
        record.loss = client.loss
        guard record.loss == nil else { return completion.finish(.time) }
        record.stranger = client.time?.stranger
        if let why = record.stranger { return completion.finish(.failure(why)) }
        if let neighbour = client.time?.neighbour { record.neighbour = record.neighbour ?? neighbour }
        if let status = client.status, record.exit == nil { exited(status) }
        let (isPlaying, hasGuests) = live.assumeIsolated { ($0.isPlaying, $0.hasGuests) }
        (record.hasConnected, record.hostProblem) = live.assumeIsolated { ($0.hasHadGuests, $0.guestProblem) }
        let hasSenders = socket?.assumeIsolated { $0.hasSenders } ?? false
        let isSilent = client.isGone && watch == nil && !hasGuests && !hasSenders
        record.isGone = isSilent
        guard isPlaying ? record.exit?.isFailure != true : !isSilent && loop.now < started.advanced(by: Self.patience)
        else {
            if !isPlaying, client.time == nil { record.waited = client.waited }
            return completion.finish(.time)
        }
        // No external host or client is left: time can pass at once.
        if isPlaying, isSilent { live.assumeIsolated { $0.skip(.seconds(1)) } }
        loop.call(at: isPlaying && isSilent ? loop.now : loop.now.advanced(by: Self.beat)) { [weak self] in
            self?.assumeIsolated { $0.poll() }
        }
    }

    private func exited(_ status: UInt8) {
        // Its last lines come before its exit.
        for _ in 0..<Self.maximumChunks {
            guard watch != nil, let octets = client.read(into: &buffer), !octets.isEmpty else { break }
            received(output.take(octets))
        }
        if let line = output.finish() { received([line]) }
        let now = live.assumeIsolated { live in
            live.visit { world, now in
                world.clientExited(status)
                return now
            }
        }
        record.exit = ClientRecord.Exit(status: status, at: now)
    }
}
