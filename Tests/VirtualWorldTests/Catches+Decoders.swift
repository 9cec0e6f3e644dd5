import Basics

extension Catches {
    /// The expectations of measurements with these flags.
    private static func shownFlags(_ flags: UInt8...) -> [String] {
        flags.map { "collector/heart_rate/flags flags_\($0.zeroPadded(to: 2, radix: 16).lowercased())_shown" }
    }

    /// Those of clients that decode values wrongly.
    static let decoders: [(client: String, by: [String])] = [
        (
            "one_octet", ["clients/two_octets shows_300", "formats/broken nothing"]
        ),
        (
            "two_octets",
            [
                "errors/late_and_out_of_order shows", "recovery/away_short shows", "recovery/flapping shows",
                "recovery/services_change shows", "resting shows",
            ] + shownFlags(0x08, 0x0A, 0x0E)
        ),
        (
            "big_endian",
            [
                "clients/two_octets shows_300", "clients/two_octets shows_72", "formats/always_two shows",
                "formats/edges shows", "formats/two_byte shows", "recovery/another_format shows",
            ] + shownFlags(0x01, 0x03, 0x09, 0x0B)
        ),
        (
            "plain_only",
            [
                "clients/contact goes_on", "clients/energy_and_rr goes_on", "clients/odd_tail goes_on",
                "clients/rr_alone goes_on", "clients/several_rr goes_on", "clients/two_octets goes_on",
            ]
        ),
        (
            "never_two_octets", ["formats/two_byte shows"]
        ),
        (
            "reserved_bits", ["formats/reserved_flags shows"]
        ),
        (
            "exact_length", ["formats/extra_octets shows", "formats/extra_octets stays"]
        ),
        (
            "swapped_flags",
            [
                "clients/energy_and_rr shows_energy", "clients/energy_and_rr shows_energy_alone",
                "clients/energy_and_rr shows_rr", "formats/energy shows",
            ]
        ),
        (
            "energy_as_interval",
            ["clients/energy_and_rr shows_rr"] + shownFlags(0x18, 0x19, 0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F)
        ),
        (
            "no_energy",
            [
                "clients/energy_and_rr shows_energy", "clients/energy_and_rr shows_energy_alone",
                "formats/energy shows",
            ]
        ),
        (
            "contact_as_mask", ["clients/contact shows_off", "clients/contact shows_unknown"] + shownFlags(0x00, 0x02)
        ),
        (
            "no_contact",
            [
                "clients/contact shows_off", "clients/contact shows_on", "clients/contact shows_again",
                "formats/contact_lost off_skin", "formats/contact_lost on_skin",
            ] + shownFlags(0x04, 0x05, 0x06, 0x07, 0x0C, 0x0D, 0x0F)
        ),
        (
            "pads",
            [
                "clients/too_short no_zero", "clients/too_short no_half", "formats/broken nothing",
                "formats/truncated nothing",
            ]
        ),
        (
            "crashes",
            [
                "clients/too_short goes_on", "errors/unknown_pdus shows", "formats/broken shows",
                "formats/truncated shows",
            ]
        ),
        (
            "strict", ["clients/too_short stays", "formats/broken stays", "formats/truncated stays"]
        ),
        (
            "no_interval_no_value",
            [
                "clients/comes_back starts", "clients/contact starts", "clients/energy_and_rr starts",
                "clients/handles_moved starts", "clients/odd_tail starts", "clients/rr_alone starts",
                "clients/several_rr starts", "clients/silence starts", "clients/subscribes starts",
                "clients/too_short starts", "clients/two_octets starts",
                "collector/heart_rate/listens each", "collector/heart_rate/reserved_location shows",
                "formats/long_strings shows", "formats/more_services shows", "formats/two_batteries shows",
            ]
        ),
        (
            "long_ones_only",
            [
                "clients/rr_alone shows_1000_ms", "clients/rr_alone shows_923_ms",
                "formats/rr_units second_shown", "formats/rr_units one_shown", "formats/rr_units high_shown",
                "formats/rr_units two_shown",
            ] + shownFlags(0x10, 0x12, 0x14, 0x16)
        ),
        (
            "one_interval", ["clients/several_rr shows_two", "clients/several_rr shows_nine", "formats/nine_rr all"]
        ),
        (
            "first_interval",
            ["clients/several_rr shows_two", "clients/several_rr shows_nine", "formats/nine_rr all"]
                + shownFlags(0x11, 0x13, 0x15, 0x17)
        ),
        (
            "milliseconds",
            [
                "clients/rr_alone shows_1000_ms", "clients/rr_alone shows_923_ms", "formats/rr_units second_shown",
            ]
        ),
        (
            "low_octet",
            [
                "clients/rr_alone shows_1000_ms", "clients/rr_alone shows_923_ms", "formats/rr_units second_shown",
            ]
        ),
        (
            "divides", ["formats/rr_units zero_shown", "formats/rr_units stays"]
        ),
        (
            "odd_octet", ["clients/odd_tail drops_it", "formats/rr_units odd_shown"]
        ),
        (
            "odd_octet_strict", ["errors/unknown_pdus stays"]
        ),
        (
            "ieee_754",
            [
                "collector/thermometer/measures first", "collector/thermometer/measures each",
                "collector/thermometer/measures intermediate", "collector/thermometer/measures intermediates",
                "collector/thermometer/reserved_type shows", "collector/thermometer/stored each",
            ]
        ),
        (
            "unsigned", ["collector/thermometer/float negative_shown"]
        ),
        (
            "no_specials", ["collector/thermometer/float whole_shown", "collector/thermometer/no_value nothing"]
        ),
        (
            "nan_crashes",
            ["collector/thermometer/float fahrenheit_shown", "collector/thermometer/no_value good_shown"]
        ),
        (
            "nan_leaves", ["collector/thermometer/float stays", "collector/thermometer/no_value stays"]
        ),
        (
            "no_exponent", ["collector/thermometer/float hundredths_shown"]
        ),
        (
            "fahrenheit",
            ["collector/thermometer/float fahrenheit_shown", "collector/thermometer/float nothing_invented"]
        ),
        (
            "reserved_bits_of_temperature",
            [
                "collector/thermometer/reserved flags_shown", "collector/thermometer/reserved_intermediate flags_shown",
            ]
        ),
        (
            "reserved_type",
            [
                "collector/thermometer/reserved type_shown", "collector/thermometer/reserved_intermediate type_shown",
            ]
        ),
        (
            "exact_length_of_temperature",
            [
                "collector/thermometer/reserved surplus_shown",
                "collector/thermometer/reserved_intermediate surplus_shown",
            ]
        ),
        (
            "strict_of_temperature",
            ["collector/thermometer/reserved stays", "collector/thermometer/reserved_intermediate stays"]
        ),
        ("big_endian_speed", ["running speed"]),
        ("strides_per_minute", ["running cadence"]),
        (
            "no_stride", ["running stride", "running distance"]
        ),
        ("always_walks", ["running runs"]),
        (
            "zeros_for_missing", ["formats/running_fields nothing"]
        ),
        (
            "reserved_flags_of_running", ["formats/running_fields flags_shown"]
        ),
        (
            "exact_length_of_running", ["formats/running_fields surplus_shown"]
        ),
        (
            "strict_of_running", ["formats/running_fields stays"]
        ),
    ]
}
