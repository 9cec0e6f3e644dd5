import VirtualWorld

// Thermometers and vendor sensors with one fault.
extension Peripheral {
    /// Changes the beginning of an indicated value.
    private static func indicates(_ sent: String, instead right: String) -> Mutation.Change {
        .init(.att(0x1D), at: 3, right, becomes: sent)
    }

    /// Changes the beginning of a value that a client writes.
    static func takes(_ value: String, for right: String) -> Mutation.Change {
        .init(.received(0x12), at: 3, right, becomes: value)
    }

    /// A rule that applies from the start to a value of the thermometer or the band.
    private static func always(_ operation: String, _ part: String, _ arguments: String = "") -> String {
        #"{"when": "start", "do": "\#(operation)", "of": "strap/\#(part)"\#(arguments)}"#
    }

    static let thermometerMutants = [
        Peripheral(
            name: "no_thermometer", about: "advertises 1809, but does not have it", services: [battery],
            advertise: thermometer.advertise, caughtBy: "HTS/SEN/SGGIT/SER/BV-01-C"),
        thermometer.but(
            "readable_temperature", "declares 2A1C with Read too", "HTS/SEN/SGGIT/CHA/BV-01-C",
            by: [declares("22", for: "2A1C", instead: "20")]),
        thermometer.but(
            "writable_type", "declares 2A1D with Write too", "HTS/SEN/SGGIT/CHA/BV-02-C",
            by: [declares("0A", for: "2A1D", instead: "02")]),
        thermometer.but(
            "readable_intermediate", "declares 2A1E with Read too", "HTS/SEN/SGGIT/CHA/BV-03-C",
            by: [declares("12", for: "2A1E", instead: "10")]),
        intervalRead.but(
            "notified_interval_read", "declares 2A21, which is read-only, with Notify too",
            "HTS/SEN/SGGIT/CHA/BV-04-C", by: [declares("12", for: "2A21", instead: "02")]),
        intervalWritten.but(
            "notified_interval_written", "declares 2A21, which is writable, with Notify too",
            "HTS/SEN/SGGIT/CHA/BV-05-C", by: [declares("1A", for: "2A21", instead: "0A")]),
        intervalIndicated.but(
            "notified_interval_indicated", "declares 2A21, which is indicated, with Notify too",
            "HTS/SEN/SGGIT/CHA/BV-06-C", by: [declares("32", for: "2A21", instead: "22")]),
        thermometer.but(
            "notified_interval", "declares 2A21, which is writable and indicated, with Notify too",
            "HTS/SEN/SGGIT/CHA/BV-07-C", by: [declares("3A", for: "2A21", instead: "2A")]),
        thermometer.but(
            "reversed_range", "has a Valid Range whose lower value is the higher one", "HTS/SEN/SGGIT/DES/BV-01-C",
            by: [says("10 0E 01 00", instead: "01 00 10 0E")]),
        thermometer.but(
            "reserved_type", "has the reserved Temperature Type 10", "thermometer/type_names_a_place",
            by: [says("0A", instead: "03")]),
        thermometer.but(
            "forgotten_indication", "reads back 0 for a configuration of 2", "HTS/SEN/CIN/BV-01-C",
            by: [says("00 00", instead: "02 00")]),
        thermometer.but(
            "forgotten_notification", "reads back 0 for a configuration of 1", "HTS/SEN/CIN/BV-02-C",
            by: [says("00 00", instead: "01 00")]),
        thermometer.but(
            "interval_for_nobody", "rejects a subscription to 2A21", "HTS/SEN/CIN/BV-03-C",
            script: always("att_error", "health_thermometer/interval", #", "on": "subscribe", "error": 14"#)),
        thermometer.but(
            "mute_thermometer", "accepts a subscription, but never indicates", "HTS/SEN/CI/BV-01-C",
            script: always("silence", "health_thermometer")),
        thermometer.but(
            "mute_between", "never notifies 2A1E", "HTS/SEN/SP/BV-03-C",
            script: always("silence", "health_thermometer/intermediate")),
        thermometer.but(
            "mute_interval", "does not indicate a change of 2A21", "HTS/SEN/CI/BV-02-C",
            script: always("silence", "health_thermometer/interval")),
        thermometer.but(
            "surplus_in_measurement", "indicates an extra octet", "thermometer/flags_explain_octets",
            script: always("lengthen", "health_thermometer", #", "with": "ff""#)),
        thermometer.but(
            "surplus_between", "notifies an extra octet",
            "thermometer/intermediate_flags_explain_octets",
            script: always("lengthen", "health_thermometer/intermediate", #", "with": "ff""#)),
        thermometer.but(
            "type_twice", "sends the temperature type in 2A1C and in 2A1D", "thermometer/type_stands_once",
            by: [indicates("06 .. .. .. .. .. .. .. .. .. .. .. 03", instead: "02 .. .. .. .. .. .. .. .. .. .. ..")]),
        thermometer.but(
            "always_healthy", "always measures 36.6 °C", "thermometer/follows_the_temperature",
            by: [indicates("02 6E 01 00 FF", instead: "02 .. .. .. ..")]),
        thermometer.but(
            "ieee_754_temperature", "indicates an IEEE 754 number", "thermometer/is_plausible",
            by: [indicates("02 66 66 12 42", instead: "02 .. .. .. ..")]),
        thermometer.but(
            "ieee_754_between", "notifies an IEEE 754 number, its most significant octet first",
            "thermometer/intermediate_is_plausible",
            by: [notifies(".. 42 12 66 66", instead: ".. .. .. .. ..")]),
        thermometer.but(
            "another_interval", "stores 3599 s when a client writes 3600 s", "HTS/SEN/CW/BV-02-C",
            by: [takes("0F 0E", for: "10 0E")]),
        thermometer.but(
            "takes_any_interval", "accepts intervals outside its Valid Range", "HTS/SEN/SP/BI-01-C",
            by: [.init(.att(0x01), at: 0, "01 12 .. .. 80", becomes: "13")]),
        thermometer.but(
            "slow_thermometer", "measures every 5 s, but reports 3 s", "HTS/SEN/SP/BV-01-C",
            by: [takes("05 00", for: "03 00"), says("03 00", instead: "05 00")]),
        thermometer.but(
            "tells_twice", "sends each measurement twice", "HTS/SEN/SP/BV-02-C",
            script: always("duplicate", "health_thermometer")),
        Peripheral(
            name: "unlisted_thermometer", about: "does not advertise 1809", services: thermometer.services,
            advertise: #"{"services": ["180F"]}"#, caughtBy: "HTP/SEN/THF/BV-01-C"),
        thermometer.but(
            "nameless_thermometer", "advertises its name with an unknown AD type", "HTP/SEN/THF/BV-02-C",
            by: [
                .init(.advertisingData, "09 4C 75", becomes: "EE 4C 75"),
                .init(.scanResponse, "09 4C 75", becomes: "EE 4C 75"),
            ]),
    ]

    static let oximeterMutants = [
        Peripheral(
            name: "no_oximeter", about: "advertises 1822, but does not have it", services: [battery],
            advertise: oximeter.advertise, caughtBy: "pulse_oximeter/service"),
        oximeter.but(
            "readable_spot_check", "declares 2A5E with Read too", "pulse_oximeter/spot_check",
            by: [declares("22", for: "2A5E", instead: "20")]),
        oximeter.but(
            "readable_continuous", "declares 2A5F with Read too", "pulse_oximeter/continuous",
            by: [declares("12", for: "2A5F", instead: "10")]),
        Peripheral(
            name: "only_features", about: "has PLX Features, but no measurement",
            services: [custom("oximeter", "1822", [characteristic("2A60", "0000", "read")])],
            advertise: oximeter.advertise, caughtBy: "pulse_oximeter/has_a_measurement"),
        Peripheral(
            name: "no_features", about: "has a measurement, but no PLX Features",
            services: [custom("oximeter", "1822", [characteristic("2A5F", "0061003c00", "notify")])],
            advertise: oximeter.advertise, caughtBy: "pulse_oximeter/features"),
        oximeter.but(
            "reserved_features", "sets a reserved bit in PLX Features", "pulse_oximeter/features_explain_octets",
            by: [says("4B 01", instead: "4B 00")]),
        Peripheral(
            name: "short_features", about: "announces a field that PLX Features does not have",
            services: [
                custom(
                    "oximeter", "1822",
                    [characteristic("2A5F", "0061003c00", "notify"), characteristic("2A60", "0100", "read")])
            ], advertise: oximeter.advertise, caughtBy: "pulse_oximeter/features_explain_octets"),
        oximeter.but(
            "forgotten_spot_check", "reads back 0 for a configuration of 2",
            "pulse_oximeter/spot_check_configuration", by: [says("00 00", instead: "02 00")]),
        oximeter.but(
            "forgotten_continuous", "reads back 0 for a configuration of 1",
            "pulse_oximeter/continuous_configuration", by: [says("00 00", instead: "01 00")]),
        oximeter.but(
            "mute_spot_check", "accepts a subscription, but never indicates", "pulse_oximeter/spot_check_is_indicated",
            script: always("silence", "pulse_oximeter/spot_check")),
        oximeter.but(
            "mute_continuous", "accepts a subscription, but never notifies", "pulse_oximeter/continuous_is_notified",
            script: always("silence", "pulse_oximeter")),
        oximeter.but(
            "swapped_saturation", "notifies SpO2 and the pulse rate with their most significant octets first",
            "pulse_oximeter/is_plausible", by: [notifies(".. 00 61 00 3E", instead: ".. .. .. .. ..")]),
        oximeter.but(
            "surplus_in_spot_check", "indicates an extra octet", "pulse_oximeter/spot_check_flags_explain_octets",
            script: always("lengthen", "pulse_oximeter/spot_check", #", "with": "ff""#)),
        oximeter.but(
            "surplus_in_continuous", "notifies an extra octet", "pulse_oximeter/continuous_flags_explain_octets",
            script: always("lengthen", "pulse_oximeter", #", "with": "ff""#)),
        oximeter.but(
            "reserved_status", "sets a reserved bit of the Measurement Status",
            "pulse_oximeter/continuous_flags_explain_octets",
            by: [notifies("1C .. .. .. .. 21 01", instead: "1C .. .. .. .. 20 01")]),
        oximeter.but(
            "no_month", "sends a time stamp in month 13", "pulse_oximeter/spot_check_flags_explain_octets",
            by: [indicates("0F .. .. .. .. .. .. 0D", instead: "0F .. .. .. .. .. .. ..")]),
        oximeter.but(
            "unannounced_time_stamp", "sends a time stamp without its bit in PLX Features",
            "pulse_oximeter/spot_check_is_announced", by: [says("43 00", instead: "4B 00")]),
        oximeter.but(
            "unannounced_amplitude", "sends an amplitude without its bit in PLX Features",
            "pulse_oximeter/continuous_is_announced", by: [says("0B 00", instead: "4B 00")]),
        oximeter.but(
            "unannounced_status", "sends a status whose bit is not in PLX Features",
            "pulse_oximeter/continuous_is_announced", by: [says("4B 00 00 20", instead: "4B 00 20 21")]),
        oximeter.but(
            "always_saturated", "always measures 97 %", "pulse_oximeter/follows_the_saturation",
            by: [notifies("1C CA F3", instead: "1C .. ..")]),
    ]

    static let runningMutants = [
        Peripheral(
            name: "no_running", about: "advertises 1814, but does not have it", services: [battery],
            advertise: runner.advertise, caughtBy: "running/service"),
        runner.but(
            "readable_running", "declares 2A53 with Read too", "running/measurement",
            by: [declares("12", for: "2A53", instead: "10")]),
        runner.but(
            "writable_features", "declares 2A54 with Write too", "running/feature",
            by: [declares("0A", for: "2A54", instead: "02")]),
        runner.but(
            "notified_sensor_location", "declares 2A5D with Notify too", "running/location",
            by: [declares("12", for: "2A5D", instead: "02")]),
        runner.but(
            "commanded_sc_control_point", "declares 2A55 with Write Without Response too",
            "running/control_point", by: [declares("2C", for: "2A55", instead: "28")]),
        runner.but(
            "forgotten_running", "reads back 0 for a configuration of 1", "running/measurement_configuration",
            by: [says("00 00", instead: "01 00")]),
        runner.but(
            "forgotten_responses", "reads back 0 for a configuration of 2", "running/control_point_configuration",
            by: [says("00 00", instead: "02 00")]),
        runner.but(
            "reserved_feature", "sets reserved bit 5 of RSC Feature", "running/features_are_defined",
            by: [says("27 00", instead: "07 00")]),
        runner.but(
            "reserved_sensor_location", "has the reserved Sensor Location 17", "running/location_is_defined",
            by: [says("11", instead: "02")]),
        runner.but(
            "mute_runner", "accepts a subscription, but never notifies", "running/notified_while_subscribed",
            script: always("silence", "running_speed_and_cadence")),
        runner.but(
            "surplus_in_running", "notifies an extra octet", "running/flags_explain_octets",
            script: always("lengthen", "running_speed_and_cadence", #", "with": "ff""#)),
        runner.but(
            "undeclared_stride", "sends a stride length that RSC Feature does not declare",
            "running/flags_match_features", by: [says("06 00", instead: "07 00")]),
        runner.but(
            "constant_speed", "always measures 3 m/s", "running/follows_the_speed",
            by: [notifies("07 00 03", instead: "07 .. ..")]),
        runner.but(
            "constant_cadence", "always measures 160 steps a minute", "running/follows_the_cadence",
            by: [notifies("07 .. .. A0", instead: "07 .. .. ..")]),
        runner.but(
            "constant_stride", "always measures strides of 1.1 m", "running/follows_the_stride_length",
            by: [notifies("07 .. .. .. 6E 00", instead: "07 .. .. .. .. ..")]),
        Peripheral(
            name: "distance_for_ever", about: "has a total distance, and no control point to set it",
            services: [
                custom(
                    "running", "1814",
                    [
                        #"""
                        {"uuid": "2A53", "format": "octets", "value": "020003a0e8030000", "properties": ["notify"],
                         "period": "1 s"}
                        """#,
                        characteristic("2A54", "0200", "read"),
                    ])
            ], advertise: runner.advertise, caughtBy: "running/distance_can_be_set"),
        runner.but(
            "stride_in_millimetres", "notifies its stride length in millimetres", "running/is_plausible",
            by: [notifies(".. .. .. .. 4C 04", instead: ".. .. .. .. 6E 00")]),
        runner.but(
            "sets_nothing", "confirms a new total distance, and sets 0", "running/sets_cumulative_value",
            by: [takes("01 00 00 00 00", for: "01 80 F0 FA 02")]),
        runner.but(
            "knows_all_op_codes", "answers an unknown Op Code with success", "running/unknown_op_code",
            by: [indicates("10 7F 01", instead: "10 7F 02")]),
        runner.but(
            "takes_any_parameter", "answers a truncated distance with success", "running/wrong_parameter",
            by: [indicates("10 01 01", instead: "10 01 03")]),
        runner.but(
            "responds_to_nobody", "accepts a request without a subscription to responses",
            "running/control_point_unconfigured", by: [.init(.att(0x01), at: 0, "01 12 .. .. 81", becomes: "13")]),
    ]

    static let vendorMutants = [
        band.but(
            "stale_steps", "returns outdated steps", "fitness/steps_on_demand",
            by: [says("88 13 00 00", instead: "5A 18 00 00")]),
        band.but(
            "forgets_steps", "resets its steps after 20 s", "fitness/steps_never_fall",
            script: #"{"when": "20 s", "do": "set", "of": "strap/fitness/steps", "to": 10}"#),
        band.but(
            "too_many_today", "reports more steps for today than in total", "fitness/today_is_part_of_all",
            by: [says("FF FF 00 00", instead: "00 00 00 00")]),
        band.but(
            "mute_steps", "never notifies its steps", "fitness/steps_are_notified",
            script: always("silence", "fitness/steps")),
        band.but(
            "stale_temperature", "returns an outdated temperature", "fitness/temperature_on_demand",
            by: [says("4C 0E", instead: "0B 0F")]),
        band.but(
            "reserved_ecg_flags", "sets reserved flags", "ecg/frames_are_whole",
            by: [notifies("01 F4", instead: "01 04")]),
        band.but("doubled_ecg", "sends each frame twice", "ecg/no_gap", script: always("duplicate", "ecg/samples")),
        band.but(
            "lost_ecg", "loses a frame every 2 s without reporting a gap", "ecg/no_gap",
            script: #"""
                {"when": {"at": "5 s", "every": "2 s", "times": 20}, "do": "drop", "of": "strap/ecg/samples",
                 "for": "300 ms"}
                """#),
        band.but(
            "slow_ecg", "reports 250 samples per second, but sends 500", "ecg/rate",
            by: [says("FA 00", instead: "F4 01")]),
        band.but(
            "doubled_measurements", "sends each frame twice", "measurements/no_gap",
            script: always("duplicate", "measurements")),
    ]
}
