import Documents
import Scenarios
import Spelling

/// What an event log says of what was done by hand: at a key, or on the control socket.
struct HandLog {
    /// What was played.
    struct Source: Equatable {
        var scenario: String
        var seed: UInt64
        /// Nil in the log of a run in which nobody could act.
        var digest: String?
        var settings: [String] = []
    }

    /// Something that was done.
    struct Deed: Equatable {
        /// How it ended, if the line does not say when it ends.
        enum End: Equatable {
            /// It was given back, at a time.
            case at(String)
            /// Another one, by its index, took its place.
            case covered(by: Int)
            /// It had not ended, or was cleared with others.
            case open
        }

        /// In seconds since the start, as the log writes it.
        var time: String
        /// To what, as the log calls it.
        var entity: String?
        /// The name of who did it: `key s`.
        var name: String
        /// The line that the control socket takes for it.
        var line: Node
        var end = End.open
        let kind: Action.Kind
        /// Whether its end has to be known from what happened.
        var isEndless: Bool { kind.lasts && line["for"] == nil && line["until"] == nil }

        fileprivate func isCovered(by other: Deed) -> Bool {
            isEndless && other.isEndless && kind == other.kind && entity == other.entity && time == other.time
        }
    }

    /// Why a log is none.
    struct Unreadable: Error, Equatable {
        let line: Int
        let reason: String
    }

    private(set) var source: Source
    private(set) var deeds: [Deed] = []
    /// The time of the last line.
    private(set) var end = "0.000000"
    private var count = 1  // of the lines
    private var running: [Int] = []  // of the deeds
    private var clearing: Int?  // the deed that ends others just now

    /// Begins with the first line of a log.
    init(_ first: [UInt8]) throws(Unreadable) {
        let node = try? Node(json: first, file: "")
        guard node?["event"]?.string == "start", let scenario = node?["scenario"]?.string,
            let seed = node?["seed"]?.digits.flatMap({ UInt64($0) })
        else { throw Unreadable(line: 1, reason: "this is no first line of an event log") }
        source = Source(scenario: scenario, seed: seed, digest: node?["digest"]?.string)
        if case .array(let settings)? = node?["set"]?.value { source.settings = settings.compactMap(\.string) }
    }

    /// Takes the next line.
    mutating func add(_ line: [UInt8]) throws(Unreadable) {
        count += 1
        let head = String(decoding: line.prefix(64), as: UTF8.self)
        guard head.hasPrefix("{\"t\": "), let comma = head.firstIndex(of: ",") else { return }
        let time = String(head[..<comma].dropFirst(6))
        guard Self.isTime(time) else { throw unreadable("this has no time") }
        end = time
        let isBeginning = head.contains("\"event\": \"began\"")
        guard isBeginning || head.contains("\"event\": \"ended\"") else { return }
        guard let node = try? Node(json: line, file: "") else { throw unreadable("this is no JSON") }
        guard let said = node["line"] else { return }  // what a rule of the file does is not said by anybody
        guard let name = node["rule"]?.string, let kind = said["do"]?.string.flatMap(Action.Kind.init(rawValue:)) else {
            throw unreadable("this does not say what was done")
        }
        let deed = Deed(time: time, entity: node["of"]?.string, name: name, line: said, kind: kind)
        if isBeginning { begin(deed) } else { try end(deed) }
    }

    private func unreadable(_ reason: String) -> Unreadable { Unreadable(line: count, reason: reason) }

    /// As the log writes seconds: `12.345678`.
    private static func isTime(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 2 && (1...10).contains(parts[0].count) && parts[1].count == 6
            && parts.joined().allSatisfy { (48...57).contains($0) }
    }

    private mutating func begin(_ deed: Deed) {
        deeds.append(deed)
        running.append(deeds.count - 1)
        if deed.kind == .clear { clearing = deeds.count - 1 }
    }

    private mutating func end(_ deed: Deed) throws(Unreadable) {
        let place = running.firstIndex { index in
            let other = deeds[index]
            return other.name == deed.name && other.entity == deed.entity && other.line.json == deed.line.json
        }
        guard let place else { throw unreadable("what ends here has not begun") }
        let index = running.remove(at: place)
        guard clearing == nil else {
            if clearing == index { clearing = nil }
            return
        }
        guard deeds[index].isEndless else { return }
        deeds[index].end = .at(deed.time)
        let last = deeds.count - 1
        if last != index, deed.time == deeds[last].time {
            var ended = deeds[index]
            ended.time = deed.time
            if ended.isCovered(by: deeds[last]) { deeds[index].end = .covered(by: last) }
        }
    }
}

extension Node {
    /// A number as it is written.
    fileprivate var digits: String? {
        guard case .number(let digits) = value else { return nil }
        return digits
    }
}
