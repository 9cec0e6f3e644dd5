import Documents
import Scenarios

/// A scenario whose script contains the manual actions of a run.
struct ReplayScenario {
    package let root: Node

    /// - Parameters:
    ///   - original: The scenario of the run, as a single file.
    ///   - devices: The ids of its devices.
    ///   - limit: Its limit in microseconds; extended if the log is longer.
    ///   - log: The manual actions and the seed.
    init(_ original: Node, devices: [String], limit: Int64, _ log: ManualActionLog) {
        let rules = log.actions.indices.flatMap { Self.rules(for: $0, in: log.actions, devices: devices) }
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

    private static func rules(for index: Int, in actions: [ManualActionLog.ManualAction], devices: [String]) -> [Node] {
        let action = actions[index]
        guard case .object(let said) = action.line.value else { return [] }
        var members: [(key: String, node: Node)] = [("when", Node(.string("\(action.time) s")))]
        members += said.filter { $0.key != "chance" }.map { ($0.key, $0.node) }  // the log shows its outcome
        if action.isEndless { members.append(("until", Node(.string(end(of: index, in: actions))))) }
        if action.line["note"] == nil { members.append(("note", Node(.string(action.name)))) }
        guard action.kind == .clear, action.line["of"] == nil else { return [.object(members)] }
        // A rule clears one target, so clearing everything takes several rules.
        return (devices + ["client"]).map { entity in
            .object(members.prefix(2) + [("of", Node(.string(entity)))] + members.dropFirst(2))
        }
    }

    /// When an action without a duration ended.  With an end, the rule restores what it replaced, as manual actions do.
    private static func end(of index: Int, in actions: [ManualActionLog.ManualAction]) -> String {
        var index = index
        while case .covered(let next) = actions[index].end, next > index { index = next }
        guard case .at(let time) = actions[index].end else { return "end" }
        return "\(time) s"
    }

    /// Microseconds of a time in the log's format.
    private static func microseconds(_ time: String) -> Int64 { Int64(time.filter { $0 != "." }) ?? 0 }

    private static func seconds(_ microseconds: Int64) -> String {
        let decimals = String(1_000_000 + microseconds % 1_000_000).dropFirst()
        return "\(microseconds / 1_000_000).\(decimals) s"
    }
}
