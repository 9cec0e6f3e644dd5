import FoundationEssentials
import Testing

@testable import CommandLineTool
@testable import CommandSupport

/// The pages of the documentation that are about all commands.
@Suite struct CommandPageTests {
    private static let root = String(#filePath.dropLast("Tests/CommandLineToolTests/CommandPageTests.swift".count))

    private static func text(_ file: String) throws -> String {
        try String(contentsOfFile: root + file, encoding: .utf8)
    }

    private static func row(_ code: String, _ text: String) -> String { "| `\(code)` | \(text) |" }

    private static var commands: String {
        program.groups.map { group in
            "**\(group.title)**\n\n| command | what it does |\n|---|---|\n"
                + group.commands.map { row("lubdub \($0.synopsis)", $0.summary) }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private static var statuses: String {
        "| status | meaning |\n|---|---|\n" + exitStatusRows.map { "| \($0) | \($1) |" }.joined(separator: "\n")
    }

    private static var keys: String {
        "| key | effect |\n|---|---|\n"
            + serveGrammar.lists.flatMap(\.rows).map { row($0.name, $0.help) }.joined(separator: "\n")
    }

    private static var radios: String {
        radiosTopic.lists.map { list in
            "## \(list.title)\n\n| | |\n|---|---|\n" + list.rows.map { row($0.name, $0.help) }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    @Test(arguments: [
        ("Documentation/commands.md", "commands", commands),
        ("Documentation/exit-statuses.md", "statuses", statuses),
        ("Documentation/radios.md", "radios", radios), ("Documentation/control.md", "keys", keys),
    ])
    func `The pages have the tables of the command line`(file: String, mark: String, table: String) throws {
        let text = try Self.text(file)
        let begin = try #require(text.firstRange(of: "<!-- \(mark) -->\n")).upperBound
        let end = try #require(text[begin...].firstRange(of: "\n<!-- /\(mark) -->")).lowerBound
        let updated = text[..<begin] + table + text[end...]
        if ProcessInfo.processInfo.environment["LUBDUB_WRITE"] != nil {
            try updated.write(toFile: Self.root + file, atomically: true, encoding: .utf8)
        } else {
            #expect(text == updated, "\(file): update its table with make generate")
        }
    }

    @Test func `README, help, manual page and introduction begin with the same sentences`() throws {
        let words = program.description.split(separator: " ")
        let readme = try Self.text("README.md").split(separator: "\n\n").dropFirst().first ?? ""
        #expect(readme.split(whereSeparator: \.isWhitespace) == words)
        let help = program.usage(width: 60).split(separator: "\n\n")[1]
        #expect(help.split(whereSeparator: \.isWhitespace) == words)
        let page = ManualPage(of: program, []).text(version: "", date: "")
        #expect(page.contains(".SH DESCRIPTION\n\(Roff.escaped(program.description))\n"))
        #expect(Introduction.lines(program.summary).joined(separator: " ").hasPrefix(program.summary))
    }

    @Test(arguments: program.commands.map(\.command)) func `A command with many options has groups of them`(
        command: String
    ) throws {
        let grammar = try program.grammar(of: command)
        #expect(grammar.options.count <= 12 || grammar.groups.count > 1)
        #expect(Set(grammar.options.map(\.name)).count == grammar.options.count)
        #expect(grammar.groups.allSatisfy { $0.title.isEmpty == (grammar.groups.count == 1) && !$0.options.isEmpty })
    }

    @Test func `Options that name a radio or a controller refer to the topic that explains them`() {
        let addresses = ["--radio", "--controller", "--listen"]
        for grammar in program.commands where grammar.command != "doctor" {
            for option in grammar.options where addresses.contains(option.name) {
                #expect(option.help.contains("lubdub help radios"), "\(grammar.command) \(option.name)")
            }
        }
        let users = Set(radiosTopic.lists[1].rows.flatMap { $0.name.split(separator: ", ").map(String.init) })
        let owners = program.commands.filter { $0.options.contains { $0.name == "--radio" } }.map(\.command)
        #expect(users == Set(owners))
    }

    @Test func `A page that uses a radio links to the page that explains radios`() throws {
        let pages = try FileManager.default.contentsOfDirectory(atPath: Self.root + "Documentation")
        let users = try pages.filter { page in
            try page.hasSuffix(".md") && page != "radios.md" && Self.text("Documentation/\(page)").contains("--radio")
        }
        #expect(users.count > 5)
        for page in users { #expect(try Self.text("Documentation/\(page)").contains("](radios.md"), "\(page)") }
    }

    @Test func `The licence is named where users look for it`() throws {
        let licence = try Self.text("LICENSE")
        #expect(licence.contains("Apache License\n                           Version 2.0, January 2004"))
        #expect(licence.contains("END OF TERMS AND CONDITIONS"))
        for file in ["README.md", "CONTRIBUTING.md", "Documentation/install.md", "Tools/package"] {
            #expect(try Self.text(file).contains("Apache"), "\(file)")
        }
        let page = ManualPage(of: program, manualSections).text(version: "", date: "")
        #expect(page.contains(".SH LICENSE\nApache License 2.0"))
    }
}
