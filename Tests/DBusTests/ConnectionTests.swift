import Basics
import DBus
import TestBus
import Testing

@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct ConnectionTests {
    @Test func `The bus assigns a name and replies`() throws {
        try onBothBuses { bus, loop in
            let connection = try await Connection.open(bus.address, on: loop)
            let name = try #require(await connection.name)
            #expect(name.text.hasPrefix(":"))
            let call = Call(
                "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner", [.string(name.text)], reply: "b")
            #expect(try await connection.call(call) == [.boolean(true)])
        }
    }

    @Test func `Connecting without a bus fails`() throws {
        let loop = EventLoop(pace: .real())
        try loop.run {
            for address in ["unix:path=/nowhere/bus", "nonsense", "", "unix:path=\0", "é:x"] {
                do throws(ConnectionFailure) {
                    _ = try await Connection.open(.at(address), on: loop)
                    Issue.record("\(address) is a bus")
                } catch {
                    guard case .unreachable(address, _) = error else {
                        Issue.record("\(error)")
                        continue
                    }
                }
            }
        }
    }

    @Test func `Failures of a call have types`() throws {
        try onBothBuses { bus, loop in
            let service = Service()
            let (_, client, ask) = try await service.open(bus, loop)
            #expect(
                await ask("Refuse")
                    == .failure(.remote(RemoteError(name: "org.bluez.Error.NotPermitted", message: "not today"))))
            let limit = Duration.milliseconds(30)
            let late = await ask("Keep", reply: "s", within: limit)
            #expect(late == .failure(.timedOut(after: limit)))
            service.kept.first?.reply([.string("too late")])
            let malformed = await ask("ReadValue", [.options([])], reply: "s")
            #expect(malformed == .failure(.malformedReply(expected: "s", found: "\"ay\"")))
            #expect(await ask("Drop").errorName == "org.freedesktop.DBus.Error.Failed")
            #expect(await ask("Lie", reply: "s").errorName == "org.freedesktop.DBus.Error.Failed")
            #expect(await ask("Garble", reply: "s").errorName == "org.freedesktop.DBus.Error.Failed")
            let nobody = Caller(connection: client, name: "example.Nobody")
            #expect(await nobody("Echo").errorName == "org.freedesktop.DBus.Error.NameHasNoOwner")
            let answer = await ask("ReadValue", [.options([("offset", .uint16(7))])], reply: "ay")
            #expect(answer == .success([.octets([7, 1, 2])]))
        }
    }

    @Test func `A method can reply later while others run`() throws {
        try onBothBuses { bus, loop in
            let service = Service()
            let (_, _, ask) = try await service.open(bus, loop)
            async let later = ask("Keep", reply: "s")
            try await loop.until { !service.kept.isEmpty }
            #expect(await ask("Echo", [.variant(.byte(1))], reply: "v") == .success([.variant(.byte(1))]))
            let kept = service.kept
            kept.first?.reply([.string("now")])
            kept.first?.reply([.string("again")])
            kept.first?.fail(with: MethodError("a.b", "again"))
            #expect(await later == .success([.string("now")]))
        }
    }

    @Test func `A cancelled task does not wait for the reply`() throws {
        try onBothBuses { bus, loop in
            let service = Service()
            let (_, _, ask) = try await service.open(bus, loop)
            let task = loop.start { await ask("Keep", reply: "s") }
            try await loop.until { !service.kept.isEmpty }
            task.cancel()
            #expect(try await task.value == .failure(.cancelled))
            #expect(await ask("Echo", [.variant(.byte(1))], reply: "v") == .success([.variant(.byte(1))]))
        }
    }

    @Test func `A call fails when the called program disconnects`() throws {
        try onBothBuses { bus, loop in
            let service = Service()
            let (server, _, ask) = try await service.open(bus, loop)
            async let answer = ask("Keep", reply: "s")
            try await loop.until { !service.kept.isEmpty }
            await server.close()
            #expect(await answer.errorName == "org.freedesktop.DBus.Error.NoReply")
            service.kept.first?.reply([.string("nobody hears this")])
            await server.close()
            #expect(await server.isOpen == false)
        }
    }

    @Test func `Pending and later calls fail when the connection is closed`() throws {
        try onBothBuses { bus, loop in
            let service = Service()
            let (_, client, ask) = try await service.open(bus, loop)
            async let answer = ask("Keep", reply: "s")
            try await loop.until { !service.kept.isEmpty }
            await client.close()
            #expect(await answer == .failure(.disconnected))
            #expect(await ask("Echo") == .failure(.disconnected))
            await #expect(throws: CallFailure.disconnected) {
                try await client.emit(Signal("/", "example.A", "B"))
            }
            await #expect(throws: CallFailure.disconnected) { try await client.subscribe(MatchRule()) { _ in } }
        }
    }

    @Test func `The bus stops and starts again`() throws {
        try onBus { bus, loop in
            let (service, ends) = (Service(), Recorder<Int>())
            for round in 0..<3 {
                let server = try await Connection.open(bus.address, on: loop) { ends.add(round) }
                try await server.export(service.object)
                let client = try await Connection.open(bus.address, on: loop)
                let ask = Caller(connection: client, name: try #require(await server.name))
                let kept = service.kept.count
                async let waiting = ask("Keep", reply: "s")
                try await loop.until { service.kept.count > kept }
                bus.stop()
                #expect(await waiting == .failure(.disconnected))
                try await loop.until { ends.all.count == round + 1 }
                #expect(await server.isOpen == false)
                #expect(await client.isOpen == false)
                await #expect(throws: ConnectionFailure.self) { _ = try await Connection.open(bus.address, on: loop) }
                try bus.start()
            }
            #expect(ends.all == [0, 1, 2])
        }
    }

    /// Many answers come in one turn of the loop, and each finds its question.
    @Test func `A thousand parallel calls`() throws {
        try onBothBuses { bus, loop in
            let (_, client, ask) = try await Service().open(bus, loop)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<1000 {
                    group.addTask {
                        let value = Value.variant(.int64(Int64(number)))
                        return await ask("Echo", [value], reply: "v") == .success([value])
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(await client.isOpen)
        }
    }

    @Test func `A released connection leaves the bus`() throws {
        try onBothBuses { bus, loop in
            let (gone, watcher) = (Recorder<BusName?>(), try await Connection.open(bus.address, on: loop))
            func visit() async throws -> BusName? {
                let name = try #require(await Connection.open(bus.address, on: loop).name)
                _ = try await watcher.watchOwner(of: name) { gone.add($0) }
                return name
            }
            _ = try await visit()
            try await loop.until { gone.all.last == .some(nil) }
        }
    }
}
