import VirtualWorld

// Peripherals whose fault shows without anybody acting on them.
extension Peripheral {
    /// Accepts a request for the attribute with this handle that it must refuse.
    private func opening(_ name: String, _ about: String, _ check: String, _ change: Mutation.Change) -> Peripheral {
        but(name, about, check, by: [change])
    }

    /// Answers a write to a handle with success instead of Write Not Permitted.
    private static func takesWrites(to handle: String) -> Mutation.Change {
        .init(.att(0x01), at: 0, "01 12 \(handle) 03", becomes: "13")
    }

    /// Answers a read of a handle with a value instead of Read Not Permitted.
    private static func givesAway(_ handle: String) -> Mutation.Change {
        .init(.att(0x01), at: 0, "01 0A \(handle) 02", becomes: "0B 00")
    }

    static let accessMutants = [
        full.opening(
            "location_for_all", "lets clients write 2A38, which it declares with Read only",
            "heart_rate/only_declared_access", takesWrites(to: "13 00")),
        full.opening(
            "measurement_for_all", "lets clients read 2A37, which it declares with Notify only",
            "heart_rate/only_declared_access", givesAway("10 00")),
        full.opening(
            "battery_for_all", "lets clients write 2A19, which it declares with Read and Notify",
            "battery/only_declared_access", takesWrites(to: "18 00")),
        full.opening(
            "serial_number_for_all", "lets clients write 2A25, which it declares with Read only",
            "device_information/only_declared_access", takesWrites(to: "20 00")),
        thermometer.opening(
            "temperature_for_all", "lets clients read 2A1C, which it declares with Indicate only",
            "thermometer/only_declared_access", givesAway("10 00")),
        oximeter.opening(
            "oximetry_for_all", "lets clients read 2A5F, which it declares with Notify only",
            "pulse_oximeter/only_declared_access", givesAway("13 00")),
        runner.opening(
            "speed_for_all", "lets clients read 2A53, which it declares with Notify only",
            "running/only_declared_access", givesAway("10 00")),
    ]

    /// A strap that always uses two octets, at 300 bpm.
    static let fast = [#"{"service": "heart_rate", "value": 300, "format": "uint16", "rr_intervals": true}"#]

    static let plausibilityMutants = [
        Peripheral(
            name: "higher_octet_first", about: "sends the higher octet of a heart rate first", services: fast,
            mutation: Mutation([
                notifies("11 @2 @1", instead: "11 .. .."), notifies("01 @2 @1", instead: "01 .. .."),
            ]), caughtBy: "heart_rate/is_plausible"),
        Peripheral(
            name: "higher_octet_first_at_256", about: "sends 256 bpm as 1, with intervals of 256 bpm",
            services: [#"{"service": "heart_rate", "value": 256, "format": "uint16", "rr_intervals": true}"#],
            mutation: Mutation([notifies("11 01 00", instead: "11 00 01"), notifies("01 01 00", instead: "01 00 01")]),
            caughtBy: "heart_rate/is_plausible"),
        host(
            "energy_for_an_interval", "sends Energy Expended without its flag, so that it reads as an interval of 3 ms",
            "heart_rate/is_plausible", notifies("16 .. 03 00", instead: "16 ..")),
        host(
            "much_energy_for_an_interval", "sends 90 kJ without the flag, which reads as an interval of 88 ms",
            "heart_rate/is_plausible", notifies("16 .. 5A 00", instead: "16 ..")),
    ]

    static let sizeMutants = [
        Peripheral(
            name: "twenty_intervals", about: "notifies 20 RR-Intervals whatever the MTU is",
            mutation: Mutation([
                notifies(
                    "16 .. " + (0..<20).map { _ in "55 03" }.joined(separator: " "), instead: "16 ..")
            ]), caughtBy: "gatt/values_fit_default_mtu"),
        archive.noting.but(
            "own_mtu", "sends values that fit into its own MTU, not into the client's", "gatt/values_fit_small_mtu",
            by: [.init(.received(0x02), at: 1, "20 00", becomes: "F7 00")]),
    ]

    /// With a notified value of 60 octets.
    private var noting: Peripheral {
        var noting = self
        noting.services = [
            Self.custom(
                "notes", "5a3b0041-9c1e-4f7a-8f52-3d1c6e0b7a90",
                [
                    #"""
                    {"uuid": "5a3b0042-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "octets", "properties": ["notify"],
                     "period": "1 s", "value": "\#(String(repeating: "5a", count: 60))"}
                    """#
                ])
        ]
        return noting
    }
}
