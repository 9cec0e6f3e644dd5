import Basics
import Bluetooth
import GATT
import Testing

/// Values that need a secure link.
///
///     0001-000F  FFF0  0003 FFF1 encrypted; 0005 FFF2 authenticated; 0007 FFF3 authorized: read, write
///                      0009 FFF4 read, write, notify, all of it encrypted; 000A CCCD; 000B 2901 written when encrypted
///                      000D FFF5 read, write authorized; 000F FFF6 read
enum Vault {
    static func server(_ security: LinkSecurity) throws -> TestServer<Pages> {
        func value(_ number: UInt16, _ security: LinkSecurity) -> CharacteristicDefinition {
            CharacteristicDefinition(
                uuid: UUID(number), properties: [.read, .write],
                permissions: AttributePermissions([.read, .write], needing: security))
        }
        var notified = value(0xFFF4, .encrypted)
        notified.properties.insert(.notify)
        notified.descriptors = [
            DescriptorDefinition(
                uuid: .characteristicUserDescription, permissions: [.readable, .writeable(needing: .encrypted)],
                value: nil)
        ]
        var open = value(0xFFF5, [])
        open.permissions = [.readable, .writeable(needing: .authorized)]
        let table = try AttributeTable([
            ServiceDefinition(
                uuid: UUID(0xFFF0),
                characteristics: [
                    value(0xFFF1, .encrypted), value(0xFFF2, [.encrypted, .authenticated]), value(0xFFF3, .authorized),
                    notified, open, CharacteristicDefinition(uuid: UUID(0xFFF6), properties: .read),
                ])
        ])
        var server = TestServer(table, Pages())
        server.server.security = security
        return server
    }
}

@Suite struct SecurityTests {
    /// The security of a link, a handle that needs more, and the error.
    static let refusals: [(security: LinkSecurity, handle: UInt16, error: UInt8)] = [
        ([], 0x0003, 0x05), ([], 0x0005, 0x05), ([], 0x0007, 0x08), (.authorized, 0x0003, 0x05),
        (.encrypted, 0x0005, 0x05), ([.encrypted, .authorized], 0x0005, 0x05),
        ([.encrypted, .authenticated], 0x0007, 0x08),
        ([], 0x0009, 0x05),
    ]

    /// A request: the octets before and after its handle.
    static let requests: [(name: String, before: [UInt8], after: [UInt8])] = [
        ("GAR/BI-03-C, GAR/BI-04-C: Read", [0x0A], []),
        ("GAR/BI-15-C, GAR/BI-16-C: Read Blob", [0x0C], [0, 0]),
        ("GAR/BI-20-C, GAR/BI-21-C: Read Multiple", [0x0E, 0x0F, 0x00], []),
        ("GAR/BI-40-C, GAR/BI-42-C: Read Multiple Variable", [0x20, 0x0F, 0x00], []),
        ("GAW/BI-04-C, GAW/BI-05-C: Write", [0x12], [1]),
        ("GAW/BI-11-C, GAW/BI-12-C: Prepare Write", [0x16], [0, 0, 1]),
    ]

    @Test(arguments: requests)
    func `GATT/SR`(name: String, before: [UInt8], after: [UInt8]) throws {
        for (security, handle, error) in Self.refusals {
            let (low, high) = (UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8))
            var vault = try Vault.server(security)
            let request = before + [low, high] + after
            #expect(vault.answer(request) == [[0x01, before[0], low, high, error]], "\(name) at \(handle)")
            #expect(
                vault.events == [.refused(opcode: before[0], handle: handle, ATTError(rawValue: error))], "\(name)")
            var open = try Vault.server(.full)
            #expect(open.answer(request).first?.first == before[0] + 1, "\(name) at \(handle)")
            #expect(vault.pool.taken + open.pool.taken == 0)
        }
    }

    /// The security that a value needs, that of a link, and the error.  Core 6.0, Vol 3, Part C, section 10.3.1.
    static let lacks: [(needed: LinkSecurity, link: LinkSecurity, error: UInt8?)] = [
        (.encrypted, .bonded, 0x0F), ([.encrypted, .authenticated], .bonded, 0x0F), (.authorized, .bonded, 0x08),
        ([.encrypted, .secureConnections], [], 0x05), ([.encrypted, .secureConnections], .encrypted, 0x05),
        ([.encrypted, .secureConnections], [.encrypted, .secureConnections], nil),
        ([.encrypted, .fullKeySize], .bonded, 0x0F), ([.encrypted, .fullKeySize], .encrypted, 0x0C),
        ([.encrypted, .fullKeySize, .authenticated], .encrypted, 0x05),
        ([.encrypted, .fullKeySize], [.encrypted, .fullKeySize], nil),
        ([.encrypted, .fullKeySize, .authorized], .encrypted, 0x0C),
    ]

    @Test(arguments: lacks)
    func `Each lack of security has its error`(needed: LinkSecurity, link: LinkSecurity, error: UInt8?) throws {
        let value = CharacteristicDefinition(
            uuid: UUID(0xFFF1), properties: [.read, .write],
            permissions: AttributePermissions([.read, .write]).needing(needed))
        let table = try AttributeTable([ServiceDefinition(uuid: UUID(0xFFF0), characteristics: [value])])
        var server = TestServer(table, Pages())
        server.server.security = link
        let expected = { (request: UInt8) -> [UInt8] in
            error.map { [0x01, request, 0x03, 0x00, $0] } ?? [request + 1]
        }
        #expect(server.answer([0x0A, 0x03, 0x00]).map { Array($0.prefix(expected(0x0A).count)) } == [expected(0x0A)])
        #expect(server.answer([0x12, 0x03, 0x00, 0x41]) == [expected(0x12)])
    }

    static let cases = [
        ServerCase(
            "GAR/BI-09-C, GAR/BI-10-C: by UUID; a value that is refused later ends the list",
            ("08 01 00 FF FF F1 FF", "01 08 03 00 05"), ("08 01 00 FF FF F2 FF", "01 08 05 00 05"),
            ("08 01 00 FF FF F3 FF", "01 08 07 00 08"), ("08 01 00 FF FF F6 FF", "09 02 0F 00")),
        ServerCase("Write Command: nothing is written", ("52 03 00 41", ""), ("52 05 00 41", "")),
        ServerCase(
            "declarations are open to everybody",
            ("10 01 00 FF FF 00 28", "11 06 01 00 0F 00 F0 FF"), ("08 02 00 03 00 03 28", "09 07 02 00 0A 03 00 F1 FF"),
            ("04 09 00 0B 00", "05 01 09 00 F4 FF 0A 00 02 29 0B 00 01 29")),
        ServerCase(
            "a Client Characteristic Configuration is read by everybody, and written as its value is",
            ("0A 0A 00", "0B 00 00"), ("12 0A 00 01 00", "01 12 0A 00 05"),
            ("16 0A 00 00 00 01 00", "01 16 0A 00 05"), ("0A 0A 00", "0B 00 00")),
        ServerCase(
            "GAW/BV-08-C: a descriptor is read by everybody, and written over an encrypted link",
            ("0A 0B 00", "0B"), ("12 0B 00 41", "01 12 0B 00 05"), ("0A 0B 00", "0B")),
        ServerCase(
            "reading and writing differ", ("0A 0D 00", "0B"), ("12 0D 00 41", "01 12 0D 00 08"), ("0A 0D 00", "0B")),
        ServerCase(
            "what is not permitted at all is said first", ("12 0F 00 41", "01 12 0F 00 03"),
            ("16 0F 00 00 00 41", "01 16 0F 00 03")),
    ]

    @Test func `Subscribing needs the security of a value that can only be notified`() throws {
        let value = CharacteristicDefinition(
            uuid: UUID(0x2A37), properties: .notify, permissions: AttributePermissions(.notify, needing: .encrypted))
        let table = try AttributeTable([ServiceDefinition(uuid: UUID(0x180D), characteristics: [value])])
        var server = TestServer(table, NoAttributeValues())
        #expect(server.answer(hex("0A 03 00")) == [hex("01 0A 03 00 02")])
        #expect(server.answer(hex("12 04 00 01 00")) == [hex("01 12 04 00 05")])
        server.server.security = .encrypted
        #expect(server.answer(hex("12 04 00 01 00")) == [hex("13")])
    }

    @Test(arguments: cases) func `GATT/SR, without security`(serverCase: ServerCase) throws {
        var vault = try Vault.server([])
        for (request, response) in serverCase.lines {
            #expect(vault.answer(hex(request)) == (response.isEmpty ? [] : [hex(response)]), "to \(request)")
        }
        #expect(vault.values.pages[0x0003] == Array("abcdef".utf8), "nothing came of it")
        #expect(vault.pool.taken == 0)
    }

    static let secured = [
        ServerCase("GAW/BV-08-C: a descriptor", ("12 0B 00 41 42", "13"), ("0A 0B 00", "0B 41 42")),
        ServerCase(
            "GAW/BV-09-C: a descriptor in parts", ("16 0B 00 00 00 41", "17 0B 00 00 00 41"),
            ("16 0B 00 01 00 42", "17 0B 00 01 00 42"), ("18 01", "19"), ("0A 0B 00", "0B 41 42"),
            ("0C 0B 00 01 00", "0D 42")),
        ServerCase(
            "what the owner of a descriptor refuses", ("12 0B 00 FF", "01 12 0B 00 80"), ("0A 0B 00", "0B")),
        ServerCase("notified", ("12 0A 00 01 00", "13"), ("0A 0A 00", "0B 01 00")),
    ]

    @Test(arguments: secured) func `GATT/SR, encrypted`(serverCase: ServerCase) throws {
        var vault = try Vault.server(.encrypted)
        for (request, response) in serverCase.lines {
            #expect(vault.answer(hex(request)) == [hex(response)], "to \(request)")
        }
        #expect(vault.pool.taken == 0)
    }

    @Test func `Security that is lost before Execute Write fails the write`() throws {
        var vault = try Vault.server(.full)
        #expect(vault.answer(hex("16 03 00 00 00 41")) == [hex("17 03 00 00 00 41")])
        vault.server.security = []
        #expect(vault.answer(hex("18 01")) == [hex("01 18 03 00 05")])
        vault.server.security = .full
        #expect(vault.answer(hex("0A 03 00")) == [hex("0B 61 62 63 64 65 66")])
    }

    @Test func `Descriptors have handles after the configuration`() throws {
        let table = try Vault.server([]).table
        #expect(table.handle(ofDescriptor: 0, characteristic: 3, service: 0) == 0x000B)
        let others = [(1, 3, 0), (0, 0, 0), (-1, 3, 0), (0, 9, 0), (0, 3, 1)]
        for (descriptor, characteristic, service) in others {
            #expect(table.handle(ofDescriptor: descriptor, characteristic: characteristic, service: service) == nil)
        }
    }
}
