import Basics
import Bluetooth
import Documents
import GATT
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

/// The reader lays attributes out as devices do: a fixed handle is a problem if and only if no device can be made.
@Suite struct HandleTests {
    static let services = [
        #"{"service": "heart_rate"}"#,
        #"{"service": "heart_rate", "contact": true, "energy": true, "rr_intervals": true, "location": "chest"}"#,
        #"{"service": "heart_rate", "energy": 5}"#, #"{"service": "heart_rate", "energy": false, "location": "foot"}"#,
        #"{"service": "health_thermometer"}"#,
        #"{"service": "health_thermometer", "period": "5 s", "type": "ear", "store": true}"#,
        #"{"service": "health_thermometer", "type": "ear"}"#,
        #"{"service": "fitness", "steps": 1}"#, #"{"service": "fitness", "temperature": 36}"#,
        #"{"service": "fitness", "steps": 1, "temperature": 36}"#, #"{"service": "ecg"}"#,
        #"{"service": "ecg", "as": "pmd"}"#, #"{"service": "measurements", "rate": "500 Hz", "value": 60}"#,
        #"{"service": "feed", "value": 1}"#, #"{"service": "battery"}"#, #"{"service": "device_information"}"#,
        #"{"service": "device_information", "model": "M", "serial": "1"}"#,
        #"{"service": "custom", "uuid": "1815", "characteristics": []}"#,
        """
        {"service": "custom", "id": "other", "uuid": "1815", "characteristics": [
          {"uuid": "2A58", "properties": ["read", "notify", "indicate"], "value": 1},
          {"uuid": "2A56", "properties": ["write"], "handle": 60, "descriptors": [{"uuid": "2901", "value": "x"}]},
          {"uuid": "2A57", "properties": ["indicate"], "descriptors": [{"uuid": "2904", "value": "06000027010000"}, {"uuid": "2901", "value": "x"}]}]}
        """,
        """
        {"service": "custom", "id": "gapped", "uuid": "1815", "handle": 30, "includes": ["gapped"], "characteristics": [
          {"uuid": "2A58", "properties": ["read", "notify"], "value": 1, "declaration_handle": 33, "handle": 36,
           "descriptors": [{"uuid": "2901", "value": "x"}, {"uuid": "2902", "handle": 40}, {"uuid": "2904", "value": "06000027010000"}]},
          {"uuid": "2A57", "properties": [], "descriptors": [{"uuid": "2901", "value": "x", "handle": 50}]}]}
        """,
    ]

    static let links = ["{}", #"{"mtu": 100}"#, #"{"interval": "30 ms"}"#, #"{"latency": 1}"#, #"{"timeout": "2 s"}"#]

    @Test(arguments: services) func `A reader and a device find the same lowest handle`(service: String) throws {
        try agree(service, link: "{}")
    }

    @Test(arguments: links) func `They do whatever a device prefers of its link`(link: String) throws {
        try agree(#"{"service": "heart_rate"}"#, link: link)
    }

    @Test(arguments: services) func `They find the same room for a move, also with a service that is not there`(
        service: String
    ) throws {
        for (services, added) in [("\(service),", ""), ("", service)] {
            func read(_ distance: Int) -> ScenarioFile.Reading {
                let text = """
                    {"lubdub": 1, "name": "x", "devices": [{"id": "d", "services": [\(services)
                     {"service": "feed", "id": "end", "value": 1}]}], "script": [
                      {"when": "start", "do": "change_services", "add": [\(added)], "remove": ["end"]},
                      {"when": "start", "do": "move_handles", "by": \(distance)}]}
                    """
                return ScenarioFile.read("a") { _ in Array(text.utf8) }
            }
            var (most, tooMuch) = (1, 65_535)
            while tooMuch - most > 1 {
                let middle = (most + tooMuch) / 2
                if read(middle).problems.isEmpty { most = middle } else { tooMuch = middle }
            }
            #expect(read(tooMuch).problems.map(\.code) == [.handleTaken])
            let table = try World(#require(read(most).scenario), seed: 1).attributes(of: 0)
            _ = try table.moving(from: 2, by: UInt16(most))
            #expect(throws: AttributeTable.DefinitionError.self) { try table.moving(from: 2, by: UInt16(tooMuch)) }
        }
    }

    private func agree(_ service: String, link: String) throws {
        var lowest: Int?
        for handle in 14...90 {
            let text = """
                {"lubdub": 1, "name": "x", "devices": [{"id": "d", "link": \(link), "services": [\(service),
                 {"service": "custom", "id": "last", "uuid": "1816", "characteristics": [
                   {"uuid": "2A5B", "properties": ["read"], "handle": \(handle)}]}]}]}
                """
            let reading = ScenarioFile.read("a") { _ in Array(text.utf8) }
            let scenario = try #require(reading.scenario)
            do throws(AttributeTable.DefinitionError) {
                _ = try World(scenario, seed: 1)
                #expect(reading.problems.map(\.description) == [])
                lowest = min(lowest ?? handle, handle)
            } catch {
                #expect(reading.problems.map(\.code) == [.handleTaken], "\(handle)")
            }
        }
        #expect((lowest ?? 90) < 90)
    }
}
