import Glibc

/// A new file that replaces another when it is complete.
struct Replacement: Sendable {
    let descriptor: CInt
    private let target: String
    private let temporary: String

    /// Creates the file next to the one at `path`, whose symbolic links, permissions and owner are kept; nil if that one
    /// can only be written in place: `/dev/stderr`, a device or a pipe, or a file in a folder that cannot be written.
    init?(of path: String) throws(OutputFailure) {
        guard FilePlace(path) != nil else { return nil }
        guard !path.hasSuffix("/") else { throw OutputFailure(path: path, code: EISDIR) }
        target = resolvedPath(path)
        var status = stat()
        let exists = unsafe stat(target, &status) == 0
        if exists, unsafe access(target, W_OK) != 0 { throw OutputFailure(path: path, code: errno) }
        var (name, number, attempt) = (target, CInt(-1), 0)
        repeat {
            name = Self.temporary(target, ".\(getpid())-\(attempt)")
            number = unsafe open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, exists ? 0o600 : 0o666)
            attempt += 1
        } while number < 0 && errno == EEXIST
        (temporary, descriptor) = (name, number)
        guard descriptor >= 0 else {
            if exists, [EACCES, EPERM, EROFS, ENAMETOOLONG].contains(errno) { return nil }
            throw OutputFailure(path: path, code: errno)
        }
        guard exists else { return }
        _ = fchown(descriptor, status.st_uid, status.st_gid)  // only root may give a file away
        fchmod(descriptor, status.st_mode & 0o777)
    }

    /// The path with an ending, without the last characters of its name if that would be longer than a name or a path can be.
    private static func temporary(_ target: String, _ ending: String) -> String {
        let (folder, longest) = (target.lastIndex(of: "/").map { target[...$0] } ?? "", Int(NAME_MAX))
        var name = target.dropFirst(folder.count)
        let room = min(longest, Int(PATH_MAX) - 1 - folder.utf8.count) - ending.utf8.count
        while name.utf8.count > room, !name.isEmpty { name.removeLast() }
        return folder + name + ending
    }

    /// Replaces the file; returns an `errno(3)`, or nil.
    func complete() -> Int32? {
        guard unsafe rename(temporary, target) != 0 else { return nil }
        defer { discard() }
        return errno
    }

    func discard() { unsafe unlink(temporary) }
}
