import Documents
import ScenarioLanguage
import ScenarioModel
import VirtualWorld

/// A peripheral under test: a scenario of one device, and changes to the packets of its host.
struct Peripheral: Sendable {
    /// Its name in the matrix.
    var name: String
    /// Its fault; for a correct peripheral its description.
    var about: String
    var services = [heartRate, battery, information]
    var deviceName = "Lubdub HRM"
    /// The block `link`; nil: the defaults.
    var link: String?
    var advertise = #"{"interval": "100 ms", "services": ["180D"], "appearance": 833}"#
    /// The block `security`; nil: it rejects pairing.
    var security: String?
    var script: [String] = []
    var mutation: Mutation?
    /// The check that must find the fault; nil for a correct peripheral.
    var caughtBy: String?

    /// The scenario file.
    var json: String {
        """
        {"lubdub": 1, "name": "\(name)", "devices": [{"id": "strap", "name": "\(deviceName)", "advertise": \(advertise),
          \(link.map { "\"link\": \($0)," } ?? "")
          \(security.map { "\"security\": \($0)," } ?? "")
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

    // MARK: Services

    static let heartRate = #"""
        {"service": "heart_rate", "value": 72, "contact": true, "energy": true, "rr_intervals": true, "location": "foot"}
        """#
    static let plainHeartRate = #"{"service": "heart_rate", "value": 72}"#
    static let battery = #"{"service": "battery", "value": 87}"#
    /// With every characteristic of Device Information Service 1.2.
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

    /// One of several batteries, with the description in its presentation format: 1 is "first".
    static func battery(_ id: String, place: UInt8) -> String {
        let descriptor = #"[{"uuid": "2904", "value": "0400ad27010\#(place)00"}]"#
        return custom(id, "180F", [characteristic("2A19", "57", "read", descriptors: descriptor)])
    }

    /// This peripheral with a fault.
    func but(
        _ name: String, _ about: String, _ id: String, script rules: String..., by changes: [Mutation.Change] = []
    ) -> Peripheral {
        var other = self
        (other.name, other.about, other.caughtBy, other.script) = (name, about, id, rules)
        other.mutation = changes.isEmpty ? nil : Mutation(changes)
        return other
    }

    /// Whether both are equal apart from their faults.
    func isMade(as other: Peripheral) -> Bool {
        (services, deviceName, link, advertise, security)
            == (other.services, other.deviceName, other.link, other.advertise, other.security)
    }

    // MARK: Correct peripherals

    static let correct: [Peripheral] =
        [
            full,
            Peripheral(
                name: "plain", about: "a heart rate without optional attributes, and a read-only battery",
                services: [plainHeartRate, custom("cell", "180F", [characteristic("2A19", "57", "read")])],
                advertise: #"{"interval": "1 s", "services": ["180D"]}"#),
            Peripheral(
                name: "two_batteries", about: "two batteries with different descriptions",
                services: [heartRate, battery("left", place: 1), battery("right", place: 2)]),
            Peripheral(
                name: "wide", about: "a strap that always uses the uint16 format, as permitted",
                services: [#"{"service": "heart_rate", "value": 72, "format": "uint16", "rr_intervals": true}"#]),
            Peripheral(name: "other", about: "no heart rate", services: [battery], advertise: "{}"),
            thermometer, oximeter, runner,
        ] + [intervalRead, intervalWritten, intervalIndicated] + [book, annex, band, phone, brim, archive, sample]
        + pairing + unusual + broadcasters

    static let full = Peripheral(
        name: "full", about: "a heart-rate strap with every optional attribute of its services")

    static let thermometer = Peripheral(
        name: "thermometer", about: "a thermometer with stored measurements and a writable interval",
        services: [
            #"{"service": "health_thermometer", "value": 36.6, "type": "ear", "store": true, "period": "2 s"}"#,
            battery,
        ], advertise: warm)

    static let oximeter = Peripheral(
        name: "oximeter", about: "a pulse oximeter with spot-checks and every field",
        services: [
            #"""
            {"service": "pulse_oximeter", "value": 97, "pulse_rate": 62, "amplitude": 1.5, "contact": true,
             "spot_check_period": "3 s"}
            """#, battery,
        ], advertise: #"{"interval": "100 ms", "services": ["1822"], "appearance": 3137}"#)

    static let runner = Peripheral(
        name: "runner", about: "a foot pod with every optional field and characteristic",
        services: [
            #"""
            {"service": "running_speed_and_cadence", "cadence": 160, "stride_length": 1.1, "total_distance": true,
             "running": true, "location": "in_shoe"}
            """#,
            battery,
        ], advertise: #"{"interval": "100 ms", "services": ["1814"], "appearance": 1089}"#)

    private static let warm = #"{"interval": "100 ms", "services": ["1809"], "appearance": 768}"#

    static let intervalRead = thermometer("interval_read", "a thermometer with a read-only interval", "read")
    static let intervalWritten = thermometer(
        "interval_written", "a thermometer whose interval can be set to any value", "read", "write")
    static let intervalIndicated = thermometer(
        "interval_indicated", "a thermometer with a readable and indicated interval", "read", "indicate")

    /// A thermometer that measures every 3 s, with an interval of these properties.
    private static func thermometer(_ name: String, _ about: String, _ properties: String...) -> Peripheral {
        let list = properties.map { "\"\($0)\"" }.joined(separator: ", ")
        return Peripheral(
            name: name, about: about,
            services: [
                custom(
                    "thermometer", "1809",
                    [
                        #"""
                        {"uuid": "2A1C", "format": "octets", "value": "006c0100ff", "properties": ["indicate"],
                         "period": "3 s"}
                        """#,
                        #"""
                        {"uuid": "2A21", "format": "uint16", "value": 3, "properties": [\#(list)],
                         "descriptors": [{"uuid": "2906", "value": "0100ffff"}]}
                        """#,
                    ])
            ], advertise: warm)
    }

    /// With a value for each way to read and to write; handle 0x30 is a long text, 0x40 a uint16.
    static let book = Peripheral(
        name: "book",
        about: "a custom service with long, protected, writable, notified and indicated values",
        services: [
            custom(
                "book", "5a3b0001-9c1e-4f7a-8f52-3d1c6e0b7a90",
                [
                    #"""
                    {"uuid": "5a3b0002-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "utf8", "handle": 48,
                     "properties": ["read", "write"], "value": "Open from eight to six, and on Sundays while there is cake.",
                     "descriptors": [{"uuid": "2901", "value": "What is written on the sign at the door"}]}
                    """#,
                    #"""
                    {"id": "limit", "uuid": "5a3b0003-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "uint16", "handle": 64,
                     "properties": ["read", "write", "write_command"], "value": 250,
                     "descriptors": [{"uuid": "2904", "value": "06000027010000"},
                                     {"uuid": "2904", "value": "06000027010100"},
                                     {"uuid": "2905", "value": "41004200"}]}
                    """#,
                    #"""
                    {"uuid": "5a3b0004-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "uint8", "properties": ["read", "write"],
                     "permissions": ["authenticated"], "value": 1}
                    """#,
                    #"""
                    {"uuid": "5a3b0005-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "uint8", "properties": ["read", "write"],
                     "permissions": ["authorized"], "value": 2}
                    """#,
                    #"""
                    {"id": "bell", "uuid": "5a3b0006-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "uint8",
                     "properties": ["read", "indicate"], "period": "2 s", "value": 3}
                    """#,
                    #"""
                    {"uuid": "5a3b0007-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "uint8", "properties": ["notify"],
                     "period": "500 ms", "value": 4}
                    """#,
                ])
        ], advertise: "{}")

    /// Handle 0x0101 is the include declaration, 0x0120 a value with a description, its properties and its configuration.
    static let annex = Peripheral(
        name: "annex",
        about:
            "a secondary Device Information Service, extended properties, broadcast, gaps and a configuration at the end",
        services: [
            #"""
            {"service": "custom", "id": "annex", "uuid": "5a3b0041-9c1e-4f7a-8f52-3d1c6e0b7a90", "handle": 256,
             "includes": ["information"], "characteristics": [
              {"uuid": "5a3b0042-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "uint16", "value": 7,
               "properties": ["read", "write", "notify", "broadcast", "extended_properties"],
               "declaration_handle": 272, "handle": 288, "descriptors": [
                {"uuid": "2901", "value": "Level", "permissions": {"write": true}}, {"uuid": "2900", "value": 3},
                {"uuid": "2903", "value": 0, "permissions": {"write": true}}, {"uuid": "2902", "handle": 304}]}]}
            """#,
            secondInformation("information"),
        ], advertise: "{}")

    /// A secondary Device Information Service.
    static func secondInformation(_ id: String) -> String {
        #"{"service": "custom", "id": "\#(id)", "uuid": "180A", "secondary": true, "characteristics": ["#
            + characteristic("2A29", "4c7562647562", "read") + "]}"
    }

    /// Its attributes cannot move, since the last handle is in use.
    static let brim = Peripheral(
        name: "brim", about: "uses the last handle, 0xFFFF, for the declaration of a service",
        services: [
            custom(
                "last_but_one", "5a3b0021-9c1e-4f7a-8f52-3d1c6e0b7a90",
                [
                    #"""
                    {"uuid": "5a3b0022-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "uint8", "handle": 65534,
                     "properties": ["read", "write"], "value": 1}
                    """#
                ]),
            custom("last", "5a3b0023-9c1e-4f7a-8f52-3d1c6e0b7a90", []),
        ], advertise: "{}")

    static let archive = Peripheral(
        name: "archive", about: "writable values that are longer than a PDU",
        services: [
            custom(
                "archive", "5a3b0031-9c1e-4f7a-8f52-3d1c6e0b7a90",
                [(2, 512), (3, 300)].map { number, count in
                    #"""
                    {"uuid": "5a3b003\#(number)-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "octets",
                     "properties": ["read", "write", "write_command"],
                     "value": "\#(String(repeating: "a5", count: count))"}
                    """#
                })
        ], advertise: "{}")

    /// As the heart-rate sample of Nordic's nRF5 SDK: intervals of 98 to 488 ms with a heart rate of 140.
    static let sample = Peripheral(
        name: "sample", about: "RR-Intervals that do not follow the heart rate",
        services: [
            custom(
                "heart_rate", "180D",
                [
                    #"""
                    {"uuid": "2A37", "format": "octets", "value": "108c64006500f401", "properties": ["notify"],
                     "period": "1 s"}
                    """#
                ])
        ], advertise: #"{"services": ["180D"]}"#)

    static let band = Peripheral(
        name: "band", about: "steps and temperature on demand, an ECG, and heart rates at 200 Hz",
        services: [
            #"{"service": "fitness", "steps": 5000, "temperature": 36.6}"#, #"{"service": "ecg", "rate": "500 Hz"}"#,
            #"{"service": "measurements", "rate": "200 Hz", "value": 72}"#,
        ], advertise: "{}")

    /// A dual-mode device, such as a phone, with a service whose errors only its own specification can judge.
    static let phone = Peripheral(
        name: "phone", about: "BR/EDR and Low Energy, and a service with its own error code for writes",
        services: [
            heartRate,
            custom(
                "own", "5a3b0011-9c1e-4f7a-8f52-3d1c6e0b7a90",
                [
                    #"""
                    {"id": "choice", "uuid": "5a3b0013-9c1e-4f7a-8f52-3d1c6e0b7a90", "format": "uint8",
                     "properties": ["read", "write"], "value": 2}
                    """#
                ]),
        ],
        script: [
            #"{"when": "start", "do": "att_error", "of": "own/choice", "on": "write", "error": "out_of_range"}"#
        ], mutation: Mutation([.init(.advertisingData, at: 0, "02 01 06", becomes: "02 01 02")]))
}
