import Basics
import Cases
import Clients
import CommandSupport
import Drivers
import Glibc
import Linux
import ScenarioModel
import Sockets
import Synchronization

/// How late ECG frames arrive in real time, over TCP from another process, compared with how late a bare timer fires.
enum LatenessRow {
    private static let length = Duration.seconds(12)
    private static let scenario = #"""
        {"lubdub": 1, "name": "Bench", "limit": "1 h", "devices": [{"id": "patch", "name": "Bench",
         "advertise": {"interval": "20 ms", "services": ["6c750200-6264-4562-a000-4c7562647562"]},
         "services": [{"service": "ecg"}]}]}
        """#

    /// Frames of 5 samples, a hundred per second: their arrival here minus their due time there.
    static func measure() throws(Obstacle) -> Figures {
        let directory = try ScratchDirectory()
        let (scenario, events) = (directory.path("scenario.json"), directory.path("events.jsonl"))
        try write(Self.scenario, to: scenario)
        let child = try ChildProcess(
            program,
            ["serve", scenario, "--controller", "tcp:127.0.0.1:0", "--events", events, "--for", "20 s", "--quiet"])
        guard let line = child.line(within: .seconds(10)), line.hasPrefix("controller ") else {
            return .none("serve offered no controller")
        }
        let meter = Meter()
        let arrivals = try receiveFrames(String(line.dropFirst("controller ".count)))
        let spent = meter.spent
        child.interrupt()
        _ = child.wait()
        let due = try deliveries(events)
        let wanted = 900
        guard arrivals.count >= wanted, due.count >= arrivals.count else {
            return .none("\(arrivals.count) of \(due.count) frames arrived; \(wanted) are needed")
        }
        let frames = percentile99(of: zip(arrivals, due).map { $0 - $1 })
        return Figures(
            value: (frames - percentile99(of: bareTimer())) / 1e6, unit: "ms at p99 beyond a timer's",
            items: arrivals.count,
            nanoseconds: spent, allocations: nil, fault: nil)
    }

    /// The arrival times of frames, in nanoseconds.
    private static func receiveFrames(_ text: String) throws(Obstacle) -> [Int64] {
        var settings = SensorCollector.Settings()
        (settings.exchangesMTU, settings.givesSamples, settings.reconnects) = (false, true, false)
        let loop = EventLoop(pace: .real())
        let address = try orFail(.environment) { try StreamAddress(text) }
        return try orFail(.environment) {
            try loop.run { [settings] in
                let arrivals = Mutex([Int64]())
                let completion = RunCompletion()
                let live = try await ClientDriver.start(settings, above: .controller(.stream(address)), on: loop) {
                    update in
                    guard case .ecgFrame = update.content else { return }
                    let now = loop.now.nanoseconds
                    arrivals.withLock { $0.append(now) }
                } fail: {
                    completion.finish(.failure($0))
                }
                let signals = Signals()
                if case .failure(let why) = await completion.wait(signals, on: loop, for: length) {
                    throw Obstacle(.environment, why)
                }
                await live.close(signals)
                return arrivals.withLock { $0 }
            }
        }
    }

    /// How late a thread wakes that sleeps until each hundredth of a second, in nanoseconds.
    private static func bareTimer() -> [Int64] {
        var late: [Int64] = []
        var due = Meter.now(CLOCK_MONOTONIC)
        for _ in 0..<500 {
            due += 10_000_000
            var time = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
            while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
            late.append(Meter.now(CLOCK_MONOTONIC) - due)
        }
        return late
    }

    /// When each frame was due at the client's controller, in nanoseconds since the start.
    private static func deliveries(_ events: String) throws(Obstacle) -> [Int64] {
        guard let octets = contents(of: events) else {
            throw Obstacle(.internalError, "serve wrote no event log")
        }
        return octets.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let record = Datum(json: line),
                record["event"] == .string(EventName.delivered.rawValue), case .number(let seconds)? = record["t"]
            else { return nil }
            return Int64(seconds * 1e9)
        }
    }

    /// The 99th percentile minus the minimum.
    private static func percentile99(of late: [Int64]) -> Double {
        let sorted = late.sorted()
        guard let first = sorted.first else { return 0 }
        return Double(sorted[sorted.count * 99 / 100] - first)
    }
}
