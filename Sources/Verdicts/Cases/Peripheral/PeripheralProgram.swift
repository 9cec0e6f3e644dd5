package import Basics
import Glibc

/// A program whose peripheral is examined. It runs as a client under test does: until `end`, which ends all that it has started.
package actor PeripheralProgram: LoopActor {
    package nonisolated let loop: EventLoop
    private var process: ClientProcess
    private var errors = ClientErrors()
    private var output: EventLoop.Watch?
    private var errorOutput: EventLoop.Watch?
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    /// Starts a command line, which has these variables.
    package init(
        _ command: String, _ variables: [(name: String, value: String)], on loop: EventLoop
    ) throws(Obstacle) {
        self.loop = loop
        process = try ClientProcess(command, variables + [("PYTHONUNBUFFERED", "1")])
    }

    /// Reads what it writes, so that it does not wait; only its standard error is kept.
    package func start() {
        output = process.watch(on: loop) { [weak self] in self?.assumeIsolated { $0.readOutput() } }
        errorOutput = process.watchErrors(on: loop) { [weak self] in self?.assumeIsolated { $0.readErrors() } }
    }

    /// Its last lines on standard error.
    package var lastErrors: [String] { errors.lines }

    /// How it has ended; nil while it runs.
    package var exit: String? {
        process.poll()
        guard let exit = process.loss ?? process.status.map(ClientRecord.words) else { return nil }
        readErrors()
        return exit + (errors.last.map { ": \($0)" } ?? "")
    }

    private func readOutput() {
        guard process.read(into: &buffer) == nil, let watch = output.take() else { return }
        loop.cancel(watch)
    }

    private func readErrors() {
        if let octets = process.readErrors(into: &buffer) {
            _ = errors.take(octets)
        } else if let watch = errorOutput.take() {
            loop.cancel(watch)
            _ = errors.finish()
        }
    }

    /// Ends its process group with SIGTERM, and after two seconds all of its processes with SIGKILL.
    package func end() async {
        process.send(SIGTERM)
        let limit = loop.now.advanced(by: .seconds(2))
        process.poll()
        while !process.isGone, loop.now < limit { await pause() }
        process.endAll()
        let last = loop.now.advanced(by: .seconds(2))  // a process that hangs in the kernel does not end
        while !process.hasEnded, loop.now < last { await pause() }
        for watch in [output.take(), errorOutput.take()] { if let watch { loop.cancel(watch) } }
        process.close()
    }

    private func pause() async {
        try? await loop.sleep(until: loop.now.advanced(by: .milliseconds(2)))
        process.poll()
    }
}
