package import Basics
import Cases
import Conformance
import Glibc
import Linux
import Sockets

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

    /// The files that a command line names, and others that its command reads.  Throws if one would be overwritten.
    package init(_ invocation: Invocation, reading paths: [String] = []) throws(Obstacle) {
        let files = invocation.files
        self.init(reading: paths + files.filter { $0.use == .read }.map(\.path))
        for file in files where file.use != .read {
            try write(file.path, file.name)
            switch file.use {
            case .updated: try write(FileLock.path(for: resolvedPath(file.path)), file.name)
            case .listened: try write(FileLock.path(for: file.path), file.name)  // a socket is not made through a link
            case .read, .written: break
            }
        }
    }

    /// Adds a file that `option` writes.
    package mutating func write(_ path: String, _ option: String) throws(Obstacle) {
        guard let place = FilePlace(path, orSocket: true) else { return }
        switch uses[place] {
        case nil: uses[place] = .written(option: option, path: path)
        case .read:
            throw Obstacle(
                .usage, "\(option) would overwrite \(path.quoted), which this command reads: choose another file")
        case .written(option, path): throw Obstacle(.usage, "\(option) names \(path.quoted) twice")
        case .written(let other, let same):
            let paths = path == same ? path.quoted : "\(same.quoted) and \(path.quoted)"
            let options = other == option ? "\(option) twice names" : "\(other) and \(option) name"
            throw Obstacle(.usage, "\(options) the same file: \(paths) (choose another for one of them)")
        }
    }

    /// Adds the files of `--keep`. `folders`: those of the cases below it, if there are several.
    ///
    /// Throws also if a folder is not from an earlier run, or if a link in it leads elsewhere.
    package mutating func keep(_ invocation: Invocation, folders: [String]? = nil) throws(Obstacle) {
        guard let keep = invocation.text("--keep") else { return }
        for paths in [ReportFiles.paths(in: keep)] + (folders ?? [keep]).map(ArtifactDirectory.files) {
            for path in paths {
                guard path.utf8.count < PATH_MAX else {
                    throw Obstacle(
                        .usage,
                        "--keep: a case has an id that is too long for a path: give it an \"id\" in a suite, or remove --keep"
                    )
                }
                try write(path, "--keep")
                try checkWay(to: path, below: keep)
            }
            guard let other = paths.first(where: { FilePlace($0)?.exists == true }), !paths.contains(where: isKept)
            else { continue }
            throw Obstacle(
                .usage, "--keep would overwrite \(other.quoted), which is not from an earlier run: choose a new folder")
        }
    }

    /// Throws if a link below the folder `keep` leads to a file or a folder elsewhere, or if a file is where a folder has to be.
    private func checkWay(to path: String, below keep: String) throws(Obstacle) {
        let words = path.dropFirst(keep.count).split(separator: "/")
        var way = keep
        for (index, word) in words.enumerated() {
            way += "/\(word)"
            if isLink(way) {
                throw Obstacle(
                    .usage, "--keep would write through the link \(way.quoted): remove it, or choose a new folder")
            }
            guard index < words.count - 1, let place = FilePlace(way) else { continue }
            guard place.exists || uses[place] != nil else { continue }
            throw Obstacle(
                .usage, "--keep needs a folder \(way.quoted), where a file is or will be: choose another folder")
        }
    }

    /// Whether a file describes a run whose files were kept in the same folder.
    private func isKept(_ path: String) -> Bool {
        path.hasSuffix(".json") && contents(of: path)?.starts(with: Array("{\"lubdub\": \"".utf8)) == true
    }
}
