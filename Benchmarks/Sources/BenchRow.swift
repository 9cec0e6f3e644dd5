import Basics
import Cases
import Characteristics
import Clients
import CommandSupport
import Devices
import Linux
import ScenarioModel
import Services
import Synchronization
import VirtualWorld

/// A benchmark: a kind of work, and how to measure it.
struct BenchRow {
    /// Its name on the command line.
    let word: String
    let name: String
    /// The same work in another program, if there is one.
    private(set) var twin: Twin?
    /// With Bumble, or nil.  Returns nil if the row needs Bumble.
    let measure: (Bumble?) throws(Obstacle) -> Figures?

    private init(
        word: String, name: String, twin: String? = nil, measure: @escaping () throws(Obstacle) -> Figures
    ) {
        (self.word, self.name) = (word, name)
        self.twin = twin.map(Twin.bumble)
        self.measure = { _ throws(Obstacle) in try measure() }
    }

    private init(
        word: String, name: String, withBumble measure: @escaping (Bumble) throws(Obstacle) -> Figures
    ) {
        (self.word, self.name) = (word, name)
        self.measure = { bumble throws(Obstacle) in
            guard let bumble else { return nil }
            return try measure(bumble)
        }
    }

    static var all: [BenchRow] {
        [
            BenchRow(
                word: "notifications", name: "notifications of 20 octets, one link streaming", twin: "notifications"
            ) { () throws(Obstacle) in try streaming(isLogged: false) },
            BenchRow(
                word: "logged", name: "notifications, with --events and --trace", twin: "notifications"
            ) { () throws(Obstacle) in try streaming(isLogged: true) },
            BenchRow(
                word: "client", name: "notifications, reported by the built-in client", measure: reporting),
            BenchRow(
                word: "reads", name: "sequential reads of 20 octets", twin: "reads", measure: reading),
            BenchRow(
                word: "greeting", name: "MTU, discovery, subscription, first notification", twin: "greeting",
                measure: greeting),
            BenchRow(word: "hour", name: "one hour of a resting strap", measure: restingHour),
            BenchRow(word: "day", name: "one day of a resting strap", measure: restingDay),
            BenchRow(
                word: "encryption", name: "one day of an encrypted strap, over one in the clear", measure: encryptedDay),
            BenchRow(word: "pairing", name: "pairings with LE Secure Connections, both devices", measure: pairing),
            BenchRow(word: "ecg", name: "one hour of ECG at 500 Hz", measure: ecgHour),
            BenchRow(word: "lateness", name: "ECG in real time over TCP", measure: LatenessRow.measure),
            BenchRow(word: "idle", name: "one hour of an idle link", measure: idleHour),
            BenchRow(word: "crowd", name: "ten minutes among 1,000 straps", measure: crowd),
            BenchRow(word: "crowd_memory", name: "ten minutes among 1,000 straps: peak memory", measure: crowdMemory),
            BenchRow(word: "suite", name: "the scenarios for clients, judged", measure: suite),
            BenchRow(word: "start", name: "time from start to the first advertisement", measure: StartupRows.time),
            BenchRow(word: "memory", name: "peak memory at the first advertisement", measure: StartupRows.memory),
            system,
            BenchRow(
                word: "system_start", name: "time from start to org.bluez on the bus", measure: SystemRow.start),
            BenchRow(
                word: "recovery", name: "recovery, a Bumble client in virtual time",
                withBumble: VirtualTimeRows.recovery),
            BenchRow(
                word: "recovery_bluez", name: "recovery, a program of BlueZ in virtual time",
                withBumble: VirtualTimeRows.recoveryWithBlueZ),
            BenchRow(
                word: "suites", name: "all suites, a Bumble client in virtual time", withBumble: VirtualTimeRows.suites),
            BenchRow(
                word: "virtual_second", name: "a second of a quiet client in virtual time",
                withBumble: VirtualTimeRows.second),
            BenchRow(word: "check", name: "check of Bumble's strap, in real time") { bumble throws(Obstacle) in
                try CheckRow.measure(bumble)
            },
            BenchRow(word: "check_heart_rate", name: "the same, only HRS/*") { bumble throws(Obstacle) in
                try CheckRow.measure(bumble, ["--only", "HRS/*"])
            },
        ]
    }

    private static var system: BenchRow {
        var row = BenchRow(word: "system", name: "values for a program of BlueZ (compared: BlueZoo)") {
            bumble throws(Obstacle) in
            try SystemRow.measure(bumble)
        }
        row.twin = .blueZoo
        return row
    }

    // MARK: In virtual time

    private static func streaming(isLogged: Bool) throws(Obstacle) -> Figures {
        try streaming(isLogged: isLogged) { run, limit in
            run.clientRun.world.run(until: limit)
            return run.takeNotifications(of: streamedValue.count)
        }
    }

    /// The client decodes each notification and writes its line to the event log, in memory.
    private static func reporting() throws(Obstacle) -> Figures {
        let logged = Mutex(0)
        let journal = EventJournal { chunk in logged.withLock { $0 += chunk.count } }
        let figures = try streaming(isLogged: false, to: journal) { run, limit in
            let before = run.clientRun.measurements
            while run.clientRun.playNext(until: limit, { _, _ in }) {}
            run.clientRun.world.run(until: limit)
            return run.clientRun.measurements - before
        }
        // A value is notified, delivered and said.
        guard logged.withLock({ $0 }) >= 3 * figures.items else { return .none("the event log is not complete") }
        return figures
    }

    /// A valid measurement: 1 octet of flags, 1 of heart rate, and 9 RR-Intervals.
    private static let streamedValue: [UInt8] = [0x10, 200] + (0..<9).flatMap { _ in [0x33, 0x01] as [UInt8] }

    /// As many notifications as fit into the connection events; `receive` plays until an instant, and returns how many the
    /// client has received.
    private static func streaming(
        isLogged: Bool, to journal: EventJournal? = nil, _ receive: (inout LoggedRun, Instant) -> Int
    ) throws(Obstacle) -> Figures {
        let (rounds, burst) = (4000, 30)
        var stage = try LoggedRun(
            strap("\"rr_intervals\": true, \"period\": \"1 day\", \"value\": 200"), isLogged: isLogged)
        if let journal { stage.clientRun.world.journal = journal }
        let measurement = DeviceValue(service: 0, ServiceDescription.heartRate.values[0].id)
        guard stage.clientRun.play(until: { $0 == .state(.subscribed) }) else {
            return .none("the client did not subscribe")
        }
        var received = 0
        func stream(rounds: Int) {
            for _ in 0..<rounds {
                for _ in 0..<burst { stage.clientRun.world.notify(measurement, of: 0, octets: streamedValue) }
                received += receive(&stage, stage.clientRun.now.advanced(by: .milliseconds(30)))
            }
        }
        stream(rounds: 20)  // storage grows
        received = 0
        let meter = Meter()
        stream(rounds: rounds)
        let (spent, allocated) = (meter.spent, meter.allocated)
        let wanted = rounds * burst
        let fault = received == wanted ? nil : "\(received) of \(wanted) notifications arrived"
        try stage.close()
        return Figures(
            value: Double(spent) / 1000 / Double(max(1, received)), unit: "µs of CPU per notification", items: received,
            nanoseconds: spent, allocations: allocated, fault: fault)
    }

    /// From the end of connecting to the first measurement, again and again.
    private static func greeting() throws(Obstacle) -> Figures {
        let wanted = 1000
        var stage = try LoggedRun(
            strap(
                "\"period\": \"100 ms\", \"value\": 62",
                script: #"{"when": {"event": "subscribed", "of": "heart_rate", "after": "350 ms"}, "do": "disconnect"}"#
            ))
        var (count, spent, allocated) = (0, Int64(0), UInt64?.some(0))
        while count < wanted {
            guard stage.clientRun.play(until: { $0 == .state(.connected) }) else { break }
            let meter = Meter()
            guard stage.clientRun.play(until: { if case .heartRate = $0 { true } else { false } }) else { break }
            spent += meter.spent
            allocated = allocated.flatMap { sum in meter.allocated.map { sum + $0 } }
            count += 1
        }
        try stage.close()
        return Figures(
            value: Double(spent) / 1000 / Double(max(1, count)), unit: "µs of CPU per connection", items: count,
            nanoseconds: spent, allocations: allocated,
            fault: count == wanted ? nil : "\(count) of \(wanted) connections reached a measurement")
    }

    /// The heart of `scenarios/resting.json`.
    private static let restingHeart = #"""
        "contact": true, "energy": true, "rr_intervals": true, "location": "chest", "period": "1 s",
        "value": {"curve": "walk", "start": 62, "by": 2, "period": "1 s", "range": [55, 70]}
        """#

    private static func restingHour() throws(Obstacle) -> Figures {
        try hours(1, restingHeart, wanted: 3590...3600)
    }

    private static func restingDay() throws(Obstacle) -> Figures {
        try hours(24, restingHeart, wanted: 86_390...86_400)
    }

    private static func ecgHour() throws(Obstacle) -> Figures {
        var stage = try LoggedRun(
            strap("\"value\": 62, \"rr_intervals\": true", others: #", {"service": "ecg", "rate": "500 Hz"}"#),
            limit: .seconds(3600))
        let meter = Meter()
        var (samples, lost) = (0, 0)
        stage.clientRun.play { _, update in
            guard case .ecg(let tally) = update.content else { return }
            (samples, lost) = (samples + Int(tally.samples), lost + Int(tally.lost))
        }
        let isRight = (1_795_000...1_800_000).contains(samples) && lost == 0
        try stage.close()
        let (spent, allocated) = (meter.spent, meter.allocated)
        return Figures(
            value: Double(spent) / 1e6, unit: "ms of CPU", items: max(1, samples), nanoseconds: spent,
            allocations: allocated, fault: isRight ? nil : "\(samples) samples arrived, and \(lost) were lost")
    }

    private static func idleHour() throws(Obstacle) -> Figures {
        try hours(1, "\"period\": \"1 day\", \"value\": 62", wanted: 0...0)
    }

    private static func hours(
        _ count: Int64, _ heart: String, wanted: ClosedRange<Int>
    ) throws(Obstacle) -> Figures {
        var stage = try LoggedRun(strap(heart), limit: .seconds(count * 3600))
        let meter = Meter()
        stage.clientRun.play { _, _ in }
        let shown = stage.clientRun.measurements
        try stage.close()
        let (spent, allocated) = (meter.spent, meter.allocated)
        return Figures(
            value: Double(spent) / 1e6, unit: "ms of CPU", items: max(1, shown), nanoseconds: spent,
            allocations: allocated,
            fault: wanted.contains(shown) ? nil : "the client reported \(shown) measurements, not \(wanted)")
    }
}
