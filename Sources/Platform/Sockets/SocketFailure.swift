package import Basics
import Glibc

/// Why a stream could not be opened or broke.
public enum SocketFailure: Error, Equatable, CustomStringConvertible {
    /// The host's name cannot be resolved, for the resolver's reason.
    case unresolved(StreamAddress, reason: String)
    /// Listening failed with this `errno(3)`.
    case cannotListen(StreamAddress, code: Int32)
    /// The path is that of a file that is not a socket, which stays untouched.
    case notASocket(StreamAddress)
    /// A file that is not a lock is where the lock of the socket file would be; it stays untouched.
    case occupiedLock(StreamAddress, path: String)
    /// Connecting failed with this `errno(3)`.
    case cannotConnect(StreamAddress, code: Int32)
    /// The stream broke with this `errno(3)`.
    case broken(code: Int32)
    /// The other side does not read, and more than `limit` octets are waiting to be sent.
    case neverReads(limit: Int)

    /// `EMFILE`, the code of a process without free descriptors.
    package static let tooManyDescriptors = EMFILE

    /// The problem and, where possible, the fix on one line: `cannot listen at tcp:127.0.0.1:80: Permission denied (use
    /// a port from 1024 on)`.
    public var description: String {
        switch self {
        case .unresolved(let address, let reason): "cannot resolve the host of \(address): \(reason)"
        case .cannotListen(let address, let code):
            "cannot listen at \(address): \(text(code))\(fix(for: address, code))"
        case .notASocket(let address): "cannot listen at \(address): a file with this name exists (use another path)"
        case .occupiedLock(let address, let path):
            "cannot listen at \(address): another file is at \(path), where its lock would be (move that, or use another path)"
        case .cannotConnect(let address, let code):
            "cannot connect to \(address): \(text(code))\([ECONNREFUSED, ENOENT].contains(code) ? " (is a program listening there?)" : "")"
        case .broken(let code): "connection broken: \(text(code))"
        case .neverReads(let limit): "the other side does not read: more than \(limit) octets are waiting to be sent"
        }
    }

    /// The description, prefixed with the stream's address unless it contains the address.
    public func description(at address: StreamAddress) -> String {
        switch self {
        case .broken, .neverReads: "\(address): \(self)"
        case .unresolved, .cannotListen, .notASocket, .occupiedLock, .cannotConnect: description
        }
    }

    private func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    private func fix(for address: StreamAddress, _ code: Int32) -> String {
        switch (address, code) {
        case (.tcp, EADDRINUSE): " (use another port, or 0 for any free port)"
        case (.unix, EADDRINUSE): " (stop the program that listens there, or use another path)"
        case (.tcp, EACCES): " (use a port from 1024 on)"
        case (.unix, EACCES): " (use a folder that you can write to)"
        case (.unix, ENOENT): " (use a folder that exists)"
        case (.tcp, EADDRNOTAVAIL): " (use an address of this machine, such as 127.0.0.1)"
        default: ""
        }
    }
}

extension SocketFailure: CodedError {
    package var exitCode: ExitCode? { .environment }
}
