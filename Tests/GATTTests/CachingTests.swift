import ATT
import Basics
import Bluetooth
import GATT
import Mutations
import Testing

/// The database of the Core Specification's example of a Database Hash.  Core 6.0, Vol 3, Part G, appendix B.
///
///     0001-0005  1800  0003 2A00, 0005 2A01
///     0006-000D  1801  0008 2A05 indicate, 0009 CCCD, 000B 2B29, 000D 2B2A
///     000E-0013  1808  000F includes 180F, 0011 2A18 indicate and more, 0012 CCCD, 0013 2900
///     0014-0016  180F  secondary, 0016 2A19
enum Glucose {
    static let services = [
        ServiceDefinition(
            uuid: UUID(0x1800),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A00), properties: [.read, .write]),
                CharacteristicDefinition(uuid: UUID(0x2A01), properties: .read),
            ]),
        ServiceDefinition(
            uuid: UUID(0x1801),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A05), properties: .indicate, value: .fixed([])),
                CharacteristicDefinition(
                    uuid: UUID(0x2B29), properties: [.read, .write], value: .clientSupportedFeatures),
                CharacteristicDefinition(uuid: UUID(0x2B2A), properties: .read, value: .databaseHash),
            ]),
        ServiceDefinition(
            uuid: UUID(0x1808), includes: [3],
            characteristics: [
                CharacteristicDefinition(
                    uuid: UUID(0x2A18), properties: [.read, .indicate, .extendedProperties],
                    descriptors: [DescriptorDefinition(uuid: UUID(0x2900), value: [0, 0])])
            ]),
        ServiceDefinition(
            uuid: UUID(0x180F), isPrimary: false,
            characteristics: [CharacteristicDefinition(uuid: UUID(0x2A19), properties: .read)]),
    ]

    /// The same database with another service at the end.
    static let more =
        services + [
            ServiceDefinition(
                uuid: Strap.service, includes: [2, 3],
                characteristics: [CharacteristicDefinition(uuid: UUID(0x2A38), properties: .read)])
        ]

    static func server(_ services: [ServiceDefinition] = services) throws -> TestServer<Pages> {
        TestServer(try AttributeTable(services), Pages())
    }
}

@Suite struct CachingTests {
    @Test func `GATT/SR/GAS/BV-02-C: the specification's example has the specification's hash`() throws {
        var glucose = try Glucose.server()
        // Sent with the least significant octet first.
        let hash = "90 A9 FB B9 BB 30 88 8A AC 8B F5 EC 48 2D CA F1"
        #expect(glucose.answer(hex("08 01 00 FF FF 2A 2B")) == [hex("09 12 0D 00 " + hash)])
    }

    @Test func `The hash covers definitions, not values`() throws {
        func hash(_ services: [ServiceDefinition]) throws -> [[UInt8]] {
            var glucose = try Glucose.server(services)
            return glucose.answer(hex("08 01 00 FF FF 2A 2B"))
        }
        var other = Glucose.services
        other[0].characteristics[1].value = .fixed([1, 2])
        #expect(try hash(other) == hash(Glucose.services))
        other[0].characteristics[1].uuid = UUID(0x2A02)
        #expect(try hash(other) != hash(Glucose.services))
        #expect(try hash(Glucose.more) != hash(Glucose.services))
    }

    static let cases = [
        ServerCase(
            "GAD/BV-03-C: included services, with a UUID of 16 bits",
            ("08 0E 00 13 00 02 28", "09 08 0F 00 14 00 16 00 0F 18"), ("08 10 00 13 00 02 28", "01 08 10 00 0A")),
        ServerCase(
            "GAD/BV-01-C: secondary services are not primary, and can be grouped as what they are",
            ("06 01 00 FF FF 00 28 0F 18", "01 06 01 00 0A"), ("06 01 00 FF FF 01 28 0F 18", "07 14 00 16 00"),
            ("10 01 00 FF FF 01 28", "11 06 14 00 16 00 0F 18")),
        ServerCase(
            "GAS/BV-03-C: features are kept, and a bit that is set stays set",
            ("0A 0B 00", "0B 00"), ("12 0B 00 05", "13"), ("0A 0B 00", "0B 05"), ("12 0B 00 01", "01 12 0B 00 13"),
            ("12 0B 00 00", "01 12 0B 00 13"), ("12 0B 00 07 00", "13"), ("0A 0B 00", "0B 07"),
            ("12 0B 00", "01 12 0B 00 0D"), ("12 0B 00 FF", "13"), ("0A 0B 00", "0B 07")),
        ServerCase(
            "the hash is for reading, Service Changed for neither", ("12 0D 00 00", "01 12 0D 00 03"),
            ("0A 08 00", "01 0A 08 00 02"), ("12 08 00 00", "01 12 08 00 03")),
    ]

    @Test(arguments: cases)
    func `GATT/SR`(serverCase: ServerCase) throws {
        var glucose = try Glucose.server()
        for (request, response) in serverCase.lines {
            #expect(glucose.answer(hex(request)) == [hex(response)], "to \(request)")
        }
    }

    @Test func `GATT/CL/GAD/BV-03-C: a client finds included services, also one with 128 bits`() throws {
        var services = Glucose.more
        services[1].includes = [4]
        var link = Link(try Glucose.server(services))
        let found = [IncludedService(declaration: 7, range: HandleRange(0x18, 0x1C), uuid: Strap.service)]
        #expect(link.play(.findIncludedServices(HandleRange(0x0006, 0x000E))) == [.finished(1, .included(found))])
        #expect(throws: AttributeTable.DefinitionError.noSuchService(9)) {
            try AttributeTable([ServiceDefinition(uuid: UUID(0x1808), includes: [9])])
        }
    }

    @Test func `GATT/SR/GAS/BV-01-C: Service Changed has the range of handles that differ`() throws {
        var glucose = try Glucose.server()
        #expect(try glucose.change(to: AttributeTable(Glucose.services)) == [])
        #expect(glucose.answer(hex("12 09 00 02 00")) == [[0x13]])
        #expect(try glucose.change(to: AttributeTable(Glucose.more)) == [hex("1D 08 00 17 00 1B 00")])
        #expect(glucose.answer([0x1E]) == [])
        #expect(try glucose.change(to: AttributeTable(Glucose.services)) == [hex("1D 08 00 17 00 1B 00")])
        #expect(glucose.answer([0x1E]) == [])
        var other = Glucose.services
        other[2].characteristics[0].properties = .indicate
        #expect(try glucose.change(to: AttributeTable(other)) == [hex("1D 08 00 10 00 13 00")])
        #expect(glucose.answer([0x1E]) == [])
        #expect(try glucose.change(to: AttributeTable(Glucose.services), isAnnounced: false) == [])
    }

    @Test func `Indications to a change-unaware client are reported as dropped, queued ones too`() throws {
        var glucose = try Glucose.server()
        _ = glucose.answer(hex("12 0B 00 01"))
        _ = glucose.answer(hex("12 12 00 02 00"))
        _ = glucose.indicate(0x0011, [1])
        _ = glucose.indicate(0x0011, [2])
        #expect(try glucose.change(to: AttributeTable(Glucose.more)) == [])
        #expect(glucose.events == [.dropped(handle: 0x0011)])
        #expect(glucose.answer([0x1E]) == [])
        #expect(glucose.events == [.confirmed(handle: 0x0011)])
        #expect(glucose.indicate(0x0011, [2]) == [])
        #expect(glucose.events == [.dropped(handle: 0x0011)])
        _ = glucose.answer(hex("0A 03 00"))
        _ = glucose.answer(hex("0A 03 00"))
        #expect(glucose.indicate(0x0011, [2]) == [hex("1D 11 00 02")])
    }

    @Test func `Configurations of changed attributes are removed, and the others stay`() throws {
        var glucose = try Glucose.server()
        _ = glucose.answer(hex("12 09 00 02 00"))
        _ = glucose.answer(hex("12 12 00 02 00"))
        _ = glucose.indicate(0x0011, [1])
        _ = glucose.indicate(0x0011, [2])
        var other = Glucose.services
        other[2].characteristics[0].properties = .indicate
        #expect(try glucose.change(to: AttributeTable(other)) == [])
        #expect(glucose.events == [.orphaned(handle: 0x0011)])
        #expect(glucose.answer([0x1E]) == [hex("1D 08 00 10 00 13 00")])
        #expect(glucose.answer(hex("0A 09 00")) == [[0x0B, 0x02, 0x00]])
        #expect(glucose.answer(hex("0A 12 00")) == [[0x0B, 0x00, 0x00]])
    }

    /// A client with robust caching for which the attributes have just changed.
    private func unaware() throws -> TestServer<Pages> {
        var glucose = try Glucose.server()
        _ = glucose.answer(hex("12 0B 00 01"))
        _ = glucose.answer(hex("12 12 00 02 00"))
        _ = try glucose.change(to: AttributeTable(Glucose.more))
        return glucose
    }

    @Test func `GATT/SR/GAS/BV-05-C: Database Out Of Sync is sent once, and the next request is answered`() throws {
        let requests: [(request: String, handle: String)] = [
            ("0A 16 00", "16 00"), ("0C 16 00 00 00", "16 00"), ("0E 16 00 03 00", "16 00"),
            ("20 16 00 03 00", "16 00"), ("12 03 00 41", "03 00"), ("16 03 00 00 00 41", "03 00"),
            ("08 01 00 20 00 2A 2B", "01 00"),
        ]
        for (request, handle) in requests {
            var glucose = try unaware()
            let refusal = hex("01 " + request.prefix(2) + " " + handle + " 12")
            #expect(glucose.answer(hex(request)) == [refusal], "to \(request)")
            #expect(glucose.answer(hex(request)).first?.first != 0x01, "to \(request) again")
        }
    }

    @Test func `GATT/SR/GAS/BV-05-C: a request without a handle is answered`() throws {
        var glucose = try unaware()
        for request in [
            "02 F7 00", "04 01 00 FF FF", "06 01 00 FF FF 00 28 0F 18", "08 01 00 10 00 03 28", "08 01 00 FF FF 01 2A",
            "10 01 00 FF FF 00 28", "18 00",
        ] {
            #expect(glucose.answer(hex(request)).first?.last != 0x12, "to \(request)")
        }
        #expect(glucose.answer(hex("0A 16 00")) == [hex("01 0A 16 00 12")])
    }

    @Test func `A change-unaware client's commands are ignored, and no value is notified`() throws {
        var glucose = try unaware()
        #expect(glucose.answer(hex("52 03 00 41")) == [])
        #expect(glucose.events == [.refused(opcode: 0x52, handle: 3, .databaseOutOfSync)])
        #expect(glucose.indicate(0x0011, [1]) == [] && glucose.events == [.dropped(handle: 0x0011)])
        #expect(glucose.answer(hex("0A 16 00")) == [hex("01 0A 16 00 12")])
        #expect(glucose.indicate(0x0011, [1]) == [])
        _ = glucose.answer(hex("0A 16 00"))
        #expect(glucose.indicate(0x0011, [1]) == [hex("1D 11 00 01")])
    }

    @Test func `GATT/SR/GAS/BV-06-C: a client is change-aware after reading the hash and one more request`() throws {
        var glucose = try unaware()
        #expect(glucose.answer(hex("08 01 00 FF FF 2A 2B")).first?.first == 0x09)
        #expect(glucose.indicate(0x0011, [1]) == [])
        #expect(glucose.answer(hex("0A 16 00")) == [[0x0B]])
        #expect(glucose.indicate(0x0011, [1]).count == 1)
    }

    @Test func `GATT/SR/GAS/BV-06-C: a client is change-aware after confirming Service Changed`() throws {
        var glucose = try Glucose.server()
        for request in ["12 0B 00 01", "12 09 00 02 00", "12 12 00 02 00"] { _ = glucose.answer(hex(request)) }
        #expect(try glucose.change(to: AttributeTable(Glucose.more)).count == 1)
        // Changed again before the first was confirmed: only the second counts.
        #expect(try glucose.change(to: AttributeTable(Glucose.services)) == [])
        #expect(glucose.answer([0x1E]).first?.first == 0x1D)
        #expect(glucose.indicate(0x0011, [1]) == [])
        #expect(glucose.answer([0x1E]) == [])
        #expect(glucose.answer(hex("0A 16 00")) == [[0x0B]])
        #expect(glucose.indicate(0x0011, [1]).count == 1)
    }

    @Test func `Service Changed precedes queued indications, and covers all unconfirmed changes`() throws {
        var glucose = try Glucose.server()
        for request in ["12 09 00 02 00", "12 12 00 02 00"] { _ = glucose.answer(hex(request)) }
        for number in 0...Server.maximumPendingIndications { _ = glucose.indicate(0x0011, [UInt8(number)]) }
        var other = Glucose.services
        other[3].characteristics[0].uuid = UUID(0x2A1A)
        #expect(try glucose.change(to: AttributeTable(other)) == [])
        #expect(try glucose.change(to: AttributeTable(other + [ServiceDefinition(uuid: Strap.service)])) == [])
        #expect(glucose.events == [])
        #expect(glucose.answer([0x1E]) == [hex("1D 08 00 15 00 17 00")])
        for number in 1...Server.maximumPendingIndications {
            #expect(glucose.answer([0x1E]) == [hex("1D 11 00") + [UInt8(number)]])
        }
        #expect(glucose.answer([0x1E]) == [])
    }

    @Test func `A confirmation for a removed attribute is reported as an orphan's`() throws {
        for isAnnounced in [true, false] {
            var glucose = try Glucose.server()
            _ = glucose.answer(hex("12 12 00 02 00"))
            _ = glucose.indicate(0x0011, [1])
            let table = try AttributeTable(Glucose.services).moving(from: 2, by: 1)
            #expect(glucose.change(to: table, isAnnounced: isAnnounced) == [])
            #expect(glucose.events == [.orphaned(handle: 0x0011)])
            #expect(glucose.answer(hex("12 13 00 02 00")) == [[0x13]])
            #expect(glucose.indicate(0x0012, [2]) == [])
            #expect(glucose.answer([0x1E]) == [hex("1D 12 00 02")])
            #expect(glucose.events.first == .confirmedOrphan(handle: 0x0011))
            #expect(glucose.answer([0x1E]) == [] && glucose.events == [.confirmed(handle: 0x0012)])
        }
    }

    @Test func `Without an announcement a client stays change-aware, and its prepared writes are executed`() throws {
        var glucose = try Glucose.server()
        for request in ["12 0B 00 01", "12 09 00 02 00", "16 03 00 00 00 41"] { _ = glucose.answer(hex(request)) }
        #expect(try glucose.change(to: AttributeTable(Glucose.more), isAnnounced: false) == [])
        #expect(glucose.answer(hex("0A 16 00")) == [[0x0B]])
        #expect(glucose.answer(hex("18 01")) == [[0x19]])
        #expect(glucose.values.pages[3]?.first == 0x41)
    }

    @Test func `An absent service keeps its handles`() throws {
        let whole = try AttributeTable(Glucose.more)
        let less = try whole.removing([3], adding: [])
        #expect(less.type(of: 0x000F) == nil && less.type(of: 0x0014) == nil && less.type(of: 0x0016) == nil)
        #expect(less.type(of: 0x0011) == UUID(0x2A18) && less.type(of: 0x0019) == nil)
        #expect(less.handle(ofValue: 0, service: 3) == nil && less.handle(ofFirst: UUID(0x2A19)) == nil)
        #expect(less.handle(ofValue: 0, service: 4) == whole.handle(ofValue: 0, service: 4))
        #expect(try less.removing([9], adding: [3, -1]) == whole)
        #expect(try whole.removing([3], adding: [3]) == whole)
        #expect(throws: AttributeTable.DefinitionError.outOfHandles) { try whole.moving(from: 2, by: 0xFFE5) }
        #expect(try whole.moving(from: 2, by: 0xFFE4).type(of: 0xFFFF) == UUID(0x2A38))
        #expect(try whole.moving(from: 9, by: 1) == whole)
    }

    @Test func `Without robust caching a client never gets Database Out Of Sync`() throws {
        var glucose = try Glucose.server()
        _ = try glucose.change(to: AttributeTable(Glucose.more))
        #expect(glucose.answer(hex("0A 16 00")) == [[0x0B]])
    }

    @Test func `GATT/SR/GAW/BI-41-C: writes prepared before a change are not executed`() throws {
        var glucose = try Glucose.server()
        _ = glucose.answer(hex("16 03 00 00 00 41"))
        _ = try glucose.change(to: AttributeTable(Glucose.more))
        #expect(glucose.answer(hex("18 01")) == [hex("01 18 03 00 12")])
        #expect(glucose.answer(hex("18 01")) == [[0x19]])
        #expect(glucose.values.pages[3] == Array("abcdef".utf8))
    }

    @Test func `No octets trap a server after a change`() throws {
        for request in Self.cases.flatMap(\.lines).map({ hex($0.request) }) {
            for octets in request.mutations {
                var glucose = try unaware()
                let sent = glucose.answer(octets)
                #expect(sent.count <= 1 && sent.allSatisfy { $0.count <= glucose.server.mtu }, "to \(octets.hex)")
                #expect(glucose.pool.taken == 0)
            }
        }
    }
}
