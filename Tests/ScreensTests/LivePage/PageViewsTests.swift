import Basics
import Documents
import ScenarioLanguage
import ScenarioModel
import Testing
import VirtualWorld

@testable import Screens

@Suite struct PageViewsTests {
    private static func scenario(_ count: Int) throws -> Scenario {
        let devices = (0..<count).map { #"{"id": "strap\#($0)", "services": [{"service": "heart_rate"}]}"# }
        // All devices are silent.
        let script = (0..<count).map { #"{"do": "silence", "of": "strap\#($0)", "when": "1 s"}"# }
        let text =
            #"{"lubdub": 1, "name": "x", "devices": [\#(devices.joined(separator: ", "))], "#
            + #""script": [\#(script.joined(separator: ", "))]}"#
        let reading = ScenarioFile.read("x.json") { _ in Array(text.utf8) }
        return try #require(reading.scenario, "\(reading.problems)")
    }

    private static func outlines(_ views: inout PageViews) -> [(channel: Int, outline: PageOutline)] {
        var outlines: [(channel: Int, outline: PageOutline)] = []
        while views.hasWork {
            if let outline = views.work(version: "1", isPlayable: { _ in true }) { outlines.append(outline) }
        }
        return outlines
    }

    private static func items(_ node: Node?) -> [Node] {
        if case .array(let items)? = node?.value { items } else { [] }
    }

    @Test func `Pages with the same selection share a channel and an outline, until none shows it`() throws {
        let scenario = try Self.scenario(50)
        var views = PageViews(scenario, InstructionReader(scenario))
        let first = views.open(Selection())
        #expect(first.outline == nil)
        #expect(views.open(Selection()).channel == first.channel)
        let second = views.open(Selection(page: 1))
        #expect(second.channel != first.channel)
        #expect(Self.outlines(&views).map(\.channel) == [first.channel, second.channel])
        #expect(views.open(Selection()).outline?.devices == Array(0..<20))
        #expect(views.devices == Set(0..<40))
        views.keep([second.channel])
        #expect(views.devices == Set(20..<40))
        #expect(views.open(Selection()).outline == nil)
    }

    @Test func `A frame has what its page shows, whatever the number of devices`() throws {
        var lengths: [Int] = []
        for count in [30, 600] {
            let scenario = try Self.scenario(count)
            var world = try World(scenario, seed: 1)
            world.start()
            world.run(until: .start.advanced(by: .seconds(2)))
            var views = PageViews(scenario, InstructionReader(scenario))
            _ = (views.open(Selection()), views.open(Selection("strap29")))
            #expect(views.frames(of: world, .init()).isEmpty)
            _ = Self.outlines(&views)
            var news = PageFeed.News()
            news.values = (0..<count).map { .init(device: $0, json: "{\"of\": \($0)}") }
            let frames = views.frames(of: world, news).map(\.json)
            let node = try Node(json: frames[0].utf8, file: "")
            #expect(Self.items(node["values"]).count == 20)
            #expect(Self.items(node["status"]?["devices"]).count == 20)
            #expect(Self.items(node["status"]?["in_force"]).count == 20)
            #expect(node["elsewhere"]?.json == "\(count - 20)")
            lengths.append(frames[0].utf8.count)
            let other = try Node(json: frames[1].utf8, file: "")
            #expect(Self.items(other["values"]).first?["of"]?.json == "29")
        }
        #expect(lengths[1] < lengths[0] + 10)
    }
}
