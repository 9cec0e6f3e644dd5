import Basics
import Documents
import ScenarioLanguage
import ScenarioModel

/// Lines of a client under test that are not of the contract: the first about each key, and the first that resembles nothing
/// of it.
struct PrintedLines: Sendable {
    private struct Note: Sendable {
        let instant: Instant
        let words: String
    }

    /// The maximum number of lines that are compared with the contract, so that endless output costs little.
    private static let maximum = 1000
    private static let advice = "see \"What your client prints\" in Documentation/testing-your-client.md"

    private struct Misprint: Sendable {
        /// The keys that it seems to mean.
        let keys: [String]
        /// Those that it spells otherwise, or that it does not have.
        let missing: [String]
        let note: Note
    }

    private var compared = 0
    private var misprints: [Misprint] = []
    private var stranger: Note?
    /// The first line that shows that the client does not reach a message bus.
    private(set) var busTrouble: String?
    /// When each key was first printed as the contract has it.
    private var rights: [String: Instant] = [:]
    /// When the client first printed a measurement as the contract has it.
    private var firstRight: Instant?

    /// Takes a line, which is a JSON object, or any other text as a JSON string.
    mutating func take(_ line: ClientLine, at instant: Instant) {
        guard compared < Self.maximum, let node = try? Node(json: Array(line.json.utf8), file: "") else { return }
        compared += 1
        if let problem = line.problem {
            stranger = stranger ?? Note(instant: instant, words: problem)
            return
        }
        let printed = node.json.abbreviated
        if busTrouble == nil, BusTrouble.isCertain(in: line.json) || node.isErrorAboutFile { busTrouble = line.json }
        switch ClientLines.likeness(of: node) {
        case .right(let keys):
            for key in keys where rights[key] == nil { rights[key] = instant }
            if line.isMeasurement { firstRight = firstRight ?? instant }
        case .resembling(let keys, let meant):
            guard keys.contains(where: { key in !misprints.contains { $0.keys.contains(key) } }) else { return }
            let words = "the client printed \(printed); it should print \(meant.abbreviated)"
            let missing = keys.filter { node[$0] == nil }
            misprints.append(Misprint(keys: keys, missing: missing, note: Note(instant: instant, words: words)))
        case .unlike:
            guard stranger == nil else { return }
            let what = line.isJSON ? printed : "text that is not a JSON object: \(printed)"
            stranger = Note(instant: instant, words: "the client printed \(what); \(Self.advice)")
        }
    }

    /// Why an expectation of lines may have failed at an instant: the first line that seems to be about one of its keys (if
    /// there are none, about any), or, if the client had printed no measurement, the first that resembles nothing.
    func cause(of keys: [String], at instant: Instant) -> String? {
        let about = misprints.first { misprint in
            misprint.keys.contains { key in
                // A client may print a value for others, too.
                let isElsewhere = misprint.missing.contains(key) && rights[key].map { $0 <= instant } ?? false
                return !isElsewhere && (keys.isEmpty || keys.contains(key))
            }
        }
        let notes = [about?.note, firstRight.map { $0 <= instant } ?? false ? nil : stranger].compactMap(\.self)
        return notes.filter { $0.instant <= instant }.min { $0.instant < $1.instant }?.words
    }

    /// Why a client seems to have shown no measurement.
    var cause: String? { cause(of: [], at: .never) }
}

extension Node {
    /// Whether it is a line about an error that concerns a missing file: bleak's without a bus.
    fileprivate var isErrorAboutFile: Bool {
        guard case .string(let text)? = self["error"]?.value else { return false }
        return BusTrouble.isMissingFile(in: text)
    }
}
