import Sockets
import Testing

@Suite struct StreamAddressTests {
    @Test(arguments: [
        ("tcp:127.0.0.1:6402", StreamAddress.tcp(host: "127.0.0.1", port: 6402)),
        ("tcp:localhost:0", .tcp(host: "localhost", port: 0)),
        ("tcp:[::1]:65535", .tcp(host: "::1", port: 65535)),
        ("unix:/tmp/a:b", .unix(path: "/tmp/a:b")),
        ("unix:here", .unix(path: "here")),
    ])
    func `Addresses are parsed`(text: String, address: StreamAddress) throws {
        #expect(try StreamAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        ("", "use tcp:HOST:PORT or unix:PATH"),
        ("127.0.0.1:6402", "use tcp:HOST:PORT or unix:PATH"),
        ("TCP:127.0.0.1:1", "use tcp:HOST:PORT or unix:PATH"),
        ("tcp:6402", "write the host and the port, as in tcp:127.0.0.1:6402"),
        ("tcp::6402", "the host is missing"),
        ("tcp:localhost:", "the port must be from 0 to 65535"),
        ("tcp:localhost:65536", "the port must be from 0 to 65535"),
        ("tcp:localhost:+1", "the port must be from 0 to 65535"),
        ("tcp:localhost:http", "the port must be from 0 to 65535"),
        ("tcp:::1:6402", "write an IPv6 address in brackets, as in tcp:[::1]:6402"),
        ("unix:", "the path is missing"),
        ("unix:" + String(repeating: "x", count: 108), "the path is longer than 107 octets"),
    ])
    func `An invalid address is quoted with the reason`(text: String, reason: String) {
        let error = #expect(throws: StreamAddress.Unreadable.self) { try StreamAddress(text) }
        #expect(error?.description == "invalid address \"\(text)\": \(reason)")
    }
}
