import Basics
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import Sockets

/// One holder at a time, also of what is missing, and nothing is left behind.
@Suite final class FileLockTests {
    private let folder: String
    private let path: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "lock-\(UInt64.random(in: 0 ... .max))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = "\(folder)/it"
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    private func write(_ text: String, _ path: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test func `A second holder is refused, and learns the process of the first`() throws {
        var first: FileLock? = try FileLock(path)
        for _ in 0..<2 {
            #expect(throws: FileLock.Refusal.held(by: getpid())) { try FileLock(path) }
            try write("replaced", "\(path).new")
            unsafe rename("\(path).new", path)  // the lock is not on the file
        }
        withExtendedLifetime(first) {}
        first = nil
        #expect(names == ["it"])
        withExtendedLifetime(try FileLock(path)) { #expect(names.sorted() == ["it", "it.lock"]) }
    }

    @Test func `A lock that a killed process has left can be taken`() throws {
        try write("1234567\n", "\(path).lock")
        let lock = try FileLock(path)
        #expect(throws: FileLock.Refusal.held(by: getpid())) { try FileLock(path) }
        withExtendedLifetime(lock) {}
    }

    @Test func `A file that is not a lock stays`() throws {
        try write("mine", "\(path).lock")
        #expect(throws: FileLock.Refusal.occupied("\(path).lock")) { try FileLock(path) }
        #expect(try String(contentsOfFile: "\(path).lock", encoding: .utf8) == "mine")
        for text in ["2026", "12\nmine\n", "\n", "١\n", "1\n2\n", "-1\n", " 1\n"] {
            try write(text, "\(path).lock")
            #expect(throws: FileLock.Refusal.occupied("\(path).lock")) { try FileLock(path) }
            #expect(try String(contentsOfFile: "\(path).lock", encoding: .utf8) == text)
        }
        try write("", "\(folder)/other")
        unsafe symlink("other", "\(folder)/linked.lock")
        #expect(throws: FileLock.Refusal.occupied("\(folder)/linked.lock")) { try FileLock("\(folder)/linked") }
        unsafe mkdir("\(folder)/box.lock", 0o700)
        #expect(throws: FileLock.Refusal.occupied("\(folder)/box.lock")) { try FileLock("\(folder)/box") }
        #expect(throws: FileLock.Refusal.unavailable(ENOENT)) { try FileLock("\(folder)/none/it") }
    }

    @Test func `Where the lock cannot be created, it is on the file itself`() throws {
        let long = "\(folder)/\(String(repeating: "n", count: 253))"  // too long with another ending
        #expect(throws: FileLock.Refusal.unavailable(ENOENT)) { try FileLock(long) }
        try write("it", long)
        let lock = try FileLock(long)
        #expect(throws: FileLock.Refusal.held(by: nil)) { try FileLock(long) }
        withExtendedLifetime(lock) {}
        #expect(names.count == 1, "only the file")
    }

    /// Programs without the right to create the lock next to it have only the one on the file.
    @Test func `The file itself is locked, too, also the one that replaces it`() throws {
        func isLocked() -> Bool {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            defer { close(descriptor) }
            return flock(descriptor, LOCK_EX | LOCK_NB) != 0
        }
        try write("it", path)
        let lock = try FileLock(path)
        #expect(isLocked())
        try write("replaced", "\(path).new")
        unsafe rename("\(path).new", path)
        #expect(!isLocked())
        lock.follow()
        #expect(isLocked())
        lock.follow()
        #expect(isLocked())
        withExtendedLifetime(lock) {}
    }

    @Test func `Somebody who has locked only the file keeps it`() throws {
        try write("it", path)
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        #expect(throws: FileLock.Refusal.held(by: nil)) { try FileLock(path) }
        #expect(names == ["it"], "no lock is left behind")
        close(descriptor)
        withExtendedLifetime(try FileLock(path)) { #expect(names.sorted() == ["it", "it.lock"]) }
    }

    @Test func `A lock that somebody has replaced is left to its new holder`() throws {
        var first: FileLock? = try FileLock(path)
        unsafe unlink("\(path).lock")
        let second = try FileLock(path)
        withExtendedLifetime(first) {}
        first = nil
        #expect(throws: FileLock.Refusal.held(by: getpid())) { try FileLock(path) }
        withExtendedLifetime(second) {}
    }

    @Test func `Of many that begin at once, one at a time has the lock`() async {
        let path = path
        let inside = Inside()
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var taken = 0
                    for _ in 0..<200 {
                        guard let lock = try? FileLock(path) else { continue }
                        taken += 1
                        inside.enter()
                        inside.leave()
                        withExtendedLifetime(lock) {}
                    }
                    return taken
                }
            }
            return await group.reduce(0, +)
        }
        #expect(count > 0)
        #expect(inside.most == 1)
    }

    /// How many are in a place that is for one.
    private final class Inside: Sendable {
        private let state = Mutex((now: 0, most: 0))

        var most: Int { state.withLock(\.most) }

        func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

        func leave() { state.withLock { $0.now -= 1 } }
    }
}

/// Socket files that nobody listens at any more.
@Suite final class StaleSocketTests {
    private let path = FileManager.default.temporaryDirectory
        .appending(path: "stale-\(UInt64.random(in: 0 ... .max))").path
    private let loop = EventLoop(pace: .real())

    deinit { for name in [path, "\(path).lock"] { unsafe unlink(name) } }

    /// A socket file whose process has ended.
    private func leaveStale() throws {
        let address = StreamAddress.unix(path: path)
        guard let socket = Socket(family: AF_UNIX) else { throw SocketFailure.broken(code: errno) }
        for resolved in try Socket.resolve(address, toListen: true) {
            #expect(socket.listen(at: resolved, forOwnerOnly: true) == nil)
        }
    }

    private func listener() throws(SocketFailure) -> StreamListener {
        try StreamListener(at: .unix(path: path), on: loop, forOwnerOnly: true) { $0.close() }
    }

    @Test func `While another process begins to listen, nobody replaces the file`() throws {
        try leaveStale()
        let before = FileIdentity(path: path)
        let lock = try FileLock(path)
        let failure = #expect(throws: SocketFailure.self) { try listener() }
        #expect(failure?.description.contains("in use") == true)
        #expect(FileIdentity(path: path) == before)
        withExtendedLifetime(lock) {}
    }

    @Test func `Nobody listens without a lock because another file is in its place`() throws {
        try "mine".write(toFile: "\(path).lock", atomically: false, encoding: .utf8)
        let failure = #expect(throws: SocketFailure.self) { try listener() }
        #expect(failure == .occupiedLock(.unix(path: path), path: "\(path).lock"))
        #expect(FileIdentity(path: path) == nil)
        #expect(try String(contentsOfFile: "\(path).lock", encoding: .utf8) == "mine")
    }

    @Test func `Of many that begin at once at a stale file, one listens`() async throws {
        let (path, loop) = (path, loop)
        for _ in 0..<100 {
            try leaveStale()
            let listeners = await withTaskGroup(of: StreamListener?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try? StreamListener(at: .unix(path: path), on: loop, forOwnerOnly: true) { $0.close() }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(listeners.count == 1)
            #expect(FileIdentity(path: path)?.isSocket == true, "the file of the one that listens is there")
            for listener in listeners { listener.close() }
            #expect(FileIdentity(path: path) == nil)
            #expect(FileIdentity(path: FileLock.path(for: path)) == nil)
        }
    }
}
