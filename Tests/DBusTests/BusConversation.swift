import Basics
import TestBus
import Testing

@testable import DBus

/// Programs at a bus, and what each has received, in order.
final class BusConversation: Sendable {
    private let programs: [Connection]
    private let received: [Recorder<String>]

    /// The answers and signals that each program has received, after its name.
    var transcript: [String] {
        zip("abc", received).flatMap { name, lines in lines.all.map { "\(name): \($0)" } }
    }

    /// Opens three programs, which record every signal that reaches them.
    init(at address: BusAddress, on loop: EventLoop) async throws {
        var (programs, received): ([Connection], [Recorder<String>]) = ([], [])
        for _ in 0..<3 {
            let (program, lines) = (try await Connection.open(address, on: loop), Recorder<String>())
            _ = try await program.call(.bus("GetId", [], reply: "s"))
            // Without a match rule at the bus.
            await program.hear { signal in
                let arguments = signal.arguments.map { "\($0)" }.joined(separator: ", ")
                lines.add(
                    "\(signal.sender?.text ?? "") \(signal.path) \(signal.interface).\(signal.member) \(arguments)")
            }
            programs.append(program)
            received.append(lines)
        }
        (self.programs, self.received) = (programs, received)
    }

    /// Asks the bus, and lets all that follows arrive.
    func ask(_ program: Int, _ member: MemberName, _ arguments: [Value] = [], reply: Signature = "") async throws {
        try await call(program, .bus(member, arguments, reply: reply))
    }

    /// Calls a program or the bus, and lets all that follows arrive.
    func call(_ program: Int, _ call: Call) async throws {
        let answer: String
        do { answer = "\(try await programs[program].call(call))" } catch { answer = "\(error)" }
        received[program].add("\(call.member) -> \(answer)")
        try await settle()
    }

    /// Emits a signal, and lets it arrive.
    func emit(_ program: Int, _ signal: Signal) async throws {
        try await programs[program].emit(signal)
        try await settle()
    }

    /// Lets a program leave the bus.
    func leave(_ program: Int) async throws {
        let name = try #require(await programs[program].name)
        await programs[program].close()
        for other in programs where await other.isOpen { try await other.awaitEnd(of: name) }
        try await settle()
    }

    /// Exports an object that replies to `Now`, and keeps the calls of `Later`.
    func serve(_ program: Int) async throws {
        let kept = Recorder<Invocation>()
        let methods = [
            Method("Now", results: Parameters("s")) { $0.reply([.string("now")]) }, Method("Later") { kept.add($0) },
        ]
        try await programs[program].export(ExportedObject("/x", [Interface("x.Service", methods: methods)]))
    }

    /// Calls a method that does not reply, and goes on.
    func begin(_ program: Int, _ call: Call) async throws {
        try await programs[program].call(call) { [received] result in
            received[program].add("\(call.member) -> \(result)")
        }
        try await settle()
    }

    /// After a round trip of each program, it has what the bus had sent it.
    private func settle() async throws {
        for program in programs where await program.isOpen {
            _ = try await program.call(.bus("GetId", [], reply: "s"))
        }
    }
}

extension Connection {
    /// Waits until the bus has noticed that a program has left.
    func awaitEnd(of name: BusName) async throws {
        let hasOwner = Call.bus("NameHasOwner", [.string(name.text)], reply: "b")
        while try await call(hasOwner) == [.boolean(true)] { try await loop.sleep(for: .milliseconds(1)) }
    }

    fileprivate func hear(_ handler: @escaping @Sendable (Signal) -> Void) {
        _ = listeners.add(.signals(MatchRule(), handler))
    }
}
