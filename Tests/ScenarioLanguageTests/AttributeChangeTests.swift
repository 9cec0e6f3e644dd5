import Bluetooth
import Documents
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

/// Rules that change a device's attributes: what they add can be named everywhere, and what cannot be is found.
@Suite struct AttributeChangeTests {
    /// Two devices, one of which has its last attribute at 0xFF00.
    private static func text(_ rules: String) -> String {
        """
        {"lubdub": 1, "name": "x", "devices": [{"id": "a", "services": [{"service": "battery", "value": 5},
         {"service": "custom", "id": "last", "uuid": "1815", "characteristics": [
          {"id": "end", "uuid": "2A58", "properties": ["read"], "handle": 65280}]}]},
         {"id": "b", "services": [{"service": "heart_rate"}]}], "script": [
        \(rules)]}
        """
    }

    private static func change(_ arguments: String, of device: String = "a") -> String {
        #"{"when": "1 s", "do": "change_services", "of": "\#(device)", \#(arguments)}"#
    }

    private static let more = #"{"service": "battery", "id": "more"}"#

    @Test func `Added services follow a device's own, unless they are the same`() throws {
        let rules = [
            Self.change(#""add": [\#(Self.more), {"service": "battery", "value": 5}], "remove": ["a/last"]"#),
            Self.change(#""add": [{"service": "heart_rate"}, \#(Self.more)], "announce": false"#),
            Self.change(#""remove": ["b/heart_rate"]"#, of: "b"),
            #"{"when": {"event": "subscribed", "of": "a/heart_rate"}, "do": "set", "of": "a/more", "to": 3}"#,
        ]
        let reading = reading([("x", Self.text(rules.joined(separator: ",\n")))])
        #expect(reading.problems.map(\.description) == [])
        let scenario = try #require(reading.scenario)
        #expect(scenario.devices[0].services.map(\.id) == ["battery", "last", "more", "heart_rate"])
        #expect(scenario.devices[0].services.map(\.isThereFromStart) == [true, true, false, false])
        #expect(scenario.devices[1].services.map(\.id) == ["heart_rate"])
        let operations: [Action.Operation] = [
            .changeServices(add: [2, 0], remove: [1], announce: true),
            .changeServices(add: [3, 2], remove: [], announce: false),
            .changeServices(add: [], remove: [0], announce: true),
        ]
        #expect(scenario.script.prefix(3).map(\.action.operation) == operations)
        #expect(scenario.script[3].action.entity == .value(device: 0, service: 2, value: 0))
        // By default, a device advertises the services that it has at the start.
        #expect(scenario.devices[0].advertising.payload.services == [scenario.devices[0].services[1].uuid])
    }

    @Test(arguments: [
        (change(#""announce": true"#), "5:1: LD0106: script[0]: nothing changes: "),
        (change(#""add": [], "remove": []"#), "5:1: LD0106: script[0]: nothing changes: "),
        (change(#""remove": ["a/more"]"#), "LD0133: script[0].remove[0]: unknown path \"a/more\""),
        (change(#""remove": ["b/heart_rate"]"#), "LD0134: script[0].remove[0]: expected a service of \"a\""),
        (change(#""remove": ["a"]"#), "LD0134: script[0].remove[0]: expected a service of \"a\""),
        (change(#""remove": ["a/last/end"]"#), "LD0134: script[0].remove[0]: expected a service of \"a\""),
        (change(#""add": [\#(more)], "remove": ["a/more"]"#), "LD0138: script[0].remove[0]: \"a/more\" is in"),
        (change(#""add": [{"service": "battery", "value": 6}]"#), "LD0131: script[0].add[0]: this device has another"),
        (change(#""add": [{"service": "feed", "value": 1, "id": "last"}]"#), "LD0131: script[0].add[0].id: "),
        (change(#""add": [{"service": "batery"}]"#), "LD0110: script[0].add[0].service: unknown name \"batery\""),
        (change(#""add": [\#(more)]"#, of: "a/battery"), "LD0134: script[0].of: expected a device, found"),
        (
            change(
                #"""
                "add": [{"service": "custom", "uuid": "1816", "characteristics": [
                {"uuid": "2A58", "properties": ["read"], "handle": 65281}]}]
                """#),
            "LD0139: script[0].add[0].characteristics[0].handle: expected handle 65283 or higher"
        ),
        (#"{"when": "1 s", "do": "move_handles", "of": "a", "by": 256}"#, "5:56: LD0139: script[0].by: this moves"),
        (#"{"when": "1 s", "do": "move_handles", "of": "a", "by": 0}"#, "LD0109: script[0].by: "),
        (#"{"when": "1 s", "do": "move_handles", "of": "a", "by": 1e300}"#, "script[0].by: "),
        (#"{"when": "1 s", "do": "move_handles", "of": "a", "by": 9, "for": "1 s"}"#, "script[0].for: unknown key"),
        (#"{"when": "1 s", "do": "move_handles", "of": "a"}"#, "LD0106: script[0].by: \"by\" is required"),
    ])
    func `Invalid changes are reported at their place`(rule: String, complaint: String) {
        let said = problems(("x", Self.text(rule)))
        #expect(said.count == 1 && said[0].contains(complaint), "\(said)")
    }

    @Test func `Each move counts once, and so does what is added`() {
        func said(_ distances: [Int], _ more: String = "") -> [String] {
            let rules = distances.map { distance in
                #"{"when": {"at": "1 s", "every": "1 s"}, "do": "move_handles", "of": "a", "by": \#(distance)}"#
            }
            return problems(("x", Self.text((rules + (more.isEmpty ? [] : [more])).joined(separator: ",\n"))))
        }
        #expect(said([255]) == [])
        #expect(said([100, 155]) == [])
        let text = ": script[1].by: this moves the device's attributes beyond the last handle, 65535"
        #expect(said([100, 156, 7]).map { $0.hasSuffix(text) } == [true])
        #expect(said([251], Self.change(#""add": [\#(Self.more)]"#)) == [])
        #expect(said([252], Self.change(#""add": [\#(Self.more)]"#)).count == 1)
    }
}
