import Glibc

/// Which file a path names, whatever links and folders it goes through.
package struct FilePlace: Hashable, Sendable {
    private static let maximumLinks = 40  // as the kernel
    /// Paths of open files, whatever these are.
    private static let streams = ["/dev/std", "/dev/fd/", "/proc/"]

    private let device: dev_t
    private let inode: ino_t
    /// The path of a missing file below the folder with this inode, in lower case, because some file systems ignore case;
    /// empty if the file exists.
    private let missing: String

    package var exists: Bool { missing.isEmpty }

    /// Nil for `-`, `/dev/stderr` and the like, and for a pipe, a device or a folder, which cannot be overwritten.
    package init?(_ path: String) {
        guard path != "-", !Self.streams.contains(where: path.hasPrefix), let place = Self.place(of: path) else {
            return nil
        }
        self = place
    }

    private init(_ status: stat, missing: String = "") {
        (device, inode, self.missing) = (status.st_dev, status.st_ino, missing)
    }

    private static func place(of path: String, links: Int = 0) -> FilePlace? {
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            return status.st_mode & S_IFMT == S_IFREG ? FilePlace(status) : nil
        }
        guard errno != ENAMETOOLONG else { return nil }  // no file can be there
        let (folder, name) = split(path)
        if let target = linkTarget(path), links < maximumLinks {
            return place(of: target.hasPrefix("/") ? target : "\(folder)/\(target)", links: links + 1)
        }
        if unsafe stat(folder, &status) == 0 { return FilePlace(status, missing: name.lowercased()) }
        // A folder is missing, so nothing below it is a link.
        let clean = absolutePath(path)
        guard clean == path else { return place(of: clean, links: links) }
        guard let outer = place(of: folder, links: links) else { return nil }
        return FilePlace(outer, name)
    }

    private init(_ folder: FilePlace, _ name: String) {
        (device, inode, missing) = (folder.device, folder.inode, "\(folder.missing)/\(name.lowercased())")
    }

    /// The folder and the name of a file.
    private static func split(_ path: String) -> (folder: String, name: String) {
        let words = path.split(separator: "/")
        let folder = words.dropLast().joined(separator: "/")
        let root = path.hasPrefix("/") ? "/" : folder.isEmpty ? "." : ""
        return (root + folder, words.last.map(String.init) ?? "")
    }
}
