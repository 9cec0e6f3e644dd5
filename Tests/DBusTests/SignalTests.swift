import Basics
import DBus
import Glibc
import TestBus
import Testing

@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct SignalTests {
    private static let characteristic: InterfaceName = "org.bluez.GattCharacteristic1"

    /// 500 a second below a tenth of a core leave 200 µs for each; a debug build with a sanitizer takes its own.
    @Test func `10 000 notifications arrive in order, and cheaply`() throws {
        try onBothBuses { bus, loop in
            let server = try await Connection.open(bus.address, on: loop)
            let client = try await Connection.open(bus.address, on: loop)
            let heard = Recorder<UInt32?>()
            let rule = MatchRule(sender: await server.name, namespace: "/app", member: "PropertiesChanged")
            _ = try await client.subscribe(rule) { signal in
                let octets = signal.arguments.dropFirst().first?["Value"]?.octets ?? []
                heard.add(octets.count == 4 ? octets.reduce(0) { $0 << 8 | UInt32($1) } : nil)
            }
            let (count, before) = (UInt32(10_000), Self.processorTime())
            var sending = 0.0
            for number in 0..<count {
                let value = Value.octets((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
                let started = Self.processorTime()
                try await server.emitPropertiesChanged(
                    of: Self.characteristic, at: "/app/service0/char0", [("Value", value)])
                sending += Self.processorTime() - started
                if number % 500 == 499 { try await loop.until { heard.all.count > Int(number) - 400 } }
            }
            try await loop.until { heard.all.count == Int(count) }
            #expect(heard.all == (0..<count).map { $0 })
            print(
                "\(count) signals: \(sending / Double(count) * 1e6) µs to send one, "
                    + "\((Self.processorTime() - before) / Double(count) * 1e6) µs with hearing it")
            #expect(sending / Double(count) < 500e-6)
        }
    }

    /// Seconds that this thread, the loop's, has computed.
    private static func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test func `Only matching signals are delivered`() throws {
        try onBothBuses { bus, loop in
            let server = try await Connection.open(bus.address, on: loop)
            let client = try await Connection.open(bus.address, on: loop)
            let rules: [(MatchRule, [String])] = [
                (MatchRule(interface: "x.A"), ["a", "b", "c"]), (MatchRule(interface: "x.A", member: "Two"), ["b"]),
                (MatchRule(path: "/p"), ["a", "b"]), (MatchRule(namespace: "/p", member: "One"), ["a", "c"]),
                (MatchRule(sender: ":1.999", path: "/p"), []), (MatchRule(path: "/p", firstArgument: "b"), ["b"]),
                (MatchRule(firstArgument: "it's '' \\"), ["it's '' \\"]),
            ]
            var heard: [Recorder<String>] = []
            for (rule, _) in rules {
                let some = Recorder<String>()
                _ = try await client.subscribe(rule) { some.add($0.arguments.first?.string ?? "") }
                heard.append(some)
            }
            try await server.emit(Signal("/p", "x.A", "One", [.string("a")]))
            try await server.emit(Signal("/p", "x.A", "Two", [.string("b")]))
            try await server.emit(Signal("/p/q", "x.A", "One", [.string("c")]))
            try await server.emit(Signal("/pq", "x.B", "One", [.string("d")]))
            try await server.emit(Signal("/pq", "x.B", "One", [.string("it's '' \\")]))
            let last = heard[heard.count - 1]
            try await loop.until { !last.all.isEmpty }
            for (some, (rule, wanted)) in zip(heard, rules) { #expect(some.all == wanted, "\(rule)") }
        }
    }

    @Test func `Nothing is delivered after cancel`() throws {
        try onBothBuses { bus, loop in
            let server = try await Connection.open(bus.address, on: loop)
            let client = try await Connection.open(bus.address, on: loop)
            let (cancelled, other) = (Recorder<Signal>(), Recorder<Signal>())
            let subscription = try await client.subscribe(MatchRule(interface: "x.A")) { cancelled.add($0) }
            _ = try await client.subscribe(MatchRule(interface: "x.A")) { other.add($0) }
            await client.cancel(subscription)
            await client.cancel(subscription)
            try await server.emit(Signal("/", "x.A", "One"))
            try await loop.until { other.all.count == 1 }
            #expect(cancelled.all.isEmpty)
        }
    }

    @Test func `A handler can cancel and close`() throws {
        try onBothBuses { bus, loop in
            let server = try await Connection.open(bus.address, on: loop)
            let client = try await Connection.open(bus.address, on: loop)
            let heard = Recorder<Int>()
            for number in 0..<3 {
                _ = try await client.subscribe(MatchRule(interface: "x.A")) { _ in
                    heard.add(number)
                    if number == 1 { client.assumeIsolated { $0.close() } }
                }
            }
            for _ in 0..<5 { try await server.emit(Signal("/", "x.A", "One")) }
            try await loop.until { heard.all.count >= 2 }
            #expect(await client.isOpen == false)
            #expect(heard.all == [0, 1])
        }
    }

    @Test func `Changes of a name's owner are reported`() throws {
        try onBothBuses { bus, loop in
            let client = try await Connection.open(bus.address, on: loop)
            let owners = Recorder<BusName?>()
            let subscription = try await client.watchOwner(of: "org.bluez") { owners.add($0) }
            #expect(owners.all == [nil])
            var names: [BusName?] = [nil]
            for _ in 0..<2 {
                let server = try await Connection.open(bus.address, on: loop)
                try await own("org.bluez", server)
                names += [await server.name, nil]
                let late = Recorder<BusName?>()
                let second = try await client.watchOwner(of: "org.bluez") { late.add($0) }
                #expect(await late.all == [server.name])
                await client.cancel(second)
                await server.close()
                let wanted = names
                try await loop.until { owners.all.count == wanted.count }
                #expect(late.all.count == 1)
            }
            #expect(owners.all == names)
            await client.cancel(subscription)
            try await own("org.bluez", client)
            #expect(owners.all == names)
        }
    }

    /// Anyone may send a signal to us alone, whatever our rules are; the name it takes on must be its own.
    @Test func `Only signals of a name's owner match the name`() throws {
        try onBothBuses { bus, loop in
            let real = try await Connection.open(bus.address, on: loop)
            try await own("org.bluez", real)
            let client = try await Connection.open(bus.address, on: loop)
            let forger = try await RawPeer.open(bus.socket, loop)
            let (heard, all) = (Recorder<String?>(), Recorder<String?>())
            _ = try await client.subscribe(MatchRule(sender: "org.bluez", interface: "x.A")) {
                heard.add($0.arguments.first?.string)
            }
            _ = try await client.subscribe(MatchRule(interface: "x.A")) { all.add($0.arguments.first?.string) }
            let name = try #require(await client.name)
            forger.send(Frame.signal("/", "x.A", "One", to: name.text, text: "forged").octets)
            try await loop.until { all.all.count == 1 }
            try await real.emit(Signal("/", "x.A", "One", [.string("real")]))
            try await loop.until { all.all.count == 2 }
            #expect(heard.all == ["real"])
            forger.close()
            #expect(all.all == ["forged", "real"])
        }
    }

    private func own(_ name: BusName, _ connection: Connection) async throws {
        let call = Call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(name.text), .uint32(0)], reply: "u")
        #expect(try await connection.call(call) == [.uint32(1)])
    }
}
