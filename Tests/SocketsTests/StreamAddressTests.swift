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
    func `An address is read as it is written`(text: String, address: StreamAddress) throws {
        #expect(try StreamAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        ("", "it must be tcp:HOST:PORT or unix:PATH"),
        ("127.0.0.1:6402", "it must be tcp:HOST:PORT or unix:PATH"),
        ("TCP:127.0.0.1:1", "it must be tcp:HOST:PORT or unix:PATH"),
        ("tcp:6402", "the port is missing"),
        ("tcp::6402", "the host is missing"),
        ("tcp:localhost:", "the port must be a number from 0 to 65535"),
        ("tcp:localhost:65536", "the port must be a number from 0 to 65535"),
        ("tcp:localhost:+1", "the port must be a number from 0 to 65535"),
        ("tcp:localhost:http", "the port must be a number from 0 to 65535"),
        ("tcp:::1:6402", "an IPv6 address must stand in brackets, as in tcp:[::1]:6402"),
        ("unix:", "the path is missing"),
        ("unix:" + String(repeating: "x", count: 108), "the path has more than 107 octets"),
    ])
    func `What is no address is quoted, with the reason`(text: String, reason: String) {
        let error = #expect(throws: StreamAddress.Unreadable.self) { try StreamAddress(text) }
        #expect(error?.description == "\"\(text)\" is no address: \(reason)")
    }
}
