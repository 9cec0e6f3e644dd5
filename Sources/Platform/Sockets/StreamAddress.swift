import Basics

/// The address of a stream: `tcp:127.0.0.1:6402`, `tcp:[::1]:6402` or `unix:/run/lubdub`.
public enum StreamAddress: Hashable, Sendable, CustomStringConvertible {
    /// A host's name or IP address and a port; a listener at port 0 gets any free port.
    case tcp(host: String, port: UInt16)
    /// A path in the file system.
    case unix(path: String)

    /// Why a text is not an address.
    public struct Unreadable: Error, Equatable, CustomStringConvertible {
        /// The text and what is wrong with it.
        public let description: String
    }

    /// Maximum length of a Unix socket's path in octets: unix(7).
    private static let maximumPathLength = 107

    /// Parses `tcp:HOST:PORT` or `unix:PATH`; a HOST that contains colons must be in brackets.
    public init(_ text: String) throws(Unreadable) {
        if let path = text.rest(after: "unix:") {
            guard !path.isEmpty else { throw Self.unreadable(text, "the path is missing") }
            guard path.utf8.count <= Self.maximumPathLength else {
                throw Self.unreadable(text, "the path is longer than \(Self.maximumPathLength) octets")
            }
            self = .unix(path: path)
        } else if let endpoint = text.rest(after: "tcp:") {
            guard let colon = endpoint.lastIndex(of: ":") else {
                throw Self.unreadable(text, "write the host and the port, as in tcp:127.0.0.1:6402")
            }
            var host = endpoint[..<colon]
            if host.hasPrefix("["), host.hasSuffix("]") {
                host = host.dropFirst().dropLast()
            } else if host.contains(":") {
                throw Self.unreadable(text, "write an IPv6 address in brackets, as in tcp:[::1]:6402")
            }
            let digits = endpoint[endpoint.index(after: colon)...]
            guard !host.isEmpty else { throw Self.unreadable(text, "the host is missing") }
            guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else {
                throw Self.unreadable(text, "the port must be from 0 to 65535")
            }
            self = .tcp(host: String(host), port: port)
        } else {
            throw Self.unreadable(text, "use tcp:HOST:PORT or unix:PATH")
        }
    }

    /// Whether a text begins as an address does, so that it is probably meant as one.
    package static func resembles(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("tcp:") || text.hasPrefix("unix:")
    }

    private static func unreadable(_ text: String, _ reason: String) -> Unreadable {
        Unreadable(description: "invalid address \(text.quoted): \(reason)")
    }

    /// The address as `init` parses it.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

extension String {
    fileprivate func rest(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
