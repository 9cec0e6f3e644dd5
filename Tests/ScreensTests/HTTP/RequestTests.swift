import Testing

@testable import Screens

@Suite struct RequestTests {
    private static let host = Request.Field("Host", "h")

    @Test(arguments: [
        ("/", "/", "h"), ("//x", "//x", "h"), ("*", "*", "h"), ("http://127.0.0.1:80/", "/", "127.0.0.1:80"),
        ("HTTP://x/y", "/y", "x"), ("http://x", "/", "x"),
    ]) func `A target is a path or a URI, whose host counts instead of the field`(
        target: String, path: String, host: String
    ) throws {
        let request = try Request("GET", target: target, [Self.host], [])
        #expect(request.path == path)
        #expect(request.values(of: "host") == [host])
    }

    @Test(arguments: [
        ("", 400), ("x", 400), ("http:///x", 400), ("http://", 400), ("http://u@x/", 400), ("https://x/", 421),
        ("/\u{1}", 400), ("/x\u{7F}", 400), ("http://x/\n", 400),
    ]) func `Other targets are refused`(target: String, status: UInt32) {
        let refusal = #expect(throws: Refusal.self) { try Request("GET", target: target, [Self.host], []) }
        #expect(refusal?.status == status)
    }

    @Test func `A request has one host`() {
        #expect(throws: Refusal.self) { try Request("GET", target: "/", [Self.host, Self.host], []) }
    }

    @Test func `The first of several parameters counts`() {
        let request = Request("GET", "/", parameters: [.init("find", "a b"), .init("page", "2"), .init("find", "c")])
        #expect(request.parameter("find") == "a b")
        #expect(request.parameter("page") == "2")
        #expect(request.parameter("Page") == nil)
    }
}
