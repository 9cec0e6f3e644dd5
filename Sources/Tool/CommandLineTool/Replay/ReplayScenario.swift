import Documents
import Scenarios

/// A scenario in which the script does what was done by hand.
struct ReplayScenario {
    /// The new file.
    let root: Node

    /// - Parameters:
    ///   - original: The scenario that was played, as one file.
    ///   - devices: The names of its devices.
    ///   - limit: When it ends, unless the log goes on for longer, in microseconds.
    ///   - log: What was done, with which seed.
    init(_ original: Node, devices: [String], limit: Int64, _ log: HandLog) {
        let rules = log.deeds.indices.flatMap { Self.rules(for: $0, in: log.deeds, devices: devices) }
        var members: [(key: String, node: Node)] = []
        if case .object(let old) = original.value { members = old.map { ($0.key, $0.node) } }
        members.removeAll { ["seed", "limit"].contains($0.key) }
        let own: [(key: String, node: Node)] = [
            ("seed", Node(.number("\(log.source.seed)"))),
            ("limit", Node(.string(Self.seconds(max(limit, Self.microseconds(log.end)))))),
        ]
        members.insert(contentsOf: own, at: members.firstIndex { $0.key == "devices" } ?? members.count)
        if !rules.isEmpty {
            var script: [Node] = []
            if case .array(let old)? = original["script"]?.value { script = old }
            members.removeAll { $0.key == "script" }
            let place = members.firstIndex { $0.key == "devices" }.map { $0 + 1 } ?? members.count
            members.insert(("script", Node(.array(script + rules))), at: place)
        }
        root = .object(members)
    }

    private static func rules(for index: Int, in deeds: [HandLog.Deed], devices: [String]) -> [Node] {
        let deed = deeds[index]
        guard case .object(let said) = deed.line.value else { return [] }
        var members: [(key: String, node: Node)] = [("when", Node(.string("\(deed.time) s")))]
        members += said.filter { $0.key != "chance" }.map { ($0.key, $0.node) }  // it has been decided
        if deed.isEndless { members.append(("until", Node(.string(end(of: index, in: deeds))))) }
        if deed.line["note"] == nil { members.append(("note", Node(.string(deed.name)))) }
        guard deed.kind == .clear, deed.line["of"] == nil else { return [.object(members)] }
        // A rule clears one thing, so that it takes several to clear everything.
        return (devices + ["client"]).map { entity in
            .object(members.prefix(2) + [("of", Node(.string(entity)))] + members.dropFirst(2))
        }
    }

    /// Until when something lasted that did not say so.  With an end it is as what comes from outside: what it covers
    /// comes back.
    private static func end(of index: Int, in deeds: [HandLog.Deed]) -> String {
        var index = index
        while case .covered(let next) = deeds[index].end, next > index { index = next }
        guard case .at(let time) = deeds[index].end else { return "end" }
        return "\(time) s"
    }

    /// Of a time as the log writes it.
    private static func microseconds(_ time: String) -> Int64 { Int64(time.filter { $0 != "." }) ?? 0 }

    private static func seconds(_ microseconds: Int64) -> String {
        let decimals = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        return "\(microseconds / 1_000_000).\(decimals) s"
    }
}
