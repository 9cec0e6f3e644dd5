import Basics
import DBus
import Glibc
import TestBus
import Testing

@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct HostileTests {
    // MARK: Through a real bus, which passes on what is well formed

    /// Calls that libdbus would not write, and which error answers each.
    private static func calls(to name: String) -> [(Frame, String?)] {
        let path = Service.path.text
        let (echo, properties) = (Service.interface.text, "org.freedesktop.DBus.Properties")
        func call(_ interface: String?, _ member: String, _ signature: String, _ body: [UInt8]) -> Frame {
            var frame = Frame.call(path, interface, member, to: name)
            (frame.signature, frame.body) = (signature, body)
            return frame
        }
        func nested(_ depth: Int) -> [UInt8] {
            (0..<depth - 1).flatMap { _ in [1, UInt8(ascii: "v"), 0] as [UInt8] } + [1, UInt8(ascii: "y"), 0, 9]
        }
        let bools = Frame.number(4 << 18 + 4) + [UInt8](repeating: 0, count: 4 << 18 + 4)
        return [
            (call(nil, "Refuse", "", []), "org.bluez.Error.NotPermitted"),
            (call(nil, "Nothing", "", []), "UnknownMethod"),
            (call("no.such", "Refuse", "", []), "UnknownInterface"),
            (call(echo, "Refuse", "ab", bools), "LimitsExceeded"),
            (call(echo, "Refuse", "ay", Frame.number(1 << 20) + [UInt8](repeating: 0, count: 1 << 20)), "InvalidArgs"),
            (
                call(echo, "Refuse", String(repeating: "y", count: 255), [UInt8](repeating: 1, count: 255)),
                "InvalidArgs"
            ),
            (call(echo, "Refuse", String(repeating: "a", count: 32) + "y", Frame.number(0)), "InvalidArgs"),
            (call(echo, "Echo", "v", nested(63)), nil),
            (call(properties, "Get", "v", nested(64)), "InvalidArgs"),
            (call(properties, "Get", "ss", Frame.text("a") + [0, 0] + Frame.text("")), "UnknownInterface"),
            (
                call(properties, "Set", "ssv", Frame.text("") + [0, 0, 0] + Frame.text("UUID") + [1, 121, 0, 1]),
                "PropertyReadOnly"
            ),
            (call(properties, "GetAll", "s", Frame.text("")), "UnknownInterface"),
            (call(echo, "Refuse", "h", Frame.number(0)), "LimitsExceeded"),
            (call(properties, "GetAll", "o", Frame.text("/")), "InvalidArgs"),
        ]
    }

    @Test func `Invalid calls are rejected, and the connection stays open`() throws {
        try onBothBuses { bus, loop in
            let (server, _, ask) = try await Service().open(bus, loop)
            for (frame, error) in Self.calls(to: ask.name.text) {
                let peer = try await RawPeer.open(bus.socket, loop)
                let before = peer.octets.count
                peer.send(frame.octets)
                try await loop.until { peer.octets.count > before + 100 }
                #expect(
                    peer.hasHeard(error ?? "v\0") && (error == nil) == !peer.hasHeard("Error"), "\(frame.signature)")
                peer.close()
            }
            #expect(await ask("Echo", [.variant(.byte(1))], reply: "v") == .success([.variant(.byte(1))]))
            #expect(await server.isOpen)
        }
    }

    @Test func `A call that expects no reply gets none`() throws {
        try onBothBuses { bus, loop in
            let (_, _, ask) = try await Service().open(bus, loop)
            let peer = try await RawPeer.open(bus.socket, loop)
            let before = peer.octets.count
            for member in ["Refuse", "Drop", "Nothing", "Lie"] {
                var frame = Frame.call(Service.path.text, nil, member, to: ask.name.text)
                frame.flags = 1
                peer.send(frame.octets)
            }
            peer.send(Frame.call("/", "org.freedesktop.DBus.Peer", "Ping", to: ask.name.text).octets)
            try await loop.until { peer.octets.count > before }
            #expect(!peer.hasHeard("Error."))
            peer.close()
        }
    }

    @Test func `Quoted data in errors is truncated`() throws {
        try onBothBuses { bus, loop in
            let (server, _, ask) = try await Service().open(bus, loop)
            let long = String(repeating: "\u{1}", count: 4 << 20)
            let answer = await ask.property("Get", ["", long], reply: "v")
            guard case .failure(.remote(let error)) = answer else {
                Issue.record("it is answered")
                return
            }
            #expect(error.name == "org.freedesktop.DBus.Error.UnknownProperty")
            #expect(error.message.unicodeScalars.count <= 1000)
            #expect(await server.isOpen)
        }
    }

    /// An unrequested reply must not end a call.
    @Test func `Replies without a call are ignored`() throws {
        try onBothBuses { bus, loop in
            let service = Service()
            let (_, client, ask) = try await service.open(bus, loop)
            async let waiting = ask("Keep", reply: "s")
            try await loop.until { !service.kept.isEmpty }
            let peer = try await RawPeer.open(bus.socket, loop)
            let name = try #require(await client.name)
            for serial in 1..<(20 as UInt32) {
                var frame = Frame.answer(to: serial, text: "forged")
                frame.fields = [(5, "u", Frame.number(serial)), (6, "s", Frame.text(name.text))]
                peer.send(frame.octets)
            }
            try await loop.sleep(for: .milliseconds(20))
            #expect(await ask("Echo", [.variant(.byte(1))], reply: "v") == .success([.variant(.byte(1))]))
            service.kept.first?.reply([.string("real")])
            #expect(await waiting == .success([.string("real")]))
            peer.close()
        }
    }

    // MARK: A false bus, which sends anything

    private static let good = Frame.signal("/a", "x.A", "One", to: nil, from: ":1.2", text: "heard").octets

    /// Speaks to a connection of ours until it closes; returns what signals and answers there were.
    private static func hear(_ speech: [UInt8], on loop: EventLoop) async throws -> Int {
        let (heard, ended) = (Recorder<Signal>(), Recorder<Bool>())
        let bus = try FakeBus(update: speech, on: loop)
        defer { bus.close() }
        do {
            let connection = try await Connection.open(bus.address, on: loop) { ended.add(true) }
            // Never answered: the fake bus sends its octets, and closes.
            await #expect(throws: CallFailure.disconnected) {
                try await connection.subscribe(MatchRule(interface: "x.A")) { heard.add($0) }
            }
            try await loop.until { !ended.all.isEmpty }
            #expect(await connection.isOpen == false)
        }
        return heard.all.count
    }

    @Test func `Every truncation and flipped bit is handled cleanly`() throws {
        let loop = EventLoop(pace: .real())
        try loop.run {
            try await loop.withTimeout(.seconds(120)) {
                let good = Self.good
                #expect(try await Self.hear(good + good, on: loop) == 2)
                for count in stride(from: 0, to: good.count, by: 3) {
                    _ = try await Self.hear(Array(good.prefix(count)), on: loop)
                }
                for bit in stride(from: 0, to: 8 * good.count, by: 5) {
                    var octets = good
                    octets[bit / 8] ^= 1 << UInt8(bit % 8)
                    #expect(try await Self.hear(good + octets, on: loop) >= 1, "bit \(bit)")
                }
            }
        }
    }

    @Test func `Connecting to a bus that does not reply times out`() throws {
        let loop = EventLoop(pace: .real())
        try loop.run {
            let bus = try FakeBus(refusingWith: [], on: loop)
            defer { bus.close() }
            let started = loop.now
            let failure = await #expect(throws: ConnectionFailure.self) {
                _ = try await Connection.open(bus.address, on: loop, within: .milliseconds(50))
            }
            guard case .refused(_, .timedOut) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(started.duration(to: loop.now) < .seconds(5))
        }
    }

    @Test(arguments: [
        Array("REJECTED\r\n".utf8), Array("REJECTED EXTERNAL\r\n".utf8), Array("OK\r\n".utf8), Array("é\r\n".utf8),
        [UInt8](repeating: 65, count: 100_000), Array("DATA zz\r\n".utf8), [0, 255, 13, 10],
    ])
    func `A bus that rejects the connection is a failure`(speech: [UInt8]) throws {
        let loop = EventLoop(pace: .real())
        try loop.run {
            let bus = try FakeBus(refusingWith: speech, on: loop)
            defer { bus.close() }
            await #expect(throws: ConnectionFailure.self) {
                _ = try await Connection.open(bus.address, on: loop, within: .milliseconds(200))
            }
        }
    }
}
