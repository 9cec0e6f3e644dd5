/// Decides which requests are answered.
///
/// Browsers send requests to this server for any web site. `Host` reveals a name that the site's owner has pointed at this
/// machine (DNS rebinding), and `Origin` and `Sec-Fetch-Site` reveal another site's requests (CSRF).
struct Gate: Sendable {
    /// What a request asks for.
    enum Purpose: Hashable, Sendable {
        /// The page itself.
        case page
        /// The stream of what happens.
        case stream
        /// A line as of the control socket.
        case action
        /// Nothing that it gets, for this reason.
        case refused(UInt32, String)
    }

    /// The header field with the token, in lower case.
    static let tokenField = "x-lubdub-token"

    private let host: String
    private let port: UInt16
    private let token: PageToken

    /// A gate of the server at this host and port.
    init(host: String, port: UInt16, token: PageToken) {
        (self.host, self.port, self.token) = (host, port, token)
    }

    func purpose(of request: Request) -> Purpose {
        let hosts = request.values(of: "host")
        guard hosts.count == 1, isOwn(hosts[0]) else {
            return .refused(403, "this page is at another address: open the address that serve printed")
        }
        let isOurs = request.values(of: "origin").allSatisfy { $0 == "http://\(hosts[0])" }
        guard isOurs else { return .refused(403, "requests of other web sites are refused") }
        let isOwnPage = request.values(of: "sec-fetch-site").allSatisfy { $0 == "same-origin" || $0 == "none" }
        switch (request.method, request.path) {
        case ("GET", "/"): return .page
        case ("GET", "/events"): return isOwnPage ? .stream : .refused(403, "requests of other web sites are refused")
        case ("POST", "/act"):
            guard isOwnPage else { return .refused(403, "requests of other web sites are refused") }
            guard request.values(of: "content-type") == ["application/json"] else {
                return .refused(415, "Content-Type must be application/json")
            }
            let tokens = request.values(of: Self.tokenField)
            guard tokens.count == 1, token.matches(tokens[0]) else {
                return .refused(403, "actions need the token: open the address that serve printed, with what follows #")
            }
            return .action
        case (_, "/"), (_, "/events"), (_, "/act"): return .refused(405, "this method is not possible here")
        default: return .refused(404, "there is nothing here")
        }
    }

    /// Whether a `Host` is an address of this server: an IP address, or the name by which it was told to listen. A loopback
    /// server is never reached at another machine's address.
    private func isOwn(_ field: String) -> Bool {
        guard let place = Self.place(field), place.port == port else { return false }
        if place.host == host || place.host == "localhost" { return true }
        return PageAddress.isLoopback(host) ? PageAddress.isLoopback(place.host) : PageAddress.isNumeric(place.host)
    }

    /// The host and the port of `Host`, which is 80 if it is missing.
    private static func place(_ field: String) -> (host: String, port: UInt16)? {
        var (host, port) = (field[...], "80" as Substring)
        if let colon = field.lastIndex(of: ":"), !field[colon...].contains("]") {
            (host, port) = (field[..<colon], field[field.index(after: colon)...])
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, port.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(port) else {
            return nil
        }
        return (host.lowercased(), number)
    }
}
