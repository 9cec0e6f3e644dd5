import Testing

@testable import HTTP

@Suite struct ResponseTests {
    private static let date = HTTPDate(784_111_777)

    private static func text(_ response: Response, isLast: Bool = false, isHead: Bool = false) -> String {
        String(decoding: response.octets(of: date, isLast: isLast, isHead: isHead), as: UTF8.self)
    }

    @Test func `A response has a length, and says if it is the last`() {
        let response = Response(404, [.init("X-Test", "yes")], .octets(Array("none\n".utf8)))
        let head =
            "HTTP/1.1 404 Not Found\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nx-test: yes\r\nContent-Length: 5\r\n"
        #expect(Self.text(response) == "\(head)\r\nnone\n")
        #expect(Self.text(response, isLast: true) == "\(head)Connection: close\r\n\r\nnone\n")
        #expect(Self.text(response, isHead: true) == "\(head)\r\n")
    }

    @Test func `A stream ends with its connection`() {
        let text = Self.text(Response(200, [], .stream(first: [[1]], channel: 1)))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.hasSuffix("\r\nConnection: close\r\n\r\n"))
        #expect(!text.contains("Length"))
    }
}
