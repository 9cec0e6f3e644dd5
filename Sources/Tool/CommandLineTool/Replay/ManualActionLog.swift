import Basics
import Documents
import ScenarioLanguage
import ScenarioModel

/// The manual actions in an event log: keys, and lines on the control socket.
struct ManualActionLog {
    /// The run of the log.
    struct Source: Equatable {
        var scenario: String
        var seed: UInt64
        /// Nil in the log of a run without manual actions.
        var digest: String?
        var settings: [String] = []
    }

    struct ManualAction: Equatable {
        /// How an action without a duration ended.
        enum End: Equatable {
            case at(String)
            /// Another action, by index, replaced it.
            case covered(by: Int)
            /// It lasted to the end, or was cleared with others.
            case open
        }

        /// Seconds since the start, in the log's format.
        var time: String
        /// The target, by its name in the log.
        var entity: String?
        /// The key or connection: `key s`.
        var name: String
        /// The equivalent line of the control socket.
        var line: Node
        var end = End.open
        let kind: Action.Kind
        /// Whether only the log shows its end.
        var isEndless: Bool { kind.lasts && line["for"] == nil && line["until"] == nil }

        fileprivate func isCovered(by other: ManualAction) -> Bool {
            isEndless && other.isEndless && kind == other.kind && entity == other.entity && time == other.time
        }
    }

    /// Why a log cannot be read.
    struct Unreadable: Error, Equatable {
        let line: Int
        let reason: String
    }

    private(set) var source: Source
    private(set) var actions: [ManualAction] = []
    /// The time of the last line.
    private(set) var end = "0.000000"
    private var count = 1  // lines read
    private var runningActions = Running<RunningAction>()
    private var clearingAction: Int?

    init(_ first: [UInt8]) throws(Unreadable) {
        let node = try? Node(json: first, file: "")
        guard node?["event"]?.string == "start", let scenario = node?["scenario"]?.string,
            let seed = node?["seed"]?.digits.flatMap({ UInt64($0) })
        else { throw Unreadable(line: 1, reason: "not the first line of an event log") }
        source = Source(scenario: scenario, seed: seed, digest: node?["digest"]?.string)
        if case .array(let settings)? = node?["set"]?.value { source.settings = settings.compactMap(\.string) }
    }

    mutating func add(_ line: [UInt8]) throws(Unreadable) {
        count += 1
        guard let (time, event) = try timeAndEvent(of: line) else { return }
        end = time
        let isBeginning = event == "began"
        guard isBeginning || event == "ended" else { return }
        guard let node = try? Node(json: line, file: "") else { throw unreadable("the line is not JSON") }
        guard let said = node["line"] else { return }  // rules of the scenario have no line
        guard let name = node["rule"]?.string, let kind = said["do"]?.string.flatMap(Action.Kind.init(rawValue:)) else {
            throw unreadable("the line has no action")
        }
        let action = ManualAction(time: time, entity: node["of"]?.string, name: name, line: said, kind: kind)
        if isBeginning { begin(action) } else { try end(action) }
    }

    private func unreadable(_ reason: String) -> Unreadable { Unreadable(line: count, reason: reason) }

    /// The time and the event of a line as Lubdub writes it, of which only the beginning is read; the event is empty if it is
    /// neither the beginning nor the end of an action.
    private static func written(_ line: [UInt8]) -> (time: String, event: String)? {
        let head = String(decoding: line.prefix(64), as: UTF8.self)
        guard head.hasPrefix("{\"t\": "), let comma = head.firstIndex(of: ",") else { return nil }
        let time = String(head[..<comma].dropFirst(6))
        guard isTime(time), head[comma...].hasPrefix(", \"event\": \"") else { return nil }
        return (time, ["began", "ended"].first { head.contains("\"event\": \"\($0)\"") } ?? "")
    }

    /// The time and the event of any line; nil if it has no time.  Other programs, such as jq, write lines anew with other
    /// spaces, numbers or order of members.
    private func timeAndEvent(of line: [UInt8]) throws(Unreadable) -> (time: String, event: String)? {
        if let written = Self.written(line) { return written }
        guard let node = try? Node(json: line, file: ""), let time = node["t"] else { return nil }
        guard case .number(let text) = time.value, let seconds = Double(text), (0..<1e10).contains(seconds) else {
            throw unreadable("the line has no time")
        }
        let microseconds = Int64((seconds * 1e6).rounded())
        return ("\(Instant.start.advanced(by: .microseconds(microseconds)))", node["event"]?.string ?? "")
    }

    /// The log's format of seconds: `12.345678`.
    private static func isTime(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && (1...10).contains(parts[0].count) && parts[1].count == 6
            && parts.joined().allSatisfy { (48...57).contains($0) }
    }

    private mutating func begin(_ action: ManualAction) {
        actions.append(action)
        runningActions.begin(RunningAction(action), at: actions.count - 1)
        if action.kind == .clear { clearingAction = actions.count - 1 }
    }

    private mutating func end(_ action: ManualAction) throws(Unreadable) {
        guard let index = runningActions.end(RunningAction(action)) else {
            throw unreadable("an action ends that has not begun")
        }
        guard clearingAction == nil else {
            if clearingAction == index { clearingAction = nil }
            return
        }
        guard actions[index].isEndless else { return }
        actions[index].end = .at(action.time)
        let last = actions.count - 1
        if last != index, action.time == actions[last].time {
            var ended = actions[index]
            ended.time = action.time
            if ended.isCovered(by: actions[last]) { actions[index].end = .covered(by: last) }
        }
    }
}

/// The words of the log that are the same at the beginning and at the end of an action.
private struct RunningAction: Hashable {
    let name: String
    let entity: String?
    let line: String

    init(_ action: ManualActionLog.ManualAction) {
        (name, entity, line) = (action.name, action.entity, action.line.json)
    }
}

/// The indices of the items that have begun and not ended; of equal ones, the first ends first.
struct Running<Key: Hashable> {
    private struct Queue {
        var indices: [Int] = []
        var ended = 0
    }

    private var queues: [Key: Queue] = [:]

    mutating func begin(_ key: Key, at index: Int) { queues[key, default: Queue()].indices.append(index) }

    /// The index of the one that ends; nil if none is running.
    mutating func end(_ key: Key) -> Int? {
        guard let place = queues.index(forKey: key) else { return nil }
        let queue = queues.values[place]
        queues.values[place].ended += 1
        if queue.ended + 1 == queue.indices.count { queues.remove(at: place) }
        return queue.indices[queue.ended]
    }
}

extension Node {
    fileprivate var digits: String? {
        guard case .number(let digits) = value else { return nil }
        return digits
    }
}
