import Basics
import Bluetooth
import Cases
import CommandSupport
import DeviceRecording
import Documents
import Drivers
import Glibc
import Linux
import ScenarioLanguage
import ScenarioModel
import Synchronization

let recordGrammar = CommandGrammar(
    "record", "Write a scenario that plays a real device: its advertising, attributes and values",
    options: [
        .option(
            "--radio", "RADIO",
            "Radio to the device: hci:0, hci:tcp:HOST:PORT or hci:unix:PATH; see \"lubdub help radios\""
        ),
        .option("--peer", "NAME|ADDRESS", "Device to record: its name, or C0:FF:EE:00:00:01[/public|/random]"),
        .option(
            "--from", "TRACE", of: .file(.read),
            "Read the packets of a btsnoop file instead, of btmon, an Android phone or --trace"),
        .option("--for", "DURATION", "How long to record what the device notifies (default 60 s)"),
        .option(
            "-o", "SCENARIO", of: .file(.written),
            "File to write; the notified values go to a CSV file next to it"),
        .flag("--without-values", "Keep only the structure: no values, name or address, which are a person's data"),
        .flag("--force", "Replace files that exist"),
        ClientSecurity.passkeyOption, ClientSecurity.bondsOption,
    ])

/// Values beyond this size would not fit into a CSV file that a scenario can name.
private let largestRecording = 4 << 20

private let largestTrace = 256 << 20

func record(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    guard let path = invocation.text("-o"), path != "-", !path.isEmpty else {
        throw Obstacle(.usage, "record needs a file to write: -o strap.json")
    }
    let files = try RecordingFiles(path, invocation)
    let (capture, source, code) =
        if let trace = invocation.text("--from") { try packets(of: trace, invocation) } else { try live(invocation) }
    guard code == .success || code == .signal(SIGINT) else { return code }
    let device = try chosen(of: capture, invocation.text("--peer"))
    var settings = RecordedScenario.Settings(
        note: "Recorded from \(source) on \(presentTime.prefix(10)) with lubdub record.", table: files.tableName)
    settings.keepsValues = !invocation.has("--without-values")
    if !settings.keepsValues { settings.note = "Recorded with lubdub record --without-values." }
    try files.write(RecordedScenario(device, settings))
    return code
}

// MARK: Packets

private typealias Packets = (capture: DeviceCapture, source: String, code: ExitCode)

private func packets(of path: String, _ invocation: Invocation) throws(Obstacle) -> Packets {
    for option in ["--radio", "--for", "--passkey", "--bonds"] where invocation.has(option) {
        throw Obstacle(.usage, "\(option) is for a radio: remove it, or --from")
    }
    guard let octets = contents(of: path, atMost: largestTrace) else {
        let (why, fix) = readingFailure(of: path)
        throw Obstacle(.usage, "cannot read \(path.quoted): \(why)\(fix.map { " (\($0))" } ?? "")")
    }
    guard octets.count <= largestTrace else {
        throw Obstacle(.usage, "\(path) is larger than \(largestTrace >> 20) MiB: cut it with editcap")
    }
    var capture = DeviceCapture()
    do throws(PacketTrace.Unreadable) {
        var trace = try PacketTrace(octets)
        defer { warn(ofClock: trace.clock, path) }
        try trace.forEach { capture.take($0, controller: $1, at: $2, $3) }
    } catch {
        guard case .truncated = error else { throw Obstacle(.usage, "\(path): \(error)") }
        Console.warn("\(path): \(error); the packets before it are used")
    }
    return (capture, path, .success)
}

/// Says where the times of the recording differ from those of the trace.
private func warn(ofClock clock: TraceClock, _ path: String) {
    guard clock.changes > 0 else { return }
    let days = TraceClock.longestGap.components.seconds / 86_400
    Console.warn(
        "\(path): the time goes back or more than \(days.counted("day")) forward \(clock.changes.counted("time")), as when a clock "
            + "is set: all packets are used, and in the recording no time passes there")
}

private func live(_ invocation: Invocation) throws(Obstacle) -> Packets {
    guard let radio = invocation.text("--radio") else {
        throw Obstacle(.usage, "record needs --radio hci:N (see lubdub doctor), or a trace with --from")
    }
    if case .bluez = try RadioChoice(radio) {
        throw Obstacle(
            .usage, "bluetoothd hides advertising data and handles: use --radio hci:N, or btmon -w and --from")
    }
    guard let endpoint = try PeripheralEndpoint(invocation) else {
        throw Obstacle(.usage, "a scenario's device is described by its scenario: use a real radio")
    }
    let duration = try orFail { try invocation.duration("--for") } ?? .seconds(60)
    let capture = SharedCapture()
    let log = PacketLog(recordsPerChunk: 64) { capture.take($0) }
    let code = try endpoint.visit(invocation, for: duration, packets: log) {
        let isFull = capture.notifiedCount > largestRecording
        if isFull { Console.warn("the recording is full: it has \(largestRecording >> 20) MiB of values") }
        return isFull
    }
    return (capture.value, radio, code)
}

/// The packets of a host on another thread.
private final class SharedCapture: Sendable {
    private let capture = Mutex(DeviceCapture())

    var value: DeviceCapture { capture.withLock { $0 } }
    /// Without a copy, which would make the other thread copy what it changes.
    var notifiedCount: Int { capture.withLock { $0.notifiedCount } }

    func take(_ chunk: PacketChunk) {
        capture.withLock { capture in
            for record in chunk.records {
                capture.take(record.kind, controller: record.controller, at: record.instant, chunk.octets(of: record))
            }
        }
    }
}

/// The device that the user named, or the only one.
private func chosen(of capture: DeviceCapture, _ peer: String?) throws(Obstacle) -> RecordedDevice {
    func matches(_ device: RecordedDevice) -> Bool {
        guard let peer else { return true }
        if let address = DeviceAddress(peer) {
            return peer.contains("/") ? device.address == address : device.address?.number == address.number
        }
        return device.name == peer
    }
    let found = capture.devices.filter(matches)
    if let first = found.first, found.count == 1 { return first }
    func list(_ devices: [RecordedDevice]) -> String {
        let named = devices.prefix(10).map { device in
            let address = device.address.map { "\($0)" } ?? "unknown address"
            return device.name.map { "\($0.quoted) (\(address))" } ?? address
        }
        return (named + (devices.count > 10 ? ["\(devices.count - 10) more"] : [])).joined(separator: ", ")
    }
    if capture.ignoredCount > 0 {
        Console.warn(
            "the packets show more than \(DeviceCapture.maximumDevices) connected devices; later ones are ignored: cut the "
                + "trace, or record again")
    }
    guard found.isEmpty else {
        throw Obstacle(.usage, "the packets show \(found.count) devices: choose one with --peer: \(list(found))")
    }
    let others = capture.devices + capture.others.filter(matches)
    throw Obstacle(
        .environment,
        "the packets do not show a client that discovers the services of \(peer?.quoted ?? "a device"). Devices: "
            + (others.isEmpty ? "none" : list(others))
            + ". A phone that knows a device does not discover it again: forget the device there, and record again")
}

// MARK: Files

/// The scenario and its table.
private struct RecordingFiles {
    let path: String
    private let tablePath: String
    private let scenarioFile: WholeFile
    private let tableFile: WholeFile

    /// Throws, before anything is recorded, if a file cannot be written.
    init(_ path: String, _ invocation: Invocation) throws(Obstacle) {
        self.path = path
        let stem = path.hasSuffix(".json") ? String(path.dropLast(5)) : path
        tablePath = stem + ".csv"
        var uses = try FileUses(invocation)
        try uses.write(tablePath, "-o")
        for path in [path, tablePath] { try checkReplacement(of: path, invocation) }
        let tablePath = tablePath
        (scenarioFile, tableFile) = try orFail(.environment) { (try WholeFile(path), try WholeFile(tablePath)) }
    }

    /// Relative to the scenario.
    var tableName: String { tablePath.split(separator: "/").last.map(String.init) ?? tablePath }

    /// Writes both files as validation accepts them, and reports what it finds in them.
    func write(_ recording: RecordedScenario) throws(Obstacle) {
        let scenario: PlayableScenario
        do throws(PlayableScenario.Unplayable) { scenario = try PlayableScenario(recording, path: path) } catch {
            for problem in error.problems { Console.warn("\(problem)") }
            throw Obstacle(
                .environment, "no scenario can play this device: \(path.quoted) is not written (see the problems above)"
            )
        }
        for problem in scenario.omissions {
            Console.warn("\(problem.path) is not in \(path.quoted) as it is on the device: \(problem.message)")
        }
        if let end = scenario.table?.end {
            Console.warn(
                "\(tablePath) has the values of the first \(end.components.seconds) s only: a table has at most 16 MiB")
        }
        if let table = scenario.table { try orFail(.environment) { try tableFile.write(table.text) } }
        try orFail(.environment) { try scenarioFile.write(scenario.root.indentedJSON + "\n") }
        let values = scenario.table.map { ", and \(tablePath) with \($0.count.counted("value"))" } ?? ""
        let (services, characteristics) = scenario.counts
        let attributes = "\(services.counted("service")) and \(characteristics.counted("characteristic"))"
        Console.print("Wrote \(path) with \(attributes)\(values)")
        for problem in scenario.warnings { Console.warn("\(problem)") }
        Console.print("next: lubdub serve \(path.operandForShell)")
    }
}
