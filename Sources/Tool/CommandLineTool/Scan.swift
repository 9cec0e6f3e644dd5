import Basics
import Bluetooth
import Cases
import Characteristics
import Clients
import CommandSupport
import Glibc
import Screens
import Synchronization

let scanGrammar = CommandGrammar(
    "scan", "Scan, and list advertising devices",
    options: [
        radioOption, .option("--for", "DURATION", "Stop after this long (default 5 s)"),
        .flag("--json", "Print a JSON object per device, as \"monitor --json\" does, instead of a table"), colorOption,
    ])

/// Lists the devices when the time is over, or a signal ends the scan.
func scan(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    var settings = SensorCollector.Settings(choice: .nobody)
    settings.services = []
    let paint = try Paint(invocation, for: Console.descriptor)
    let found = Mutex(FoundDevices())
    let limit = try orFail { try invocation.duration("--for") } ?? .seconds(5)
    let bar = ProgressBar.ofSteps()
    defer {
        if bar != nil { ProgressBar.remove() }
        let devices = found.withLock { $0 }
        for line in invocation.has("--json") ? devices.json : devices.table(paint) { Console.print(line) }
    }
    let showProgress = bar.map { bar in
        { @Sendable in
            let count = found.withLock { $0.count }
            bar.show(bar.elapsed / limit, "scanning: \(count.counted("device"))")
        }
    }
    let code = try listen(settings, invocation, limit: limit, progress: showProgress) { update in
        found.withLock { $0.add(update) }
    }
    if code == .success, found.withLock({ $0.count }) == 0 { Console.warn("no advertising device was found") }
    return code
}

/// The devices of a scan, each once.
struct FoundDevices: Sendable {
    private struct Device: Sendable {
        let peer: SensorCollector.Peer
        let services: [UUID]
        let rssi: Int8?
        let update: SensorCollector.Update
    }

    private var devices: [Device] = []
    /// What the devices broadcast, by their addresses.
    private var measurements: [DeviceAddress: AdvertisedMeasurement] = [:]

    var count: Int { devices.count }

    /// Adds or replaces a device; ignores other updates.
    mutating func add(_ update: SensorCollector.Update) {
        if case .advertised(let measurement) = update.content, let peer = update.peer {
            measurements[peer.address] = measurement
        }
        guard case .found(let services, let rssi) = update.content, let peer = update.peer else { return }
        let device = Device(peer: peer, services: services, rssi: rssi, update: update)
        if let place = devices.firstIndex(where: { $0.peer.address == peer.address }) {
            devices[place] = device
        } else {
            devices.append(device)
        }
    }

    /// The strongest first; those of equal strength in the order in which they were found.
    private var byStrength: [Device] {
        devices.enumerated().sorted { left, right in
            let (one, other) = (left.element.rssi ?? .min, right.element.rssi ?? .min)
            return one == other ? left.offset < right.offset : one > other
        }.map(\.element)
    }

    /// As `monitor --json` prints them, with what they broadcast.
    var json: [TerminalLine] {
        byStrength.map { device in
            guard let measurement = measurements[device.peer.address] else { return "\(device.update.json)" }
            var text = JSONText()
            measurement.write(to: &text)
            return "\(device.update.json.dropLast()), \"advertised\": \(text.string)}"
        }
    }

    /// A head and a row for each device; nothing without devices.
    func table(_ paint: Paint) -> [TerminalLine] {
        guard !devices.isEmpty else { return [] }
        let rows = byStrength.map { device in
            let row = [
                device.peer.name.map { String($0.quoted.dropFirst().dropLast()) } ?? "-", "\(device.peer.address)",
                device.services.isEmpty ? "-" : device.services.map(\.description).joined(separator: " "),
                device.rssi.map { "\($0) dBm" } ?? "-",
            ]
            return measurements.isEmpty ? row : row + [measurements[device.peer.address]?.words ?? "-"]
        }
        let head = ["name", "address", "services", "rssi"] + (measurements.isEmpty ? [] : ["advertised"])
        // The last column needs no padding.
        let widths =
            head.indices.dropLast().map { column in ([head] + rows).map { $0[column].columns }.max() ?? 0 } + [0]
        func line(_ cells: [String]) -> String {
            zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: max(0, width - cell.columns))
            }.joined(separator: "  ")
        }
        return [paint(line(head), .state)] + rows.map { "\(line($0))" }
    }
}
