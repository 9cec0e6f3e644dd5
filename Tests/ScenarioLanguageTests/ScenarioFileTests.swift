import Bluetooth
import Devices
import Documents
import FoundationEssentials
import Mutations
import Services
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

@Suite struct ScenarioFileTests {
    @Test(arguments: Files.folders.flatMap(Files.names))
    func `The scenarios of the repository have no problems`(path: String) {
        #expect(Files.read(path).problems.map(\.description) == [])
    }

    @Test(arguments: Files.names("Tests/ScenarioLanguageTests/Fixtures"))
    func `The language's examples have no problems`(path: String) {
        #expect(Files.read(path).problems.map(\.description) == [])
    }

    @Test func `There are scenarios and examples`() {
        #expect(Files.folders.map { Files.names($0).count }.reduce(0, +) >= 50)
        #expect(Files.names("Tests/ScenarioLanguageTests/Fixtures").count == 13)
    }

    @Test func `All real straps can be included together, and each can be set`() throws {
        let straps = Files.names("scenarios/devices").map { "\"\($0)\"" }.joined(separator: ", ")
        let whole = #"{"lubdub": 1, "name": "Shop", "include": [\#(straps)], "variables": {"polar_h10_bpm": 70}}"#
        let reading = ScenarioFile.read("shop.json") { $0 == "shop.json" ? Array(whole.utf8) : Files.octets($0) }
        #expect(reading.problems.map(\.description) == [])
        let scenario = try #require(reading.scenario)
        #expect(scenario.devices.count == Files.names("scenarios/devices").count)
        let strap = try #require(scenario.devices.first { $0.id == "polar_h10" })
        let heart = strap.services[0].configured.configuration
        guard case .walk(let start, _, _, _) = heart[HeartRateFields.rate]
        else {
            Issue.record("no walk")
            return
        }
        #expect(start == 70)
    }

    @Test func `A central connects to a peripheral, which may come later in the file`() throws {
        let text = """
            {"lubdub": 1, "name": "x", "devices": [{"id": "a", "role": "central"}, {"id": "b"}, {"id": "c"}],
             "script": [{"when": "1 s", "do": "connect", "of": "a", "to": "c"}]}
            """
        let reading = reading([("a", text)])
        #expect(reading.problems.map(\.description) == [])
        let scenario = try #require(reading.scenario)
        #expect(scenario.devices.map(\.role) == [.central, .peripheral, .peripheral])
        #expect(scenario.script.map(\.action) == [Action(.connect(to: .device(2)), of: .device(0))])
    }

    @Test func `A scenario is read whole`() throws {
        let scenario = try #require(Files.read("scenarios/workout.json").scenario)
        #expect(scenario.limit == .seconds(180))
        #expect(scenario.seed == 1)
        let strap = try #require(scenario.devices.first)
        #expect(strap.address == DeviceAddress(0xC0FF_EE00_0001, .random))
        #expect(strap.advertising.payload.services == [UUID(0x180D)])
        #expect(strap.advertising.phases == [.init(interval: .milliseconds(100), duration: nil)])
        #expect(strap.services.map(\.id) == ["heart_rate", "battery", "device_information"])
        let heart = strap.services[0].configured.configuration
        guard case .pieces(let pieces) = heart[HeartRateFields.rate]
        else {
            Issue.record("no pieces")
            return
        }
        #expect(pieces.map(\.duration) == [.seconds(20), .seconds(40), .seconds(60), nil])
        #expect(pieces[0].curve == .constant(62))
        #expect(heart[HeartRateFields.location] == "chest" && heart[HeartRateFields.energy] == .derived)
        #expect(heart[HeartRateFields.rrIntervals])
        let part = EntityReference.value(device: 0, service: 0, value: 1)
        #expect(scenario.value(part)?.name == "contact")
        #expect(scenario.script.map(\.id) == ["slips", nil, nil, nil])
        #expect(scenario.script[0].action == Action(.set(to: .curve(.constant(0))), of: part))
        #expect(scenario.script[0].end == .after(.seconds(5)))
        #expect(scenario.script[0].when == .time(.seconds(70)))
        guard case .event(let event) = scenario.script[1].when else {
            Issue.record("no event")
            return
        }
        #expect(event.kind == .began && event.of == .rule(0))
        #expect(
            scenario.script[3].action
                == Action(.disconnect(reason: .name("remote_user_terminated_connection")), of: .device(0)))
    }

    @Test func `The limit is 30 s after the last moment that the script names`() {
        let text = scenario(
            script: #"""
                {"when": {"at": "10 s", "every": "10 s", "times": 3}, "do": "set", "of": "battery", "to": 1, "for": "5 s"}
                """#)
        #expect(reading([("a", text)]).scenario?.limit == .seconds(65))
    }

    @Test func `Devices without an address get the next free one`() {
        let text = """
            {"lubdub": 1, "name": "x", "devices": [
             {"id": "a"}, {"id": "b", "address": "C0:FF:EE:00:00:02/random"}, {"id": "c"}]}
            """
        let addresses = reading([("a", text)]).scenario?.devices.map { "\($0.address)" }
        #expect(
            addresses == [
                "C0:FF:EE:00:00:01/random", "C0:FF:EE:00:00:02/random", "C0:FF:EE:00:00:03/random",
            ])
    }

    @Test func `The committed schema is written from the tables`() throws {
        let path = "\(Files.root)/schema/scenario.schema.json"
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try Data(ScenarioSchema.json.utf8).write(to: URL(filePath: path))
        }
        // Updated by make generate.
        #expect(
            Files.octets("schema/scenario.schema.json").map { String(decoding: $0, as: UTF8.self) }
                == ScenarioSchema.json)
        _ = try Node(json: ScenarioSchema.json.utf8, file: "schema")
    }

    @Test func `Beginnings and flipped bits of a file do not trap`() throws {
        let octets = try #require(Files.octets("Tests/ScenarioLanguageTests/Fixtures/00-out-of-range.json"))
        for (index, mutation) in octets.mutations.enumerated()
        where index % 29 == 0 {
            _ = ScenarioFile.read("a.json") { _ in mutation }
        }
    }
}
