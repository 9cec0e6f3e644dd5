import Arguments
import Documents
import Simulation
import Sockets
import Synchronization

let controlGrammar = Arguments.Grammar(
    "control", "say to a running serve what happens now, or ask how it stands",
    operands: [
        .required("SOCKET", "unix:PATH, as serve --control has it"),
        .repeated(
            "WORD",
            """
            one of these, answered by one line of JSON:
            status                  how devices, clients and rules stand
            DO [OF] [KEY=VALUE...]  an action of the script, as in: silence strap for=8s
            clear [OF]              all ends that is done, or that is done to one entity
            '{"do": ...}'           the line itself, as in: '{"do": "set", "of": "heart_rate", "to": 300}'
            """),
    ])

/// How long an answer may take, of the clock on the wall.
private let patience = Duration.seconds(10)

/// Octets of an answer; a server of ours never says as much.
private let longestAnswer = 16 << 20

func control(_ invocation: Invocation) throws(CommandFailure) -> ExitCode {
    let address = try controlAddress(invocation.operands.first ?? "", named: "SOCKET")
    let line: String
    do throws(UsageError) { line = try ControlWords.line(of: Array(invocation.operands.dropFirst())) } catch {
        throw CommandFailure(error)
    }
    let answer = try ask(line, at: address)
    Console.print(answer)
    let node = try? Node(json: Array(answer.utf8), file: "")
    return node?["ok"]?.value == .bool(true) ? .success : .failure
}

/// The address of a control socket, which is always a path.
func controlAddress(_ text: String, named name: String) throws(CommandFailure) -> StreamAddress {
    do throws(StreamAddress.Unreadable) {
        let address = try StreamAddress(text)
        if case .unix = address { return address }
    } catch { throw CommandFailure(.usage, "lubdub: \(name): \(error)") }
    throw CommandFailure(.usage, "lubdub: \(name) must be unix:PATH, since anybody can reach \(text)")
}

/// The line that the server says to a line.
private func ask(_ line: String, at address: StreamAddress) throws(CommandFailure) -> String {
    let signals = Signals()
    let loop = EventLoop(pace: .real())
    do {
        return try loop.run {
            let (ending, heard) = (Ending(), Heard())
            let connection = try StreamConnection(to: address, on: loop)
            defer { connection.close() }
            connection.start { event in
                switch event {
                case .opened: break
                case .received(let octets): if heard.add(octets) { ending.say(.quit) }
                case .ended: ending.say(.failure("\(address): it has closed the stream without an answer"))
                case .failed(let failure): ending.say(.failure("\(failure)"))
                }
            }
            connection.send(Array((line + "\n").utf8))
            let reason = await ending.wait(signals, on: loop, for: patience)
            if let answer = heard.line { return answer }
            switch reason {
            case .failure(let why): throw CommandFailure(.environment, "lubdub: \(why)")
            case .signal(let number): throw CommandFailure(.signal(number), "lubdub: ended before the answer")
            default: throw CommandFailure(.environment, "lubdub: \(address): no answer within 10 s")
            }
        }
    } catch let failure as CommandFailure {
        throw failure
    } catch let failure as SocketFailure {
        throw CommandFailure(.environment, "lubdub: \(failure)")
    } catch { throw CommandFailure(.internalError, "lubdub: \(error)") }
}

/// What the server has said so far.
private final class Heard: Sendable {
    private let octets = Mutex<[UInt8]>([])

    /// True when there is a whole line, or more than anybody would say.
    func add(_ more: [UInt8]) -> Bool {
        octets.withLock { octets in
            octets += more
            return more.contains(UInt8(ascii: "\n")) || octets.count > longestAnswer
        }
    }

    /// The first line; nil when it has no end.
    var line: String? {
        octets.withLock { octets in
            octets.firstIndex(of: UInt8(ascii: "\n")).map { String(decoding: octets[..<$0], as: UTF8.self) }
        }
    }
}
