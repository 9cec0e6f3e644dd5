import Basics
import Bluetooth
import GATT
import Testing

/// Values that the caller reads and writes later.
///
///     0001-000A  180D  0003 2A38 read; 0005 2A39 read, write; 0007 2A00 read, fixed; 0009 2A37 notify, 000A CCCD
@Suite struct RequestedValueTests {
    typealias RequestServer = TestServer<NoAttributeValues>

    private func server() throws -> RequestServer {
        let service = ServiceDefinition(
            uuid: UUID(0x180D),
            characteristics: [
                CharacteristicDefinition(uuid: UUID(0x2A38), properties: .read, value: .requested),
                CharacteristicDefinition(
                    uuid: UUID(0x2A39), properties: [.read, .write, .writeWithoutResponse], value: .requested),
                CharacteristicDefinition(uuid: UUID(0x2A00), properties: .read, value: .fixed([0x41])),
                CharacteristicDefinition(uuid: UUID(0x2A37), properties: .notify, value: .requested),
            ])
        return TestServer(try AttributeTable([service]), NoAttributeValues())
    }

    private func read(_ handle: UInt16, from offset: Int = 0) -> [AccessRequest] {
        [AccessRequest(handle: handle, offset: offset, written: nil)]
    }

    @Test func `A read waits for the answer`() throws {
        var server = try server()
        #expect(server.answer(hex("0A 03 00")) == [])
        #expect(server.events == [.requested(read(3), needsAnswer: true)])
        #expect(server.give(.success([1])) == [hex("0B 01")])
        #expect(server.events == [.read(handle: 3, [1])])
        #expect(server.give(.success([2])) == [])
        #expect(server.pool.taken == 0)
    }

    @Test func `A part is read from its offset on`() throws {
        var server = try server()
        #expect(server.answer(hex("0C 03 00 16 00")) == [])
        #expect(server.events == [.requested(read(3, from: 22), needsAnswer: true)])
        #expect(server.give(.success([7, 8])) == [hex("0D 07 08")])
    }

    @Test func `The caller's error is sent`() throws {
        var server = try server()
        #expect(server.answer(hex("12 05 00 01")) == [])
        #expect(server.give(.failure(.valueNotAllowed)) == [hex("01 12 05 00 13")])
        #expect(server.events == [.refused(opcode: 0x12, handle: 5, .valueNotAllowed)])
    }

    @Test func `A command needs no answer`() throws {
        var server = try server()
        #expect(server.answer(hex("52 05 00 01")) == [])
        let access = [AccessRequest(handle: 5, offset: 0, written: [1])]
        #expect(server.events == [.requested(access, needsAnswer: false), .written(handle: 5, [1])])
        #expect(server.answer(hex("0A 07 00")) == [hex("0B 41")])
    }

    @Test func `Prepared writes are asked about together, and stay until the answer`() throws {
        var server = try server()
        _ = server.answer(hex("16 05 00 00 00 31 32"))
        _ = server.answer(hex("16 05 00 02 00 33"))
        #expect(server.answer(hex("18 01")) == [])
        let parts = [
            AccessRequest(handle: 5, offset: 0, written: [0x31, 0x32]),
            AccessRequest(handle: 5, offset: 2, written: [0x33]),
        ]
        #expect(server.events == [.requested(parts, needsAnswer: true)])
        #expect(server.give(.success([])) == [hex("19")])
        #expect(server.answer(hex("18 01")) == [hex("19")])
    }

    @Test func `Several values of one request are asked about one after the other`() throws {
        var server = try server()
        #expect(server.answer(hex("0E 03 00 07 00 05 00")) == [])
        #expect(server.give(.success([1])) == [])
        #expect(server.events == [.requested(read(5), needsAnswer: true)])
        #expect(server.give(.success([2])) == [hex("0F 01 41 02")])
    }

    @Test func `A value is read by its type`() throws {
        var server = try server()
        #expect(server.answer(hex("08 01 00 FF FF 38 2A")) == [])
        #expect(server.give(.success([1])) == [hex("09 03 03 00 01")])
    }

    @Test func `A client that does not wait is not answered`() throws {
        var server = try server()
        _ = server.answer(hex("0A 03 00"))
        #expect(server.answer(hex("0A 07 00")) == [])
        #expect(server.give(.success([1])) == [hex("0B 01")])
        #expect(server.answer(hex("0A 07 00")) == [hex("0B 41")])
    }

    @Test func `Permissions come first`() throws {
        var server = try server()
        #expect(server.answer(hex("12 03 00 01")) == [hex("01 12 03 00 03")])
        #expect(server.answer(hex("0A 09 00")) == [hex("01 0A 09 00 02")])
    }
}

extension TestServer {
    /// The PDUs sent for an answer of the caller.
    mutating func give(_ result: Result<[UInt8], ATTError>) -> [[UInt8]] {
        var outbox: [Server.Output] = []
        server.answer(result, table: table, values: &values, at: .start, pool: &pool, into: &outbox)
        return sent(outbox)
    }
}
