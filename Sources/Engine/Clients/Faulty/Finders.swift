import Bluetooth
import GATT
import HCI
import LEHost

// Clients that find, discover or read wrongly.
extension FaultyClient {
    /// The RSSI of a signal whose strength the controller does not know.
    private static let unknownStrength: Int8 = 127

    static let finders = [
        configured(
            "by_name", "searches for a name instead of the service"
        ) {
            $0.choice = .name("Lubdub HRM")
        },
        configured(
            "nearest", "connects to the strongest strap, not to the named one"
        ) { $0.choice = .strongest },
        requesting("never_connects", "finds the strap, but does not connect") { command, _ in
            if case .connect = command { [] } else { [.request(command)] }
        },
        FaultyClient(
            name: "weakest", about: "connects to the weakest strap",
            reports: { report in
                var report = report
                if report.rssi != Self.unknownStrength { report.rssi = -100 - report.rssi }
                return report
            }),
        FaultyClient(
            name: "second_best", about: "connects to the second strongest of three straps",
            reports: { report in
                var report = report
                if report.rssi != Self.unknownStrength { report.rssi = -abs(report.rssi + 58) }
                return report
            }),
        FaultyClient(
            name: "believes_127", about: "takes the RSSI 127, which is not available, for the strongest signal",
            reports: { report in
                var report = report
                if report.rssi == Self.unknownStrength { report.rssi = 20 }
                return report
            }),
        FaultyClient(
            name: "nothing_else", about: "ignores straps with additional services",
            source: "SmartSpin2k#273",
            reports: { $0.data.containsUUID(0x1818) || $0.data.containsUUID(0x1809) ? nil : $0 }),
        requesting(
            "goes_on_scanning", "scans while connected"
        ) { command, _ in
            guard case .discoverEverything? = procedure(command) else { return [.request(command)] }
            let parameters = ScanParameters(isActive: false, interval: 0x60, window: 0x30)
            return [.request(.scan(parameters, filterDuplicates: true)), .request(command)]
        },
        configured(
            "no_information", "does not read Device Information"
        ) { $0.readsDeviceInformation = false },
        requesting(
            "short_strings", "reads only the beginning of a string", "esp32-snippets#997"
        ) { command, _ in
            guard case .procedure(let id, .readLong(let handle), let number) = command else {
                return [.request(command)]
            }
            return [.request(.procedure(id, .read(handle: handle), id: number))]
        },
        requesting(
            "reads_nothing", "reads no values"
        ) { command, _ in
            switch procedure(command) {
            case .read?, .readLong?: [.assume(.value([]))]
            default: [.request(command)]
            }
        },
        requesting(
            "discovers_nothing", "does not discover attributes"
        ) { command, _ in
            guard case .discoverEverything? = procedure(command) else { return [.request(command)] }
            return [.assume(.services([]))]
        },
    ]
}

extension [UInt8] {
    fileprivate func containsUUID(_ number: UInt16) -> Bool {
        zip(self, dropFirst()).contains { $0 == UInt8(truncatingIfNeeded: number) && $1 == UInt8(number >> 8) }
    }
}
