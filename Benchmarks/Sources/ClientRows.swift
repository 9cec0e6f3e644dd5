import Basics
import Bluetooth
import CommandSupport
import GATT
import HCI
import LEHost
import Linux
import ScenarioModel
import VirtualWorld

// Benchmarks whose client does only the measured work.
extension BenchRow {
    /// Sequential reads of a value of 20 octets.
    static func reading() throws(Obstacle) -> Figures {
        let (rounds, value) = (100_000, [UInt8](repeating: 0x5A, count: 20))
        let digits = String(repeating: "5a", count: value.count)
        var client = try MinimalClient(
            device(
                services: #"""
                    {"service": "custom", "uuid": "6c750400-6264-4562-a000-4c7562647562", "characteristics":
                     [{"uuid": "FF01", "format": "octets", "properties": ["read"], "value": "\#(digits)"}]}
                    """#))
        guard let id = client.connect(to: 0),
            let handle = client.world.attributes(of: 0).handle(ofFirst: UUID(0xFF01))
        else { return .none("the client did not connect") }
        var received = 0
        func read(_ rounds: Int) {
            for _ in 0..<rounds {
                if case .value(value)? = client.perform(id, .read(handle: handle)) { received += 1 }
            }
        }
        read(2000)  // storage grows
        received = 0
        let meter = Meter()
        read(rounds)
        let (spent, allocated) = (meter.spent, meter.allocated)
        return Figures(
            value: Double(spent) / 1000 / Double(max(1, received)), unit: "µs of CPU per read", items: received,
            nanoseconds: spent, allocations: allocated,
            fault: received == rounds ? nil : "\(received) of \(rounds) values arrived")
    }

    /// A thousand straps that advertise once a second; for ten minutes a client is subscribed to one of them, and receives
    /// every advertisement.
    static func crowd() throws(Obstacle) -> Figures {
        let (straps, seconds) = (1000, 600)
        let devices = (1...straps).map { number in
            #"{"id": "strap_\#(number)", "advertise": {"interval": "1 s", "services": ["180D"]}, "services": [\#(heart)]}"#
        }
        let json = #"{"lubdub": 1, "name": "Bench", "devices": [\#(devices.joined(separator: ","))]}"#
        let meter = Meter()
        var client = try MinimalClient(json)
        guard let id = client.connect(to: 0),
            let handle = client.world.attributes(of: 0).handle(ofFirst: .heartRateMeasurement),
            client.perform(id, .configure(handle: handle + 1, .notification)) != nil
        else { return .none("the client did not subscribe") }
        client.command(
            .scan(ScanParameters(isActive: false, interval: 0x60, window: 0x60), filterDuplicates: false))
        var (measurements, reports) = (0, 0)
        client.play(until: client.world.now.advanced(by: .seconds(Int64(seconds)))) { output in
            switch output {
            case .notified: measurements += 1
            case .report: reports += 1
            default: break
            }
        }
        let (spent, allocated) = (meter.spent, meter.allocated)
        // Advertisers add up to 10 ms to each interval, and the link uses the radio at times.
        let wanted = (straps - 1) * seconds * 9 / 10...straps * seconds
        var fault: String?
        if !(seconds - 2...seconds).contains(measurements) { fault = "\(measurements) measurements arrived" }
        if !wanted.contains(reports) { fault = "\(reports) advertisements arrived, not \(wanted)" }
        return Figures(
            value: Double(spent) / 1e9, unit: "s of CPU", items: reports, nanoseconds: spent, allocations: allocated,
            fault: fault)
    }

    /// The peak memory of the same work, in another process.
    static func crowdMemory() throws(Obstacle) -> Figures {
        let child = try ChildProcess(OwnProgram.executable, ["--alone", "--json", "crowd"])
        var peak: Double?
        while let line = child.line() {
            if case .number(let kibibytes)? = Datum(json: line.utf8)?["peak_kib"] { peak = kibibytes / 1024 }
        }
        let used = child.wait()
        return Figures(
            value: peak ?? 0, unit: "MiB at peak", items: 1, nanoseconds: used.nanoseconds, allocations: nil,
            fault: used.status == 0 && peak != nil ? nil : "the process exited with status \(used.status)")
    }

    private static let heart = #"{"service": "heart_rate", "value": 62}"#

    private static func device(services: String) -> String {
        #"""
        {"lubdub": 1, "name": "Bench", "devices": [{"id": "strap", "advertise": {"interval": "100 ms"},
         "services": [\#(services)]}]}
        """#
    }
}
