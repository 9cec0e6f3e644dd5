import Documents
import ScenarioLanguage
import Scenarios
import Simulation
import Testing
import TextFormatting

@testable import LivePage

@Suite struct PageOutlineTests {
    private static func scenario(
        _ services: String = #"{"service": "heart_rate"}, {"service": "ecg", "rate": "250 Hz"}"#
    ) throws -> Scenario {
        let text =
            #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [\#(services)]}, "#
            + #"{"id": "other", "services": [{"service": "battery", "value": 5}]}]}"#
        let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
        #expect(reading.problems.isEmpty, "\(reading.problems)")
        return try #require(reading.scenario)
    }

    private static func outline(_ scenario: Scenario, on radio: RadioKind = .virtual) throws -> (PageOutline, Node) {
        let outline = PageOutline(scenario, version: "1.2.3") { action in
            radio.unsupportedReason(for: action) == nil && radio.ignoredArgument(of: action) == nil
        }
        return (outline, try Node(json: outline.json.utf8, file: ""))
    }

    private static func items(_ node: Node?) -> [Node] {
        if case .array(let items)? = node?.value { items } else { [] }
    }

    private static func lines(_ node: Node) -> [String] { (Self.items(node["offers"])).compactMap { $0["line"]?.json } }

    @Test func `It has devices, readings, rates and actions`() throws {
        let (outline, node) = try Self.outline(try Self.scenario())
        #expect(node["version"]?.string == "1.2.3")
        #expect(Self.items(node["devices"]).compactMap { $0["id"]?.string } == ["strap", "other"])
        #expect(node["rates"]?.json == #"{"strap/ecg/samples": 250}"#)
        #expect(outline.readings.map(\.path).contains("strap/heart_rate"))
        #expect(Self.items(node["readings"]).count == outline.readings.count)
        let lines = Self.lines(node)
        #expect(lines.contains(#"{"do": "silence", "of": "strap", "for": "8 s"}"#))
        #expect(lines.contains(#"{"do": "lead_off", "of": "strap/ecg", "for": "3 s"}"#))
        #expect(lines.contains { $0.hasPrefix(#"{"do": "distance", "of": "other""#) })
        #expect(!lines.contains { $0.hasPrefix(#"{"do": "lead_off", "of": "other""#) })
        #expect(!lines.contains { $0.hasPrefix(#"{"do": "stall_pairing""#) })  // no device pairs
    }

    @Test(arguments: RadioKind.allCases) func `Only what the radio plays is offered, and each line can be read`(
        radio: RadioKind
    ) throws {
        let scenario = try Self.scenario()
        let (_, node) = try Self.outline(scenario, on: radio)
        let reader = InstructionReader(scenario)
        let lines = Self.lines(node)
        #expect(lines.count > 10)
        for line in lines {
            guard case .act(let rule) = try reader.read(line.utf8, at: .start) else {
                Issue.record("\(line)")
                continue
            }
            #expect(radio.unsupportedReason(for: rule.action) == nil, "\(line)")
        }
        let hasDistance = lines.contains { $0.contains(#""do": "distance""#) }
        #expect(hasDistance == (radio != .bluetoothd))
    }

    @Test func `Each action of an offer is described`() throws {
        let (_, node) = try Self.outline(try Self.scenario())
        let kinds = Set((Self.items(node["offers"])).compactMap { $0["line"]?["do"]?.string })
        for kind in kinds { #expect(node["actions"]?[kind]?["about"]?.string?.isEmpty == false, "\(kind)") }
        #expect(node["actions"]?["disconnect"]?["lasts"]?.json == "false")
        #expect(node["actions"]?["silence"]?["lasts"]?.json == "true")
    }
}
