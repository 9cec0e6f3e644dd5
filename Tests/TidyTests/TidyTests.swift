import FoundationEssentials
import Testing

/// Rules that the compiler does not enforce.
@Suite struct TidyTests {
    static let bans: [(words: String, instead: String, except: [String])] = [
        (" Task {", "a child task, or `loop.start`: a bare task leaves the loop", []),
        ("Task.detached", "a child task, or `loop.start`", []),
        ("Task.sleep", "`loop.sleep`: there is one clock", []),
        (".random(in:", "`RandomStream`: chance comes from the seed", []),
        (".shuffled()", "`RandomStream`: chance comes from the seed", []),
        (".randomElement()", "`RandomStream`: chance comes from the seed", []),
        ("ContinuousClock", "`loop.now`: time is an argument", ["EventLoop.swift"]),
        ("import Foundation", "the standard library: Foundation is 12 MB", Self.foundationFiles),
        ("@unchecked", "`Mutex`: let the compiler check it", []),
        ("nonisolated(unsafe)", "`Mutex`: let the compiler check it", []),
        (
            "\\u{1B}", "`TerminalLine`: it escapes everything else",
            ["/TerminalLine.swift", "/LastLine.swift", "/ScreenPainter.swift"]
        ),
        ("Glibc.write(", "`Console`: it makes text safe for a terminal", ["/OutputDescriptor.swift"]),
        (
            "unsafe write(", "`Console`: it makes text safe for a terminal",
            ["/KernelInterface.swift", "/PacketDescriptor.swift", "/DetachedThread.swift"]
        ),
        ("CommandLine.arguments", "`OwnProgram.words`: it needs no /proc", []),
        ("fputs(", "`Console`: it makes text safe for a terminal", []),
        (" print(", "`Console`: it makes text safe for a terminal", ["/Console.swift"]),
        ("Console.draw(", "`Console.print`", ["/TerminalSession.swift"]),
        ("fatalError", "a typed error, or `precondition` for a mistake of the program", []),
        ("try!", "`try`, or a `guard` with a typed error", []),
    ]

    /// The modules that declare Apple's types, and those that use these.
    private static let foundationFiles = sources.filter { file in
        ["Facades/CoreBluetooth", "Facades/os", "Tool/LubdubTesting"].contains { file.contains("/Sources/\($0)/") }
    }

    static let root = String(#filePath.dropLast("/Tests/TidyTests/TidyTests.swift".count))
    static let sources = files(in: "\(root)/Sources")

    private static func files(in folder: String) -> [String] {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return paths.filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
    }

    /// The bans that a line of a file breaks; comments are exempt.
    static func findings(in line: Substring, of file: String) -> [String] {
        guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { return [] }
        return bans.filter { line.contains($0.words) && !$0.except.contains(where: file.hasSuffix) }
            .map { "\"\($0.words)\" is banned; use \($0.instead)" }
    }

    @Test func `There are sources`() { #expect(Self.sources.count > 10) }

    @Test func `A ban applies except in comments and excepted files`() {
        #expect(Self.findings(in: "    Task {", of: "A.swift").count == 1)
        #expect(Self.findings(in: "    // a Task {", of: "A.swift").isEmpty)
        #expect(Self.findings(in: "let a = ContinuousClock.now", of: "A.swift").count == 1)
        #expect(Self.findings(in: "let a = ContinuousClock.now", of: "/EventLoop.swift").isEmpty)
    }

    @Test(arguments: sources) func `Nothing is banned`(file: String) throws {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in zip(1..., lines) {
            for finding in Self.findings(in: line, of: file) { Issue.record("\(file):\(number): \(finding)") }
        }
    }

    @Test(arguments: sources) func `No type is named like its module`(file: String) throws {
        let module = file.dropFirst("\(Self.root)/Sources/".count).split(separator: "/").dropFirst().first ?? ""
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for kind in ["struct", "enum", "class", "protocol", "actor"] {
            let declares = text.split(separator: "\n").contains { line in
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                return !line.hasPrefix("//") && zip(words, words.dropFirst()).contains { $0 == kind && $1 == module }
            }
            #expect(!declares, "\(file): \(kind) \(module) hides the module \(module)")
        }
    }
}
