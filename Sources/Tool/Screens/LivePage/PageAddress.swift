package import Basics
import CommandSupport
import Sockets

/// Where a page is served: `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`.
package struct PageAddress: Hashable, Sendable {
    package let host: String
    /// 0 for any free port.
    package let port: UInt16

    /// Reads a value of `--page`. Other machines can reach an address only if `isForNetwork`.
    package init(_ text: String, isForNetwork: Bool) throws(Obstacle) {
        guard case .tcp(let host, let port)? = try? StreamAddress("tcp:\(text)") else {
            throw Obstacle(.usage, "--page must be HOST:PORT, as in 127.0.0.1:8080, not \(text.quoted)")
        }
        guard isForNetwork || Self.isLoopback(host) else {
            throw Obstacle(
                .usage,
                "--page \(text): other machines could reach this address; use 127.0.0.1, or add --page-for-network")
        }
        (self.host, self.port) = (host, port)
    }

    /// Whether only this machine reaches a host.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        return isIPv4(host) && host.hasPrefix("127.")
    }

    /// Whether a host is an IP address, and so not a name whose meaning an attacker could change.
    static func isNumeric(_ host: String) -> Bool {
        isIPv4(host) || (host.contains(":") && host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." })
    }

    private static func isIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { $0.count <= 3 && $0.utf8.allSatisfy { (48...57).contains($0) } && UInt8($0) != nil }
    }
}
