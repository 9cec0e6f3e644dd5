import FoundationEssentials
import Testing

/// The licences of what Lubdub links and includes are known, and compatible with the Apache License 2.0.
@Suite struct LicenceTests {
    private static let root = String(#filePath.dropLast("/Tests/TidyTests/LicenceTests.swift".count))

    /// The lines of the C headers and module maps in `Sources`, with their file.
    private static func lines() throws -> [(file: String, line: Substring)] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: "\(root)/Sources")
        return try paths.filter { $0.hasSuffix(".h") || $0.hasSuffix(".modulemap") || $0.hasSuffix(".c") }
            .flatMap { path in
                let text = try String(contentsOfFile: "\(root)/Sources/\(path)", encoding: .utf8)
                return text.split(separator: "\n").map { (path, $0.drop { $0 == " " }) }
            }
    }

    @Test func `Each library that is linked or loaded has a row in the documentation's table of licences`() throws {
        let page = try String(contentsOfFile: "\(Self.root)/Documentation/install.md", encoding: .utf8)
        let rows = page[try #require(page.firstRange(of: "\n## Licences\n")).upperBound...].split(separator: "\n")
        let lines = try Self.lines().map(\.line)
        let linked = lines.filter { $0.hasPrefix("link \"") }.map { $0.dropFirst(6).dropLast() }
        let loaded = lines.compactMap { line in
            line.firstRange(of: "dlopen(\"lib").map { line[$0.upperBound...].prefix { $0 != "." } }
        }
        #expect(linked.count >= 2 && loaded.count >= 1)
        for library in linked + loaded { #expect(rows.contains { $0.hasPrefix("| lib\(library)") }, "lib\(library)") }
    }

    /// They would become a part of the program; numbers and layouts of the kernel's interface do not.
    @Test func `No inline function of BlueZ's headers is called, because they are under the GPL`() throws {
        let headers = "/usr/include/bluetooth"
        let inline = try ["bluetooth.h", "hci.h"].flatMap { file in
            try String(contentsOfFile: "\(headers)/\(file)", encoding: .utf8).split(separator: "\n")
                .filter { $0.hasPrefix("static inline") }
                .compactMap { $0.prefix { $0 != "(" }.split { $0 == " " || $0 == "*" }.last }
        }
        #expect(inline.count > 10)
        let folder = "\(Self.root)/Sources"
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder)
        where path.hasSuffix(".swift") || path.hasSuffix(".h") {
            let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
            for name in inline where text.contains("\(name)(") { Issue.record("\(path) calls \(name)") }
        }
    }
}
