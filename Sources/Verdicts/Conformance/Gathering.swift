public import Documents
import Scenarios
import Spelling

/// What finding cases needs of a file system.
public struct CaseFiles {
    /// What stands at a path.
    public enum Kind: Hashable, Sendable {
        /// A file whose octets can be asked for.
        case file
        /// A folder.
        case folder
    }

    let kind: (String) -> Kind?
    let names: (String) -> [String]
    let contents: (String) -> [UInt8]?

    /// - Parameters:
    ///   - kind: What is at a path; nil when there is nothing, or something else.
    ///   - names: What a folder holds, in any order.
    ///   - contents: The octets of a file; nil when it cannot be read.
    public init(
        kind: @escaping (String) -> Kind?, names: @escaping (String) -> [String],
        contents: @escaping (String) -> [UInt8]?
    ) { (self.kind, self.names, self.contents) = (kind, names, contents) }
}

/// The cases that some words of a command line stand for.
public struct Gathering {
    /// In the order of the words; those of a suite in its order, those of a folder in the order of their paths.
    public private(set) var cases: [Case] = []
    /// What is wrong with the words and the suites, but not with scenarios: that is found when they are played.
    public private(set) var problems: [Problem] = []
    private let files: CaseFiles

    /// Folders are not searched deeper.
    static let deepest = 32
    /// So many files are looked at, in all folders together.
    static let most = 10_000
    private var looked = 0

    /// Finds the cases of these operands.
    ///
    /// Two cases of different operands that would have one id are called by their operands too.
    public init(_ operands: [String], in files: CaseFiles) {
        self.files = files
        for operand in operands {
            switch files.kind(operand) {
            case .folder: addFolder(operand)
            case .file: addFile(operand)
            case nil: note(operand, .unreadable, "this file cannot be read")
            }
        }
        tellApart()
    }

    private mutating func note(_ file: String, _ code: DiagnosticCode, _ message: String) {
        problems.append(Problem(file: file, position: Position(), code: code, path: "", message: message))
    }

    private mutating func addFile(_ path: String) {
        guard let octets = files.contents(path), let (suite, problems) = Suite.read(path, octets) else {
            // What is wrong with it is said when it is played.
            return cases.append(Case(of: path))
        }
        self.problems += problems
        cases += suite.cases.map { item in
            Case(item.id, path: item.scenario, seed: item.seed, variables: item.variables, of: path)
        }
    }

    private mutating func addFolder(_ operand: String) {
        let root = operand.hasSuffix("/") ? String(operand.dropLast()) : operand
        var paths: [String] = []
        collect("", under: root, depth: 0, into: &paths)
        let found = paths.sorted().filter { isCase("\(root)/\($0)") }
        if found.isEmpty, looked <= Self.most { note(operand, .unreadable, "there is no scenario in this folder") }
        cases += found.map { Case(Case.id(of: $0), path: "\(root)/\($0)", of: operand) }
    }

    private mutating func collect(_ folder: String, under root: String, depth: Int, into paths: inout [String]) {
        for name in files.names("\(root)/\(folder)") where !name.hasPrefix(".") && looked <= Self.most {
            looked += 1
            guard looked <= Self.most else {
                return note(root, .tooLarge, "there are more than \(Self.most) files in the folders to be played")
            }
            let path = folder + name
            switch files.kind("\(root)/\(path)") {
            case .file: if name.hasSuffix(".json") { paths.append(path) }
            case .folder: if depth < Self.deepest { collect("\(path)/", under: root, depth: depth + 1, into: &paths) }
            case nil: break
            }
        }
    }

    /// Whether a file of a folder is played: it has or includes devices, or it cannot be understood.
    private func isCase(_ path: String) -> Bool {
        guard let octets = files.contents(path), let root = try? Node(json: octets, file: path) else { return true }
        return root["kind"]?.string != "suite" && (root["devices"] ?? root["include"]) != nil
    }

    private mutating func tellApart() {
        var places: [String: [Int]] = [:]
        for (place, item) in cases.enumerated() { places[item.ownID, default: []].append(place) }
        for place in cases.indices {
            let item = cases[place]
            guard let others = places[item.ownID], others.count > 1, !item.isOperand else { continue }
            cases[place].id = "\(Case.id(of: item.operand.trimmed))/\(item.ownID)"
        }
        var ids: Set<String> = []
        for item in cases where !ids.insert(item.id).inserted {
            note(item.path, .duplicateID, "there is another case \(item.id.quoted)")
        }
    }
}

extension String {
    /// A folder's path without the last slash.
    fileprivate var trimmed: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
