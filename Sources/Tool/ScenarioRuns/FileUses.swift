package import Arguments
package import CommandSupport
import TextFormatting

/// The files that a command reads and writes: none may be written that is read, or written twice.
package struct FileUses {
    private enum Use {
        case read
        case written(option: String, path: String)
    }

    private var uses: [FilePlace: Use] = [:]

    package init(reading paths: [String]) {
        for path in paths {
            if let place = FilePlace(path) { uses[place] = .read }
        }
    }

    /// Adds a file that `option` writes.
    package mutating func write(_ path: String, _ option: String) throws(CommandFailure) {
        guard let place = FilePlace(path) else { return }
        switch uses[place] {
        case nil: uses[place] = .written(option: option, path: path)
        case .read:
            throw CommandFailure(
                .usage, "\(option) would overwrite \(path.quoted), which this command reads: choose another file")
        case .written(option, path): throw CommandFailure(.usage, "\(option) names \(path.quoted) twice")
        case .written(let other, let same):
            let paths = path == same ? path.quoted : "\(same.quoted) and \(path.quoted)"
            throw CommandFailure(
                .usage, "\(other) and \(option) name the same file: \(paths) (choose another for one of them)")
        }
    }

    /// Adds the files of the options of a run. `folders`: those of its cases below `--keep`, if there are several.
    package mutating func write(_ invocation: Invocation, folders: [String]? = nil) throws(CommandFailure) {
        for option in ["--events", "--trace", "--report"] {
            for path in invocation.texts(option) { try write(path, option) }
        }
        guard let keep = invocation.text("--keep") else { return }
        for paths in [ReportFiles.paths(in: keep)] + (folders ?? [keep]).map(ArtifactDirectory.files) {
            for path in paths { try write(path, "--keep") }
            guard let other = paths.first(where: { FilePlace($0)?.exists == true }), !paths.contains(where: isKept)
            else { continue }
            throw CommandFailure(
                .usage, "--keep would overwrite \(other.quoted), which is not from an earlier run: choose a new folder")
        }
    }

    /// Whether a file describes a run whose files were kept in the same folder.
    private func isKept(_ path: String) -> Bool {
        path.hasSuffix(".json") && contents(of: path)?.starts(with: Array("{\"lubdub\": \"".utf8)) == true
    }
}
