import Spelling

/// Where a stream can be reached: `tcp:127.0.0.1:6402`, `tcp:[::1]:6402` or `unix:/run/lubdub`.
public enum StreamAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or number of a machine, and a port; to listen at port 0 is to take any that is free.
    case tcp(host: String, port: UInt16)
    /// A path in the file system.
    case unix(path: String)

    /// Why a text is no address, in words for the person who typed it.
    public struct Unreadable: Error, Equatable, CustomStringConvertible {
        /// Quotes the text, and says what is wrong with it.
        public let description: String
    }

    /// What a socket's address has room for: unix(7).
    private static let longestPath = 107

    /// Reads `tcp:HOST:PORT` or `unix:PATH`; a HOST with colons in it stands in brackets.
    public init(_ text: String) throws(Unreadable) {
        if let path = text.rest(behind: "unix:") {
            guard !path.isEmpty else { throw Self.unreadable(text, "the path is missing") }
            guard path.utf8.count <= Self.longestPath else {
                throw Self.unreadable(text, "the path has more than \(Self.longestPath) octets")
            }
            self = .unix(path: path)
        } else if let place = text.rest(behind: "tcp:") {
            guard let colon = place.lastIndex(of: ":") else { throw Self.unreadable(text, "the port is missing") }
            var host = place[..<colon]
            if host.hasPrefix("["), host.hasSuffix("]") {
                host = host.dropFirst().dropLast()
            } else if host.contains(":") {
                throw Self.unreadable(text, "an IPv6 address must stand in brackets, as in tcp:[::1]:6402")
            }
            let digits = place[place.index(after: colon)...]
            guard !host.isEmpty else { throw Self.unreadable(text, "the host is missing") }
            guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else {
                throw Self.unreadable(text, "the port must be a number from 0 to 65535")
            }
            self = .tcp(host: String(host), port: port)
        } else {
            throw Self.unreadable(text, "it must be tcp:HOST:PORT or unix:PATH")
        }
    }

    private static func unreadable(_ text: String, _ reason: String) -> Unreadable {
        Unreadable(description: "\(text.quoted) is no address: \(reason)")
    }

    /// As `init` reads it.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension String {
    fileprivate func rest(behind prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
