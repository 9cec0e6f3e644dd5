import ATT
import Basics
import Bluetooth
import GATT
import Mutations
import Testing

@Suite struct QueuedWriteTests {
    static let cases = [
        ServerCase(
            "GAW/BV-05-C: a long value in parts",
            ("16 03 00 00 00 " + text(0..<18), "17 03 00 00 00 " + text(0..<18)),
            ("16 03 00 12 00 " + text(18..<20), "17 03 00 12 00 " + text(18..<20)),
            ("0A 03 00", "0B 61 62 63 64 65 66"), ("18 01", "19"), ("0A 03 00", "0B " + text(0..<20))),
        ServerCase(
            "a response would not fit into the MTU", ("16 03 00 00 00 " + text(0..<19), "01 16 03 00 04"),
            ("18 01", "19"), ("0A 03 00", "0B 61 62 63 64 65 66")),
        ServerCase(
            "parts after the beginning change what there is",
            ("16 03 00 02 00 58 59", "17 03 00 02 00 58 59"), ("16 03 00 06 00 5A", "17 03 00 06 00 5A"),
            ("18 01", "19"), ("0A 03 00", "0B 61 62 58 59 65 66 5A")),
        ServerCase(
            "parts are written in the order they came",
            ("16 03 00 00 00 31 32 33", "17 03 00 00 00 31 32 33"), ("16 03 00 01 00 78", "17 03 00 01 00 78"),
            ("16 03 00 00 00 79", "17 03 00 00 00 79"), ("18 01", "19"), ("0A 03 00", "0B 79 78 33")),
        ServerCase(
            "GAW/BV-06-C: two values, and neither before both",
            ("16 05 00 00 00 31", "17 05 00 00 00 31"), ("16 03 00 00 00 32", "17 03 00 00 00 32"),
            ("0A 05 00", "0B"), ("18 01", "19"), ("0A 05 00", "0B 31"), ("0A 03 00", "0B 32")),
        ServerCase(
            "GAW/BV-07-C: cancelled", ("16 05 00 00 00 31", "17 05 00 00 00 31"), ("18 00", "19"), ("18 01", "19"),
            ("0A 05 00", "0B")),
        ServerCase(
            "GAW/BV-09-C: a descriptor in parts", ("16 0C 00 00 00 02", "17 0C 00 00 00 02"),
            ("16 0C 00 01 00 00", "17 0C 00 01 00 00"), ("0A 0C 00", "0B 00 00"), ("18 01", "19"),
            ("0A 0C 00", "0B 02 00")),
        ServerCase("GAW/BV-11-C: nothing was prepared", ("18 01", "19"), ("18 00", "19")),
        ServerCase(
            "a Write Request while writes are prepared is executed at once", ("16 03 00 00 00 31", "17 03 00 00 00 31"),
            ("12 03 00 41", "13"), ("0A 03 00", "0B 41"), ("18 01", "19"), ("0A 03 00", "0B 31")),
        ServerCase(
            "GAW/BI-07-C: invalid handle; what is prepared stays", ("16 05 00 00 00 31", "17 05 00 00 00 31"),
            ("16 0D 00 00 00 01", "01 16 0D 00 01"), ("18 01", "19"), ("0A 05 00", "0B 31")),
        ServerCase(
            "GAW/BI-08-C: write not permitted", ("16 09 00 00 00 01", "01 16 09 00 03"),
            ("16 01 00 00 00 01", "01 16 01 00 03"), ("16 0B 00 00 00 01", "01 16 0B 00 03")),
        ServerCase(
            "GAW/BI-09-C: invalid offset, told at the end; nothing is written and the queue is empty",
            ("16 05 00 00 00 31", "17 05 00 00 00 31"), ("16 03 00 07 00 31", "17 03 00 07 00 31"),
            ("18 01", "01 18 03 00 07"), ("0A 05 00", "0B"), ("18 01", "19"), ("0A 05 00", "0B")),
        ServerCase(
            "GAW/BI-09-C: what cannot be read has nothing to go on from",
            ("12 07 00 31 32", "13"), ("16 07 00 01 00 33", "17 07 00 01 00 33"), ("18 01", "01 18 07 00 07")),
        ServerCase(
            "GAW/BI-33-C: too long, told at the end",
            ("16 03 00 06 00 31", "17 03 00 06 00 31"), ("16 03 00 00 02 31", "17 03 00 00 02 31"),
            ("18 01", "01 18 03 00 07"), ("16 0C 00 00 00 01 00 00", "17 0C 00 00 00 01 00 00"),
            ("18 01", "01 18 0C 00 0D"), ("0A 0C 00", "0B 00 00")),
        ServerCase(
            "the owner refuses the second value, so the first is not written either",
            ("16 05 00 00 00 31", "17 05 00 00 00 31"), ("16 0C 00 00 00 01 00", "17 0C 00 00 00 01 00"),
            ("16 03 00 00 00 FF", "17 03 00 00 00 FF"), ("18 01", "01 18 03 00 80"), ("0A 05 00", "0B"),
            ("0A 0C 00", "0B 00 00")),
        ServerCase(
            "malformed", ("16 03 00 00", "01 16 00 00 04"), ("18 02", "01 18 00 00 04"), ("18", "01 18 00 00 04"),
            ("18 01 00", "01 18 00 00 04")),
    ]

    @Test(arguments: cases)
    func `GATT/SR`(serverCase: ServerCase) throws {
        var pages = try PagesFixture.server()
        for (request, response) in serverCase.lines {
            #expect(pages.answer(hex(request)) == [hex(response)], "to \(request)")
        }
        #expect(pages.pool.taken == 0)
    }

    @Test func `GATT/SR/GAW/BI-33-C: a value is too long for its owner, or for any attribute`() throws {
        for (count, error) in [(301, ATTError.invalidAttributeValueLength), (513, .invalidAttributeValueLength)] {
            var pages = try PagesFixture.server()
            _ = pages.answer(hex("02 05 02"))
            for offset in stride(from: 0, to: count, by: 100) {
                let part = [UInt8](repeating: 0, count: min(100, count - offset))
                let request = PDU.prepareWriteRequest(handle: 3, offset: UInt16(offset), value: part)
                #expect(pages.answer(request.octets).first?.first == 0x17)
            }
            #expect(pages.answer([0x18, 0x01]) == [[0x01, 0x18, 0x03, 0x00, error.rawValue]])
            #expect(pages.values.pages[3] == Array("abcdef".utf8))
        }
    }

    @Test func `Executed writes are reported, and undone writes are not`() throws {
        var pages = try PagesFixture.server()
        _ = pages.answer(hex("16 05 00 00 00 31"))
        #expect(pages.events == [])
        _ = pages.answer(hex("16 0C 00 00 00 01 00"))
        _ = pages.answer(hex("18 01"))
        let written: [Server.Output] = [
            .written(handle: 5, [0x31]), .written(handle: 12, [0x01, 0x00]), .subscribed(handle: 11),
        ]
        #expect(pages.events == written)
        _ = pages.answer(hex("16 05 00 00 00 32"))
        _ = pages.answer(hex("16 03 00 00 00 FF"))
        _ = pages.answer(hex("18 01"))
        #expect(pages.events == [.refused(opcode: 0x18, handle: 3, Pages.refusal)])
    }

    /// Reaches the limit of parts with empty ones, the limit of octets with full ones; the client can cancel afterwards.
    @Test(arguments: [(0, Server.maximumPreparedWrites), (200, Server.maximumPreparedOctets / 200)])
    func `Too many prepared writes get Prepare Queue Full`(octets: Int, fits: Int) throws {
        var pages = try PagesFixture.server()
        _ = pages.answer(hex("02 05 02"))
        let request = PDU.prepareWriteRequest(handle: 3, offset: 0, value: [UInt8](repeating: 1, count: octets)).octets
        let answers = (0..<10_000).map { _ in pages.answer(request).first ?? [] }
        #expect(answers.prefix { $0.first == 0x17 }.count == fits)
        #expect(answers[fits...].allSatisfy { $0 == [0x01, 0x16, 0x03, 0x00, 0x09] })
        #expect(pages.answer([0x18, 0x00]) == [[0x19]])
        #expect(pages.answer(request).first?.first == 0x17)
        #expect(pages.pool.taken == 0)
    }

    static let several = [
        ServerCase(
            "GAR/BV-05-C: several values", ("0E 03 00 09 00", "0F 61 62 63 64 65 66 09"),
            ("0E 09 00 09 00 09 00", "0F 09 09 09")),
        ServerCase(
            "GAR/BV-09-C: several values of any length",
            ("20 03 00 05 00 09 00", "21 06 00 61 62 63 64 65 66 00 00 01 00 09")),
        ServerCase(
            "GAR/BV-09-C: as many as there is room for", ("12 05 00 " + text(0..<17), "13"),
            ("0E 05 00 03 00", "0F " + text(0..<17) + " 61 62 63 64 65"),
            ("20 05 00 09 00", "21 11 00 " + text(0..<17) + " 01 00 09"),
            ("20 05 00 03 00 09 00", "21 11 00 " + text(0..<17) + " 06 00 61"),
            ("12 05 00 " + text(0..<19), "13"), ("20 05 00 09 00", "21 13 00 " + text(0..<19)),
            ("20 05 00 07 00", "01 20 07 00 02")),
        ServerCase("GAR/BI-18-C: read not permitted", ("0E 03 00 07 00", "01 0E 07 00 02")),
        ServerCase("GAR/BI-19-C: invalid handle", ("0E 63 00 07 00", "01 0E 63 00 01")),
        ServerCase("GAR/BI-36-C: read not permitted", ("20 07 00 63 00", "01 20 07 00 02")),
        ServerCase("GAR/BI-38-C: invalid handle", ("20 03 00 00 00", "01 20 00 00 01")),
        ServerCase(
            "fewer than two, and half a handle", ("0E 03 00", "01 0E 00 00 04"), ("20 03 00", "01 20 00 00 04"),
            ("0E 03 00 09 00 05", "01 0E 00 00 04"), ("20 03 00 09 00 05", "01 20 00 00 04")),
    ]

    @Test(arguments: several)
    func `GATT/SR, several values`(serverCase: ServerCase) throws {
        var pages = try PagesFixture.server()
        for (request, response) in serverCase.lines {
            #expect(pages.answer(hex(request)) == [hex(response)], "to \(request)")
        }
    }

    /// GATT/SR/GAR/BI-20 to 22, BI-40 to 44: the owner's error, with its handle.
    @Test(arguments: [0x08, 0x05, 0x0C, 0x0F] as [UInt8])
    func `One value's error fails the whole request`(code: UInt8) throws {
        var strap = try StrapServer(refusal: ATTError(rawValue: code))
        #expect(strap.answer(hex("0E 03 00 0B 00")) == [[0x01, 0x0E, 0x0B, 0x00, code]])
        #expect(strap.answer(hex("20 03 00 0B 00")) == [[0x01, 0x20, 0x0B, 0x00, code]])
        #expect(strap.events == [.refused(opcode: 0x20, handle: 0x000B, ATTError(rawValue: code))])
    }

    /// Each case follows the earlier ones, so that the queue is not empty.
    @Test func `No octets trap a server with prepared writes`() throws {
        for serverCase in Self.cases + Self.several {
            var before = try PagesFixture.server()
            for (request, _) in serverCase.lines {
                for octets in hex(request).mutations {
                    var pages = before
                    let sent = pages.answer(octets)
                    #expect(sent.count <= 1 && sent.allSatisfy { $0.count <= pages.server.mtu }, "\(octets.hex)")
                    _ = pages.answer([0x18, 0x01])
                    #expect(pages.pool.taken == 0)
                }
                _ = before.answer(hex(request))
            }
        }
    }

    @Test func `Long and reliable writes of a client reach the server`() throws {
        let long = (0..<300).map { UInt8($0 % 255) }
        for mtu in [nil, 100, 247] {
            var link = Link(try PagesFixture.server())
            if let mtu {
                link.strap.server = Server(receives: mtu)
                _ = link.play(.exchangeMTU)
            }
            #expect(link.play(.writeLong(handle: 3, value: long)) == [.finished(1, .written)])
            #expect(link.play(.readLong(handle: 3)) == [.finished(1, .value(long))])
            let both = [AttributeData(3, [1, 2]), AttributeData(5, long)]
            #expect(link.play(.writeReliably(both)) == [.finished(1, .written)])
            #expect(link.strap.values.pages[3] == [1, 2] && link.strap.values.pages[5] == long)
            let wrong = [AttributeData(5, [7]), AttributeData(9, [7])]
            #expect(link.play(.writeReliably(wrong)) == [.failed(1, .refused(.writeNotPermitted, handle: 9))])
            #expect(link.strap.values.pages[5] == long)
            #expect(link.play(.readMultiple(handles: [3, 9])) == [.finished(1, .value([1, 2, 9]))])
            #expect(link.testClient.pool.taken + link.strap.pool.taken == 0)
        }
    }
}
