import FoundationEssentials
import Testing

/// The floors of the house: a folder of `Sources` imports lower folders only.
@Suite struct FloorTests {
    /// From the lowest, as in `Package.swift`.
    static let floors = [
        "Basics", "Protocol", "Platform", "Devices", "Scenario", "Engine", "Facades", "Doors", "Verdicts", "Tool",
    ]
    /// The folder of each module.
    static let folders: [String: String] = floors.reduce(into: [:]) { folders, floor in
        let modules = try? FileManager.default.contentsOfDirectory(atPath: "\(TidyTests.root)/Sources/\(floor)")
        for module in modules ?? [] { folders[module] = floor }
    }

    /// The modules of other folders that each folder imports.
    static let imports: [String: Set<String>] = TidyTests.sources.reduce(into: [:]) { imports, file in
        let words = file.dropFirst("\(TidyTests.root)/Sources/".count).split(separator: "/")
        guard let floor = words.first.map(String.init),
            let text = try? String(contentsOfFile: file, encoding: .utf8)
        else { return }
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let name = words.last.map(String.init), words.dropLast().last == "import",
                let other = folders[name], other != floor
            else { continue }
            imports[floor, default: []].insert(other)
        }
    }

    @Test func `Each folder of Sources is a floor`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: "\(TidyTests.root)/Sources")
        #expect(folders.sorted() == Self.floors.sorted())
    }

    @Test func `No floor imports a higher one`() {
        print("each floor, and what it imports:")
        for (height, floor) in Self.floors.enumerated() {
            let imported = Self.floors.filter { Self.imports[floor]?.contains($0) ?? false }
            print("  \(floor): \(imported.isEmpty ? "nothing" : imported.joined(separator: ", "))")
            let higher = imported.filter { Self.floors.firstIndex(of: $0) ?? 0 > height }
            #expect(higher.isEmpty, "\(floor) imports \(higher)")
        }
        #expect(Self.imports["Tool"]?.contains("Engine") == true)
    }

    @Test func `Facades and doors do not know each other`() {
        #expect(Self.imports["Doors"]?.contains("Facades") == false)
        #expect(Self.imports["Facades"]?.contains("Doors") == false)
    }

    /// Only `Tool` reads options and prints.
    @Test(arguments: TidyTests.sources.filter { !$0.contains("/Sources/Tool/") })
    func `The command line ends at Tool`(file: String) throws {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for word in ["Console.", "Invocation", "import CommandSupport", "UsageError"] {
            // An Invocation of D-Bus is a call of a method.
            let isBus = word == "Invocation" && (file.contains("/DBus/") || file.contains("/BlueZ/"))
            #expect(isBus || !text.contains(word), "\(word)")
        }
    }

    /// A filter of a target that no longer exists would run nothing, and pass.
    @Test(arguments: ["READING", "THREADED"])
    func `make sanitize names targets of tests`(list: String) throws {
        let makefile = try String(contentsOfFile: "\(TidyTests.root)/Makefile", encoding: .utf8)
        let lines = makefile.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("\(list) := ") })
        let end = try #require(lines[start...].firstIndex { !$0.hasSuffix("\\") })
        let names = lines[start...end].flatMap { $0.split(separator: " ") }.dropFirst(2).filter { $0 != "\\" }
        #expect(names.count > 10)
        for name in names {
            let exists = FileManager.default.fileExists(atPath: "\(TidyTests.root)/Tests/\(name)Tests")
            #expect(exists, "\(name)")
        }
    }
}
