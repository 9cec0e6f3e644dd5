import Basics
import CommandSupport
import Glibc
import Linux

/// A value that reaches a program over `org.bluez`: from a strap at a played bluetoothd, and from one at BlueZoo, which mocks
/// bluetoothd.
enum SystemRow {
    private static let count = 500
    /// Values before the measurement, while caches and storage grow.
    private static let warmUp = 50

    /// One process has the strap of the scenario, bluetoothd and the bus.
    static func measure(_ bumble: Bumble) throws(Obstacle) -> Figures {
        let directory = try ScratchDirectory()
        let (strap, line) = try serve(in: directory, "\"value\": 60, \"period\": \"10 ms\"")
        guard line != nil else { return .none("serve played no system") }
        let spent = try cost(of: [strap], on: directory.path("bus"), adapter: "hci0", bumble)
        strap.interrupt()
        _ = strap.wait()
        guard let spent else { return .none("the values did not arrive") }
        return Figures(
            value: Double(spent) / 1000 / Double(count), unit: "µs of CPU per value", items: count, nanoseconds: spent,
            allocations: nil, fault: nil)
    }

    /// dbus-daemon, BlueZoo and the strap, made of bluez-peripheral, are three processes.
    static func measureBlueZoo(_ bumble: Bumble) throws(Obstacle) -> Bumble.Figures {
        let directory = try ScratchDirectory()
        let path = directory.path("bus")
        let daemon = try ChildProcess(
            "/bin/sh",
            [
                "-c", "exec dbus-daemon --session --nofork --nopidfile --print-address --address=\"$0\" 2>/dev/null",
                "unix:path=\(path)",
            ])
        guard daemon.line(within: .seconds(10)) != nil else { throw obstacle("dbus-daemon did not start") }
        let adapters = ["00:00:00:00:00:01", "00:00:00:00:00:02"].flatMap { ["--adapter", $0] }
        let mock = try bumble.program(
            ["-c", "from bluezoo.bluezoo import main; main()", "-q", "-q", "--scan-interval", "1", "--auto-enable"]
                + adapters, onBus: path)
        let strap = try bumble.program(["-c", script, "strap"], onBus: path)
        guard strap.line(within: .seconds(20)) == "ready" else { throw obstacle("its strap did not start") }
        guard let spent = try cost(of: [daemon, mock, strap], on: path, adapter: "hci1", bumble) else {
            throw obstacle("the values did not arrive")
        }
        return Bumble.Figures(microsecondsPerItem: Double(spent) / 1000 / Double(count))
    }

    private static func obstacle(_ why: String) -> Obstacle {
        Obstacle(.environment, "BlueZoo was not measured: \(why); \"make test\" installs it")
    }

    private static var script: String { String(decoding: PackageResources.bluezoo_py, as: UTF8.self) }

    /// From the start of `serve --system bluez` until programs find `org.bluez`.
    static func start() throws(Obstacle) -> Figures {
        var best: Double?
        for _ in 0..<5 {
            let directory = try ScratchDirectory()
            let meter = Meter()
            let (strap, line) = try serve(in: directory, "\"value\": 60")
            let seconds = Double(meter.elapsed) / 1e9
            strap.interrupt()
            _ = strap.wait()
            guard line != nil else { return .none("serve played no system") }
            best = min(best ?? seconds, seconds)
        }
        return Figures(
            value: (best ?? 0) * 1000, unit: "ms, best of 5", items: 1, nanoseconds: 0, allocations: nil, fault: nil)
    }

    private static func serve(
        in directory: ScratchDirectory, _ heart: String
    ) throws(Obstacle) -> (ChildProcess, line: String?) {
        let scenario = directory.path("scenario.json")
        try write(strap(heart), to: scenario)
        let child = try ChildProcess(
            program, ["serve", scenario, "--system", "bluez:unix:\(directory.path("bus"))", "--for", "60 s", "--quiet"])
        return (child, child.line(within: .seconds(10)))
    }

    /// The CPU time that processes take while a client receives values; nil if they do not arrive.
    private static func cost(
        of processes: [ChildProcess], on path: String, adapter: String, _ bumble: Bumble
    ) throws(Obstacle) -> Int64? {
        let client = try bumble.program(["-c", script, "client", adapter, "\(warmUp)", "\(count)"], onBus: path)
        guard client.line(within: .seconds(40)) != nil else { return nil }
        let before = processes.map(\.spent)
        guard client.line(within: .seconds(40)) != nil else { return nil }
        return zip(processes.map(\.spent), before).reduce(0) { $0 + $1.0 - $1.1 }
    }
}
