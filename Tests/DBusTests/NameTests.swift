import DBus
import Testing

@Suite struct NameTests {
    @Test(arguments: ["/", "/a", "/a/b_1", "/1", "/_/A9"]) func `Valid object paths`(text: String) throws {
        #expect(try ObjectPath(text).text == text)
    }

    @Test(arguments: [
        "", "a", "//", "/a/", "/a//b", "/a-b", "/é", "/a\0", "/ ", "/" + String(repeating: "a", count: 4096),
    ])
    func `Invalid object paths`(text: String) { #expect(throws: InvalidArgument.self) { try ObjectPath(text) } }

    @Test(arguments: [":1.42", "org.bluez", "a.b-c", "_a._b", ":1.2.3", String(repeating: "a.", count: 127) + "a"])
    func `Valid bus names`(text: String) throws { #expect(try BusName(text).text == text) }

    @Test(arguments: [
        "", ":", ":1", "org", ".a", "a.", "a..b", "org.1a", "org.blüz", "a b.c", "org.\0", ":1.", ":.1",
        String(repeating: "a.", count: 128),
    ])
    func `Invalid bus names`(text: String) { #expect(throws: InvalidArgument.self) { try BusName(text) } }

    @Test(arguments: ["a.b", "org.bluez.GattService1", "_.A"]) func `Valid interface names`(text: String) throws {
        #expect(try InterfaceName(text).text == text)
        #expect(try ErrorName(text).text == text)
    }

    @Test(arguments: ["", "a", "a.b-c", "a.1", ".a.b", "a.b.", "a..b", "a.ß", String(repeating: "a.", count: 128)])
    func `Invalid interface names`(text: String) {
        #expect(throws: InvalidArgument.self) { try InterfaceName(text) }
        #expect(throws: InvalidArgument.self) { try ErrorName(text) }
    }

    @Test(arguments: ["Get", "_1", String(repeating: "a", count: 255)]) func `Valid member names`(text: String) throws {
        #expect(try MemberName(text).text == text)
    }

    @Test(arguments: ["", "1st", "a.b", "no spaces", "a-b", "ä", "a\0", String(repeating: "a", count: 256)])
    func `Invalid member names`(text: String) { #expect(throws: InvalidArgument.self) { try MemberName(text) } }

    @Test func `The error quotes the text`() {
        let error = #expect(throws: InvalidArgument.self) { _ = try ObjectPath(String("a\n")) }
        #expect(error?.description == "\"a\\n\" is not an object path")
    }

    @Test(arguments: [
        "a", "{sv}", "a{vs}", "a{s}", "a{sss}", "()", "(s", "s)", "z", "a{sv", "s\0",
        String(repeating: "y", count: 256),
        String(repeating: "a", count: 33) + "y",
    ])
    func `Invalid signatures`(text: String) { #expect(throws: InvalidArgument.self) { try Signature(text) } }

    @Test(arguments: ["", "s", "a{sv}", "(ybnqiuxtdsogh)", "aay", "a{s(ii)}", "vvv", "a(a{oa{sa{sv}}})", "a{ya{yy}}"])
    func `Signatures`(text: String) throws { #expect(try Signature(text).description == text) }

    /// libdbus decides what a signature is; the types must then be those of the text.
    @Test func `Every signature is described as it was read, for all short texts`() {
        let read = texts(of: Array("ysav(){}"), upTo: 6).filter { text in
            guard let signature = try? Signature(text) else { return false }
            #expect(signature.description == text)
            return true
        }
        #expect(read.count > 1000)
    }

    private func texts(of letters: [Character], upTo longest: Int) -> [String] {
        var (all, last) = ([""], [""])
        for _ in 0..<longest {
            last = last.flatMap { text in letters.map { text + String($0) } }
            if let next = last.first, next.count == longest {
                last = last.enumerated().filter { $0.0 % 3 == 0 }.map(\.1)
            }
            all += last
        }
        return all
    }
}
