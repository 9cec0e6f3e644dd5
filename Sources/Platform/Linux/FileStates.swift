import Glibc

/// The states of files and folders at one instant.
///
/// Two of them differ if something has written, replaced, created or removed a file in between, or if a scenario or a folder
/// has come into a folder, or left it.
package struct FileStates: Hashable, Sendable {
    private enum State: Hashable {
        case missing
        /// The time of the last change is in nanoseconds.
        case file(device: dev_t, number: ino_t, size: off_t, changed: Int64)
        case folder(names: [String])

        /// Of a folder, the names that are not `ignored`.
        init(_ path: String, ignored: Set<String>) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else {
                self = .missing
                return
            }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                let changed = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
                self = .file(device: status.st_dev, number: status.st_ino, size: status.st_size, changed: changed)
                return
            }
            // Editors put temporary files next to the one that they write.
            let names = folderEntries(path).filter { name in
                !name.hasPrefix(".") && !ignored.contains(name) && (name.hasSuffix(".json") || !name.contains("."))
            }
            self = .folder(names: names.sorted())
        }
    }

    private let states: [String: State]

    /// The states of these paths, without `outputs`, the files that the observer writes.
    package init(of paths: [String], besides outputs: [String] = []) {
        let places = Set(outputs.compactMap { FilePlace($0) })
        let names = Set(outputs.compactMap { $0.split(separator: "/").last.map(String.init) })
        let watched = paths.filter { path in FilePlace(path).map { !places.contains($0) } ?? true }
        states = Dictionary(watched.map { ($0, State($0, ignored: names)) }) { first, _ in first }
    }

    /// The number of paths that are not folders.
    package var files: Int { states.values.count { if case .folder = $0 { false } else { true } } }

    /// The paths whose states differ from earlier ones, in alphabetical order.
    package func changes(since earlier: FileStates) -> [String] {
        states.filter { earlier.states[$0.key] != $0.value }.map(\.key).sorted()
    }
}
