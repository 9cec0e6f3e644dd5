import Expectations

// Correct peripherals with rare but legal properties.
extension Peripheral {
    static let unusual: [Peripheral] =
        [
            Peripheral(
                name: "both", about: "bonds, and has a value that can be notified and indicated",
                services: [value("uint8", "1", "read", "notify", "indicate", period: "2 s")], advertise: "{}",
                security: "{}"),
            Peripheral(
                name: "seldom", about: "bonds, and notifies a value every 25 s",
                services: [value("uint8", "1", "notify", period: "25 s")], advertise: "{}", security: "{}"),
            Peripheral(
                name: "fleeting", about: "pairs, and forgets its keys when the connection ends",
                services: [heartRate, battery, value("uint8", "1", "read", "write", "notify", "indicate")],
                security: #"{"bonding": false}"#),
            Peripheral(
                name: "one_octet_only", about: "a strap that never sends two octets",
                services: [#"{"service": "heart_rate", "value": 62, "format": "uint8"}"#]),
            Peripheral(
                name: "long_name", about: "a private address, and a name that advertising has no room for",
                services: [plainHeartRate], deviceName: "A long name of a heart rate strap",
                advertise: #"{"interval": "1 s"}"#, security: #"{"privacy": true}"#),
            Peripheral(
                name: "restless", about: "changes its private address each second", services: [plainHeartRate],
                security: #"{"privacy": "1 s"}"#),
            Peripheral(
                name: "slow_link", about: "asks for a connection interval of 1 s",
                services: [#"{"service": "health_thermometer", "value": 36.6, "period": "5 s"}"#],
                link: #"{"interval": "1 s", "timeout": "6 s"}"#, advertise: #"{"services": ["1809"]}"#),
            Peripheral(
                name: "slower_link", about: "asks for the longest connection interval, 4 s",
                services: [#"{"service": "health_thermometer", "value": 36.6, "period": "5 s"}"#, battery],
                link: #"{"interval": "4 s", "timeout": "20 s"}"#, advertise: #"{"services": ["1809"]}"#),
            Peripheral(
                name: "too_secure", about: "has a value that it opens for nobody",
                services: [
                    custom(
                        "safe", "5a3b0051-9c1e-4f7a-8f52-3d1c6e0b7a90",
                        [
                            #"""
                            {"uuid": "5a3b0052-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "uint8", "properties": ["read"],
                             "permissions": ["secure_connections"], "value": 1}
                            """#
                        ])
                ], advertise: "{}", security: #"{"secure_connections": false, "io": "display_only"}"#),
        ] + fastHearts + clocks + slow

    /// Straps whose RR-Intervals arrive late, one by one, or seldom.
    private static let fastHearts = [
        ("late_intervals", #""value": 150, "period": "5 s""#),
        ("crowded_intervals", #""value": 180, "period": "2 s", "rr_per_notification": 4"#),
        ("single_intervals", #""value": 62, "rr_per_notification": 1"#),
        ("quick_intervals", #""value": 62, "period": "200 ms""#),
    ].map { name, fields in
        Peripheral(
            name: name, about: "a strap with \(fields.replacing("\"", with: "")), and RR-Intervals",
            services: [#"{"service": "heart_rate", "rr_intervals": true, \#(fields)}"#])
    }

    /// Writable values that grow by 1 now and then.
    private static let clocks = [(2, "uint16"), (3, "uint8"), (10, "uint8")].map { seconds, format in
        let curve = #"{"curve": "ramp", "start": 0, "end": 100, "over": "\#(100 * seconds) s"}"#
        return Peripheral(
            name: "clock_\(seconds)", about: "a writable counter (\(format)) of every \(seconds) s",
            services: [value(format, curve, "read", "write", "write_command")], advertise: "{}", security: "{}")
    }

    /// Streams whose frames take more than a minute.
    private static let slowStreams = [
        ("slow_heart_rates", #"{"service": "measurements", "rate": "1 Hz", "value": 72}"#),
        ("slow_ecg", #"{"service": "ecg", "rate": "2 Hz"}"#),
    ].map { name, service in
        Peripheral(name: name, about: service.replacing("\"", with: ""), services: [service], advertise: "{}")
    }

    /// The verdicts that a check of a real peripheral like this may have: if it measures too seldom, that cannot be judged.
    var verdictsIfReal: Set<Verdict> {
        Self.slow.contains { $0.name == name } ? [.pass, .skip, .inconclusive] : [.pass, .skip]
    }

    /// Sensors that measure so seldom that nothing comes within a minute.
    private static let slow =
        slowStreams
        + [
            ("patient_thermometer", #""1809""#, #""service": "health_thermometer", "value": 36.6"#),
            ("slow_oximeter", #""1822""#, #""service": "pulse_oximeter", "value": 97"#),
            (
                "slow_spot_checks", #""1822""#,
                #""service": "pulse_oximeter", "value": 97, "spot_check_period": "10 min""#
            ),
            (
                "slow_runner", #""1814""#,
                #""service": "running_speed_and_cadence", "cadence": 160, "stride_length": 1.1, "total_distance": true"#
            ),
            (
                "slow_strap", #""180D""#,
                #""service": "heart_rate", "value": 72, "contact": true, "energy": true, "rr_intervals": true"#
            ),
            ("slow_intervals", #""180D""#, #""service": "heart_rate", "value": 62, "rr_intervals": true"#),
            ("slow_battery", #""180F""#, #""service": "battery", "value": 87"#),
            ("slow_steps", "", #""service": "fitness", "steps": 5000"#),
        ].map { name, uuid, fields in
            Peripheral(
                name: name, about: "sends a value every 2 min: \(fields.replacing("\"", with: ""))",
                services: [#"{"period": "2 min", \#(fields)}"#], advertise: #"{"services": [\#(uuid)]}"#)
        }

    /// A service with one value.
    private static func value(
        _ format: String, _ value: String, _ properties: String..., period: String = "1 s"
    ) -> String {
        let list = properties.map { "\"\($0)\"" }.joined(separator: ", ")
        let isSent = list.contains("notify") || list.contains("indicate")
        let sending = isSent ? "\"period\": \"\(period)\", " : ""
        return custom(
            "own", "5a3b0061-9c1e-4f7a-8f52-3d1c6e0b7a90",
            [
                #"""
                {"uuid": "5a3b0062-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "\#(format)", "value": \#(value),
                 \#(sending)"properties": [\#(list)]}
                """#
            ])
    }
}
