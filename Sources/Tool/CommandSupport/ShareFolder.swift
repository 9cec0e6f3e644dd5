import Basics
import Glibc
import Linux

/// The folder of the installed scenarios, schemas and documentation.
package enum ShareFolder {
    /// The environment variable that names another folder.
    package static let variable = "LUBDUB_SHARE"

    /// The folder of this program; nil if none has scenarios.
    package static var path: String? {
        let places = candidates(for: OwnProgram.path, named: environmentVariable(variable)) {
            isFolder("\($0)/scenarios") && isFolder("\($0)/Sources/Tool/lubdub")
        }
        return places.first { isFolder("\($0)/scenarios") }
    }

    /// The fix for a missing folder.
    package static var missing: String {
        let named = environmentVariable(variable)
        return named.isEmpty
            ? "set \(variable) to the folder that contains their folder \"scenarios\""
            : "\(variable) is \(named.quoted), which has no folder \"scenarios\""
    }

    /// Where the folder of a program can be, the best place first: `../share/lubdub` relative to the executable's folder,
    /// the checkout that it was built in, and Debian's place. If the variable has a value, only that.
    static func candidates(for program: String, named name: String, isCheckout: (String) -> Bool) -> [String] {
        guard name.isEmpty else { return [name] }
        let words = program.split(separator: "/").dropLast()
        let outer = (0..<words.count).reversed().map { "/" + words.prefix($0).joined(separator: "/") }
        let installed = outer.first.map { $0 == "/" ? "/share/lubdub" : "\($0)/share/lubdub" }
        let checkout = outer.first { $0 != "/" && isCheckout($0) }
        return [installed, checkout, "/usr/share/lubdub"].compactMap { $0 }
    }
}

/// Whether a path is a folder, or a link to one.
private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
