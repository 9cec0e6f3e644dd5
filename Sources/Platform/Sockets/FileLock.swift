import Glibc
import Synchronization

/// A lock for what is at a path, which one process at a time can hold, and the kernel releases when that ends, however it ends.
///
/// What is locked may be missing, and may be replaced while it is locked. So the lock is on a file next to it, `PATH.lock`, which
/// has the number of the process, and is removed in the end. A file at the path is locked, too: programs without the right to
/// create `PATH.lock` have only that lock, and other names of the file have none next to them.
package final class FileLock: Sendable {
    package enum Refusal: Error, Equatable {
        /// Another process has the lock: this one, if it is known.
        case held(by: Int32?)
        /// Something else is where the lock would be.
        case occupied(String)
        /// There can be no lock: an `errno(3)`.
        case unavailable(Int32)
    }

    private let locked: String
    /// The lock next to it, if one could be created.
    private let beside: Beside?
    /// The files at the path that are locked: the present one, and replaced ones that still have another name.
    private let inPlace: Mutex<[CInt]>

    /// Where the lock for a path is.
    package static func path(for path: String) -> String { "\(path).lock" }

    /// Takes the lock, or throws why that is not possible at present.
    package init(_ locked: String) throws(Refusal) {
        self.locked = locked
        let beside = try Beside(Self.path(for: locked))
        do throws(Refusal) { inPlace = Mutex([try Self.lock(locked)]) } catch {
            guard let beside else { throw error }
            if case .held = error {
                beside.release()
                throw error
            }
            inPlace = Mutex([])  // a missing file, a socket, or a file system without locks
        }
        self.beside = beside
        beside?.sign()
    }

    deinit {
        for descriptor in inPlace.withLock({ $0 }) { close(descriptor) }
        beside?.release()
    }

    /// Locks the file that has replaced the one at the path.
    package func follow() {
        guard let opened = try? Self.lock(locked) else { return }  // it is locked already
        inPlace.withLock { descriptors in
            descriptors.removeAll { descriptor in
                guard FileIdentity.names(of: descriptor) == 0 else { return false }
                close(descriptor)
                return true
            }
            descriptors.append(opened)
        }
    }

    /// Locks the file itself.
    private static func lock(_ path: String) throws(Refusal) -> CInt {
        let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { throw .unavailable(errno) }
        var status = stat()
        let isFile = unsafe fstat(opened, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        if isFile, flock(opened, LOCK_EX | LOCK_NB) == 0 { return opened }
        let code = isFile ? errno : EINVAL
        close(opened)
        throw code == EWOULDBLOCK ? .held(by: nil) : .unavailable(code)
    }
}

/// A locked file that exists as long as the lock.
private struct Beside {
    private let path: String
    private let descriptor: CInt
    private let file: FileIdentity?

    /// Nil without the right to create the file.
    init?(_ path: String) throws(FileLock.Refusal) {
        self.path = path
        while true {
            let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard opened >= 0 else {
                switch errno {
                case EACCES, EPERM, EROFS, ENAMETOOLONG: return nil
                case EISDIR, ELOOP, ENXIO: throw .occupied(path)  // a folder, a link, a socket
                default: throw .unavailable(errno)
                }
            }
            guard let refusal = Self.lock(opened, path) else {
                (descriptor, file) = (opened, FileIdentity(descriptor: opened))
                return
            }
            close(opened)
            // The one before has removed the file between the calls, so that nobody could find its lock.
            guard refusal != .unavailable(ESTALE) else { continue }
            throw refusal
        }
    }

    /// Writes the number of the process into the file.
    func sign() {
        let octets = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = unsafe pwrite(descriptor, octets, octets.count, 0)
    }

    func release() {
        file?.remove(path)
        close(descriptor)
    }

    /// Locks the open file; returns why that fails, `ESTALE` if the file is no longer at `path`.
    private static func lock(_ descriptor: CInt, _ path: String) -> FileLock.Refusal? {
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
