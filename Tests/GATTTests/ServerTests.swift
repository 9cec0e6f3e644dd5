import Basics
import Bluetooth
import GATT
import Mutations
import Testing

/// Requests of a client, and the expected answers; an empty answer means none.
struct ServerCase: CustomTestStringConvertible {
    let testDescription: String
    let lines: [(request: String, response: String)]

    init(_ name: String, _ lines: (request: String, response: String)...) {
        (testDescription, self.lines) = (name, lines)
    }
}

@Suite struct ServerTests {
    static let cases = [
        ServerCase(
            "GAC/BV-01-C: Exchange MTU, and then longer answers",
            ("02 05 02", "03 F7 00"),
            ("0A 10 00", "0B " + text(0..<50)),
            ("02 05 02", "01 02 00 00 06")),
        ServerCase(
            "GAD/BV-01-C: all primary services; one length in each response",
            ("10 01 00 FF FF 00 28", "11 06 01 00 05 00 00 18 06 00 0D 00 0D 18"),
            ("10 0E 00 FF FF 00 28", "11 14 0E 00 12 00 " + Strap.serviceHex),
            ("10 13 00 FF FF 00 28", "01 10 13 00 0A"),
            ("10 01 00 FF FF 01 28", "01 10 01 00 0A"),
            ("10 01 00 FF FF 03 28", "01 10 01 00 10"),
            ("10 00 00 FF FF 00 28", "01 10 00 00 01"),
            ("10 02 00 01 00 00 28", "01 10 02 00 01")),
        ServerCase(
            "GAD/BV-02-C: a primary service by its UUID",
            ("06 01 00 FF FF 00 28 0D 18", "07 06 00 0D 00"),
            ("06 01 00 FF FF 00 28 " + Strap.serviceHex, "07 0E 00 12 00"),
            ("06 07 00 FF FF 00 28 0D 18", "01 06 07 00 0A"),
            ("06 00 00 FF FF 00 28 0D 18", "01 06 00 00 01"),
            ("06 01 00 FF FF 03 28 10 08 00 37 2A", "07 07 00 09 00")),
        ServerCase("GAD/BV-03-C: no included services", ("08 06 00 0D 00 02 28", "01 08 06 00 0A")),
        ServerCase(
            "GAD/BV-04-C: the characteristics of a service",
            ("08 06 00 0D 00 03 28", "09 07 07 00 10 08 00 37 2A 0A 00 02 0B 00 38 2A 0C 00 08 0D 00 39 2A"),
            ("08 0D 00 0D 00 03 28", "01 08 0D 00 0A"),
            ("08 0E 00 12 00 03 28", "09 15 0F 00 22 10 00 " + Strap.characteristicHex)),
        ServerCase(
            "GAD/BV-06-C: descriptors; one length in each response",
            ("04 09 00 09 00", "05 01 09 00 02 29"),
            ("04 10 00 12 00", "05 02 10 00 " + Strap.characteristicHex),
            ("04 11 00 12 00", "05 01 11 00 02 29 12 00 01 29"),
            ("04 13 00 FF FF", "01 04 13 00 0A"),
            ("04 00 00 FF FF", "01 04 00 00 01")),
        ServerCase("GAR/BV-01-C: a value", ("0A 0B 00", "0B 01"), ("0A 03 00", "0B 53 74 72 61 70")),
        ServerCase(
            "GAR/BV-03-C: values by UUID",
            ("08 01 00 FF FF 38 2A", "09 03 0B 00 01"),
            ("08 01 00 FF FF 02 29", "09 04 09 00 00 00 11 00 00 00")),
        ServerCase(
            "GAR/BV-04-C: a long value in parts",
            ("0A 10 00", "0B " + text(0..<22)),
            ("0C 10 00 16 00", "0D " + text(22..<44)),
            ("0C 10 00 2C 00", "0D " + text(44..<50)),
            ("0C 10 00 32 00", "0D")),
        ServerCase("GAR/BV-06-C: a descriptor", ("0A 12 00", "0B 52 61 77")),
        ServerCase("GAR/BV-07-C: a part of a descriptor", ("0C 12 00 01 00", "0D 61 77")),
        ServerCase("GAR/BI-01-C: read not permitted", ("0A 08 00", "01 0A 08 00 02")),
        ServerCase("GAR/BI-02-C: invalid handle", ("0A 13 00", "01 0A 13 00 01"), ("0A 00 00", "01 0A 00 00 01")),
        ServerCase("GAR/BI-06-C: by UUID, read not permitted", ("08 01 00 FF FF 37 2A", "01 08 08 00 02")),
        ServerCase("GAR/BI-07-C: by UUID, not found", ("08 01 00 FF FF 19 2A", "01 08 01 00 0A")),
        ServerCase(
            "GAR/BI-08-C: by UUID, invalid range",
            ("08 00 00 FF FF 38 2A", "01 08 00 00 01"), ("08 05 00 04 00 38 2A", "01 08 05 00 01")),
        ServerCase("GAR/BI-12-C: a part, read not permitted", ("0C 08 00 00 00", "01 0C 08 00 02")),
        ServerCase("GAR/BI-13-C: a part, invalid offset", ("0C 10 00 33 00", "01 0C 10 00 07")),
        ServerCase("GAR/BI-14-C: a part, invalid handle", ("0C 13 00 00 00", "01 0C 13 00 01")),
        ServerCase("GAW/BV-01-C: Write Command", ("52 0D 00 01", ""), ("52 0D 00 02", ""), ("52 13 00 01", "")),
        ServerCase("GAW/BV-03-C: a value", ("12 0D 00 01", "13")),
        ServerCase(
            "GAW/BV-08-C: a descriptor, the Client Characteristic Configuration",
            ("0A 09 00", "0B 00 00"), ("12 09 00 01 00", "13"), ("0A 09 00", "0B 01 00"),
            ("12 09 00 02 00", "01 12 09 00 FD"), ("12 09 00 01 00 00", "01 12 09 00 0D"),
            ("12 09 00 00", "13"), ("0A 09 00", "0B 00 00"), ("12 09 00 01", "13"), ("0A 09 00", "0B 01 00"),
            ("12 09 00", "13"), ("12 09 00 02", "01 12 09 00 FD"),
            ("12 09 00 00 00", "13"), ("12 09 00 FD FF", "13"), ("0A 09 00", "0B 01 00"),
            ("12 11 00 01 00", "01 12 11 00 FD"), ("12 11 00 02 00", "13"), ("0A 09 00", "0B 01 00"),
            ("12 09 00 00 00", "13"), ("0A 09 00", "0B 00 00"), ("0A 11 00", "0B 02 00")),
        ServerCase("GAW/BI-02-C: invalid handle", ("12 13 00 01", "01 12 13 00 01")),
        ServerCase("GAW/BI-03-C: write not permitted", ("12 0B 00 01", "01 12 0B 00 03")),
        ServerCase("GAW/BI-32-C: too long", ("12 0D 00 01 02", "01 12 0D 00 0D")),
        ServerCase("an application error of the profile", ("12 0D 00 02", "01 12 0D 00 80")),
        ServerCase("UNS/BI-01-C: unknown requests", ("3E", "01 3E 00 00 06"), ("3F 01", "01 3F 00 00 06")),
        ServerCase("UNS/BI-02-C: unknown commands", ("7F 01", "")),
        ServerCase("GAW/BI-01-C: Signed Write Command", ("D2 0D 00 01 " + text(0..<12), ""), ("D2 0D 00 01", "")),
        ServerCase("malformed requests", ("0A 03", "01 0A 00 00 04"), ("04 01 00 FF FF 00", "01 04 00 00 04")),
        ServerCase("what servers are not sent", ("", ""), ("0B 01", ""), ("1E", ""), ("1B 08 00 00 48", "")),
    ]

    @Test(arguments: cases)
    func `GATT/SR`(serverCase: ServerCase) throws {
        var strap = try StrapServer()
        for (request, response) in serverCase.lines {
            #expect(strap.answer(hex(request)) == (response.isEmpty ? [] : [hex(response)]), "to \(request)")
        }
        #expect(strap.pool.taken == 0)
    }

    @Test(arguments: ["", " 01"]) func `A table can reject short writes of a configuration`(octets: String) throws {
        var strap = try StrapServer()
        strap.table.rejectsShortWrites = true
        #expect(strap.answer(hex("12 09 00" + octets)) == [hex("01 12 09 00 0D")])
        #expect(strap.answer(hex("0A 09 00")) == [hex("0B 00 00")])
        #expect(strap.answer(hex("12 09 00 01 00")) == [hex("13")])
    }

    /// GATT/SR/GAR/BI-03 to 05, GAR/BI-09 to 11, GAR/BI-15 to 17 and GAW/BI-04 to 06: the owner's errors are sent.
    @Test(arguments: [0x08, 0x05, 0x0C, 0x0F, 0x11, 0x9F] as [UInt8])
    func `The owner's error is sent`(code: UInt8) throws {
        var strap = try StrapServer(refusal: ATTError(rawValue: code))
        #expect(strap.answer([0x0A, 0x0B, 0x00]) == [[0x01, 0x0A, 0x0B, 0x00, code]])
        #expect(strap.events == [.refused(opcode: 0x0A, handle: 0x000B, ATTError(rawValue: code))])
        #expect(strap.answer([0x0C, 0x10, 0x00, 0x01, 0x00]) == [[0x01, 0x0C, 0x10, 0x00, code]])
        #expect(strap.answer(hex("08 01 00 FF FF 38 2A")) == [[0x01, 0x08, 0x0B, 0x00, code]])
        #expect(strap.answer([0x12, 0x0D, 0x00, 0x01]) == [[0x01, 0x12, 0x0D, 0x00, code]])
        #expect(strap.answer([0x52, 0x0D, 0x00, 0x01]) == [])
        #expect(strap.events == [.refused(opcode: 0x52, handle: 0x000D, ATTError(rawValue: code))])
    }

    static let events: [(request: String, events: [Server.Output])] = [
        ("02 05 02", [.exchangedMTU(247)]),
        ("02 05 00", [.exchangedMTU(23)]),
        ("0A 0B 00", [.read(handle: 0x000B, [0x01])]),
        ("08 01 00 FF FF 38 2A", [.read(handle: 0x000B, [0x01])]),
        ("08 06 00 0D 00 03 28", []),
        ("12 0D 00 01", [.written(handle: 0x000D, [0x01])]),
        ("52 0D 00 01", [.written(handle: 0x000D, [0x01])]),
        ("12 09 00 01 00", [.written(handle: 0x0009, [0x01, 0x00]), .subscribed(handle: 0x0008)]),
        ("12 09 00 00 00", [.written(handle: 0x0009, [0x00, 0x00]), .unsubscribed(handle: 0x0008)]),
        ("10 01 00 FF FF 00 28", [.discovering]),
        ("10 01 00 0D 00 00 28", [.discovering, .discovered]),
        ("10 13 00 FF FF 00 28", [.discovering, .discovered]),
        ("10 01 00 FF FF 01 28", []),
        ("06 01 00 FF FF 00 28 0D 18", [.discovering]),
        ("06 0E 00 FF FF 00 28 0D 18", [.discovering, .discovered]),
        ("06 01 00 FF FF 38 2A 01", []),
        ("10 00 00 FF FF 00 28", [.refused(opcode: 0x10, handle: 0, .invalidHandle)]),
        ("3E", [.refused(opcode: 0x3E, handle: 0, .requestNotSupported)]),
        ("7F", []),
        ("52 0D", [.refused(opcode: 0x52, handle: 0, .invalidPDU)]),
    ]

    @Test func `The start and the end of a service discovery are reported once`() throws {
        var strap = try StrapServer()
        var events: [Server.Output] = []
        for request in ["10 01 00 FF FF 00 28", "10 0E 00 FF FF 00 28", "10 13 00 FF FF 00 28"] {
            _ = strap.answer(hex(request))
            events += strap.events
        }
        #expect(events == [.discovering, .discovered])
    }

    /// A client may search all handles for characteristics, or for attributes, without a service discovery.
    @Test(
        arguments: [
            (["08 01 00 FF FF 03 28", "08 06 00 FF FF 03 28", "08 13 00 FF FF 03 28"], [1, 0, -1]),
            (["04 01 00 FF FF", "04 06 00 FF FF", "04 13 00 FF FF"], [1, 0, -1]),
            (["08 01 00 FF FF 00 28", "08 13 00 FF FF 00 28"], [1, -1]),
            // Again, as after a change of services.
            (
                ["04 01 00 FF FF", "04 13 00 FF FF", "04 01 00 FF FF", "04 13 00 FF FF"],
                [1, -1, 1, -1]
            ),
            // Descriptors after the characteristics.
            (["08 01 00 FF FF 03 28", "08 13 00 FF FF 03 28", "04 01 00 FF FF", "04 13 00 FF FF"], [1, -1, 0, 0]),
            // Characteristics after services, as bluetoothd and Bumble ask for them.
            (
                [
                    "10 01 00 FF FF 00 28", "08 01 00 FF FF 03 28", "10 13 00 FF FF 00 28", "08 01 00 FF FF 03 28",
                    "08 13 00 FF FF 03 28", "04 01 00 FF FF",
                ],
                [1, 0, -1, 0, 0, 0]
            ),
            // A single service, a value, or descriptors only.
            (
                ["08 01 00 05 00 03 28", "08 06 00 FF FF 03 28", "04 09 00 FF FF", "08 01 00 FF FF 38 2A"],
                [0, 0, 0, 0]
            ),
        ] as [([String], [Int])])
    func `A search of all handles is a discovery, unless another one came first`(
        requests: [String], changes: [Int]
    ) throws {
        var strap = try StrapServer()
        for (request, change) in zip(requests, changes) {
            _ = strap.answer(hex(request))
            let found = strap.events.filter { $0 == .discovering || $0 == .discovered }
            #expect(found == (change > 0 ? [.discovering] : change < 0 ? [.discovered] : []), "\(request)")
        }
    }

    @Test(arguments: events)
    func `Requests are reported as events`(request: String, events: [Server.Output]) throws {
        var strap = try StrapServer()
        _ = strap.answer(hex(request))
        #expect(strap.events == events)
    }

    @Test func `GATT/SR/GAN/BV-01-C: a value is notified while subscribed, and truncated to the MTU`() throws {
        var strap = try StrapServer()
        #expect(strap.notify(0x0008, [0x00, 0x48]) == [])
        _ = strap.answer(hex("12 09 00 01 00"))
        #expect(strap.notify(0x0008, [0x00, 0x48]) == [hex("1B 08 00 00 48")])
        #expect(strap.notify(0x0010, [0x00]) == [])
        #expect(strap.notify(0x0008, Strap.long) == [hex("1B 08 00 " + text(0..<20))])
        _ = strap.answer(hex("02 1B 00"))
        #expect(strap.notify(0x0008, Strap.long) == [hex("1B 08 00 " + text(0..<24))])
        strap.server.adopt(mtu: 9999)
        #expect(strap.notify(0x0008, [UInt8](repeating: 0, count: 600)).first?.count == 3 + 512)
        _ = strap.answer(hex("12 09 00 00 00"))
        #expect(strap.notify(0x0008, [0x00, 0x48]) == [])
        #expect(strap.pool.taken == 0)
    }

    /// The server answers with at most one PDU within the MTU, and leaks no packet.
    @Test func `No octets trap a server`() throws {
        for request in Self.cases.flatMap(\.lines).map({ hex($0.request) }) {
            for octets in request.mutations {
                var strap = try StrapServer()
                let sent = strap.answer(octets)
                #expect(sent.count <= 1 && sent.allSatisfy { $0.count <= strap.server.mtu }, "to \(octets.hex)")
                #expect(strap.pool.taken == 0)
            }
        }
    }
}

func text(_ range: Range<UInt8>) -> String { Array(range).hex }
