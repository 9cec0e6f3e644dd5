import Basics
import Documents
import Drivers
import ScenarioLanguage
import ScenarioModel
import VirtualWorld

/// What the open pages show: those with the same selection share an outline, frames and a channel of the server.
struct PageViews {
    private struct View {
        let channel: Int
        let selection: Selection
        var work: PageOutlineWork?  // until the outline is known
        var outline: PageOutline?
    }

    /// The most lasting actions in a frame.
    static let actionsPerFrame = 100

    private let scenario: Scenario
    private let reader: InstructionReader
    private var views: [View] = []
    private var count = 0  // of all views so far

    init(_ scenario: Scenario, _ reader: InstructionReader) { (self.scenario, self.reader) = (scenario, reader) }

    /// The channel of a selection, and its outline if that is known; otherwise `work` finds it.
    mutating func open(_ selection: Selection) -> (channel: Int, outline: PageOutline?) {
        if let view = views.first(where: { $0.selection == selection }) { return (view.channel, view.outline) }
        count += 1
        views.append(View(channel: count, selection: selection, work: PageOutlineWork(scenario, selection, reader)))
        return (count, nil)
    }

    /// Forgets the selections that no page shows any more.
    mutating func keep(_ channels: [Int]) { views.removeAll { !channels.contains($0.channel) } }

    /// Whether an outline is unknown.
    var hasWork: Bool { views.contains { $0.work != nil } }

    /// Does a short part of the work for one outline; returns the outline with the last one.
    mutating func work(version: String, isPlayable: (Action) -> Bool) -> (channel: Int, outline: PageOutline)? {
        guard let index = views.firstIndex(where: { $0.work != nil }),
            views[index].work?.step(isPlayable) == true, let work = views[index].work.take()
        else { return nil }
        let outline = work.outline(version: version)
        views[index].outline = outline
        return (views[index].channel, outline)
    }

    /// The indices of the devices that pages show.
    var devices: Set<Int> { Set(views.flatMap { $0.outline?.devices ?? [] }) }

    /// The next frame of each channel whose outline is known.
    func frames(of world: World, _ news: PageFeed.News) -> [(channel: Int, json: String)] {
        views.compactMap { view in view.outline.map { (view.channel, Self.frame($0, world, news)) } }
    }

    private static func frame(_ outline: PageOutline, _ world: World, _ news: PageFeed.News) -> String {
        let (status, elsewhere) = world.status(of: outline.devices, atMost: actionsPerFrame)
        let numbers = outline.readings.map { world.number(of: $0.entity) }
        let shown = numbers.map { $0.map(\.plain) ?? "null" }.joined(separator: ", ")
        let values = news.values.filter { outline.devices.contains($0.device) }.map(\.json)
        return "{\"status\": \(ControlAnswer.status(status).json), \"elsewhere\": \(elsewhere), "
            + "\"readings\": [\(shown)], \"events\": [\(news.events.joined(separator: ", "))], "
            + "\"values\": [\(values.joined(separator: ", "))], \"omitted\": \(news.omitted)}"
    }
}
