import Bluetooth

// Clients that decode a device's values wrongly.
extension FaultyClient {
    /// One that takes a Heart Rate Measurement for another.
    private static func misreading(
        _ name: String, _ about: String, _ source: String? = nil,
        _ measurement: @escaping @Sendable (Measurement) -> [Operation]
    ) -> FaultyClient {
        misreading([.heartRateMeasurement], name, about, source) { measurement(Measurement($0)) }
    }

    /// One that takes a temperature for another: the octets of a FLOAT.
    private static func misreading(
        temperature name: String, _ about: String, _ source: String? = nil,
        _ octets: @escaping @Sendable ([UInt8]) -> [Operation]
    ) -> FaultyClient {
        misreading([.temperatureMeasurement, .intermediateTemperature], name, about, source, octets)
    }

    static let decoders = heartRates + intervals + temperatures + oximeters + running + inventors

    private static let heartRates = [
        misreading(
            "one_octet", "always reads a heart rate of one octet",
            "googlearchive/android-BluetoothLeGatt#5"
        ) { [.receive($0.with(flags: $0.flags & ~0x01, rate: $0.rate.prefix(1)))] },
        misreading(
            "two_octets", "always reads a heart rate of two octets",
            "googlearchive/android-BluetoothLeGatt#26"
        ) { value in
            guard value.flags & 0x01 == 0, let next = value.rest.first else { return [.receive(value.octets)] }
            return [.receive(value.with(flags: value.flags | 0x01, rate: value.rate + [next]))]
        },
        misreading(
            "big_endian", "reads a heart rate of two octets as big-endian", "MoveUpwards/Gormsson#3"
        ) { [.receive($0.with(rate: ArraySlice($0.rate.reversed())))] },
        misreading(
            "plain_only", "crashes on a measurement with a flag, such as that of contact"
        ) { [$0.flags == 0 ? .receive($0.octets) : .crash] },
        misreading(
            "never_two_octets", "ignores heart rates of two octets"
        ) { $0.flags & 0x01 == 0 ? [.receive($0.octets)] : [] },
        misreading(
            "reserved_bits", "ignores measurements with reserved flags"
        ) { $0.flags & 0xE0 == 0 ? [.receive($0.octets)] : [] },
        misreading(
            "exact_length", "crashes on extra octets"
        ) { $0.surplus == 0 ? [.receive($0.octets)] : [.reconnect] },
        misreading(
            "swapped_flags", "confuses the energy flag with the format flag",
            "DeviceConnect/DeviceConnect-Android#163"
        ) { value in
            let (format, energy) = (value.flags & 0x01, value.flags & 0x08)
            return [.receive(value.with(flags: value.flags & 0xF6 | format << 3 | energy >> 3))]
        },
        misreading(
            "energy_as_interval", "reads Energy Expended as the first RR-Interval", "UNAWatch/una-sdk#220"
        ) { [.receive($0.flags & 0x18 == 0x18 ? $0.with(flags: $0.flags & ~0x08) : $0.octets)] },
        misreading(
            "no_energy", "reads Energy Expended, but does not print it", "bleakheart 0.2.0: the key is misspelt"
        ) { value in
            guard value.flags & 0x08 != 0 else { return [.receive(value.octets)] }
            return [.receive(value.with(flags: value.flags & ~0x08, rest: value.rest.dropFirst(2)))]
        },
        misreading(
            "contact_as_mask", "treats unsupported contact as no contact, and no contact as contact",
            "pycycling#54"
        ) { [.receive($0.with(flags: $0.flags | ($0.flags & 0x06 == 0x04 ? 0x02 : 0x04)))] },
        misreading(
            "no_contact", "ignores the contact flags", "ryanbr/noop#1758"
        ) { [.receive($0.with(flags: $0.flags & ~0x06))] },
        misreading(
            "pads", "reads missing octets as 0", "pycycling 0.4.1: half a heart rate is 0 bpm"
        ) { $0.isWhole ? [.receive($0.octets)] : [.receive([$0.flags & 0x01] + $0.rate + [0, 0])] },
        misreading(
            "crashes", "crashes on a truncated measurement",
            "pycycling 0.4.1 and Bumble 0.0.236: IndexError, struct.error"
        ) { [$0.isWhole ? .receive($0.octets) : .crash] },
        misreading(
            "strict", "disconnects on a malformed measurement"
        ) { [$0.isWhole ? .receive($0.octets) : .reconnect] },
    ]

    private static let intervals = [
        misreading(
            "no_interval_no_value", "ignores measurements without RR-Intervals", "bleakheart 0.2.0"
        ) { $0.flags & 0x10 != 0 ? [.receive($0.octets)] : [] },
        misreading(
            "long_ones_only", "reads RR-Intervals only in measurements of more than six octets",
            "codeinversion/sensors-swift#5"
        ) { [.receive($0.octets.count > 6 ? $0.octets : $0.without(0x10))] },
        misreading(
            "one_interval", "ignores measurements with more than one RR-Interval", "TrackMyIndoorWorkout#372"
        ) { $0.intervals.count > 1 ? [] : [.receive($0.octets)] },
        misreading(
            "first_interval", "reads only the first RR-Interval"
        ) { [.receive($0.with(intervals: Array($0.intervals.prefix(1))))] },
        misreading(
            "milliseconds", "prints an RR-Interval of 1024 as 1024 ms", "polar-ble-sdk#343"
        ) { value in
            [.receive(value.with(intervals: value.intervals.map { UInt16(clamping: Int($0) * 128 / 125) }))]
        },
        misreading(
            "low_octet", "drops the high octet of RR-Intervals", "WebBluetoothCG/web-bluetooth#493"
        ) { [.receive($0.with(intervals: $0.intervals.map { $0 & 0xFF }))] },
        misreading(
            "divides", "crashes on an RR-Interval of 0", "bleakheart 0.2.0: ZeroDivisionError"
        ) { [$0.intervals.contains(0) ? .crash : .receive($0.octets)] },
        misreading(
            "odd_octet", "reads an odd octet at the end as an RR-Interval",
            "bleakheart 0.2.0: an interval of 1 ms"
        ) { [.receive($0.surplus % 2 == 1 && $0.flags & 0x10 != 0 ? $0.octets + [0] : $0.octets)] },
        misreading(
            "odd_octet_strict", "disconnects on an odd octet", "Bumble 0.0.236: struct.error"
        ) { [$0.surplus % 2 == 1 && $0.flags & 0x10 != 0 ? .reconnect : .receive($0.octets)] },
    ]

    private static let temperatures = [
        misreading(
            temperature: "ieee_754", "reads a FLOAT as IEEE 754", "Android-BLE-Library#465"
        ) { octets in
            guard octets.count >= 5 else { return [.receive(octets)] }
            let bits = octets[1...4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let tenths = Float(bitPattern: bits) * 10
            let mantissa = tenths.isFinite ? Int32(max(-8_000_000, min(8_000_000, tenths))) : 0
            let low = (0..<3).map { UInt8(truncatingIfNeeded: mantissa >> (8 * $0)) }
            return [.receive([octets[0]] + low + [0xFF] + octets[5...])]
        },
        misreading(
            temperature: "unsigned", "ignores negative temperatures"
        ) { octets in
            octets.count >= 5 && octets[3] & 0x80 != 0 ? [] : [.receive(octets)]
        },
        misreading(
            temperature: "no_specials", "reads special values as numbers"
        ) { octets in
            octets.count >= 5 && octets[4] == 0
                ? [.receive([octets[0]] + octets[1...3].map { $0 & 0x7F } + [0xFF] + octets[5...])] : [.receive(octets)]
        },
        misreading(
            temperature: "nan_crashes", "crashes on NaN"
        ) { [$0.count >= 5 && $0[4] == 0 ? .crash : .receive($0)] },
        misreading(
            temperature: "nan_leaves", "disconnects on NaN"
        ) { [$0.count >= 5 && $0[4] == 0 ? .reconnect : .receive($0)] },
        misreading(
            temperature: "no_exponent", "assumes tenths of a degree"
        ) { $0.count >= 5 ? [.receive($0[..<4] + [0xFF] + $0[5...])] : [.receive($0)] },
        misreading(
            temperature: "fahrenheit", "prints a temperature in degrees Fahrenheit as it is"
        ) { $0.count >= 5 ? [.receive([$0[0] & ~0x01] + $0[1...])] : [.receive($0)] },
        misreading(
            temperature: "reserved_bits_of_temperature", "ignores temperatures with reserved flags"
        ) { $0.first.map { $0 & 0xF8 } == 0 ? [.receive($0)] : [] },
        misreading(
            temperature: "reserved_type", "ignores temperatures with a reserved type"
        ) { $0.last == 200 ? [] : [.receive($0)] },
        misreading(
            temperature: "exact_length_of_temperature", "ignores temperatures with extra octets"
        ) { $0.first == 0 && $0.count > 5 ? [] : [.receive($0)] },
        misreading(
            temperature: "strict_of_temperature", "disconnects on an unexpected temperature"
        ) { octets in
            [
                octets.first.map { $0 > 7 } == true || octets.count == 5 && octets[4] != 0xFF
                    ? .reconnect : .receive(octets)
            ]
        },
    ]
}

// Clients that misread an RSC Measurement.
extension FaultyClient {
    private static func misreading(
        running name: String, _ about: String,
        _ octets: @escaping @Sendable ([UInt8]) -> [Operation]
    ) -> FaultyClient {
        misreading([.rscMeasurement], ofAtLeast: 4, name, about) { octets($0) }
    }

    fileprivate static let running = [
        misreading(running: "big_endian_speed", "reads a speed as big-endian") {
            [.receive([$0[0], $0[2], $0[1]] + $0[3...])]
        },
        misreading(running: "strides_per_minute", "shows half of the cadence") {
            [.receive($0[..<3] + [$0[3] / 2] + $0[4...])]
        },
        misreading(
            running: "no_stride", "skips no stride length before the total distance"
        ) { [.receive([$0[0] & ~0x01] + $0[1...])] },
        misreading(running: "always_walks", "ignores the status of walking or running") {
            [.receive([$0[0] & ~0x04] + $0[1...])]
        },
        misreading(
            running: "zeros_for_missing", "reads missing octets as zeros"
        ) { [.receive($0 + [0, 0, 0, 0, 0, 0])] },
        misreading(
            running: "reserved_flags_of_running", "ignores running measurements with reserved flags"
        ) { $0[0] & 0xF8 == 0 ? [.receive($0)] : [] },
        misreading(
            running: "exact_length_of_running", "ignores running measurements with extra octets"
        ) { $0[0] == 0 && $0.count > 4 ? [] : [.receive($0)] },
        misreading(
            running: "strict_of_running", "disconnects on a running measurement with reserved flags"
        ) { [$0[0] & 0xF8 == 0 ? .receive($0) : .reconnect] },
    ]
}

/// The parts of a Heart Rate Measurement, whatever they are worth: Heart Rate Service 1.0, section 3.1.
private struct Measurement {
    let octets: [UInt8]

    init(_ octets: [UInt8]) { self.octets = octets }

    var flags: UInt8 { octets.first ?? 0 }
    var rate: ArraySlice<UInt8> { octets.dropFirst().prefix(flags & 0x01 == 0 ? 1 : 2) }
    /// The octets after the heart rate.
    var rest: ArraySlice<UInt8> { octets.dropFirst(1 + rate.count) }
    private var energy: ArraySlice<UInt8> { rest.prefix(flags & 0x08 == 0 ? 0 : 2) }
    private var tail: ArraySlice<UInt8> { rest.dropFirst(energy.count) }

    var intervals: [UInt16] {
        guard flags & 0x10 != 0 else { return [] }
        let octets = Array(tail)
        return stride(from: 0, to: octets.count - octets.count % 2, by: 2).map { place in
            UInt16(octets[place]) | UInt16(octets[place + 1]) << 8
        }
    }

    /// The number of octets after all fields that the flags declare.
    var surplus: Int { tail.count - 2 * intervals.count }

    /// Whether all is there that the flags promise.
    var isWhole: Bool {
        !octets.isEmpty && rate.count == (flags & 0x01 == 0 ? 1 : 2) && energy.count == (flags & 0x08 == 0 ? 0 : 2)
            && (flags & 0x10 == 0 || !intervals.isEmpty)
    }

    func with(flags: UInt8? = nil, rate: ArraySlice<UInt8>? = nil, rest: ArraySlice<UInt8>? = nil) -> [UInt8] {
        [flags ?? self.flags] + (rate ?? self.rate) + (rest ?? self.rest)
    }

    func with(intervals: [UInt16]) -> [UInt8] {
        guard flags & 0x10 != 0 else { return octets }
        return [flags] + rate + energy + intervals.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }

    /// Without what one of the last flags promises.
    func without(_ flag: UInt8) -> [UInt8] { [flags & ~flag] + rate + energy }
}
