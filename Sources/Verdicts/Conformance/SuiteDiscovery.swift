import Basics
package import Documents
import ScenarioLanguage
import ScenarioModel

/// Access to the file system for finding cases.
package struct CaseFiles {
    package enum Kind: Hashable, Sendable {
        case file
        case folder
        /// A device or a pipe.
        case other
    }

    let kind: (String) -> Kind?
    let names: (String) -> [String]?
    let contents: (String) -> [UInt8]?

    /// - Parameters:
    ///   - kind: The kind of a path; nil if there is nothing.
    ///   - names: The names in a folder, in any order; nil if it cannot be read. One that is not UTF-8 has U+FFFD in it.
    ///   - contents: The octets of a file; nil if it cannot be read.
    package init(
        kind: @escaping (String) -> Kind?, names: @escaping (String) -> [String]?,
        contents: @escaping (String) -> [UInt8]?
    ) { (self.kind, self.names, self.contents) = (kind, names, contents) }

    /// The same files; `note` receives the path of each file and folder that is looked at.
    package func noting(_ note: @escaping (String) -> Void) -> CaseFiles {
        let (kind, names, contents) = (kind, names, contents)
        return CaseFiles { path in
            let found = kind(path)
            if found == nil { note(path) }
            return found
        } names: { path in
            note(path)
            return names(path)
        } contents: { path in
            note(path)
            return contents(path)
        }
    }
}

/// Finds the cases of command-line operands: scenarios, suites and folders.
package struct SuiteDiscovery {
    /// In the order of the operands; within a suite in its order, within a folder in the order of paths.
    package private(set) var cases: [Case] = []
    /// The problems of operands and suites; those of scenarios are found when they run.
    package private(set) var problems: [Problem] = []
    private let files: CaseFiles
    private let mayRepeat: Bool

    static let maximumDepth = 32
    /// The maximum number of files and folders that are visited.
    static let maximumFiles = 10_000
    private var visited = 0
    private var hasReachedLimit = false

    /// Finds the cases of these operands.
    ///
    /// Cases of different operands with the same id get their operand as a prefix.  The same case twice is a problem, unless
    /// it `mayRepeat`.
    package init(_ operands: [String], in files: CaseFiles, mayRepeat: Bool = false) {
        (self.files, self.mayRepeat) = (files, mayRepeat)
        for operand in operands {
            switch files.kind(operand) {
            case .folder: addFolder(operand)
            case .file: addFile(operand)
            case .other:
                note(operand, .unreadable, "neither a file nor a folder (save what a pipe sends to a file first)")
            case nil: note(operand, .unreadable, "no such file or folder")
            }
        }
        disambiguate()
    }

    /// The files that the operands name, in their order, with the scenarios and suites of folders; and the problems of folders.
    package static func documents(
        _ operands: [String], in files: CaseFiles
    ) -> (paths: [String], problems: [Problem]) {
        var discovery = SuiteDiscovery([], in: files)
        let paths = operands.flatMap { operand -> [String] in
            guard files.kind(operand) == .folder else { return [operand] }
            return discovery.documents(inFolder: operand, orSuites: true).map { "\($0)/\($1)" }
        }
        return (paths, discovery.problems)
    }

    private mutating func note(_ file: String, _ code: DiagnosticCode, _ message: String) {
        problems.append(Problem(file: file, position: Position(), code: code, path: "", message: message))
    }

    private mutating func addFile(_ path: String) {
        guard let octets = files.contents(path), let (suite, problems) = Suite.read(path, octets) else {
            // Its problems are reported when it runs.
            return cases.append(Case(of: path))
        }
        self.problems += problems
        cases += suite.cases.map { item in
            Case(item.id, path: item.scenario, seed: item.seed, variables: item.variables, of: path)
        }
    }

    private mutating func addFolder(_ operand: String) {
        cases += documents(inFolder: operand, orSuites: false).map { root, path in
            Case(Case.id(of: path), path: "\(root)/\(path)", of: operand)
        }
    }

    /// The scenarios in a folder, and the suites if asked for, in the order of their paths; a problem if there are none.
    private mutating func documents(inFolder operand: String, orSuites: Bool) -> [(root: String, path: String)] {
        let root = operand.hasSuffix("/") ? String(operand.dropLast()) : operand
        var paths: [String] = []
        let problemsBefore = problems.count
        collect("", under: root, depth: 0, into: &paths)
        let found = paths.sorted().filter { isCase("\(root)/\($0)", orSuite: orSuites) }
        if found.isEmpty, problems.count == problemsBefore, !hasReachedLimit {
            note(operand, .unreadable, "this folder contains no scenario")
        }
        return found.map { (root, $0) }
    }

    private mutating func collect(_ folder: String, under root: String, depth: Int, into paths: inout [String]) {
        guard depth <= Self.maximumDepth else {
            let levels = "\(Self.maximumDepth) levels of folders: \("\(root)/\(folder)".abbreviated.quoted)"
            return reachLimit(root, "there are more than \(levels); choose a folder further down")
        }
        guard let names = files.names("\(root)/\(folder)") else {
            return note(
                folder.isEmpty ? root : "\(root)/\(folder.dropLast())", .unreadable, "this folder cannot be read")
        }
        for name in names.sorted() where !name.hasPrefix(".") && !hasReachedLimit {
            visited += 1
            guard visited <= Self.maximumFiles else {
                return reachLimit(
                    root, "the folders contain more than \(Self.maximumFiles) files; choose a smaller folder")
            }
            let path = folder + name
            switch files.kind("\(root)/\(path)") {
            case .file: if name.hasSuffix(".json") { paths.append(path) }
            case .folder: collect("\(path)/", under: root, depth: depth + 1, into: &paths)
            case .other:
                if name.hasSuffix(".json") {
                    note(
                        "\(root)/\(path)", .unreadable,
                        "neither a file nor a folder: name what it leads to, or move it away")
                }
            case nil: noteMissing(name, "\(root)/\(path)")
            }
        }
    }

    /// Reports what a folder lists although nothing is there, if it can be a scenario or a folder of them.
    private mutating func noteMissing(_ name: String, _ path: String) {
        guard name.hasSuffix(".json") || !name.contains(".") else { return }
        note(
            path, .unreadable,
            name.contains("\u{FFFD}")
                ? "this name is not UTF-8: rename it" : "nothing is there: a link to a missing file? remove it")
    }

    /// Reports a limit of the search, which ends.
    private mutating func reachLimit(_ root: String, _ message: String) {
        note(root, .tooLarge, message)
        hasReachedLimit = true
    }

    /// Whether a file is a case: it has or includes devices, or it is malformed; or whether it is a suite.
    ///
    /// A file that only others include has no devices; but one with a key that such files do not have may be a scenario whose
    /// devices are misspelt.
    private func isCase(_ path: String, orSuite: Bool) -> Bool {
        guard let octets = files.contents(path), let root = try? Node(json: octets, file: path) else { return true }
        let kind = root["kind"]?.string
        guard kind != "suite" else { return orSuite }
        if (root["devices"] ?? root["include"]) != nil { return true }
        guard root["lubdub"]?.isNumber == true else { return false }
        return kind != nil || !root.pairs.allSatisfy { Tables.includedKeys.contains($0.key) }
    }

    private mutating func disambiguate() {
        var places: [String: [Int]] = [:]
        for (place, item) in cases.enumerated() { places[item.ownID, default: []].append(place) }
        for place in cases.indices {
            let item = cases[place]
            guard let others = places[item.ownID], others.count > 1, !item.isOperand else { continue }
            cases[place].id = "\(Case.id(of: item.operand.trimmed))/\(item.ownID)"
        }
        var known: [String: Case] = [:]
        for item in cases {
            guard let other = known.updateValue(item, forKey: item.id) else { continue }
            let (isSame, isLike) = (other == item, !item.id.hasSameOctets(as: other.id))
            guard !isSame || !mayRepeat || isLike else { continue }
            var fix = isSame ? "; to run a case several times, use --repeat" : ""
            if isLike { fix = " in other code points, as é can be one or two: rename one of them" }
            note(item.path, .duplicateID, "another case has the id \(item.id.quoted)\(fix)")
        }
    }
}

extension String {
    /// Equal texts can have different octets: `==` compares what they look like.
    fileprivate func hasSameOctets(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// A folder's path without the last slash.
    fileprivate var trimmed: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
