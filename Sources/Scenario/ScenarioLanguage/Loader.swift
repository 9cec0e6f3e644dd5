import Basics
import Documents
import ScenarioModel

/// Loads files with their includes, and replaces variables.
struct Loader {
    let log: ProblemLog
    /// Whether problems may show what is in a file, even if it is not one of ours.
    var mayShow: (String) -> Bool = { _ in true }
    let load: (String) -> [UInt8]?

    /// The root of a file; nil after noting that it is not a JSON object.
    func root(of file: String) -> Cursor? {
        guard let octets = load(file) else {
            let node = Node(.unknown)
            let isStream = ["/dev/", "/proc/"].contains(where: file.hasPrefix)
            Cursor(node, file: file, log: log).note(
                .unreadable, isStream ? "a pipe or device cannot be read" : "no such file, or it cannot be read",
                help: isStream ? "save what it sends to a file first, since a file can be read more than once" : nil)
            return nil
        }
        return root(of: file, octets)
    }

    private func root(of file: String, _ octets: [UInt8]) -> Cursor? {
        let whole = Cursor(Node(.unknown), file: file, log: log)
        if let (message, help) = Self.otherProduct(octets) {
            whole.note(.wrongType, message, help: help)
            return nil
        }
        guard Self.isOurs(octets) || mayShow(file) else {
            whole.note(
                .wrongType, "expected a scenario, an object with \"lubdub\": 1",
                help: "what is in the file is not shown, since it is outside of the folder that you named")
            return nil
        }
        guard let node = Node.repaired(json: octets, file: file, log: log) else { return nil }
        let root = Cursor(node, file: file, log: log)
        guard case .object = root.node.value else {
            root.note(.wrongType, "expected an object, found \(root.node.kind)")
            return nil
        }
        // A file of another version can differ in everything.
        guard let version = root["lubdub"], version.number != nil else { return root }
        return Tables.version.check(version).node == version.node ? root : nil
    }

    /// Whether the author of a file meant it for Lubdub, even if it is malformed.
    private static func isOurs(_ octets: [UInt8]) -> Bool {
        let start = String(decoding: octets.prefix(1000), as: UTF8.self)
        return start.first { !$0.isWhitespace } == "{" && start.contains("\"lubdub\"")
    }

    /// Describes a report or an event log, which Lubdub has written for another purpose; nil for any other file.
    private static func otherProduct(_ octets: [UInt8]) -> (message: String, help: String)? {
        let start = String(decoding: octets.prefix(200), as: UTF8.self)
        if start.hasPrefix("{\"lubdub\": \""), start.contains("\"cases\": [") {
            return ("this is a report, not a scenario", "use it with \"run --last-failed\", \"merge\" or \"matrix\"")
        }
        guard start.hasPrefix("{\"t\": "), start.contains("\"event\": \"start\", \"lubdub\"") else { return nil }
        return ("this is an event log, not a scenario", "\"lubdub replay\" turns it into a scenario")
    }

    /// The octets of the file that `cursor` names.
    private func octets(of cursor: Cursor) -> (path: String, octets: [UInt8])? {
        guard !cursor.file.isEmpty else {
            cursor.note(
                .unreadable, "a request cannot name a file",
                help: "write the values into the request, as a \"list\", or the action into the scenario")
            return nil
        }
        guard let path = relative(cursor) else { return nil }
        guard let octets = load(path) else {
            cursor.note(.unreadable, "cannot read \(path.quoted)", help: "the path is relative to this file")
            return nil
        }
        guard octets.count <= Node.maximumSize else {
            cursor.note(
                .tooLarge, "\(path.quoted) is larger than 16 MiB: use fewer samples, or several files in \"pieces\"")
            return nil
        }
        return (path, octets)
    }

    /// What `read` makes of the csv file that `cursor` names; nil after noting a problem.
    func table<Content>(
        _ cursor: Cursor, _ read: ([UInt8]) throws(CSVTable.Failure) -> Content
    ) -> Content? {
        guard let (path, octets) = octets(of: cursor) else { return nil }
        do throws(CSVTable.Failure) {
            return try read(octets)
        } catch {
            let place = error.line.map { "\(path):\($0): " } ?? "\(path): "
            cursor.note(.wrongTable, place + error.message)
            return nil
        }
    }

    /// The path at `cursor`, resolved against its file; nil after noting an absolute one.
    private func relative(_ cursor: Cursor) -> String? {
        guard let path = cursor.string, !path.isEmpty else { return nil }
        guard !path.hasPrefix("/") else {
            cursor.note(.absolutePath, "\(path.quoted) is absolute", help: "write it relative to this file")
            return nil
        }
        return Self.path(path, from: cursor.file)
    }

    /// `straps/../chest.json` from `scenarios/a.json` is `scenarios/chest.json`.
    static func path(_ path: String, from file: String) -> String {
        var words: [Substring] = []
        let folder = file.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        for word in folder + path.split(separator: "/") where word != "." {
            if word == "..", let last = words.last, last != ".." { words.removeLast() } else { words.append(word) }
        }
        return (file.hasPrefix("/") ? "/" : "") + words.joined(separator: "/")
    }

    // MARK: Includes and variables

    /// The files of a scenario, included ones first and `root` last, checked and with values for variables; and whether
    /// these are all files.
    func resolved(_ root: Cursor, overrides: [String: Node]) -> (files: [Cursor], areComplete: Bool) {
        var files: [Cursor] = []
        var budget = Budget()
        collect(root, above: [], budget: &budget, into: &files)
        var variables = Variables()
        for file in files { variables.declare(file["variables"]) }
        for name in overrides.keys.sorted() {
            guard let value = overrides[name] else { continue }
            variables.override(name, value, root)
        }
        let resolved = files.map { $0.replacing(variables.replaced($0, isRoot: true)) }
        if budget.isComplete { variables.noteUnused() }
        let checked = resolved.enumerated().map { index, file in
            (index == resolved.count - 1 ? Tables.scenario : Tables.included).check(file)
        }
        return (checked, budget.isComplete)
    }

    /// The remaining number and size of included files.
    private struct Budget {
        var files = 1000
        var octets = 16 << 20
        var isSpent = false
        /// Whether each file that is included was read.
        var isComplete = true
    }

    private func collect(_ file: Cursor, above: [String], budget: inout Budget, into files: inout [Cursor]) {
        let chain = above + [file.file]
        for item in file["include"]?.items ?? [] where !budget.isSpent {
            let count = files.count
            defer { if files.count == count { budget.isComplete = false } }
            guard let path = relative(item) else { continue }
            guard !chain.contains(path) else {
                item.note(.includeLoop, "\(path.quoted) includes itself: \((chain + [path]).joined(separator: " > "))")
                continue
            }
            guard chain.count <= LanguageLimits.includes, budget.files > 0 else {
                item.note(
                    .includesTooDeep, "too many includes: more than \(LanguageLimits.includes) levels, or 1000 files")
                continue
            }
            budget.files -= 1
            guard let octets = load(path) else {
                item.note(.unreadable, "cannot read \(path.quoted)", help: "the path is relative to this file")
                continue
            }
            budget.octets -= octets.count
            guard budget.octets >= 0 else {
                item.note(.tooLarge, "the included files exceed 16 MiB in total")
                budget.isSpent = true
                continue
            }
            if let inner = root(of: path, octets) { collect(inner, above: chain, budget: &budget, into: &files) }
        }
        files.append(file)
    }
}

/// The values of `${name}`.
private struct Variables {
    private struct Variable {
        let declared: Cursor
        var value: Node
        var isUsed = false
    }

    /// How many variables a help lists.
    private static let maximumListed = 20

    private var table: [String: Variable] = [:]
    private var names: [String] = []

    /// Adds variables; later values replace earlier ones.
    mutating func declare(_ variables: Cursor?) {
        for (member, cursor) in variables?.entries ?? [] {
            if table.updateValue(Variable(declared: cursor, value: cursor.node), forKey: member.key) == nil {
                names.append(member.key)
            }
        }
    }

    mutating func override(_ name: String, _ value: Node, _ root: Cursor) {
        guard table[name] != nil else {
            return root.note(.unknownVariable, "no variable \(name.quoted) to set", help: help(for: name))
        }
        guard value.isSimple else {
            return root.note(.wrongType, "expected a single value for the variable \(name.quoted), found \(value.kind)")
        }
        table[name]?.value = value
    }

    private func help(for name: String) -> String {
        if let meant = closestMatch(to: name, in: names) { return "did you mean \(meant.quoted)?" }
        guard !names.isEmpty else { return "add it to \"variables\" at the top level" }
        let rest = names.count > Self.maximumListed ? " and \(names.count - Self.maximumListed) more" : ""
        return "the variables are \(names.prefix(Self.maximumListed).joined(separator: ", "))\(rest)"
    }

    func noteUnused() {
        for name in names {
            if let variable = table[name], !variable.isUsed, !variable.declared.isLogFull {
                variable.declared.note(
                    .unusedVariable, "the variable \(name.quoted) is never used",
                    help: "delete it, or write \"${\(name)}\" where its value belongs")
            }
        }
    }

    /// The tree at `cursor` with values in place of variables, at the positions of the variables.
    mutating func replaced(_ cursor: Cursor, isRoot: Bool = false) -> Node {
        guard !cursor.isLogFull else { return cursor.node }
        switch cursor.node.value {
        case .string(let string):
            guard let name = Forms.variableName(string) else { return checkedText(cursor, string) }
            guard let variable = table[name] else {
                let isListed = cursor.lists(.unknownVariable)
                cursor.note(.unknownVariable, "no variable \(name.quoted)", help: help(for: name))
                // It is probably the one that seems unused.
                if isListed, let meant = closestMatch(to: name, in: names) { table[meant]?.isUsed = true }
                return Node(.unknown, at: cursor.node.position)
            }
            table[name]?.isUsed = true
            guard variable.value.isSimple else { return Node(.unknown, at: cursor.node.position) }
            return Node(variable.value.value, at: cursor.node.position)
        case .array(let nodes):
            guard nodes.contains(where: { !$0.isSimple || $0.isString }) else { return cursor.node }
            var new: [Node] = []
            cursor.eachItem { new.append(replaced($0)) }
            return Node(.array(new), at: cursor.node.position)
        case .object:
            let new = cursor.entries.map { member, value in
                guard !isFixed(member.key, value, isRoot: isRoot) else { return member }
                return Node.Member(key: member.key, position: member.position, node: replaced(value))
            }
            return Node(.object(new), at: cursor.node.position)
        case .null, .bool, .number, .unknown: return cursor.node
        }
    }

    /// A string that is not a variable; unknown after noting that a variable is part of it.
    private mutating func checkedText(_ cursor: Cursor, _ string: String) -> Node {
        guard let part = variable(in: string) else { return cursor.node }
        table[part]?.isUsed = true
        cursor.note(
            .wrongForm, "a variable cannot be part of a string",
            help: "write only \("${\(part)}".quoted), and the rest in the value of the variable")
        return Node(.unknown, at: cursor.node.position)
    }

    /// The first variable that is part of a string.
    private func variable(in string: String) -> String? {
        string.split(separator: "${", omittingEmptySubsequences: false).dropFirst().lazy
            .compactMap { part in part.firstIndex(of: "}").map { String(part[..<$0]) } }
            .first { table[$0] != nil }
    }

    private func isFixed(_ key: String, _ value: Cursor, isRoot: Bool) -> Bool {
        isRoot && key == "variables" || value.string != nil && Tables.fixedKeys.contains(key)
    }
}
