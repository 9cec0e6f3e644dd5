import CLubdubDBus
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

    /// libdbus ends the process for what it does not allow: all that we allow must be allowed there, too.
    @Test func `libdbus agrees, for all short texts`() {
        for text in texts(of: Array("a1_.-:/ "), upTo: 5) {
            let path = unsafe dbus_validate_path(text, nil) != 0
            if path != ((try? ObjectPath(text)) != nil) { Issue.record("path \(text): libdbus says \(path)") }
            let interface = unsafe dbus_validate_interface(text, nil) != 0
            if interface != ((try? InterfaceName(text)) != nil) { Issue.record("interface \(text): \(interface)") }
            let member = unsafe dbus_validate_member(text, nil) != 0
            if member != ((try? MemberName(text)) != nil) { Issue.record("member \(text): \(member)") }
            let name = unsafe dbus_validate_bus_name(text, nil) != 0
            let isOurs = (try? BusName(text)) != nil
            // libdbus allows `:` and `:1`; the specification requires a dot.
            if isOurs != name, isOurs || !text.hasPrefix(":") { Issue.record("bus name \(text): \(name)") }
        }
    }

    @Test(arguments: ["", "s", "a{sv}", "(ybnqiuxtdsogh)", "aay", "a{s(ii)}", "vvv", "a(a{oa{sa{sv}}})", "a{ya{yy}}"])
    func `Signatures`(text: String) throws { #expect(try Signature(text).description == text) }

    @Test func `libdbus agrees on signatures, for all short texts`() {
        for text in texts(of: Array("ysav(){}"), upTo: 6) {
            let isRight = unsafe dbus_signature_validate(text, nil) != 0
            if isRight != ((try? Signature(text)) != nil) { Issue.record("\(text): libdbus says \(isRight)") }
        }
    }

    @Test func `libdbus agrees on how deep and long a signature may be`() {
        for count in [31, 32, 33, 34, 64, 65, 127, 128, 255, 256] {
            let arrays = String(repeating: "a", count: count) + "y"
            let structures = String(repeating: "(", count: count) + "y" + String(repeating: ")", count: count)
            let entries = String(repeating: "a{y", count: count) + "y" + String(repeating: "}", count: count)
            let both = "a" + structures
            for text in [arrays, structures, entries, both, String(repeating: "y", count: count)] {
                let isRight = unsafe dbus_signature_validate(text, nil) != 0
                #expect(isRight == ((try? Signature(text)) != nil), "\(text)")
            }
        }
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
