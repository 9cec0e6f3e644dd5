import Glibc

/// Why a stream could not be opened, or has ended; says where, what, and where possible what to do about it.
public enum SocketFailure: Error, Equatable, CustomStringConvertible {
    /// The host's name could not be made into a number, for the resolver's reason.
    case unresolved(StreamAddress, reason: String)
    /// The system refused to listen, by the number that `errno(3)` explains.
    case cannotListen(StreamAddress, code: Int32)
    /// There is a file at the path, which is no socket and stays untouched.
    case notASocket(StreamAddress)
    /// The system refused to connect, by the number that `errno(3)` explains.
    case cannotConnect(StreamAddress, code: Int32)
    /// The stream broke, by the number that `errno(3)` explains.
    case broken(code: Int32)
    /// The other side does not read: more than `limit` octets would have to be kept for it.
    case neverReads(limit: Int)

    /// For people, in one line: `cannot listen at tcp:127.0.0.1:80: Permission denied (choose a port from 1024 on)`.
    public var description: String {
        switch self {
        case .unresolved(let address, let reason): "cannot find the host of \(address): \(reason)"
        case .cannotListen(let address, let code):
            "cannot listen at \(address): \(text(code))\(mend(of: address, code))"
        case .notASocket(let address): "cannot listen at \(address): there is a file of that name (choose another path)"
        case .cannotConnect(let address, let code):
            "cannot connect to \(address): \(text(code))\([ECONNREFUSED, ENOENT].contains(code) ? " (is anything listening there?)" : "")"
        case .broken(let code): "the stream broke: \(text(code))"
        case .neverReads(let limit): "the other side does not read, and \(limit) octets wait for it"
        }
    }

    /// The same of a stream to an address, which is named once.
    public func description(at address: StreamAddress) -> String {
        switch self {
        case .broken, .neverReads: "\(address): \(self)"
        case .unresolved, .cannotListen, .notASocket, .cannotConnect: description
        }
    }

    private func text(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    private func mend(of address: StreamAddress, _ code: Int32) -> String {
        switch (address, code) {
        case (.tcp, EADDRINUSE): " (choose another port, or 0 for any that is free)"
        case (.unix, EADDRINUSE): " (end the program that listens there, or choose another path)"
        case (.tcp, EACCES): " (choose a port from 1024 on)"
        case (.unix, EACCES): " (choose a folder that you may write to)"
        case (.unix, ENOENT): " (choose a folder that there is)"
        case (.tcp, EADDRNOTAVAIL): " (choose an address of this machine, such as 127.0.0.1)"
        default: ""
        }
    }
}
