import Documents
import FoundationEssentials

@testable import ScenarioLanguage
@testable import ScenarioModel

/// The files of the repository.
enum Files {
    static let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

    static func octets(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(root)/\(path)").map { Array($0) }
    }

    /// Those with scenarios of the repository.
    static let folders = ["", "/devices", "/errors", "/formats", "/recovery", "/bluez"].map { "scenarios\($0)" }

    static func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? [])
            .filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
    }

    static func read(_ path: String) -> ScenarioFile.Reading { ScenarioFile.read(path, load: octets) }
}

/// The problems of files in a test; the first file is read.
func problems(_ files: (String, String)..., variables: [String: Node] = [:]) -> [String] {
    reading(files, variables: variables).problems.map(\.description)
}

func reading(_ files: [(String, String)], variables: [String: Node] = [:]) -> ScenarioFile.Reading {
    ScenarioFile.read(files[0].0, variables: variables) { path in
        files.first { $0.0 == path }.map { Array($0.1.utf8) }
    }
}

/// A scenario of one line with one strap and a script.
func scenario(script: String = "", expect: String = "", rest: String = "") -> String {
    #"{"lubdub": 1, "name": "x", "devices": [{"id": "strap", "services": [{"service": "heart_rate", "contact": true, "location": "chest"}, {"service": "battery"}, {"service": "device_information", "model": "M"}]}]\#(rest),"#
        + "\n" + #""script": [\#(script)],"# + "\n" + #""expect": [\#(expect)]}"#
}
