extension TestScenario {
    /// Those of the repository, and what they leave out.
    static let all = [
        TestScenario("scenarios/resting.json"), TestScenario("scenarios/workout.json"),
        TestScenario("scenarios/three_straps.json"),
        TestScenario("scenarios/formats/two_byte.json"), disconnects, setsForAWhile, notifies, clears, twoDevices, high,
        smallMTU, unevenInterval, fastAndFull,
    ]

    /// One strap with a script; 60 s.
    static func strap(
        _ name: String, value: String = "72", more: String = "", script: String = "", limit: String = "60 s"
    ) -> TestScenario {
        TestScenario(
            name,
            """
            {"lubdub": 1, "name": "x", "limit": "\(limit)", "devices": [
              {"id": "strap", "address": "C0:FF:EE:00:00:01/random", "advertise": {"services": ["180D"]}, \(more)
               "services": [{"service": "heart_rate", "contact": true, "energy": true, "rr_intervals": true,
                             "location": "wrist", "value": \(value)}, {"service": "battery", "value": 50}]}],
             "script": [\(script)]}
            """)
    }

    static let disconnects = strap(
        "disconnected, and back",
        script: """
            {"when": {"event": "subscribed", "of": "heart_rate", "after": "7 s"}, "do": "disconnect", "of": "strap",
             "reason": "remote_device_terminated_connection_due_to_power_off"},
            {"when": {"event": "disconnected", "of": "strap", "nth": 2, "after": "1 s"},
             "do": "set", "of": "heart_rate", "to": 90}
            """)

    static let setsForAWhile = strap(
        "set for a while", value: #"{"curve": "ramp", "start": 60, "end": 120, "over": "60 s"}"#,
        script: """
            {"id": "long", "when": "10 s", "do": "set", "of": "heart_rate", "for": "30 s",
             "to": {"curve": "step", "start": 200, "by": 1, "period": "1 s"}},
            {"id": "short", "when": "20 s", "do": "set", "of": "heart_rate", "to": 40, "for": "5 s"},
            {"when": "15 s", "do": "set", "of": "heart_rate/contact", "to": false, "until": "25 s"}
            """)

    static let notifies = strap(
        "notified out of turn", value: #"{"curve": "walk", "start": 70, "by": 9, "period": "1 s", "range": [40, 200]}"#,
        script: """
            {"when": {"at": "10.5 s", "every": "2.5 s", "times": 10}, "do": "notify", "of": "heart_rate", "times": 3},
            {"when": {"event": "read", "of": "battery"}, "do": "notify", "of": "heart_rate", "value": 250},
            {"when": {"at": "10 s", "every": "1 s"}, "do": "set", "of": "battery", "to": 20, "for": "500 ms", "chance": 0.5}
            """)

    static let clears = strap(
        "cleared",
        script: """
            {"when": "10 s", "do": "set", "of": "heart_rate", "to": 150},
            {"when": "12 s", "do": "set", "of": "heart_rate/contact", "to": 0},
            {"when": "20 s", "do": "clear", "of": "strap"}
            """)

    static let twoDevices = TestScenario(
        "two devices",
        """
        {"lubdub": 1, "name": "x", "limit": "90 s", "devices": [
          {"id": "near", "distance": "1 m", "advertise": {"services": ["180D"], "interval": "30 ms"},
           "services": [{"service": "heart_rate", "value": 61}]},
          {"id": "far", "distance": "9 m", "advertise": {"services": ["180D"], "interval": "250 ms"},
           "services": [{"service": "heart_rate", "value": 122}]}],
         "script": [{"when": {"at": "20 s", "every": "20 s"}, "do": "disconnect", "of": "near"}]}
        """)

    static let high = strap(
        "above 255",
        value: #"{"curve": "list", "values": [255, 256, 300, 65535, 0], "period": "3 s", "then": "repeat"}"#)

    static let smallMTU = strap(
        "an MTU of 23", value: "290", more: #""link": {"mtu": 23},"#, limit: "20 s")

    /// Two values in two connection events, and events of 7.5 ms from the sixth second on.
    static let fastAndFull = strap(
        "a rhythm of its own, and many RR intervals", value: "240",
        more: #""link": {"interval": "7.5 ms", "timeout": "4 s", "mtu": 247},"#,
        script: """
            {"when": {"at": "4 s", "every": "90.5 ms", "times": 40}, "do": "notify", "of": "heart_rate", "times": 7}
            """, limit: "20 s")

    /// Notifications drift through the connection events, and some fall into the middle of one.
    static let unevenInterval = TestScenario(
        "a period that fits no interval",
        """
        {"lubdub": 1, "name": "x", "limit": "10 min", "devices": [
          {"id": "strap", "advertise": {"services": ["180D"]}, "services": [
            {"service": "heart_rate", "period": "230.023 ms", "value": 100, "energy": true},
            {"service": "battery", "period": "1 min", "value": {"curve": "sine", "mean": 50, "amplitude": 50, "period": "9 s"}}]}]}
        """)
}
