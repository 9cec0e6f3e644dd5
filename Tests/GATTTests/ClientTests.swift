import ATT
import Basics
import Bluetooth
import GATT
import Mutations
import Testing

/// A client with its pool.
struct TestClient {
    var client = Client(receives: 247)
    var pool = PacketPool()
    /// The instant of the last `.wake`.
    private(set) var wakes: [Instant] = []
    /// The outputs other than PDUs, in order.
    private(set) var events: [Client.Output] = []

    /// The PDUs sent for an input.
    mutating func step(_ input: Client.Input, at now: Instant = .start) -> [[UInt8]] {
        var (outbox, sent): ([Client.Output], [[UInt8]]) = ([], [])
        client.step(input, at: now, pool: &pool, into: &outbox)
        for output in outbox {
            switch output {
            case .wake(at: let instant): wakes.append(instant)
            case .send(let packet):
                sent.append(pool.octets(of: packet))
                pool.release(packet)
            case .notified(_, let packet), .indicated(_, let packet):
                events.append(output)
                pool.release(packet)
            default: events.append(output)
            }
        }
        return sent
    }

    mutating func receive(_ octets: [UInt8]) -> [[UInt8]] { step(.receive(pool.take(octets))) }

    /// Runs a procedure against scripted answers; each line has the expected PDU and its answer.
    mutating func play(_ procedure: Procedure, _ lines: [(sent: String, answer: String)]) {
        var sent = step(.start(procedure, id: 7))
        for line in lines {
            #expect(sent == [hex(line.sent)])
            sent = line.answer.isEmpty ? [] : receive(hex(line.answer))
        }
        #expect(sent == [])
    }
}

/// A procedure, the expected exchange of PDUs, and its end.
struct ClientCase: CustomTestStringConvertible {
    let testDescription: String
    let procedure: Procedure
    let lines: [(sent: String, answer: String)]
    let end: [Client.Output]

    init(
        _ name: String, _ procedure: Procedure, _ lines: (sent: String, answer: String)..., end: Client.Output...
    ) {
        (testDescription, self.procedure, self.lines, self.end) = (name, procedure, lines, end)
    }
}

@Suite struct ClientTests {
    static let inside = HandleRange(0x0006, 0x000D)

    static let cases = [
        ClientCase(
            "GAC/BV-01-C: Exchange MTU", .exchangeMTU, ("02 F7 00", "03 64 00"),
            end: .exchangedMTU(100), .finished(7, .mtu(100))),
        ClientCase(
            "GAC/BV-01-C: less than 23 counts as 23", .exchangeMTU, ("02 F7 00", "03 05 00"),
            end: .exchangedMTU(23), .finished(7, .mtu(23))),
        ClientCase(
            "GAD/BV-01-C: all primary services", .discoverPrimaryServices,
            ("10 01 00 FF FF 00 28", "11 06 01 00 05 00 00 18 06 00 0D 00 0D 18"),
            ("10 0E 00 FF FF 00 28", "01 10 0E 00 0A"),
            end: .finished(
                7,
                .services([
                    DiscoveredService(uuid: UUID(0x1800), range: HandleRange(1, 5)),
                    DiscoveredService(uuid: UUID(0x180D), range: inside),
                ]))),
        ClientCase(
            "GAD/BV-01-C: a service that ends at FFFF is the last", .discoverPrimaryServices,
            ("10 01 00 FF FF 00 28", "11 06 01 00 FF FF 00 18"),
            end: .finished(7, .services([DiscoveredService(uuid: UUID(0x1800), range: .all)]))),
        ClientCase(
            "GAD/BV-02-C: a primary service by its UUID", .findPrimaryServices(UUID(0x180D)),
            ("06 01 00 FF FF 00 28 0D 18", "07 06 00 0D 00"),
            ("06 0E 00 FF FF 00 28 0D 18", "01 06 0E 00 0A"),
            end: .finished(7, .services([DiscoveredService(uuid: UUID(0x180D), range: inside)]))),
        ClientCase(
            "GAD/BV-03-C: included services", .findIncludedServices(inside),
            ("08 06 00 0D 00 02 28", "09 08 07 00 20 00 25 00 0F 18"),
            ("08 08 00 0D 00 02 28", "09 06 08 00 30 00 35 00 09 00 40 00 41 00"),
            ("0A 30 00", "0B " + Strap.serviceHex), ("0A 40 00", "0B 0A 18"),
            ("08 0A 00 0D 00 02 28", "01 08 0A 00 0A"),
            end: .finished(
                7,
                .included([
                    IncludedService(declaration: 7, range: HandleRange(0x20, 0x25), uuid: UUID(0x180F)),
                    IncludedService(declaration: 8, range: HandleRange(0x30, 0x35), uuid: Strap.service),
                    IncludedService(declaration: 9, range: HandleRange(0x40, 0x41), uuid: UUID(0x180A)),
                ]))),
        ClientCase(
            "GAD/BV-04-C: the characteristics of a service", .discoverCharacteristics(inside),
            ("08 06 00 0D 00 03 28", "09 07 07 00 10 08 00 37 2A 0A 00 02 0B 00 38 2A"),
            ("08 0B 00 0D 00 03 28", "01 08 0B 00 0A"),
            end: .finished(
                7,
                .characteristics([
                    DiscoveredCharacteristic(
                        uuid: UUID(0x2A37), range: HandleRange(7, 9), properties: .notify, valueHandle: 8),
                    DiscoveredCharacteristic(
                        uuid: UUID(0x2A38), range: HandleRange(0x0A, 0x0D), properties: .read, valueHandle: 0x0B),
                ]))),
        ClientCase(
            "GAD/BV-06-C: descriptors to the end of the range", .discoverDescriptors(HandleRange(9, 10)),
            ("04 09 00 0A 00", "05 01 09 00 02 29 0A 00 01 29"),
            end: .finished(7, .descriptors([AttributeType(9, UUID(0x2902)), AttributeType(10, UUID(0x2901))]))),
        ClientCase("GAR/BV-01-C: a value", .read(handle: 3), ("0A 03 00", "0B 48"), end: .finished(7, .value([0x48]))),
        ClientCase(
            "GAR/BV-03-C: values by UUID", .readByUUID(UUID(0x2A38), .all),
            ("08 01 00 FF FF 38 2A", "09 03 0B 00 01"), end: .finished(7, .values([AttributeData(0x0B, [1])]))),
        ClientCase(
            "GAR/BV-04-C: a long value, until a part is short", .readLong(handle: 16),
            ("0A 10 00", "0B " + text(0..<22)), ("0C 10 00 16 00", "0D " + text(22..<44)),
            ("0C 10 00 2C 00", "0D " + text(44..<50)), end: .finished(7, .value(Strap.long))),
        ClientCase(
            "GAR/BV-04-C: a value that fills its PDU", .readLong(handle: 16),
            ("0A 10 00", "0B " + text(0..<22)), ("0C 10 00 16 00", "01 0C 10 00 0B"),
            end: .finished(7, .value(Array(0..<22)))),
        ClientCase(
            "GAR/BV-04-C: a value from an offset on", .readRest(handle: 16, from: 22),
            ("0C 10 00 16 00", "0D " + text(22..<44)), ("0C 10 00 2C 00", "0D " + text(44..<50)),
            end: .finished(7, .value(Array(Strap.long[22...])))),
        ClientCase(
            "GAR/BI-13-C: an offset past the end", .readRest(handle: 16, from: 60000),
            ("0C 10 00 60 EA", "01 0C 10 00 07"), end: .failed(7, .refused(.invalidOffset, handle: 16))),
        ClientCase(
            "GAR/BI-13-C: a part, invalid offset", .readLong(handle: 16),
            ("0A 10 00", "0B " + text(0..<22)), ("0C 10 00 16 00", "01 0C 10 00 07"),
            end: .failed(7, .refused(.invalidOffset, handle: 16))),
        ClientCase(
            "GAR/BI-01-C: invalid handle", .read(handle: 3), ("0A 03 00", "01 0A 03 00 01"),
            end: .failed(7, .refused(.invalidHandle, handle: 3))),
        ClientCase(
            "GAR/BI-07-C: by UUID, not found", .readByUUID(UUID(0x2A38), .all),
            ("08 01 00 FF FF 38 2A", "01 08 01 00 0A"), end: .failed(7, .refused(.attributeNotFound, handle: 1))),
        ClientCase(
            "GAW/BV-01-C: Write Command", .writeCommand(handle: 13, value: [1]), ("52 0D 00 01", ""),
            end: .finished(7, .written)),
        ClientCase(
            "GAW/BV-03-C: a value", .write(handle: 13, value: [1]), ("12 0D 00 01", "13"), end: .finished(7, .written)),
        ClientCase(
            "GAW/BV-08-C: the Client Characteristic Configuration", .subscribe(handle: 9, to: .notification),
            ("12 09 00 01 00", "13"), end: .finished(7, .written)),
        ClientCase(
            "GAW/BI-03-C: write not permitted", .write(handle: 11, value: [1]), ("12 0B 00 01", "01 12 0B 00 03"),
            end: .failed(7, .refused(.writeNotPermitted, handle: 11))),
        ClientCase(
            "GAR/BV-05-C: several values", .readMultiple(handles: [3, 11]), ("0E 03 00 0B 00", "0F 53 74 01"),
            end: .finished(7, .value([0x53, 0x74, 0x01]))),
        ClientCase(
            "GAR/BI-19-C: several values, invalid handle", .readMultiple(handles: [3, 99]),
            ("0E 03 00 63 00", "01 0E 63 00 01"), end: .failed(7, .refused(.invalidHandle, handle: 99))),
        ClientCase(
            "GAR/BV-08-C: several values of any length", .readMultipleVariable(handles: [3, 11]),
            ("20 03 00 0B 00", "21 02 00 53 74 09 00 01"),
            end: .finished(
                7, .lengthValues([LengthValue(length: 2, [0x53, 0x74]), LengthValue(length: 9, [0x01])]))),
        ClientCase(
            "GAR/BI-38-C: several values of any length, invalid handle", .readMultipleVariable(handles: [99, 3]),
            ("20 63 00 03 00", "01 20 63 00 01"), end: .failed(7, .refused(.invalidHandle, handle: 99))),
        ClientCase(
            "more values than handles", .readMultipleVariable(handles: [3, 11]),
            ("20 03 00 0B 00", "21 00 00 00 00 00 00"), end: .failed(7, .tooMuch)),
        ClientCase("one handle is not several", .readMultiple(handles: [3]), end: .failed(7, .handleCount(1))),
        ClientCase(
            "GAW/BV-05-C: a long value in parts", .writeLong(handle: 13, value: Array(0..<40)),
            ("16 0D 00 00 00 " + text(0..<18), "17 0D 00 00 00 " + text(0..<18)),
            ("16 0D 00 12 00 " + text(18..<36), "17 0D 00 12 00 " + text(18..<36)),
            ("16 0D 00 24 00 " + text(36..<40), "17 0D 00 24 00 " + text(36..<40)), ("18 01", "19"),
            end: .finished(7, .written)),
        ClientCase(
            "GAW/BV-05-C: an empty value", .writeLong(handle: 13, value: []), ("16 0D 00 00 00", "17 0D 00 00 00"),
            ("18 01", "19"), end: .finished(7, .written)),
        ClientCase(
            "GAW/BV-06-C: two values or none", .writeReliably([AttributeData(13, [1]), AttributeData(15, [2])]),
            ("16 0D 00 00 00 01", "17 0D 00 00 00 01"), ("16 0F 00 00 00 02", "17 0F 00 00 00 02"), ("18 01", "19"),
            end: .finished(7, .written)),
        ClientCase("no values at all", .writeReliably([]), end: .finished(7, .written)),
        ClientCase(
            "GAW/BI-32-C: a wrong echo is cancelled",
            .writeReliably([AttributeData(13, [1]), AttributeData(15, [2])]),
            ("16 0D 00 00 00 01", "17 0D 00 00 00 03"), ("18 00", "19"),
            end: .failed(7, .echoDiffers(handle: 13))),
        ClientCase(
            "GAW/BI-07-C: a part for no handle", .writeLong(handle: 99, value: [1]),
            ("16 63 00 00 00 01", "01 16 63 00 01"), end: .failed(7, .refused(.invalidHandle, handle: 99))),
        ClientCase(
            "GAW/BI-08-C: the second value may not be written, so the first is cancelled",
            .writeReliably([AttributeData(13, [1]), AttributeData(3, [2])]),
            ("16 0D 00 00 00 01", "17 0D 00 00 00 01"), ("16 03 00 00 00 02", "01 16 03 00 03"), ("18 00", "19"),
            end: .failed(7, .refused(.writeNotPermitted, handle: 3))),
        ClientCase(
            "Prepare Queue Full, and even the cancelling is refused",
            .writeReliably([AttributeData(13, [1]), AttributeData(13, [2])]),
            ("16 0D 00 00 00 01", "17 0D 00 00 00 01"), ("16 0D 00 00 00 02", "01 16 0D 00 09"),
            ("18 00", "01 18 00 00 06"), end: .failed(7, .refused(.prepareQueueFull, handle: 13))),
        ClientCase(
            "GAW/BI-09-C: what was prepared is not written", .writeLong(handle: 13, value: [1]),
            ("16 0D 00 00 00 01", "17 0D 00 00 00 01"), ("18 01", "01 18 0D 00 07"),
            end: .failed(7, .refused(.invalidOffset, handle: 13))),
        ClientCase(
            "a value too long for an attribute is not prepared",
            .writeLong(handle: 11, value: [UInt8](repeating: 0, count: 513)), end: .failed(7, .valueTooLong(513))),
        ClientCase(
            "a value too long for a PDU is not sent", .write(handle: 11, value: Strap.long),
            end: .failed(7, .valueTooLong(50))),
    ]

    @Test(arguments: cases)
    func `GATT/CL`(clientCase: ClientCase) {
        var testClient = TestClient()
        testClient.play(clientCase.procedure, clientCase.lines)
        #expect(testClient.events == clientCase.end)
        #expect(testClient.pool.taken == 0)
    }

    static let hostile = [
        ClientCase(
            "the same service again", .discoverPrimaryServices,
            ("10 01 00 FF FF 00 28", "11 06 06 00 0D 00 0D 18 06 00 0D 00 0D 18"),
            end: .failed(7, .handleOutOfOrder(6))),
        ClientCase(
            "a service before the range", .discoverPrimaryServices,
            ("10 01 00 FF FF 00 28", "11 06 06 00 0D 00 0D 18"), ("10 0E 00 FF FF 00 28", "11 06 06 00 0D 00 0D 18"),
            end: .failed(7, .handleOutOfOrder(6))),
        ClientCase(
            "a service that ends before it begins", .discoverPrimaryServices,
            ("10 01 00 FF FF 00 28", "11 06 06 00 05 00 0D 18"), end: .failed(7, .handleOutOfOrder(5))),
        ClientCase(
            "a service after the end of all", .discoverPrimaryServices,
            ("10 01 00 FF FF 00 28", "11 06 01 00 FF FF 00 18 02 00 03 00 0D 18"),
            end: .failed(7, .handleOutOfOrder(2))),
        ClientCase(
            "a UUID of 4 octets", .discoverPrimaryServices, ("10 01 00 FF FF 00 28", "11 08 01 00 05 00 0D 18 00 00"),
            end: .failed(7, .malformed(.prohibited(field: "length of UUID", at: 0, value: 4, allowed: "2 or 16")))),
        ClientCase(
            "an empty list", .discoverPrimaryServices, ("10 01 00 FF FF 00 28", "11 06"),
            end: .failed(7, .malformed(.tooShort(field: "Starting Handle", at: 2, needs: 2, has: 0)))),
        ClientCase(
            "a characteristic outside the service", .discoverCharacteristics(inside),
            ("08 06 00 0D 00 03 28", "09 07 0E 00 10 0F 00 37 2A"), end: .failed(7, .handleOutOfOrder(14))),
        ClientCase(
            "a value outside the service", .discoverCharacteristics(inside),
            ("08 06 00 0D 00 03 28", "09 07 07 00 10 0E 00 37 2A"), end: .failed(7, .handleOutOfOrder(14))),
        ClientCase(
            "a declaration before the value of the last", .discoverCharacteristics(inside),
            ("08 06 00 0D 00 03 28", "09 07 07 00 10 09 00 37 2A 08 00 10 0A 00 38 2A"),
            end: .failed(7, .handleOutOfOrder(9))),
        ClientCase(
            "another response", .read(handle: 3), ("0A 03 00", "13"), end: .failed(7, .unexpected(opcode: 0x13))),
        ClientCase(
            "an error of another request", .read(handle: 3), ("0A 03 00", "01 12 03 00 01"),
            end: .failed(7, .unexpected(opcode: 0x01))),
    ]

    @Test(arguments: hostile)
    func `A hostile answer ends the procedure`(clientCase: ClientCase) {
        var testClient = TestClient()
        testClient.play(clientCase.procedure, clientCase.lines)
        #expect(testClient.events == clientCase.end)
        #expect(testClient.step(.start(.read(handle: 3), id: 8)) == [[0x0A, 0x03, 0x00]])
    }

    @Test func `A long read that never ends fails`() {
        var testClient = TestClient()
        var (sent, answers) = (testClient.step(.start(.readLong(handle: 3), id: 7)), 0)
        while !sent.isEmpty {
            sent = testClient.receive([answers == 0 ? 0x0B : 0x0D] + [UInt8](repeating: 0, count: 500))
            answers += 1
        }
        #expect(answers == 2)
        #expect(testClient.events == [.failed(7, .tooMuch)])
    }

    @Test func `A discovery that never ends fails`() {
        var testClient = TestClient()
        var (sent, next) = (testClient.step(.start(.discoverDescriptors(.all), id: 7)), 1 as UInt16)
        while !sent.isEmpty {
            sent = testClient.receive(PDU.findInformationResponse([AttributeType(next, UUID(0x2901))]).octets)
            next += 1
        }
        #expect(next == 4098)
        #expect(testClient.events == [.failed(7, .tooMuch)])
    }

    @Test func `GATT/CL/GAN/BV-01-C: a notification is received, even between a request and its response`() {
        var testClient = TestClient()
        #expect(testClient.step(.start(.read(handle: 3), id: 1)) == [[0x0A, 0x03, 0x00]])
        #expect(testClient.receive(hex("1B 08 00 00 48")) == [])
        guard case .notified(handle: 8, let packet)? = testClient.events.first else {
            Issue.record("not notified")
            return
        }
        #expect(packet.count == 2)
        #expect(testClient.receive([0x0B, 0x01]) == [])
        #expect(testClient.events.last == .finished(1, .value([0x01])))
        #expect(testClient.receive(hex("1B 08")) == [])
        #expect(testClient.events.last == .ignored(opcode: 0x1B))
        #expect(testClient.pool.taken == 0)
    }

    @Test func `GATT/CL/GAI/BV-01-C and BI-01-C: each indication is confirmed once`() {
        var testClient = TestClient()
        #expect(testClient.receive(hex("1D 08 00 00 48")) == [[0x1E]])
        #expect(testClient.receive(hex("1D 08 00 00 49")) == [[0x1E]])
        #expect(testClient.events.count == 2)
        #expect(testClient.pool.taken == 0)
    }

    @Test func `GATT/CL/GAN/BV-02-C: one notification can contain several values`() {
        var testClient = TestClient()
        #expect(testClient.receive(hex("23 08 00 01 00 48 0B 00 00 00")) == [])
        let handles = testClient.events.map { if case .notified(let handle, _) = $0 { handle } else { 0 } as UInt16 }
        #expect(handles == [8, 11])
        #expect(testClient.pool.taken == 0)
    }

    @Test func `GATT/CL/GAT/BV-01-C: after 30 s without an answer every procedure fails`() {
        var testClient = TestClient()
        _ = testClient.step(.start(.read(handle: 3), id: 1))
        #expect(testClient.step(.start(.exchangeMTU, id: 2)) == [])
        #expect(testClient.step(.timePassed, at: Instant(nanoseconds: 29_999_999_999)) == [])
        #expect(testClient.events == [])
        #expect(testClient.step(.timePassed, at: Instant(nanoseconds: 30_000_000_000)) == [])
        #expect(testClient.receive([0x0B, 0x01]) == [])
        #expect(testClient.step(.start(.read(handle: 3), id: 3)) == [])
        let expected: [Client.Output] = [
            .bearerLost, .failed(1, .bearerLost), .failed(2, .bearerLost), .ignored(opcode: 0x0B),
            .failed(3, .bearerLost),
        ]
        #expect(testClient.events == expected)
    }

    @Test func `Consecutive requests have one wake at a time, and 30 s each`() {
        var testClient = TestClient()
        _ = testClient.step(.start(.read(handle: 3), id: 1))
        _ = testClient.step(.receive(testClient.pool.take([0x0B, 0x01])), at: Instant(nanoseconds: 10_000_000_000))
        _ = testClient.step(.start(.read(handle: 3), id: 2), at: Instant(nanoseconds: 20_000_000_000))
        #expect(testClient.wakes == [Instant(nanoseconds: 30_000_000_000)])
        _ = testClient.step(.timePassed, at: Instant(nanoseconds: 30_000_000_000))
        #expect(testClient.wakes.last == Instant(nanoseconds: 50_000_000_000))
        #expect(testClient.events == [.finished(1, .value([0x01]))])
        _ = testClient.step(.timePassed, at: Instant(nanoseconds: 50_000_000_000))
        #expect(testClient.wakes.count == 2)
        #expect(testClient.events.contains(.failed(2, .bearerLost)))
    }

    @Test func `Procedures run in order, and fail when the connection ends`() {
        var testClient = TestClient()
        #expect(testClient.step(.start(.exchangeMTU, id: 1)) == [[0x02, 0xF7, 0x00]])
        #expect(testClient.step(.start(.writeCommand(handle: 3, value: Strap.long), id: 2)) == [])
        #expect(testClient.step(.start(.exchangeMTU, id: 3)) == [])
        #expect(testClient.step(.start(.read(handle: 3), id: 4)) == [])
        #expect(testClient.receive(hex("03 64 00")) == [[0x52, 0x03, 0x00] + Strap.long, [0x0A, 0x03, 0x00]])
        #expect(testClient.step(.disconnected) == [])
        #expect(testClient.step(.start(.read(handle: 3), id: 5)) == [])
        let expected: [Client.Output] = [
            .exchangedMTU(100), .finished(1, .mtu(100)), .finished(2, .written), .finished(3, .mtu(100)),
            .failed(4, .disconnected), .failed(5, .disconnected),
        ]
        #expect(testClient.events == expected)
    }

    @Test func `No octets trap a client, and each answer ends the procedure or leads to one request`() {
        for clientCase in Self.cases {
            for (index, line) in clientCase.lines.enumerated() where !line.answer.isEmpty {
                for octets in hex(line.answer).mutations {
                    var testClient = TestClient()
                    _ = testClient.step(.start(clientCase.procedure, id: 7))
                    for earlier in clientCase.lines[..<index] { _ = testClient.receive(hex(earlier.answer)) }
                    #expect(testClient.receive(octets).count <= 1)
                    _ = testClient.step(.disconnected)
                    let ends = testClient.events.count { output in
                        switch output {
                        case .finished, .failed: true
                        default: false
                        }
                    }
                    #expect(ends == 1, "\(clientCase.testDescription): \(octets.hex)")
                    #expect(testClient.pool.taken == 0)
                }
            }
        }
    }
}
