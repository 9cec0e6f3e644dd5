import Documents
import ScenarioLanguage
import ScenarioModel
import Testing

/// A scenario with devices, for tests.
struct TestDevices: Sendable {
    private let devices: String

    /// Devices in the scenario language.
    init(_ devices: String) { self.devices = devices }

    var scenario: Scenario {
        get throws {
            let text = """
                {"lubdub": 1, "name": "devices for tests", "limit": "10 min", "devices": [\(devices)]}
                """
            let reading = ScenarioFile.read("test") { _ in Array(text.utf8) }
            #expect(reading.problems.map(\.description) == [])
            return try #require(reading.scenario)
        }
    }

    /// A strap, in range and discoverable.
    static let strap = device(more: "")

    static func device(
        _ id: String = "strap", name: String = "Strap", address: String = "C0:FF:EE:00:00:01/random",
        permissions: String = "", services: String = "180D", more: String
    ) -> TestDevices {
        TestDevices(
            """
            {"id": "\(id)", "name": "\(name)", "address": "\(address)", "distance": "1 m",
             "advertise": {"interval": "100 ms", "services": ["\(services)"]}, \(more)
             "services": [{"service": "heart_rate", \(permissions) "period": "10 s", "location": "wrist",
                           "energy": true, "value": 72},
                          {"service": "battery", "value": 50}]}
            """)
    }

    static func + (left: TestDevices, right: TestDevices) -> TestDevices {
        TestDevices(left.devices + ", " + right.devices)
    }
}
