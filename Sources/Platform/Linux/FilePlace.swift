import Glibc

/// Which file a path names, whatever links and folders it goes through.
package struct FilePlace: Hashable, Sendable {
    /// Paths of open files, whatever these are.
    private static let streams = ["/dev/std", "/dev/fd/", "/proc/"]

    private let device: dev_t
    private let inode: ino_t
    /// The path of a missing file below the folder with this inode, in lower case, because some file systems ignore case;
    /// empty if the file exists.
    private let missing: String

    package var exists: Bool { missing.isEmpty }

    /// Nil for `-`, `/dev/stderr` and the like, for no path, and for a pipe, a device or a folder, which cannot be overwritten.
    /// A socket can only be replaced: it has a place if `orSocket`.
    package init?(_ path: String, orSocket: Bool = false) {
        guard path != "-", !path.isEmpty, !Self.streams.contains(where: path.hasPrefix) else { return nil }
        guard let place = Self.place(of: path, orSocket: orSocket) else { return nil }
        self = place
    }

    /// How many names the file at a path has, because of hard links; 0 if there is none.
    package static func names(_ path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_nlink) : 0
    }

    private init(_ status: stat, missing: String = "") {
        (device, inode, self.missing) = (status.st_dev, status.st_ino, missing)
    }

    private static func place(of path: String, orSocket: Bool) -> FilePlace? {
        var status = stat()
        var way = path
        if unsafe stat(way, &status) != 0 {
            guard errno != ENAMETOOLONG else { return nil }  // no file can be there
            // A folder of the path can be missing and yet the file exist: `none/../a`.
            way = resolvedPath(path)
            guard unsafe stat(way, &status) == 0 else { return place(ofMissing: way) }
        }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFREG || orSocket && kind == S_IFSOCK ? FilePlace(status) : nil
    }

    private static func place(ofMissing path: String) -> FilePlace? {
        var status = stat()
        let (folder, name) = splitPath(path)
        if unsafe stat(folder, &status) == 0 { return FilePlace(status, missing: name.lowercased()) }
        guard folder != path, let outer = place(ofMissing: folder) else { return nil }
        return FilePlace(outer, name)
    }

    private init(_ folder: FilePlace, _ name: String) {
        (device, inode, missing) = (folder.device, folder.inode, "\(folder.missing)/\(name.lowercased())")
    }
}
