import CommandSupport
import Glibc

/// The machine's files; in tests, the files below another folder.
package struct FileTree: Sendable {
    let root: String

    init(below root: String = "") { self.root = root }

    /// The sorted names in a folder; none if it cannot be read.
    func names(in folder: String) -> [String] {
        folderEntries(root + folder).sorted()
    }

    /// The trimmed text of a file; nil if it cannot be read.
    func text(of path: String) -> String? {
        contents(of: root + path).map { trimmed(String(decoding: $0, as: UTF8.self)) }
    }

    func has(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

    func isExecutable(_ path: String) -> Bool { unsafe access(root + path, X_OK) == 0 }

    func hasProgram(_ name: String) -> Bool {
        ["/usr/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin"].contains {
            isExecutable("\($0)/\(name)")
        }
    }
}
