import Basics
import CommandSupport
import Documents
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

@testable import Screens

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

    private static func outline(
        _ scenario: Scenario, _ selection: Selection = Selection(), on radio: RadioKind = .virtual
    ) throws -> (PageOutline, Node) {
        var work = PageOutlineWork(scenario, selection, InstructionReader(scenario))
        func isPlayable(_ action: Action) -> Bool {
            radio.unsupportedReason(for: action) == nil && radio.ignoredArgument(of: action) == nil
        }
        while !work.step(isPlayable) {}
        let outline = work.outline(version: "1.2.3")
        return (outline, try Node(json: outline.json.utf8, file: ""))
    }

    /// A scenario with many straps.
    private static func crowd(_ count: Int, _ services: String = #"{"service": "heart_rate"}"#) throws -> Scenario {
        let devices = (0..<count).map { #"{"id": "strap\#($0)", "name": "Strap \#($0)", "services": [\#(services)]}"# }
        let text = #"{"lubdub": 1, "name": "x", "devices": [\#(devices.joined(separator: ", "))]}"#
        return try #require(ScenarioFile.read("x.json") { _ in Array(text.utf8) }.scenario)
    }

    private static func ids(_ node: Node) -> [String] { items(node["devices"]).compactMap { $0["id"]?.string } }

    @Test func `A page shows some of many devices, or those that match`() throws {
        let scenario = try Self.crowd(1000)
        let (first, node) = try Self.outline(scenario)
        #expect(first.devices == Array(0..<20))
        #expect(node["total"]?.json == "1000")
        #expect(node["matches"]?.json == "1000")
        let (last, _) = try Self.outline(scenario, Selection(page: 49))
        #expect(last.devices == Array(980..<1000))
        #expect(last.readings.map(\.device).allSatisfy { $0 < 20 })
        #expect(last.readings.first?.path == "strap980/heart_rate")
        #expect(try Self.outline(scenario, Selection(page: 50)).0.devices == [])
        #expect(try Self.outline(scenario, Selection(page: .max)).0.devices == [])
        let (_, found) = try Self.outline(scenario, Selection("TRAP 99"))
        #expect(Self.ids(found) == ["strap99"] + (990..<1000).map { "strap\($0)" })
        #expect(found["matches"]?.json == "11")
        let (second, _) = try Self.outline(scenario, Selection("strap1", page: 1))
        #expect(second.devices == [109, 110] + Array(111..<129))
        #expect(try Self.outline(scenario, Selection("nobody")).0.devices == [])
    }

    @Test(arguments: [3, 300]) func `No step does more work for more devices`(count: Int) throws {
        let scenario = try Self.crowd(count)
        for selection in [Selection(), Selection("strap2")] {
            var work = PageOutlineWork(scenario, selection, InstructionReader(scenario))
            var (steps, most, isDone) = (0, 0, false)
            while !isDone {
                var tries = 0
                isDone = work.step { _ in
                    tries += 1
                    return false  // so that all targets are tried
                }
                (steps, most) = (steps + 1, max(most, tries))
            }
            let bound = PageOutlineWork.kindsPerStep * (ActionOffer.maximumTargets + 1)
            #expect(most <= bound)
            #expect(steps < 200)
        }
    }

    @Test func `A step looks at a limited number of devices, services and values`() throws {
        let many = (0..<100).map { #"{"service": "battery", "id": "b\#($0)"}"# }.joined(separator: ", ")
        let scenario = try Self.crowd(30, many)
        var work = PageOutlineWork(scenario, Selection(), InstructionReader(scenario))
        var (most, isDone) = (0, false)
        while !isDone {
            var tries = 0
            isDone = work.step { _ in
                tries += 1
                return false
            }
            most = max(most, tries)
        }
        #expect(most <= PageOutlineWork.kindsPerStep * (ActionOffer.maximumTargets + 1))
        let outline = work.outline(version: "1")
        #expect(outline.readings.count == PageOutline.maximumReadings)
        let hidden = try Node(json: outline.json.utf8, file: "")["hidden"]?.json
        #expect(hidden.flatMap { Int($0) } ?? 0 > 0)
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
