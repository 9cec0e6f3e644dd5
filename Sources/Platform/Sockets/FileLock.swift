import Glibc

/// A lock for what is at a path, which one process at a time can hold, and the kernel releases when that ends, however it ends.
///
/// What is locked may be missing, and may be replaced while it is locked. So the lock is on a file next to it, `PATH.lock`, which
/// has the number of the process, and is removed in the end. Without the right to create that, the lock is on the file at the path.
package final class FileLock: Sendable {
    package enum Refusal: Error, Equatable {
        /// Another process has the lock: this one, if it is known.
        case held(by: Int32?)
        /// A file is where the lock would be.
        case occupied(String)
        /// There can be no lock: an `errno(3)`.
        case unavailable(Int32)
    }

    private let path: String
    private let descriptor: CInt
    private let file: FileIdentity?

    /// Where the lock for a path is.
    package static func path(for path: String) -> String { "\(path).lock" }

    /// Takes the lock, or throws why that is not possible at present.
    package init(_ locked: String) throws(Refusal) {
        path = Self.path(for: locked)
        while true {
            let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard opened >= 0 else {
                guard [EACCES, EPERM, EROFS, ENAMETOOLONG].contains(errno) else { throw .unavailable(errno) }
                (descriptor, file) = (try Self.take(inPlace: locked), nil)
                return
            }
            guard let refusal = Self.take(opened, path) else {
                (descriptor, file) = (opened, FileIdentity(descriptor: opened))
                break
            }
            close(opened)
            // The one before has removed the file between the calls, so that nobody could find its lock.
            guard refusal != .unavailable(ESTALE) else { continue }
            throw refusal
        }
        Self.write("\(getpid())\n", descriptor)
    }

    deinit {
        file?.remove(path)
        close(descriptor)
    }

    /// Locks a file itself: one in a folder where no other can be created is not replaced, either.
    private static func take(inPlace path: String) throws(Refusal) -> CInt {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { throw .unavailable(errno) }
        guard flock(opened, LOCK_EX | LOCK_NB) != 0 else { return opened }
        let code = errno
        close(opened)
        throw code == EWOULDBLOCK ? .held(by: nil) : .unavailable(code)
    }

    /// Locks the open file; returns why that fails, `ESTALE` if the file is no longer at `path`.
    private static func take(_ descriptor: CInt, _ path: String) -> Refusal? {
        let text = text(of: descriptor)
        guard let text else { return .occupied(path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            return errno == EWOULDBLOCK ? .held(by: Int32(text)) : .unavailable(errno)
        }
        return FileIdentity(path: path) == FileIdentity(descriptor: descriptor) ? nil : .unavailable(ESTALE)
    }

    /// The digits of a lock; nil if the file is none. An empty file is one: its process has not written its number yet, or
    /// was killed before it did.
    private static func text(of descriptor: CInt) -> String? {
        var status = stat()
        var octets = [UInt8](repeating: 0, count: 16)
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size < octets.count
        else { return nil }
        let count = unsafe pread(descriptor, &octets, octets.count, 0)
        guard count > 0 else { return count == 0 ? "" : nil }
        let digits = octets[..<(count - 1)]
        let isLine = octets[count - 1] == UInt8(ascii: "\n") && !digits.isEmpty
        guard isLine, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func write(_ text: String, _ descriptor: CInt) {
        let octets = Array(text.utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(descriptor, octets, octets.count, 0)
    }
}

extension FileLock {
    /// Takes the lock as soon as nobody has it; nil if there can be none.  Throws if somebody still has it after half a
    /// second, or if another file is in its place.
    static func wait(for path: String) throws(Refusal) -> FileLock? {
        var attempts = 50
        while true {
            do throws(Refusal) { return try FileLock(path) } catch {
                if case .unavailable = error { return nil }
                guard case .held = error else { throw error }
                attempts -= 1
                guard attempts > 0 else { throw error }
            }
            usleep(10_000)
        }
    }
}
