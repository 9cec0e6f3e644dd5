import Bluetooth
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

@testable import Cases

/// The variables of an external client.
@Suite struct EnvironmentTests {
    private static let address = DeviceAddress(0xC0FF_EE00_0001, .random)

    private static func variables(_ security: String) throws -> [String: String] {
        let text = """
            {"lubdub": 1, "name": "x", "devices": [
              {"id": "strap", "name": "Strap", "address": "C0:FF:EE:00:00:01/random", "security": {\(security)},
               "services": [{"service": "heart_rate", "value": 72}]}]}
            """
        let scenario = try #require(ScenarioFile.read("x") { _ in Array(text.utf8) }.scenario)
        var world = try World(scenario, seed: 1)
        let variables = environment(
            of: RunPlan(scenario, seed: 1), controller: "tcp:127.0.0.1:1", addresses: [Self.address],
            outOfBand: world.giveOutOfBandData(of: 0, at: Self.address))
        return Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) })
    }

    @Test func `A client gets the data of the target that has oob as hexadecimal digits`() throws {
        let variables = try Self.variables(#""oob": true, "secure_connections": "off""#)
        let digits = try #require(variables["LUBDUB_OOB"])
        #expect(digits.hasPrefix("081B010000EEFFC001021C001110"))
        #expect(digits.count == 60 && digits.allSatisfy(\.isHexDigit))
        #expect(try Self.variables(#""oob": true"#)["LUBDUB_OOB"]?.count == 132)
    }

    @Test func `A variable without a value is missing`() throws {
        let variables = try Self.variables(#""io": "none""#)
        #expect(variables["LUBDUB_OOB"] == nil && variables["LUBDUB_PASSKEY"] == nil)
        #expect(variables["LUBDUB_PEER"] == "C0:FF:EE:00:00:01/random")
        #expect(try Self.variables(#""passkey": 42"#)["LUBDUB_PASSKEY"] == "000042")
    }
}
