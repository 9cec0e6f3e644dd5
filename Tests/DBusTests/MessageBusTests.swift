import Basics
import Glibc
import Sockets
import TestBus
import Testing

@testable import DBus

@Suite struct MessageBusTests {
    /// Programs a, b and c ask, call and leave; then the two buses are compared.
    struct Conversation: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let play: @Sendable (BusConversation) async throws -> Void

        init(_ name: String, _ play: @escaping @Sendable (BusConversation) async throws -> Void) {
            (testDescription, self.play) = (name, play)
        }
    }

    private static func request(
        _ programs: BusConversation, _ program: Int, _ flags: UInt32, _ name: String = "x.Name"
    ) async throws {
        try await programs.ask(program, "RequestName", [.string(name), .uint32(flags)], reply: "u")
    }

    private static let names = [
        Conversation("an owner, a second one that waits, a third that does not") { programs in
            try await request(programs, 0, 0)
            try await request(programs, 1, 0)
            try await request(programs, 2, 4)
            try await request(programs, 0, 0)
            try await programs.ask(2, "ListQueuedOwners", [.string("x.Name")], reply: "as")
            try await programs.ask(0, "ReleaseName", [.string("x.Name")], reply: "u")
            try await programs.ask(0, "ReleaseName", [.string("x.Name")], reply: "u")
            try await programs.ask(0, "ReleaseName", [.string("x.Other")], reply: "u")
            try await programs.ask(2, "GetNameOwner", [.string("x.Name")], reply: "s")
        },
        Conversation("an owner that allows its replacement") { programs in
            try await programs.ask(2, "AddMatch", [.string("type='signal',member='NameOwnerChanged'")])
            try await request(programs, 0, 1)
            try await request(programs, 1, 0)
            try await request(programs, 2, 2)
            try await programs.ask(0, "ListQueuedOwners", [.string("x.Name")], reply: "as")
            try await request(programs, 0, 2)
            try await programs.ask(2, "ReleaseName", [.string("x.Name")], reply: "u")
        },
        Conversation("an owner that is replaced and does not wait") { programs in
            try await request(programs, 0, 5)
            try await request(programs, 1, 2)
            try await programs.ask(0, "ListQueuedOwners", [.string("x.Name")], reply: "as")
        },
        Conversation("an owner that leaves") { programs in
            try await programs.ask(2, "AddMatch", [.string("sender='org.freedesktop.DBus'")])
            try await request(programs, 0, 0)
            try await request(programs, 0, 0, "x.Second")
            try await request(programs, 1, 0)
            try await programs.leave(0)
            try await programs.ask(2, "NameHasOwner", [.string("x.Second")], reply: "b")
            try await programs.ask(2, "GetNameOwner", [.string("x.Name")], reply: "s")
        },
        Conversation("names that nobody can have") { programs in
            for name in ["org.freedesktop.DBus", ":1.7", "x", "", "x..y"] {
                try await programs.ask(0, "NameHasOwner", [.string(name)], reply: "b")
            }
        },
    ]

    private static let questions = [
        Conversation("all questions") { programs in
            for name in ["org.freedesktop.DBus", ":1.0", ":1.2", ":1.77", "x.Nobody"] {
                try await programs.ask(0, "NameHasOwner", [.string(name)], reply: "b")
                try await programs.ask(0, "GetNameOwner", [.string(name)], reply: "s")
                try await programs.ask(0, "GetConnectionUnixUser", [.string(name)], reply: "u")
                try await programs.ask(0, "ListQueuedOwners", [.string(name)], reply: "as")
            }
            try await programs.ask(0, "ListNames", reply: "as")
            try await programs.ask(0, "ListActivatableNames", reply: "as")
            try await programs.ask(0, "GetConnectionUnixProcessID", [.string(":1.1")], reply: "u")
            try await programs.ask(0, "Hello", reply: "s")
        }
    ]

    private static let rules = [
        Conversation("each key of a match rule") { programs in
            let rules = [
                "type='signal'", "type='method_call'", "sender=':1.1'", "sender='x.Name'", "sender='x.Nobody'",
                "interface='x.A'", "member='One'", "path='/p'", "path_namespace='/p'", "path_namespace='/'",
                "arg0='a'", "arg1='b'", "arg0path='/aa/'", "arg0path='/aa/bb'", "arg0namespace='x.a'",
                "destination=':1.0'",
                "", "type=signal,member=One", "type='signal' , member='Two'", #"arg0='it'\''s'"#, "eavesdrop='true'",
            ]
            try await request(programs, 1, 0)
            for rule in rules {
                try await programs.ask(0, "AddMatch", [.string(rule)])
                for (path, interface, member, arguments) in signals {
                    try await programs.emit(1, Signal(path, interface, member, arguments))
                }
                try await programs.ask(0, "RemoveMatch", [.string(rule)])
            }
        },
        Conversation("rules that are removed one by one") { programs in
            for _ in 0..<2 { try await programs.ask(0, "AddMatch", [.string("interface='x.A',member='One'")]) }
            try await programs.emit(1, Signal("/p", "x.A", "One"))
            try await programs.ask(0, "RemoveMatch", [.string("member='One',interface='x.A'")])
            try await programs.emit(1, Signal("/p", "x.A", "One"))
            try await programs.ask(0, "RemoveMatch", [.string("interface='x.A',member='One'")])
            try await programs.emit(1, Signal("/p", "x.A", "One"))
        },
    ]

    private static let signals: [(ObjectPath, InterfaceName, MemberName, [Value])] = [
        ("/p", "x.A", "One", []), ("/p/q", "x.A", "Two", [.string("a"), .string("b")]),
        ("/pq", "x.B", "One", [.path("/aa/bb/cc")]), ("/", "x.B", "Two", [.string("/aa/bb")]),
        ("/p", "x.B", "One", [.string("x.a.b"), .uint32(1)]), ("/p", "x.A", "One", [.string("it's")]),
        ("/p", "x.A", "One", [.string("/aa/")]), ("/p", "x.A", "One", [.string("x.ab")]),
    ]

    private static let calls = [
        Conversation("a program that replies, one that does not, and nobody") { programs in
            try await programs.serve(1)
            try await request(programs, 1, 0)
            for name in ["x.Name", ":1.1", ":1.9", "x.Nobody"] {
                try await programs.call(0, Call(BusName(name), "/x", "x.Service", "Now", reply: "s"))
            }
            try await programs.call(0, Call("x.Name", "/x", "x.Service", "Unknown"))
            try await programs.begin(0, Call("x.Name", "/x", "x.Service", "Later"))
            try await programs.begin(2, Call(":1.1", "/x", "x.Service", "Later"))
            try await programs.leave(1)
            try await programs.call(0, Call("x.Name", "/x", "x.Service", "Now", reply: "s"))
        }
    ]

    @Test(
        .enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)"), arguments: names + questions + rules + calls)
    func `The bus answers as dbus-daemon does`(conversation: Conversation) throws {
        let (there, here) = (Recorder<String>(), Recorder<String>())
        try onBus { bus, loop in
            let programs = try await BusConversation(at: bus.address, on: loop)
            try await conversation.play(programs)
            for line in programs.transcript { there.add(line) }
        }
        try OwnBus.run { bus, loop in
            let programs = try await BusConversation(at: bus.address, on: loop)
            try await conversation.play(programs)
            for line in programs.transcript { here.add(line) }
        }
        #expect(!there.all.isEmpty)
        #expect(here.all.count == there.all.count)
        for (own, other) in zip(here.all, there.all) where own != other {
            Issue.record("\(own), but dbus-daemon: \(other)")
        }
    }

    /// Texts that are not match rules, and that a bus must not take for others.
    @Test(arguments: [
        "nonsense", "type='nothing'", "member='One',member='Two'", "arg64='x'", "argx='x'", "member='One",
        "path='/p',path_namespace='/p'", "arg0='a',arg0path='/a/'", "colour='red'",
    ])
    func `A text that is not a match rule is refused`(text: String) throws {
        #expect(throws: ReceivedRule.Malformed.self) { try ReceivedRule(text) }
        try OwnBus.run { bus, loop in
            let program = try await Connection.open(bus.address, on: loop)
            let answer = await outcome { () throws(CallFailure) in
                try await program.call(.bus("AddMatch", [.string(text)]))
            }
            #expect(answer.errorName == "org.freedesktop.DBus.Error.MatchRuleInvalid")
        }
    }
}

@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct MonitorTests {
    @Test func `A monitor receives all messages, and loses its name`() throws {
        try onBothBuses { bus, loop in
            let monitor = try await RawPeer.open(bus.socket, loop)
            var frame = Frame.call(
                "/org/freedesktop/DBus", "org.freedesktop.DBus.Monitoring", "BecomeMonitor", to: "org.freedesktop.DBus")
            (frame.signature, frame.body) = ("asu", Frame.number(0) + Frame.number(0))
            monitor.send(frame.octets)
            let caller = try await Connection.open(bus.address, on: loop)
            let (_, _, ask) = try await Service().open(bus, loop)
            _ = try await caller.call(
                Call(ask.name, Service.path, Service.interface, "Echo", [.variant(.string("whispered"))], reply: "v"))
            try await loop.until { monitor.hasHeard("whispered") && monitor.hasHeard("NameOwnerChanged") }
            let names = try await caller.call(.bus("ListNames", [], reply: "as")).first?.strings ?? []
            #expect(!names.contains(":1.0"))
        }
    }
}

/// Programs that do what no bus can want.
@Suite struct HostileProgramTests {
    private static let hello = Frame.call(
        "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello", to: "org.freedesktop.DBus")

    @Test func `A program that sends something else first is disconnected`() throws {
        try OwnBus.run { bus, loop in
            let stream = try StreamConnection(to: .unix(path: bus.socket), on: loop)
            let ended = Recorder<Bool>()
            stream.start { event in
                switch event {
                case .ended, .failed: ended.add(true)
                default: break
                }
            }
            let user = "\(getuid())".utf8.map { "3" + String($0 - 48) }.joined()
            let list = Frame.call("/", "org.freedesktop.DBus", "ListNames", to: "org.freedesktop.DBus")
            stream.send([0] + Array("AUTH EXTERNAL \(user)\r\nBEGIN\r\n".utf8) + list.octets)
            try await loop.until { !ended.all.isEmpty }
            _ = try await Connection.open(bus.address, on: loop)
        }
    }

    @Test func `Octets that are not messages end only their connection`() throws {
        try OwnBus.run { bus, loop in
            let good = try await Connection.open(bus.address, on: loop)
            for bit in stride(from: 0, to: Self.hello.octets.count * 8, by: 3) {
                let peer = try await RawPeer.open(bus.socket, loop)
                var octets = Self.hello.octets
                octets[bit / 8] ^= 1 << (bit % 8)
                peer.send(octets)
                peer.send(Array(octets.prefix(bit / 8)))
                peer.close()
            }
            let names = try await good.call(.bus("ListNames", [], reply: "as"))
            #expect(names.first?.strings?.count ?? 0 <= 4)
        }
    }

    @Test func `The bus sets the sender of each message`() throws {
        try OwnBus.run { bus, loop in
            let listener = try await Connection.open(bus.address, on: loop)
            let heard = Recorder<Signal>()
            _ = try await listener.subscribe(MatchRule(interface: "x.A")) { heard.add($0) }
            let peer = try await RawPeer.open(bus.socket, loop)
            let name = try #require(await listener.name)
            peer.send(Frame.signal("/a", "x.A", "One", to: nil, from: name.text, text: "forged").octets)
            try await loop.until { !heard.all.isEmpty }
            #expect(heard.all.first?.sender == ":1.1")
        }
    }

    @Test func `Rules, names and waiting calls have limits`() throws {
        try OwnBus.run { bus, loop in
            let greedy = try await Connection.open(bus.address, on: loop)
            let callee = try await Connection.open(bus.address, on: loop)
            let name = try #require(await callee.name)
            try await callee.export(
                ExportedObject("/x", [Interface("x.Y", methods: [Method("Keep") { kept.add($0) }])]))
            func limit(_ call: (Int) -> Call) async throws -> Int {
                for count in 0..<5000 {
                    let answer = await outcome { () throws(CallFailure) in try await greedy.call(call(count)) }
                    guard answer.errorName == "org.freedesktop.DBus.Error.LimitsExceeded" else { continue }
                    return count
                }
                return .max
            }
            #expect(try await limit { .bus("AddMatch", [.string("member='M\($0)'")]) } == 512)
            #expect(try await limit { .bus("RequestName", [.string("x.N\($0)"), .uint32(0)], reply: "u") } == 512)
            let refused = Recorder<Int>()
            for count in 0..<1100 {
                try await greedy.call(Call(name, "/x", "x.Y", "Keep")) { result in
                    if result.errorName == "org.freedesktop.DBus.Error.LimitsExceeded" { refused.add(count) }
                }
            }
            try await loop.until { refused.all.count == 1100 - 1024 }
        }
    }

    private let kept = Recorder<Invocation>()

    /// It asks again and again, and never reads an answer.
    @Test func `A program that does not read is disconnected, and others go on`() throws {
        try OwnBus.run { bus, loop in
            let good = try await Connection.open(bus.address, on: loop)
            let deaf = try await RawPeer.open(bus.socket, loop)
            deaf.stopReading()
            let rule = "type='signal',interface='x.A'"
            var frame = Frame.call("/", "org.freedesktop.DBus", "AddMatch", to: "org.freedesktop.DBus")
            (frame.signature, frame.body) = ("s", Frame.text(rule))
            deaf.send(frame.octets)
            let names = { () async throws -> Int in
                try await good.call(.bus("ListNames", [], reply: "as")).first?.strings?.count ?? 0
            }
            #expect(try await names() == 3)
            let large = Value.octets([UInt8](repeating: 0x5A, count: 1 << 20))
            for _ in 0..<40 where try await names() == 3 { try await good.emit(Signal("/a", "x.A", "One", [large])) }
            #expect(try await names() == 2)
        }
    }

    @Test func `There is a limit of programs, and room again when one leaves`() throws {
        try OwnBus.run { bus, loop in
            var programs: [Connection] = []
            for _ in 0..<MessageBus.maximumPrograms {
                programs.append(try await Connection.open(bus.address, on: loop))
            }
            await #expect(throws: ConnectionFailure.self) { try await Connection.open(bus.address, on: loop) }
            let name = try #require(await programs[7].name)
            await programs[7].close()
            try await programs[8].awaitEnd(of: name)
            _ = try await Connection.open(bus.address, on: loop)
        }
    }

    @Test(arguments: ["unix:path=/nowhere/bus", "nonsense", "", "unix:path=\0"])
    func `Where nobody can listen there is no bus`(address: String) {
        let loop = EventLoop(pace: .real())
        #expect(throws: ConnectionFailure.self) { try MessageBus(at: .at(address), on: loop) }
    }
}
