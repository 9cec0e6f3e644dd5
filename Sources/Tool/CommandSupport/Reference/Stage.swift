import Documents
import ScenarioLanguage

/// The scenario that the examples of the reference belong to.
enum Stage {
    /// The devices: a strap, a watch that pairs, and a phone that competes with the client.
    static let devices: [Node] = [
        [
            "id": "strap",
            "advertise": ["manufacturer_data": [["company": 107, "fields": [["id": "bpm", "of": "heart_rate"]]]]],
            "services": [
                [
                    "service": "heart_rate", "value": 62, "contact": true, "energy": true, "rr_intervals": true,
                    "location": "chest",
                ],
                ["service": "battery", "value": 87],
                ["service": "health_thermometer", "value": 36.6],
                ["service": "ecg", "rate": "250 Hz"],
            ],
        ],
        [
            "id": "watch", "security": ["io": "display_only", "passkey": 123456, "privacy": true],
            "services": [["service": "health_thermometer", "permissions": ["encrypted"]]],
        ],
        ["id": "phone", "role": "central"],
    ]

    /// The rule that examples of events and expectations refer to.
    static let away: Node = ["id": "away", "when": "1 s", "do": "link_loss", "of": "strap", "for": "39 s"]

    /// The files that examples name.
    static let files: [(name: String, content: String)] = [
        ("rates.csv", "seconds,bpm\n0,62\n10,75\n"),
        ("strap.csv", "seconds,characteristic,octets\n0.25,heart_rate/heart_rate_measurement,10 48\n"),
        ("watch.json", #"{"lubdub": 1, "devices": [{"id": "watch"}]}"#),
        (
            "strap.json",
            #"{"lubdub": 1, "name": "x", "variables": {"rest": 62}, "devices": [{"id": "strap", "services": [{"service": "heart_rate", "value": "${rest}"}]}]}"#
        ),
    ]

    /// The smallest scenario that has each key of a file.
    static let file: Node = [
        "lubdub": 1, "name": "Resting", "variables": ["rest": 62],
        "devices": [["id": "strap", "services": [["service": "heart_rate", "value": "${rest}"]]]],
    ]

    static let suite: Node = [
        "lubdub": 1, "name": "Nightly", "kind": "suite", "cases": [["scenario": "strap.json"]],
    ]

    @Sendable static func rule(_ rule: Node) -> Node { scenario(devices, script: [away, rule]) }

    @Sendable static func event(_ event: Node) -> Node {
        rule(["when": event.value, "do": "stop_advertising", "of": "strap"])
    }

    @Sendable static func condition(_ condition: Node) -> Node {
        rule(["when": "20 s", "unless": condition.value, "do": "stop_advertising", "of": "strap"])
    }

    @Sendable static func expectation(_ expectation: Node) -> Node {
        scenario(devices, script: [away], expect: [expectation])
    }

    /// A matcher for a line of the client: for the heart rate, its RR intervals if it is a list, or its measurement if
    /// it has the measurement's keys.
    @Sendable static func matcher(_ matcher: Node) -> Node {
        let measurement: Node =
            if case .array = matcher.value { ["rr_ms": matcher.value] } else if matcher["bpm"] == nil {
                ["bpm": matcher.value]
            } else { matcher }
        return expectation([
            "id": "shows", "expect": "seen", "within": "10 s",
            "event": ["event": "said", "line": ["heart_rate": measurement.value]],
        ])
    }

    /// A device that advertises has the services whose values it can advertise.
    @Sendable static func device(_ device: Node) -> Node {
        guard device["advertise"] != nil, device["services"] == nil else { return scenario([device]) }
        return scenario([device.setting("services", to: [["service": "heart_rate"], ["service": "battery"]])])
    }

    @Sendable static func service(_ service: Node) -> Node { Self.service(service, script: []) }

    /// A service, and another one that it can include.
    static func service(_ service: Node, script: [Node]) -> Node {
        let battery: [Node] = service["service"]?.string == "battery" ? [] : [["service": "battery", "value": 87]]
        return scenario([["id": "strap", "services": .array([service] + battery)]], script: script)
    }

    @Sendable static func curve(_ curve: Node) -> Node { service(["service": "feed", "value": curve.value]) }

    private static func scenario(_ devices: [Node], script: [Node] = [], expect: [Node] = []) -> Node {
        var members: [(key: String, node: Node)] = [
            ("lubdub", 1), ("name", "Stage"), ("devices", Node(.array(devices))),
        ]
        if !script.isEmpty { members.append(("script", Node(.array(script)))) }
        if !expect.isEmpty { members.append(("expect", Node(.array(expect)))) }
        return .object(members)
    }
}
