import Basics
import CommandSupport
import Testing

@testable import Screens

@Suite struct GateTests {
    private static let token = PageToken()
    private static let json = Request.Field("Content-Type", "application/json")
    private static let secret = Request.Field("X-Lubdub-Token", "\(token)")

    private static func purpose(
        _ method: String = "GET", _ path: String = "/", host: String? = "127.0.0.1:8080",
        _ fields: [Request.Field] = [], at listening: String = "127.0.0.1", port: UInt16 = 8080
    ) -> Gate.Purpose {
        let hosts = host.map { [Request.Field("Host", $0)] } ?? []
        return Gate(host: listening, port: port, token: token).purpose(of: Request(method, path, hosts + fields))
    }

    private static func status(_ purpose: Gate.Purpose) -> UInt32? {
        if case .refused(let status, _) = purpose { status } else { nil }
    }

    @Test func `The page and its stream need no token`() {
        #expect(Self.purpose() == .page)
        #expect(Self.purpose("GET", "/events") == .stream)
        #expect(Self.purpose("GET", "/events", [.init("Sec-Fetch-Site", "same-origin")]) == .stream)
        #expect(Self.purpose("GET", "/", [.init("Sec-Fetch-Site", "cross-site")]) == .page)
    }

    @Test(arguments: ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "127.9.9.9:8080", "[::1]:8080"])
    func `A loopback server has loopback addresses`(host: String) { #expect(Self.purpose(host: host) == .page) }

    @Test(arguments: [
        nil, "", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8081", "evil.example:8080", "127.0.0.1.evil.example:8080",
        "192.168.1.2:8080", "[fe80::1]:8080", "::1:8080", "localhost.evil.example:8080", "127.0.0.1:8080:8080",
        "127.0.0.1:+8080", "127.0.0.1:", ":8080", "127.0.0.256:8080", "127.1:8080", "[]:8080",
    ])
    func `Any other host is refused`(host: String?) {
        #expect(Self.status(Self.purpose(host: host)) == 403)
        #expect(Self.status(Self.purpose("POST", "/act", host: host, [Self.json, Self.secret])) == 403)
    }

    @Test func `A server for the network is reached at addresses, and at the name that it was given`() {
        for host in ["192.168.1.2:8080", "[fe80::1]:8080", "127.0.0.1:8080", "localhost:8080"] {
            #expect(Self.purpose(host: host, at: "0.0.0.0") == .page, "\(host)")
        }
        #expect(Self.status(Self.purpose(host: "evil.example:8080", at: "0.0.0.0")) == 403)
        #expect(Self.purpose(host: "desk.local:8080", at: "desk.local") == .page)
        #expect(Self.purpose(host: "127.0.0.1", port: 80) == .page)
    }

    @Test func `Two hosts are refused`() {
        #expect(Self.status(Self.purpose("GET", "/", [.init("Host", "127.0.0.1:8080")])) == 403)
    }

    @Test(arguments: [
        "http://evil.example", "null", "https://127.0.0.1:8080", "http://127.0.0.1", "http://localhost:8080",
    ])
    func `Other origins are refused`(origin: String) {
        for (method, path) in [("GET", "/"), ("GET", "/events"), ("POST", "/act")] {
            let purpose = Self.purpose(method, path, [Self.json, Self.secret, .init("Origin", origin)])
            #expect(Self.status(purpose) == 403, "\(path)")
        }
    }

    @Test(arguments: ["cross-site", "same-site", "elsewhere"])
    func `Other sites get no stream, and do nothing`(site: String) {
        #expect(Self.status(Self.purpose("GET", "/events", [.init("Sec-Fetch-Site", site)])) == 403)
        let act = Self.purpose("POST", "/act", [Self.json, Self.secret, .init("Sec-Fetch-Site", site)])
        #expect(Self.status(act) == 403)
    }

    @Test func `An action needs the token and the type of JSON`() {
        let own = Request.Field("Origin", "http://127.0.0.1:8080")
        #expect(Self.purpose("POST", "/act", [Self.json, Self.secret]) == .action)
        #expect(Self.purpose("POST", "/act", [Self.json, Self.secret, own]) == .action)
        #expect(Self.status(Self.purpose("POST", "/act", [Self.secret])) == 415)
        #expect(Self.status(Self.purpose("POST", "/act", [.init("Content-Type", "text/plain"), Self.secret])) == 415)
        #expect(Self.status(Self.purpose("POST", "/act", [Self.json])) == 403)
        #expect(Self.status(Self.purpose("POST", "/act", [Self.json, Self.secret, Self.secret])) == 403)
        for wrong in ["", "0", "\(PageToken())", "\(Self.token)0", String("\(Self.token)".dropLast())] {
            #expect(Self.status(Self.purpose("POST", "/act", [Self.json, .init(Gate.tokenField, wrong)])) == 403)
        }
    }

    @Test func `Other methods and paths do not exist`() {
        for (method, path) in [("POST", "/"), ("HEAD", "/events"), ("GET", "/act"), ("OPTIONS", "/act")] {
            #expect(Self.status(Self.purpose(method, path)) == 405, "\(method) \(path)")
        }
        #expect(Self.status(Self.purpose("GET", "/favicon.ico")) == 404)
        #expect(Self.status(Self.purpose("GET", "//")) == 404)
    }

    @Test func `Tokens differ, and have 32 digits`() {
        let tokens = Set((0..<100).map { _ in PageToken() })
        #expect(tokens.count == 100)
        #expect(tokens.allSatisfy { $0.description.count == 32 && $0.description.allSatisfy(\.isHexDigit) })
    }

    @Test(
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:0", "::1", 0), ("localhost:80", "localhost", 80),
        ] as [(String, String, UInt16)])
    func `A page has a loopback address`(text: String, host: String, port: UInt16) throws {
        let address = try PageAddress(text, isForNetwork: false)
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(arguments: ["0.0.0.0:8080", "192.168.1.2:8080", "[::]:8080", "desk.local:8080", "127.evil.example:80"])
    func `Other machines reach it only if that is allowed`(text: String) throws {
        let failure = #expect(throws: Obstacle.self) { try PageAddress(text, isForNetwork: false) }
        #expect(failure?.code == .usage)
        #expect(failure?.description.contains("--page-for-network") == true)
        #expect(throws: Never.self) { try PageAddress(text, isForNetwork: true) }
    }

    @Test(arguments: ["", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:8080", ":8080", "unix:a"])
    func `A page without host or port is refused`(text: String) {
        #expect(throws: Obstacle.self) { try PageAddress(text, isForNetwork: true) }
    }
}
