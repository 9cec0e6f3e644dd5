import Arguments
import Bluetooth
import CommandSupport
import GATT
import HCI
import LEHost
import Scenarios
import Simulation
import VirtualWorld

// Rows whose client does nothing but the work that is measured.
extension BenchRow {
    /// One value of 20 octets, again and again, each when the one before has come.
    static func reading() throws(CommandFailure) -> Figures {
        let (rounds, value) = (100_000, [UInt8](repeating: 0x5A, count: 20))
        let digits = String(repeating: "5a", count: value.count)
        var client = try BareClient(
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
                if case .value(value)? = client.ask(id, .read(handle: handle)) { received += 1 }
            }
        }
        read(2000)  // storage grows
        received = 0
        let meter = Meter()
        read(rounds)
        let (spent, allocated) = (meter.spent, meter.allocated)
        return Figures(
            value: Double(spent) / 1000 / Double(max(1, received)), unit: "µs of CPU a read", items: received,
            nanoseconds: spent, allocations: allocated,
            fault: received == rounds ? nil : "\(received) values came of \(rounds)")
    }

    /// A thousand straps that advertise once a second; a client is subscribed to one of them for ten minutes, and is
    /// told of every advertisement.
    static func crowd() throws(CommandFailure) -> Figures {
        let (straps, seconds) = (1000, 600)
        let devices = (1...straps).map { number in
            #"{"id": "strap_\#(number)", "advertise": {"interval": "1 s", "services": ["180D"]}, "services": [\#(heart)]}"#
        }
        let json = #"{"lubdub": 1, "name": "Bench", "devices": [\#(devices.joined(separator: ","))]}"#
        let meter = Meter()
        var client = try BareClient(json)
        guard let id = client.connect(to: 0),
            let handle = client.world.attributes(of: 0).handle(ofFirst: .heartRateMeasurement),
            client.ask(id, .configure(handle: handle + 1, .notification)) != nil
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
        // An advertiser adds up to 10 ms to each of its intervals, and the link has the radio now and then.
        let wanted = (straps - 1) * seconds * 9 / 10...straps * seconds
        var fault: String?
        if !(seconds - 2...seconds).contains(measurements) { fault = "\(measurements) measurements came" }
        if !wanted.contains(reports) { fault = "\(reports) advertisements were told, and not \(wanted)" }
        return Figures(
            value: Double(spent) / 1e9, unit: "s of CPU", items: reports, nanoseconds: spent, allocations: allocated,
            fault: fault)
    }

    /// The same in a process of its own.
    static func crowdMemory() throws(CommandFailure) -> Figures {
        let child = try ChildProcess("/proc/self/exe", ["bench", "--alone", "--json", "crowd"])
        var peak: Double?
        while let line = child.line() {
            if case .number(let kibibytes)? = Datum(json: line.utf8)?["peak_kib"] { peak = kibibytes / 1024 }
        }
        let used = child.wait()
        return Figures(
            value: peak ?? 0, unit: "MiB at most", items: 1, nanoseconds: used.nanoseconds, allocations: nil,
            fault: used.status == 0 && peak != nil ? nil : "the process ended with \(used.status)")
    }

    private static let heart = #"{"service": "heart_rate", "value": 62}"#

    private static func device(services: String) -> String {
        #"""
        {"lubdub": 1, "name": "Bench", "devices": [{"id": "strap", "advertise": {"interval": "100 ms"},
         "services": [\#(services)]}]}
        """#
    }
}
