import ATT
import Basics
import Bluetooth
import GATT
import Testing

/// Injected errors of a server.
@Suite struct ErrorInjectionTests {
    /// An error without a name.
    static let odd = ATTError(rawValue: 0x9F)
    static let heartRate = HandleRange(0x0006, 0x000D)
    static let control = HandleRange(0x000C, 0x000D)

    private static func server(_ requests: ErrorInjection.Requests, in range: HandleRange) throws -> StrapServer {
        var server = try StrapServer()
        server.server.errorInjection.add(requests, in: range, with: odd)
        return server
    }

    /// A request, its kind, and the handle in the error from the heart rate service.
    static let requests: [(name: String, octets: String, sort: ErrorInjection.Requests, handle: UInt8)] = [
        ("Read", "0A 0B 00", .read, 0x0B),
        ("Read of a configuration", "0A 09 00", .read, 0x09),
        ("Read of what may not be read", "0A 08 00", .read, 0x08),
        ("Read Blob", "0C 0B 00 00 00", .read, 0x0B),
        ("Read Multiple", "0E 03 00 0B 00", .read, 0x0B),
        ("Read Multiple Variable", "20 03 00 0B 00", .read, 0x0B),
        ("Read By Type of a value", "08 01 00 FF FF 38 2A", .read, 0x0B),
        ("Write", "12 0D 00 01", .write, 0x0D),
        ("Write of a wrong length", "12 0D 00 01 02", .write, 0x0D),
        ("Write of what may not be written", "12 0B 00 01", .write, 0x0B),
        ("Prepare Write", "16 0D 00 00 00 01", .write, 0x0D),
        ("Write of a configuration", "12 09 00 01 00", .subscribe, 0x09),
        ("Prepare Write of a configuration", "16 09 00 00 00 01", .subscribe, 0x09),
        ("Read By Group Type", "10 06 00 FF FF 00 28", .discover, 0x06),
        ("Find By Type Value", "06 01 00 FF FF 00 28 0D 18", .discover, 0x06),
        ("Read By Type of services", "08 06 00 FF FF 00 28", .discover, 0x06),
        ("Read By Type of characteristics", "08 06 00 0D 00 03 28", .discover, 0x07),
        ("Read By Type of includes, of which there are none", "08 07 00 0D 00 02 28", .discover, 0x07),
        ("Find By Type Value without a result", "06 07 00 0D 00 00 28 0D 18", .discover, 0x07),
        ("Find Information", "04 09 00 09 00", .discover, 0x09),
    ]

    @Test(arguments: requests)
    func `A request gets the error if it is of the kind`(
        name: String, octets: String, sort: ErrorInjection.Requests, handle: UInt8
    ) throws {
        let (request, sorts) = (hex(octets), [ErrorInjection.Requests.read, .write, .subscribe, .discover])
        let refused = [[0x01, request[0], handle, 0, 0x9F]]
        var sound = try StrapServer()
        let usual = sound.answer(request)
        #expect(usual != refused)
        for other in sorts + [.all, sorts.reduce([]) { $1 == sort ? $0 : $0.union($1) }] {
            var server = try Self.server(other, in: Self.heartRate)
            #expect(server.answer(request) == (other.contains(sort) ? refused : usual), "\(name), \(other)")
            guard other.contains(sort) else { continue }
            let event = Server.Output.refused(opcode: request[0], handle: UInt16(handle), Self.odd)
            #expect(server.events.last == event)
            #expect(server.pool.taken == 0)
        }
        var elsewhere = try Self.server(.all, in: HandleRange(0x000E, 0x0012))
        #expect(elsewhere.answer(request) == usual)
    }

    /// They are readable without security: Core 6.0, Vol 3, Part G, sections 3.1 to 3.3.1.
    @Test(arguments: ["0A 06 00", "0A 07 00", "0C 07 00 01 00", "0E 06 00 07 00", "20 06 00 07 00"])
    func `No server refuses to read a declaration`(request: String) throws {
        var sound = try StrapServer()
        let usual = sound.answer(hex(request))
        #expect(usual.first?.first != 0x01)
        for kinds in [ErrorInjection.Requests.read, .all] {
            var server = try Self.server(kinds, in: Self.heartRate)
            #expect(server.answer(hex(request)) == usual)
        }
    }

    /// A search lists the attributes before the first one with an error; the next request gets the error.
    @Test(arguments: [
        ("10 01 00 FF FF 00 28", "11 06 01 00 05 00 00 18"), ("08 01 00 FF FF 00 28", "09 04 01 00 00 18"),
        ("08 01 00 FF FF 03 28", "09 07 02 00 02 03 00 00 2A 04 00 02 05 00 01 2A"),
        ("04 04 00 FF FF", "05 01 04 00 03 28 05 00 01 2A"),
    ])
    func `A search stops before an attribute with an error`(request: String, response: String) throws {
        var server = try Self.server(.discover, in: Self.heartRate)
        #expect(server.answer(hex(request)) == [hex(response)])
    }

    @Test func `Errors for all handles affect every search, and Exchange MTU`() throws {
        var server = try Self.server(.all, in: .all)
        #expect(server.answer(hex("10 13 00 FF FF 00 28")) == [hex("01 10 13 00 9F")])
        #expect(server.answer(hex("0A 13 00")) == [hex("01 0A 13 00 01")])
        #expect(server.answer(hex("02 40 00")) == [hex("01 02 00 00 9F")])
        #expect(server.answer(hex("18 01")) == [hex("19")])
        var other = try Self.server(.all, in: Self.heartRate)
        #expect(other.answer(hex("02 40 00")) == [hex("03 F7 00")], "it is a request of no attribute")
    }

    /// Also if the error is the one that ends a search.
    @Test(arguments: [odd, .attributeNotFound])
    func `A search that gets an error has started, and has not finished`(error: ATTError) throws {
        var server = try StrapServer()
        server.server.errorInjection.add(.discover, in: Self.heartRate, with: error)
        _ = server.answer(hex("10 01 00 FF FF 00 28"))
        #expect(server.events == [.discovering])
        for begins in [false, true] {
            #expect(server.answer(hex("10 06 00 FF FF 00 28")) == [[0x01, 0x10, 6, 0, error.rawValue]])
            let refused = Server.Output.refused(opcode: 0x10, handle: 0x0006, error)
            #expect(server.events == (begins ? [.discovering, refused] : [refused]))
        }
    }

    @Test(arguments: [("08 01 00 FF FF 03 28", "08 07 00 FF FF 03 28"), ("04 01 00 FF FF", "04 06 00 FF FF")])
    func `A search of all handles that gets an error has started, and has not finished`(
        first: String, next: String
    ) throws {
        var server = try Self.server(.discover, in: Self.heartRate)
        _ = server.answer(hex(first))
        #expect(server.events == [.discovering])
        let request = hex(next)
        _ = server.answer(request)
        #expect(server.events == [.refused(opcode: request[0], handle: UInt16(request[1]), Self.odd)])
        _ = server.answer(hex(first))
        #expect(server.events == [.discovering])
    }

    @Test func `A command with an error has no effect and no response`() throws {
        var server = try Self.server(.write, in: Self.control)
        #expect(server.answer(hex("52 0D 00 01")) == [])
        #expect(server.values.written == [])
        #expect(server.events == [.refused(opcode: 0x52, handle: 0x000D, Self.odd)])
        server.server.errorInjection = ErrorInjection()
        #expect(server.answer(hex("52 0D 00 01")) == [])
        #expect(server.values.written == [[1]])
    }

    /// The injected error takes precedence over the invalid offset.
    @Test func `Writes prepared before the injection fail when executed, and are discarded`() throws {
        var server = try StrapServer()
        #expect(server.answer(hex("16 0D 00 09 00 01")).first?.first == 0x17)
        server.server.errorInjection.add(.write, in: Self.control, with: Self.odd)
        #expect(server.answer(hex("18 01")) == [hex("01 18 0D 00 9F")])
        #expect(server.answer(hex("18 01")) == [hex("19")])
    }

    @Test func `The entry added first takes precedence in its range`() throws {
        var server = try StrapServer()
        server.server.errorInjection.add(.write, in: Self.control, with: .insufficientEncryption)
        server.server.errorInjection.add([.read, .write], in: Self.heartRate, with: Self.odd)
        #expect(server.answer(hex("12 0D 00 01")) == [hex("01 12 0D 00 0F")])
        #expect(server.answer(hex("0A 0D 00")) == [hex("01 0A 0D 00 9F")])
        #expect(server.answer(hex("0A 03 00")).first?.first == 0x0B)
    }

    @Test func `Services and characteristics have ranges of handles`() throws {
        let table = try Strap.table()
        #expect(table.range(ofService: 1) == Self.heartRate)
        #expect(table.range(ofService: 3) == nil && table.range(ofService: -1) == nil)
        #expect(table.range(ofCharacteristicWithValue: 0x0008) == HandleRange(0x0007, 0x0009))
        #expect(table.range(ofCharacteristicWithValue: 0x0010) == HandleRange(0x000F, 0x0012))
        for handle: UInt16 in [0, 0x0001, 0x0007, 0x0009, 0x0012, 0xFFFF] {
            #expect(table.range(ofCharacteristicWithValue: handle) == nil)
        }
    }

    @Test func `An MTU offered later applies to exchanges after that`() throws {
        for (offered, mtu) in [(23, 23), (100, 100), (517, 517), (0, 23), (9999, 517)] {
            var server = try StrapServer()
            server.server.offer(mtu: offered)
            #expect(server.answer(hex("02 05 02")) == [[0x03, UInt8(mtu & 0xFF), UInt8(mtu >> 8)]])
            #expect(server.server.mtu == mtu)
            server.server.offer(mtu: 50)
            #expect(server.server.mtu == mtu)
        }
    }
}
