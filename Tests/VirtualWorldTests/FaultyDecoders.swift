import Bluetooth
import Characteristics
import Collector
import TextFormatting

// Clients that decode a device's values wrongly.
extension FaultyClient {
    /// One that takes a Heart Rate Measurement for another.
    private static func misreads(
        _ name: String, _ about: String, _ source: String? = nil, caughtBy: [String],
        _ measurement: @escaping @Sendable (Measurement) -> [Operation]
    ) -> FaultyClient {
        FaultyClient(
            name: name, about: about, source: source, caughtBy: caughtBy,
            values: { octets, uuid, _ in
                uuid == .heartRateMeasurement ? measurement(Measurement(octets)) : [.hears(octets)]
            })
    }

    /// One that takes a temperature for another: the octets of a FLOAT.
    private static func misreads(
        temperature name: String, _ about: String, _ source: String? = nil, caughtBy: [String],
        _ octets: @escaping @Sendable ([UInt8]) -> [Operation]
    ) -> FaultyClient {
        FaultyClient(
            name: name, about: about, source: source, caughtBy: caughtBy,
            values: { value, uuid, _ in
                [.temperatureMeasurement, .intermediateTemperature].contains(uuid) ? octets(value) : [.hears(value)]
            })
    }

    /// The expectations of measurements with these flags.
    private static func shownFlags(_ flags: UInt8...) -> [String] {
        flags.map { "collector/heart_rate/flags flags_\($0.zeroPadded(to: 2, radix: 16).lowercased())_shown" }
    }

    static let decoders = heartRates + intervals + temperatures + oximeters + running + inventors

    private static let heartRates = [
        misreads(
            "one_octet", "always reads a heart rate of one octet",
            "googlearchive/android-BluetoothLeGatt#5",
            caughtBy: ["clients/two_octets shows_300", "formats/broken nothing"]
        ) { [.hears($0.with(flags: $0.flags & ~0x01, rate: $0.rate.prefix(1)))] },
        misreads(
            "two_octets", "always reads a heart rate of two octets",
            "googlearchive/android-BluetoothLeGatt#26",
            caughtBy: [
                "errors/late_and_out_of_order shows", "recovery/away_short shows", "recovery/flapping shows",
                "recovery/services_change shows", "resting shows",
            ] + shownFlags(0x08, 0x0A, 0x0E)
        ) { value in
            guard value.flags & 0x01 == 0, let next = value.rest.first else { return [.hears(value.octets)] }
            return [.hears(value.with(flags: value.flags | 0x01, rate: value.rate + [next]))]
        },
        misreads(
            "big_endian", "reads a heart rate of two octets as big-endian", "MoveUpwards/Gormsson#3",
            caughtBy: [
                "clients/two_octets shows_300", "clients/two_octets shows_72", "formats/always_two shows",
                "formats/edges shows", "formats/two_byte shows", "recovery/another_format shows",
            ] + shownFlags(0x01, 0x03, 0x09, 0x0B)
        ) { [.hears($0.with(rate: ArraySlice($0.rate.reversed())))] },
        misreads(
            "plain_only", "crashes on a measurement with more than flags and a uint8 heart rate",
            caughtBy: [
                "clients/contact goes_on", "clients/energy_and_rr goes_on", "clients/odd_tail goes_on",
                "clients/rr_alone goes_on", "clients/several_rr goes_on", "clients/two_octets goes_on",
            ]
        ) { [$0.flags == 0 ? .hears($0.octets) : .ends] },
        misreads(
            "never_two_octets", "ignores heart rates of two octets", caughtBy: ["formats/two_byte shows"]
        ) { $0.flags & 0x01 == 0 ? [.hears($0.octets)] : [] },
        misreads(
            "reserved_bits", "ignores measurements with reserved flags",
            caughtBy: ["formats/reserved_flags shows"]
        ) { $0.flags & 0xE0 == 0 ? [.hears($0.octets)] : [] },
        misreads(
            "exact_length", "crashes on extra octets",
            caughtBy: ["formats/extra_octets shows", "formats/extra_octets stays"]
        ) { $0.surplus == 0 ? [.hears($0.octets)] : [.leaves] },
        misreads(
            "swapped_flags", "confuses the energy flag with the format flag",
            "DeviceConnect/DeviceConnect-Android#163",
            caughtBy: [
                "clients/energy_and_rr shows_energy", "clients/energy_and_rr shows_energy_alone",
                "clients/energy_and_rr shows_rr", "formats/energy shows",
            ]
        ) { value in
            let (format, energy) = (value.flags & 0x01, value.flags & 0x08)
            return [.hears(value.with(flags: value.flags & 0xF6 | format << 3 | energy >> 3))]
        },
        misreads(
            "energy_as_interval", "reads Energy Expended as the first RR-Interval", "UNAWatch/una-sdk#220",
            caughtBy: ["clients/energy_and_rr shows_rr"] + shownFlags(0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F)
        ) { [.hears($0.flags & 0x18 == 0x18 ? $0.with(flags: $0.flags & ~0x08) : $0.octets)] },
        misreads(
            "no_energy", "reads Energy Expended, but does not print it", "bleakheart 0.2.0: the key is misspelt",
            caughtBy: [
                "clients/energy_and_rr shows_energy", "clients/energy_and_rr shows_energy_alone",
                "formats/energy shows",
            ]
        ) { value in
            guard value.flags & 0x08 != 0 else { return [.hears(value.octets)] }
            return [.hears(value.with(flags: value.flags & ~0x08, rest: value.rest.dropFirst(2)))]
        },
        misreads(
            "contact_as_mask", "treats unsupported contact as no contact, and no contact as contact",
            "pycycling#54",
            caughtBy: ["clients/contact shows_off", "clients/contact shows_unknown"] + shownFlags(0x00, 0x02)
        ) { [.hears($0.with(flags: $0.flags | ($0.flags & 0x06 == 0x04 ? 0x02 : 0x04)))] },
        misreads(
            "no_contact", "ignores the contact flags", "ryanbr/noop#1758",
            caughtBy: [
                "clients/contact shows_off", "clients/contact shows_on", "clients/contact shows_again",
                "formats/contact_lost off_skin", "formats/contact_lost on_skin",
            ] + shownFlags(0x04, 0x05, 0x06, 0x07, 0x0C, 0x0D, 0x0F)
        ) { [.hears($0.with(flags: $0.flags & ~0x06))] },
        misreads(
            "pads", "reads missing octets as 0", "pycycling 0.4.1: half a heart rate is 0 bpm",
            caughtBy: [
                "clients/too_short no_zero", "clients/too_short no_half", "formats/broken nothing",
                "formats/truncated nothing",
            ]
        ) { $0.isWhole ? [.hears($0.octets)] : [.hears([$0.flags & 0x01] + $0.rate + [0, 0])] },
        misreads(
            "crashes", "crashes on a truncated measurement",
            "pycycling 0.4.1 and Bumble 0.0.236: IndexError, struct.error",
            caughtBy: [
                "clients/too_short goes_on", "errors/unknown_pdus shows", "formats/broken shows",
                "formats/truncated shows",
            ]
        ) { [$0.isWhole ? .hears($0.octets) : .ends] },
        misreads(
            "strict", "disconnects on a malformed measurement",
            caughtBy: ["clients/too_short stays", "formats/broken stays", "formats/truncated stays"]
        ) { [$0.isWhole ? .hears($0.octets) : .leaves] },
    ]

    private static let intervals = [
        misreads(
            "no_interval_no_value", "ignores measurements without RR-Intervals", "bleakheart 0.2.0",
            caughtBy: [
                "clients/comes_back starts", "clients/contact starts", "clients/energy_and_rr starts",
                "clients/handles_moved starts", "clients/odd_tail starts", "clients/rr_alone starts",
                "clients/several_rr starts", "clients/silence starts", "clients/subscribes starts",
                "clients/too_short starts", "clients/two_octets starts",
                "collector/heart_rate/listens each", "collector/heart_rate/reserved_location shows",
                "formats/long_strings shows", "formats/more_services shows", "formats/two_batteries shows",
            ]
        ) { $0.flags & 0x10 != 0 ? [.hears($0.octets)] : [] },
        misreads(
            "long_ones_only", "reads RR-Intervals only in measurements of more than six octets",
            "codeinversion/sensors-swift#5",
            caughtBy: [
                "clients/rr_alone shows_1000_ms", "clients/rr_alone shows_923_ms",
                "formats/rr_units second_shown", "formats/rr_units one_shown", "formats/rr_units high_shown",
                "formats/rr_units two_shown",
            ] + shownFlags(0x10, 0x12, 0x14, 0x16)
        ) { [.hears($0.octets.count > 6 ? $0.octets : $0.without(0x10))] },
        misreads(
            "one_interval", "ignores measurements with more than one RR-Interval", "TrackMyIndoorWorkout#372",
            caughtBy: ["clients/several_rr shows_two", "clients/several_rr shows_nine", "formats/nine_rr all"]
        ) { $0.intervals.count > 1 ? [] : [.hears($0.octets)] },
        misreads(
            "first_interval", "reads only the first RR-Interval",
            caughtBy: ["clients/several_rr shows_two", "clients/several_rr shows_nine", "formats/nine_rr all"]
                + shownFlags(0x11, 0x13, 0x15, 0x17)
        ) { [.hears($0.with(intervals: Array($0.intervals.prefix(1))))] },
        misreads(
            "milliseconds", "prints an RR-Interval of 1024 as 1024 ms", "polar-ble-sdk#343",
            caughtBy: [
                "clients/rr_alone shows_1000_ms", "clients/rr_alone shows_923_ms", "formats/rr_units second_shown",
            ]
        ) { value in
            [.hears(value.with(intervals: value.intervals.map { UInt16(clamping: Int($0) * 128 / 125) }))]
        },
        misreads(
            "low_octet", "drops the high octet of RR-Intervals", "WebBluetoothCG/web-bluetooth#493",
            caughtBy: [
                "clients/rr_alone shows_1000_ms", "clients/rr_alone shows_923_ms", "formats/rr_units second_shown",
            ]
        ) { [.hears($0.with(intervals: $0.intervals.map { $0 & 0xFF }))] },
        misreads(
            "divides", "crashes on an RR-Interval of 0", "bleakheart 0.2.0: ZeroDivisionError",
            caughtBy: ["formats/rr_units zero_shown", "formats/rr_units stays"]
        ) { [$0.intervals.contains(0) ? .ends : .hears($0.octets)] },
        misreads(
            "odd_octet", "reads an odd octet at the end as an RR-Interval",
            "bleakheart 0.2.0: an interval of 1 ms",
            caughtBy: ["clients/odd_tail drops_it", "formats/rr_units odd_shown"]
        ) { [.hears($0.surplus % 2 == 1 && $0.flags & 0x10 != 0 ? $0.octets + [0] : $0.octets)] },
        misreads(
            "odd_octet_strict", "disconnects on an odd octet", "Bumble 0.0.236: struct.error",
            caughtBy: ["errors/unknown_pdus stays"]
        ) { [$0.surplus % 2 == 1 && $0.flags & 0x10 != 0 ? .leaves : .hears($0.octets)] },
    ]

    private static let temperatures = [
        misreads(
            temperature: "ieee_754", "reads a FLOAT as IEEE 754", "Android-BLE-Library#465",
            caughtBy: [
                "collector/thermometer/measures first", "collector/thermometer/measures each",
                "collector/thermometer/measures intermediate", "collector/thermometer/measures intermediates",
                "collector/thermometer/reserved_type shows", "collector/thermometer/stored each",
            ]
        ) { octets in
            guard octets.count >= 5 else { return [.hears(octets)] }
            let bits = octets[1...4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let tenths = Float(bitPattern: bits) * 10
            let mantissa = tenths.isFinite ? Int32(max(-8_000_000, min(8_000_000, tenths))) : 0
            let low = (0..<3).map { UInt8(truncatingIfNeeded: mantissa >> (8 * $0)) }
            return [.hears([octets[0]] + low + [0xFF] + octets[5...])]
        },
        misreads(
            temperature: "unsigned", "ignores negative temperatures",
            caughtBy: ["collector/thermometer/float negative_shown"]
        ) { octets in
            octets.count >= 5 && octets[3] & 0x80 != 0 ? [] : [.hears(octets)]
        },
        misreads(
            temperature: "no_specials", "reads special values as numbers",
            caughtBy: ["collector/thermometer/float whole_shown", "collector/thermometer/no_value nothing"]
        ) { octets in
            octets.count >= 5 && octets[4] == 0
                ? [.hears([octets[0]] + octets[1...3].map { $0 & 0x7F } + [0xFF] + octets[5...])] : [.hears(octets)]
        },
        misreads(
            temperature: "nan_crashes", "crashes on NaN",
            caughtBy: ["collector/thermometer/float fahrenheit_shown", "collector/thermometer/no_value good_shown"]
        ) { [$0.count >= 5 && $0[4] == 0 ? .ends : .hears($0)] },
        misreads(
            temperature: "nan_leaves", "disconnects on NaN",
            caughtBy: ["collector/thermometer/float stays", "collector/thermometer/no_value stays"]
        ) { [$0.count >= 5 && $0[4] == 0 ? .leaves : .hears($0)] },
        misreads(
            temperature: "no_exponent", "assumes tenths of a degree",
            caughtBy: ["collector/thermometer/float hundredths_shown"]
        ) { $0.count >= 5 ? [.hears($0[..<4] + [0xFF] + $0[5...])] : [.hears($0)] },
        misreads(
            temperature: "fahrenheit", "prints a temperature in degrees Fahrenheit as it is",
            caughtBy: ["collector/thermometer/float fahrenheit_shown", "collector/thermometer/float nothing_invented"]
        ) { $0.count >= 5 ? [.hears([$0[0] & ~0x01] + $0[1...])] : [.hears($0)] },
        misreads(
            temperature: "reserved_bits_of_temperature", "ignores temperatures with reserved flags",
            caughtBy: [
                "collector/thermometer/reserved flags_shown", "collector/thermometer/reserved_intermediate flags_shown",
            ]
        ) { $0.first.map { $0 & 0xF8 } == 0 ? [.hears($0)] : [] },
        misreads(
            temperature: "reserved_type", "ignores temperatures with a reserved type",
            caughtBy: [
                "collector/thermometer/reserved type_shown", "collector/thermometer/reserved_intermediate type_shown",
            ]
        ) { $0.last == 200 ? [] : [.hears($0)] },
        misreads(
            temperature: "exact_length_of_temperature", "ignores temperatures with extra octets",
            caughtBy: [
                "collector/thermometer/reserved surplus_shown",
                "collector/thermometer/reserved_intermediate surplus_shown",
            ]
        ) { $0.first == 0 && $0.count > 5 ? [] : [.hears($0)] },
        misreads(
            temperature: "strict_of_temperature", "disconnects on an unexpected temperature",
            caughtBy: ["collector/thermometer/reserved stays", "collector/thermometer/reserved_intermediate stays"]
        ) { octets in
            [octets.first.map { $0 > 7 } == true || octets.count == 5 && octets[4] != 0xFF ? .leaves : .hears(octets)]
        },
    ]
}

// Clients that misread an RSC Measurement.
extension FaultyClient {
    private static func misreads(
        running name: String, _ about: String, caughtBy: [String],
        _ octets: @escaping @Sendable ([UInt8]) -> [Operation]
    ) -> FaultyClient {
        FaultyClient(
            name: name, about: about, caughtBy: caughtBy,
            values: { value, uuid, _ in uuid == .rscMeasurement && value.count >= 4 ? octets(value) : [.hears(value)] })
    }

    fileprivate static let running = [
        misreads(running: "big_endian_speed", "reads a speed as big-endian", caughtBy: ["running speed"]) {
            [.hears([$0[0], $0[2], $0[1]] + $0[3...])]
        },
        misreads(running: "strides_per_minute", "shows half of the cadence", caughtBy: ["running cadence"]) {
            [.hears($0[..<3] + [$0[3] / 2] + $0[4...])]
        },
        misreads(
            running: "no_stride", "skips no stride length before the total distance",
            caughtBy: ["running stride", "running distance"]
        ) { [.hears([$0[0] & ~0x01] + $0[1...])] },
        misreads(running: "always_walks", "ignores the status of walking or running", caughtBy: ["running runs"]) {
            [.hears([$0[0] & ~0x04] + $0[1...])]
        },
        misreads(
            running: "zeros_for_missing", "reads missing octets as zeros", caughtBy: ["formats/running_fields nothing"]
        ) { [.hears($0 + [0, 0, 0, 0, 0, 0])] },
        misreads(
            running: "reserved_flags_of_running", "ignores running measurements with reserved flags",
            caughtBy: ["formats/running_fields flags_shown"]
        ) { $0[0] & 0xF8 == 0 ? [.hears($0)] : [] },
        misreads(
            running: "exact_length_of_running", "ignores running measurements with extra octets",
            caughtBy: ["formats/running_fields surplus_shown"]
        ) { $0[0] == 0 && $0.count > 4 ? [] : [.hears($0)] },
        misreads(
            running: "strict_of_running", "disconnects on a running measurement with reserved flags",
            caughtBy: ["formats/running_fields stays"]
        ) { [$0[0] & 0xF8 == 0 ? .hears($0) : .leaves] },
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
