import Documents
import Scenarios
import VirtualWorld

/// A peripheral that is examined: a scenario of one device, and what its host does wrong beside it.
struct Peripheral: Sendable {
    /// What the matrix calls it.
    let name: String
    /// In which one thing it differs from the correct one that it is made of; what it is, of a correct one.
    let about: String
    var services = [heartRate, battery, information]
    var advertise = #"{"interval": "100 ms", "services": ["180D"], "appearance": 833}"#
    var script: [String] = []
    var mutation: Mutation?
    /// The check that is named for the fault; nil for a correct one.
    var caughtBy: String?

    /// The file.
    var json: String {
        """
        {"lubdub": 1, "name": "\(name)", "devices": [{"id": "strap", "name": "Lubdub HRM", "advertise": \(advertise),
          "services": [\(services.joined(separator: ", "))]}], "script": [\(script.joined(separator: ", "))]}
        """
    }

    func scenario() throws -> Scenario {
        struct Unreadable: Error { let problems: [String] }
        let reading = ScenarioFile.read("\(name).json") { _ in Array(json.utf8) }
        guard let scenario = reading.scenario, reading.problems.isEmpty else {
            throw Unreadable(problems: reading.problems.map(\.description))
        }
        return scenario
    }

    // MARK: What they are made of

    static let heartRate = #"""
        {"service": "heart_rate", "value": 72, "contact": true, "energy": true, "rr_intervals": true, "location": "foot"}
        """#
    static let plainHeartRate = #"{"service": "heart_rate", "value": 72}"#
    static let battery = #"{"service": "battery", "value": 87}"#
    /// With everything that Device Information 1.2 knows.
    static let information = custom(
        "information", "180A",
        [
            ("2A29", "4c7562647562"), ("2A24", "5374726170"), ("2A25", "31"), ("2A27", "41"), ("2A26", "312e30"),
            ("2A28", "322e30"), ("2A23", "674523feff48deac"), ("2A2A", "0102"), ("2A50", "01ffff01000100"),
            ("2BFF", "00"),
        ].map { characteristic($0, $1, "read") })

    static func custom(_ id: String, _ uuid: String, _ characteristics: [String]) -> String {
        #"{"service": "custom", "id": "\#(id)", "uuid": "\#(uuid)", "characteristics": ["#
            + characteristics.joined(separator: ", ") + "]}"
    }

    static func characteristic(
        _ uuid: String, _ octets: String, _ properties: String..., descriptors: String = "[]"
    ) -> String {
        let list = properties.map { "\"\($0)\"" }.joined(separator: ", ")
        return #"{"uuid": "\#(uuid)", "format": "octets", "value": "\#(octets)", "properties": [\#(list)], "#
            + #""descriptors": \#(descriptors)}"#
    }

    /// A battery beside others, with the place of its presentation format's description: 1 is the first.
    static func battery(_ id: String, place: UInt8) -> String {
        let descriptor = #"[{"uuid": "2904", "value": "0400ad27010\#(place)00"}]"#
        return custom(id, "180F", [characteristic("2A19", "57", "read", descriptors: descriptor)])
    }

    // MARK: Those that are right

    static let correct: [Peripheral] = [
        Peripheral(name: "full", about: "a heart-rate strap with all that its services can have"),
        Peripheral(
            name: "plain", about: "a heart rate and nothing optional; a battery that is only read",
            services: [plainHeartRate, custom("cell", "180F", [characteristic("2A19", "57", "read")])],
            advertise: #"{"interval": "1 s", "services": ["180D"]}"#),
        Peripheral(
            name: "two_batteries", about: "two batteries that say which they are",
            services: [heartRate, battery("left", place: 1), battery("right", place: 2)]),
        Peripheral(
            name: "wide", about: "a strap that always takes two octets, as it may",
            services: [#"{"service": "heart_rate", "value": 72, "format": "uint16", "rr_intervals": true}"#]),
        Peripheral(name: "other", about: "no heart rate at all", services: [battery], advertise: "{}"),
    ]
}
