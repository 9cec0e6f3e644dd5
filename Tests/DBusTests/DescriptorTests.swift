import Basics
import DBus
import Glibc
import TestBus
import Testing

/// File descriptors in messages.
@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct DescriptorTests {
    /// Waits until nobody has a copy of the other end.
    private static func waitForEnd(of descriptor: Descriptor, _ loop: EventLoop) async throws {
        try await loop.until { Pipe.read(descriptor) == [] }
    }

    @Test func `A descriptor passes a call and its reply, and nobody keeps a copy`() throws {
        try onBothBuses { bus, loop in
            let (_, client, ask) = try await Service().open(bus, loop)
            var pipe = Pipe()
            let reading = try #require(pipe?.reading)
            do {
                let sent = Value.variant(.structure([.descriptor(try #require(pipe?.writing)), .byte(1)]))
                let answer = try await ask("Echo", [sent], reply: "v").get()
                pipe = nil
                let received = try #require(answer.first?.variant?.members?.first?.descriptor)
                Pipe.write([5], to: received)
                #expect(Pipe.read(reading) == [5])
                #expect(Pipe.read(reading) == nil, "the received copy is open")
            }
            try await Self.waitForEnd(of: reading, loop)
            #expect(await client.isOpen)
        }
    }

    @Test func `A descriptor that somebody takes stays open`() throws {
        try onBothBuses { bus, loop in
            let (_, _, ask) = try await Service().open(bus, loop)
            let answer = try await ask("Open", reply: "h").get()
            let received = try #require(answer.first?.descriptor)
            let number = try #require(received.take())
            #expect(received.number == nil && received.take() == nil)
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0, "programs that this one starts do not inherit it")
            #expect(close(number) == 0)
        }
    }

    @Test func `Calls that are refused, unknown or without a receiver leave nothing open`() throws {
        try onBothBuses { bus, loop in
            let (_, client, ask) = try await Service().open(bus, loop)
            var pipe = Pipe()
            let reading = try #require(pipe?.reading)
            let value = Value.descriptor(try #require(pipe?.writing))
            #expect(await ask("Refuse", [value]).errorName == "org.freedesktop.DBus.Error.InvalidArgs")
            #expect(await ask("Nothing", [value]).errorName == "org.freedesktop.DBus.Error.UnknownMethod")
            #expect(await ask("Keep", [value], reply: "s").errorName != nil)
            await #expect(throws: CallFailure.self) {
                try await client.call(Call(":1.999", "/a", "x.A", "Lost", [value]))
            }
            try await client.emit(Signal("/a", "x.A", "Heard", [value]))
            _ = await ask("Echo", [.variant(value)], reply: "v")
            pipe = nil
            _ = consume value
            try await Self.waitForEnd(of: reading, loop)
        }
    }

    @Test func `More than 16 descriptors are not sent`() throws {
        try onBothBuses { bus, loop in
            let (_, client, ask) = try await Service().open(bus, loop)
            let pipe = try #require(Pipe())
            func send(_ count: Int) async -> Result<[Value], CallFailure> {
                let values = [Value](repeating: .descriptor(pipe.writing), count: count)
                return await ask("Echo", [.variant(.array(of: .descriptor, values))], reply: "v")
            }
            #expect(try await send(16).get().first?.variant?.elements?.count == 16)
            guard case .failure(.invalidArgument(let problem)) = await send(17) else {
                Issue.record("it was sent")
                return
            }
            #expect(problem.description == "more than 16 file descriptors")
            #expect(await client.isOpen)
        }
    }

    @Test func `A caller that does not take descriptors gets an error in place of the reply`() throws {
        try OwnBus.run { bus, loop in
            let (server, _, ask) = try await Service().open(bus, loop)
            let peer = try await RawPeer.open(bus.socket, loop)
            peer.send(Frame.call(Service.path.text, nil, "Open", to: ask.name.text).octets)
            try await loop.until { peer.hasHeard("org.freedesktop.DBus.Error.NotSupported") }
            #expect(await server.isOpen)
            peer.close()
        }
    }

    /// libdbus refuses to queue a message with descriptors for a connection that does not take them.
    @Test func `A monitor that does not take descriptors misses the messages that have some`() throws {
        try OwnBus.run { bus, loop in
            let (_, _, ask) = try await Service().open(bus, loop)
            let monitor = try await RawPeer.open(bus.socket, loop)
            var frame = Frame.call(
                "/org/freedesktop/DBus", "org.freedesktop.DBus.Monitoring", "BecomeMonitor", to: "org.freedesktop.DBus")
            (frame.signature, frame.body) = ("asu", Frame.number(0) + Frame.number(0))
            let before = monitor.octets.count
            monitor.send(frame.octets)
            try await loop.until { monitor.octets.count > before }
            _ = await ask("Refuse")
            try await loop.until { monitor.hasHeard("Refuse") }
            #expect(try await ask("Open", reply: "h").get().first?.descriptor != nil)
            _ = await ask("Echo", [.variant(.string("last"))], reply: "v")
            try await loop.until { monitor.hasHeard("last") }
            monitor.close()
        }
    }

    @Test func `Descriptors for a program that does not read are limited, and end with it`() throws {
        try OwnBus.run { bus, loop in
            let client = try await Connection.open(bus.address, on: loop)
            let peer = try await RawPeer.open(bus.socket, loop, takingDescriptors: true)
            peer.stopReading()
            let names = try await client.call(.bus("ListNames", [], reply: "as")).first?.strings ?? []
            let own = await client.name?.text
            let other = names.first { $0.hasPrefix(":") && $0 != own }
            let name = try BusName(try #require(other))
            var pipe = Pipe()
            let reading = try #require(pipe?.reading)
            do {
                let descriptors = [Value](repeating: .descriptor(try #require(pipe?.writing)), count: 16)
                let arguments = descriptors + [.octets([UInt8](repeating: 0, count: 400_000))]
                let failures = Recorder<CallFailure>()
                for _ in 0..<24 {
                    try await client.call(Call(name, "/a", "x.A", "Take", arguments)) { result in
                        if case .failure(let failure) = result { failures.add(failure) }
                    }
                }
                try await loop.until { !failures.all.isEmpty }
                guard case .remote(let error) = failures.all[0] else {
                    Issue.record("\(failures.all)")
                    return
                }
                #expect(error.name == "org.freedesktop.DBus.Error.LimitsExceeded")
            }
            pipe = nil
            #expect(Pipe.read(reading) == nil, "some wait")
            peer.close()
            try await Self.waitForEnd(of: reading, loop)
            #expect(await client.isOpen)
        }
    }
}
