import Basics
import Bluetooth
import GATT
import Testing

/// What a server keeps of a bonded client.  Core 6.0, Vol 3, Part G, sections 2.5.2.1 and 3.3.3.3.
@Suite struct BondedClientTests {
    /// A client that has subscribed to Service Changed (0009) and to 2A18 (0012), with robust caching.
    private static func subscribed() throws -> TestServer<Pages> {
        var server = try Glucose.server()
        #expect(server.answer([0x12, 0x0B, 0x00, 0x01]) == [[0x13]])
        #expect(server.answer([0x12, 0x09, 0x00, 0x02, 0x00]) == [[0x13]])
        #expect(server.answer([0x12, 0x12, 0x00, 0x02, 0x00]) == [[0x13]])
        return server
    }

    /// The server in the client's next connection.
    private static func restored(
        _ client: BondedClient, _ services: [ServiceDefinition]
    ) throws -> (server: TestServer<Pages>, sent: [[UInt8]]) {
        var server = try Glucose.server(services)
        let sent = server.restore(client)
        return (server, sent)
    }

    @Test func `Subscriptions and features are those of the last connection`() throws {
        let first = try Self.subscribed()
        var (server, sent) = try Self.restored(first.server.bondedClient(knowing: first.table), Glucose.services)
        #expect(sent == [])
        #expect(server.answer([0x0A, 0x12, 0x00]) == [[0x0B, 0x02, 0x00]])
        #expect(server.answer([0x0A, 0x0B, 0x00]) == [[0x0B, 0x01]])
        #expect(server.indicate(0x11, [7]) == [[0x1D, 0x11, 0x00, 7]])
    }

    @Test func `A change of the attributes during the absence is indicated first`() throws {
        let first = try Self.subscribed()
        var (server, sent) = try Self.restored(first.server.bondedClient(knowing: first.table), Glucose.more)
        #expect(sent.map { $0.prefix(3) } == [[0x1D, 0x08, 0x00]])
        #expect(server.answer([0x0A, 0x03, 0x00]) == [[0x01, 0x0A, 0x03, 0x00, 0x12]])
    }

    @Test func `GATT/SR/GAS/BV-07-C: Database Out Of Sync is sent in each connection`() throws {
        let first = try Self.subscribed()
        var (server, _) = try Self.restored(first.server.bondedClient(knowing: first.table), Glucose.more)
        #expect(server.answer([0x0A, 0x03, 0x00]) == [[0x01, 0x0A, 0x03, 0x00, 0x12]])
        var (next, _) = try Self.restored(server.server.bondedClient(knowing: server.table), Glucose.more)
        #expect(next.answer([0x0A, 0x03, 0x00]) == [[0x01, 0x0A, 0x03, 0x00, 0x12]])
        #expect(next.answer([0x0A, 0x03, 0x00]).first?.first == 0x0B)
    }

    @Test func `A change that the device hides is not indicated`() throws {
        let first = try Self.subscribed()
        var client = first.server.bondedClient(knowing: first.table)
        client.ignoreChange(to: try Glucose.server(Glucose.more).table)
        let (_, sent) = try Self.restored(client, Glucose.more)
        #expect(sent == [])
    }

    // MARK: Switched off

    /// A record, as a device stores it.
    private static func record(_ server: TestServer<Pages>) throws -> BondedClient.Record {
        try #require(server.server.bondedClient(knowing: server.table).record)
    }

    @Test func `A record has the subscriptions, features, and the hash of the attributes`() throws {
        var first = try Self.subscribed()
        let record = try Self.record(first)
        #expect(record.configurations == [0x08: .indication, 0x11: .indication])
        #expect(record.features == 1)
        #expect(record.isChangeAware)
        #expect(
            first.answer([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x2A, 0x2B]) == [[0x09, 18, 0x0D, 0x00] + record.databaseHash])
    }

    @Test func `Subscriptions and features survive a device that is switched off`() throws {
        let first = try Self.subscribed()
        let table = try Glucose.server().table
        var (server, sent) = try Self.restored(BondedClient(Self.record(first), table: table), Glucose.services)
        #expect(sent == [])
        #expect(server.answer([0x0A, 0x12, 0x00]) == [[0x0B, 0x02, 0x00]])
        #expect(server.answer([0x0A, 0x0B, 0x00]) == [[0x0B, 0x01]])
        #expect(server.indicate(0x11, [7]) == [[0x1D, 0x11, 0x00, 7]])
    }

    @Test func `After a change while it was off, all attributes may have changed`() throws {
        let first = try Self.subscribed()
        let table = try Glucose.server(Glucose.more).table
        var (server, sent) = try Self.restored(BondedClient(Self.record(first), table: table), Glucose.more)
        #expect(sent == [[0x1D, 0x08, 0x00, 0x01, 0x00, 0xFF, 0xFF]])
        #expect(server.answer([0x0A, 0x03, 0x00]) == [[0x01, 0x0A, 0x03, 0x00, 0x12]])
        #expect(server.indicate(0x11, [7]) == [])
    }

    @Test func `A change-unaware client stays so`() throws {
        var record = try Self.record(try Self.subscribed())
        record.isChangeAware = false
        let client = BondedClient(record, table: try Glucose.server().table)
        #expect(client.record == record)
        var (server, sent) = try Self.restored(client, Glucose.services)
        #expect(sent == [])
        #expect(server.answer([0x0A, 0x03, 0x00]) == [[0x01, 0x0A, 0x03, 0x00, 0x12]])
    }

    @Test func `A configuration that no client could have written is ignored`() throws {
        var record = try Self.record(try Self.subscribed())
        record.configurations[0x11] = .notification
        record.configurations[0x4321] = .notification
        let client = BondedClient(record, table: try Glucose.server().table)
        #expect(client.record?.configurations == [0x08: .indication])
    }
}
