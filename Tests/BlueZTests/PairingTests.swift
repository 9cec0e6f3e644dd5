import Basics
import BlueZNames
import DBus
import SecurityManager
import Synchronization
import TestBus
import Testing

@testable import BlueZ

@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct PairingTests {
    /// An agent of adapter hci0, and what its person was asked; the answers come from `answers`.
    private struct TestUser: Sendable {
        let agent: PairingAgent
        let connection: Connection
        let asked = Recorder<PairingAgent.Request>()
        let failures = Recorder<HostFailure>()

        init(on bus: PrivateBus, _ loop: EventLoop, says answer: PairingAgent.Answer) async throws {
            connection = try await Connection.open(bus.address, on: loop)
            agent = PairingAgent(
                .keyboardDisplay, over: connection, on: loop, isOurs: { $0 == "hci0" },
                ask: { [asked] request, reply in
                    asked.add(request)
                    reply(answer)
                }, failed: { [failures] in failures.add($0) })
        }

        func ask(
            from asker: Connection, _ member: MemberName, _ arguments: [Value], reply: Signature = ""
        ) async throws -> Result<[Value], CallFailure> {
            guard let name = await connection.name else { throw CallFailure.disconnected }
            let call = Call(name, "/lubdub/agent", .agent, member, arguments, reply: reply)
            return await outcome { () async throws(CallFailure) in try await asker.call(call) }
        }
    }

    private static let peer = Value.path("/org/bluez/hci0/dev_00_AA_01_01_00_01")
    private static let rejected = "org.bluez.Error.Rejected"

    @Test func `It is the default agent from start to stop`() throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.none, on: bus, loop)
            let person = try await TestUser(on: bus, loop, says: .yes)
            try await person.agent.start()
            try await loop.until { bluez.calls.count == 2 }
            await person.agent.stop()
            #expect(bluez.calls == ["RegisterAgent KeyboardDisplay", "RequestDefaultAgent", "UnregisterAgent"])
            #expect(person.failures.all.isEmpty)
        }
    }

    @Test func `A rejected agent is reported`() throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.refusesAgent, on: bus, loop)
            let person = try await TestUser(on: bus, loop, says: .yes)
            try await person.agent.start()
            try await loop.until { !person.failures.all.isEmpty }
            #expect(person.failures.all.first?.description.contains("RegisterAgent") == true)
            _ = bluez
        }
    }

    @Test func `bluetoothd's requests are passed to the user`() throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.none, on: bus, loop)
            let person = try await TestUser(on: bus, loop, says: .yes)
            try await person.agent.start()
            let address = "00:AA:01:01:00:01"
            let questions: [(MemberName, [Value])] = [
                ("RequestAuthorization", [Self.peer]), ("DisplayPasskey", [Self.peer, .uint32(42), .uint16(0)]),
                ("DisplayPasskey", [Self.peer, .uint32(42), .uint16(1)]),
                ("RequestConfirmation", [Self.peer, .uint32(123_456)]),
                ("DisplayPinCode", [Self.peer, .string("0000")]), ("Cancel", []), ("Release", []),
            ]
            for (member, arguments) in questions {
                #expect(try await person.ask(from: bluez.connection, member, arguments) == .success([]))
            }
            #expect(
                person.asked.all == [
                    .justWorks(peer: address), .show(peer: address, digits: "000042"),
                    .compare(peer: address, digits: "123456"), .show(peer: address, digits: "0000"), .cancel,
                ])
        }
    }

    @Test(
        arguments: [
            (PairingAgent.Answer.digits(999_999), Value.uint32(999_999)), (.digits(1_000_000), nil), (.yes, nil),
            (.no, nil),
        ] as [(PairingAgent.Answer, Value?)])
    func `A passkey has at most six digits`(answer: PairingAgent.Answer, passkey: Value?) throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.none, on: bus, loop)
            let person = try await TestUser(on: bus, loop, says: answer)
            try await person.agent.start()
            let entered = try await person.ask(from: bluez.connection, "RequestPasskey", [Self.peer], reply: "u")
            if let passkey {
                #expect(entered == .success([passkey]))
            } else {
                #expect(entered.errorName == Self.rejected)
            }
        }
    }

    @Test func `ErrorInjection, other adapters and other callers are rejected`() throws {
        try onBus { bus, loop in
            let bluez = try await FakeBlueZ(.none, on: bus, loop)
            let person = try await TestUser(on: bus, loop, says: .no)
            try await person.agent.start()
            let refused = try await person.ask(from: bluez.connection, "RequestAuthorization", [Self.peer])
            #expect(refused.errorName == Self.rejected)
            for path in ["/", "/org/bluez/hci1/dev_00_AA_01_01_00_01", "/org/bluez/hci0", "/org/bluez/hci0/x"] {
                let foreign = try await person.ask(
                    from: bluez.connection, "RequestAuthorization", [.path(try ObjectPath(path))])
                #expect(foreign.errorName == Self.rejected)
            }
            let classic = try await person.ask(
                from: bluez.connection, "RequestPinCode", [Self.peer], reply: "s")
            #expect(classic.errorName == Self.rejected)
            let stranger = try await Connection.open(bus.address, on: loop)
            let denied = try await person.ask(from: stranger, "RequestAuthorization", [Self.peer])
            #expect(denied.errorName == "org.freedesktop.DBus.Error.AccessDenied")
            #expect(person.asked.all == [.justWorks(peer: "00:AA:01:01:00:01")])
        }
    }
}
