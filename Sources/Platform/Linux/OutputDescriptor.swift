import Basics
import Glibc

/// A descriptor for output, whose reader may be slow, or may never read.
package struct OutputDescriptor: Sendable {
    /// The result of a write that does not wait.
    package enum Outcome {
        case written(Int)
        /// Nothing can be written at present.
        case full
        case failed(Int32)
    }

    package let number: CInt
    /// Whether nothing else uses the open file, so that writing never blocks.
    private let isOwn: Bool

    /// The size of a write that does not block after poll(2): pipe(7).
    private static let chunkSize = 4096

    /// A descriptor that other programs may share.
    ///
    /// A pipe or a terminal is opened a second time, because `O_NONBLOCK` would affect these programs, too.
    package init(sharing shared: CInt) {
        var status = stat()
        let isPipe = unsafe fstat(shared, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        let own = isPipe || isatty(shared) == 1 ? Self.open("/proc/self/fd/\(shared)", flags: 0) : -1
        (number, isOwn) = own >= 0 ? (own, true) : (shared, false)
    }

    /// A regular file that nothing else uses.
    init(owning descriptor: CInt) { (number, isOwn) = (descriptor, true) }

    /// Creates the file at `path`, or truncates it. Waits until a program reads a named pipe.
    ///
    /// - Throws: The error of open(2); `EINTR` if a signal asked the program to end during the wait.
    package init(creating path: String) throws(OutputFailure) {
        var hasReported = false
        while true {
            let descriptor = Self.open(path, flags: O_CREAT | O_TRUNC)
            guard descriptor < 0 else {
                (number, isOwn) = (descriptor, true)
                return
            }
            let code = errno
            guard code == ENXIO, Self.isNamedPipe(path) else { throw OutputFailure(path: path, code: code) }
            if !hasReported { Notices.warn("waiting for a program that reads \(path)") }
            hasReported = true
            guard !EndSignal.wait(milliseconds: 50) else { throw OutputFailure(path: path, code: EINTR) }
        }
    }

    private static func open(_ path: String, flags: Int32) -> CInt {
        unsafe Glibc.open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags, 0o644)
    }

    private static func isNamedPipe(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Closes the descriptor, unless it is shared; returns an `errno(3)`, or nil.
    package func close() -> Int32? { !isOwn || Glibc.close(number) == 0 ? nil : errno }

    /// Waits up to `milliseconds` until a write would not block.
    package static func hasRoom(_ descriptor: CInt, within milliseconds: CInt = 0) -> Bool {
        var room = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
        return unsafe poll(&room, 1, milliseconds) == 1
    }

    /// Writes as much as possible now.
    package func tryToWrite(_ octets: ArraySlice<UInt8>) -> Outcome {
        let chunk = isOwn ? octets : octets.prefix(Self.chunkSize)
        guard isOwn || Self.hasRoom(number) else { return .full }
        while true {
            let count = unsafe chunk.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            switch count {
            case 1...: return .written(count)
            case 0: return .failed(EIO)
            default:
                if errno == EAGAIN { return .full }
                if errno != EINTR { return .failed(errno) }
            }
        }
    }

    /// Writes all octets, and waits for the reader.
    ///
    /// - Returns: An `errno(3)`, or nil; `EINTR` if a signal asked the program to end meanwhile, and the rest is lost.
    package func write(_ octets: ArraySlice<UInt8>) -> Int32? {
        var rest = octets
        while !rest.isEmpty {
            switch tryToWrite(rest) {
            case .written(let count): rest = rest.dropFirst(count)
            case .full: guard EndSignal.waitForRoom(in: number) else { return EINTR }
            case .failed(let code): return code
            }
        }
        return nil
    }
}
