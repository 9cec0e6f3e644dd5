import Documents
import FoundationEssentials
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel
@testable import VirtualWorld

/// The rows of the action table, and the documentation that is generated from them.
@Suite struct ActionTableTests {
    private static let page =
        #filePath.dropLast("Tests/VirtualWorldTests/DeviceHosts/ActionTableTests.swift".count)
        + "Documentation/bad-days.md"

    private static func table(_ group: ActionRow.Group) -> String {
        guard group != .system else { return systemTable }
        let header =
            "| `do` | `of` | arguments | lasts | effect | virtual | `bluez` | `hci:` |\n|---|---|---|---|---|---|---|---|\n"
        let rows = Action.Kind.allCases.map { ($0, $0.row) }.filter { $1.group == group }.map { kind, row in
            let arguments = row.arguments.map { "`\($0.key)`\($0.isRequired ? "" : " (optional)")" }
            let cells =
                [
                    "`\(kind.rawValue)`", row.targetDescription, arguments.joined(separator: ", "),
                    row.lasts ? "yes" : "no", row.about,
                ] + [RadioKind.virtual, .bluetoothd, .controllers].map { $0.extent(of: kind) }
            return "| \(cells.joined(separator: " | ")) |\n"
        }
        return header + rows.joined()
    }

    /// All are played with `--system bluez`, and with no radio else.
    private static var systemTable: String {
        let header = "| `do` | `of` | arguments | lasts | effect |\n|---|---|---|---|---|\n"
        let rows = Action.Kind.allCases.map { ($0, $0.row) }.filter { $1.group == .system }.map { kind, row in
            let arguments = row.arguments.map { "`\($0.key)`\($0.isRequired ? "" : " (optional)")" }
            return "| `\(kind.rawValue)` | \(row.targetDescription) | \(arguments.joined(separator: ", ")) | "
                + "\(row.lasts ? "yes" : "no") | \(row.about) |\n"
        }
        return header + rows.joined()
    }

    /// The page with new tables between the comments `actions: GROUP` and `end`.
    private static func updated(_ page: String) throws -> String {
        var page = page
        for group in ActionRow.Group.allCases {
            let start = try #require(page.range(of: "<!-- actions: \(group) -->\n"))
            let end = try #require(page.range(of: "<!-- end -->", in: start.upperBound))
            page.replaceSubrange(start.upperBound..<end.lowerBound, with: table(group))
        }
        return page
    }

    @Test func `The page on bad days is current`() throws {
        let current = try String(contentsOfFile: String(Self.page), encoding: .utf8)
        let updated = try Self.updated(current)
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try updated.write(toFile: String(Self.page), atomically: true, encoding: .utf8)
        } else {
            #expect(current == updated, "update it with make generate")
        }
    }
}

extension RadioKind {
    /// Whether a radio plays an action, or the arguments or the part that it plays.
    fileprivate func extent(of kind: Action.Kind) -> String {
        switch reach(of: kind) {
        case .whole, .ignoring: "yes"
        case .only(let condition, _, _): condition
        case .part(let part, _): part
        case .impossible: self == .virtual ? "built-in client" : "no"
        }
    }
}

extension String {
    /// The first occurrence from an index on.
    fileprivate func range(of text: String, in start: String.Index? = nil) -> Range<String.Index>? {
        let start = start ?? startIndex
        return self[start...].firstRange(of: text)
    }
}
