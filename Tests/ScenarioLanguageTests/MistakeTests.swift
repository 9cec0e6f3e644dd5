import Documents
import FoundationEssentials
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

/// The mistakes of `Mistakes.txt` and their whole messages.  The file begins with a correct scenario; each mistake replaces
/// the text of its lines with `-` by that of its lines with `+`.
@Suite struct MistakeTests {
    private static let path = "\(Files.root)/Tests/ScenarioLanguageTests/Mistakes.txt"

    struct Mistake {
        let name: String
        let removed: String
        let added: String
        let messages: String

        /// The lines after `== `: removed and added ones, and then the messages.
        init(_ text: Substring) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            name = lines.first ?? ""
            func side(_ mark: String) -> String {
                lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }.joined(separator: "\n")
            }
            (removed, added) = (side("- "), side("+ "))
            messages = lines.dropFirst().drop { $0.hasPrefix("- ") || $0.hasPrefix("+ ") }
                .filter { !$0.isEmpty }.joined(separator: "\n")
        }

        func made(in scenario: String) -> String { scenario.replacing(removed, with: added) }
    }

    private static func table() throws -> (scenario: String, mistakes: [Mistake]) {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let parts = text.split(separator: "\n== ").map { $0 }
        return (String(parts.first ?? ""), parts.dropFirst().map { Mistake($0) })
    }

    private static func messages(_ text: String) -> String {
        let reading = ScenarioFile.read("strap.json") { $0 == "strap.json" ? Array(text.utf8) : nil }
        let lines = (reading.problems + reading.warnings).flatMap(\.lines)
        return lines.isEmpty ? "no problems" : lines.joined(separator: "\n")
    }

    @Test func `Typical mistakes have these messages`() throws {
        let (scenario, mistakes) = try Self.table()
        #expect(Self.messages(scenario) == "no problems")
        #expect(mistakes.count >= 70 && Set(mistakes.map(\.name)).count == mistakes.count)
        var written = scenario
        for mistake in mistakes {
            let (text, found) = (mistake.made(in: scenario), scenario.ranges(of: mistake.removed).count)
            #expect(found == 1 && text != scenario, "\(mistake.name) is in \(found) places")
            let messages = Self.messages(text)
            if environment("LUBDUB_WRITE") == nil { #expect(messages == mistake.messages, "\(mistake.name)") }
            let marked = [("- ", mistake.removed), ("+ ", mistake.added)].flatMap { mark, side in
                side.isEmpty ? [] : side.split(separator: "\n", omittingEmptySubsequences: false).map { mark + $0 }
            }
            written += "\n== \(mistake.name)\n\((marked + [messages]).joined(separator: "\n"))\n"
        }
        if environment("LUBDUB_WRITE") != nil {
            try written.write(toFile: Self.path, atomically: true, encoding: .utf8)
        }
    }

    /// Only a file with several mistakes has several problems.
    @Test func `A mistake has one problem, unless it is made several times`() throws {
        for mistake in try Self.table().mistakes {
            let problems = mistake.messages.split(separator: "\n").count { $0.contains(#/: (warning )?LD0/#) }
            let expected = [
                "from, to and in": 3, "a duration without a space": 0, "an address without its kind": 0,
                "a whole number with a fraction of zero": 0,
            ]
            #expect(problems == expected[mistake.name] ?? 1, "\(mistake.name)")
        }
    }

    private func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
