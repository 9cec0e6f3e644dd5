import Basics
import DBus
import Glibc
import Sockets
import Synchronization

/// A fake bus: it sends the octets that a test chooses, well-formed or not.
final class FakeBus: Sendable {
    private enum Phase {
        case refusing([UInt8])
        case letting([UInt8])  // in, and then speaking
        case greeted([UInt8])
        case silent
    }

    private struct State {
        var listener: StreamListener?
        var streams: [StreamConnection] = []
        var received: [UInt8] = []
        var phase: Phase
    }

    private static let number = Mutex(0)
    private let path: String
    private let state: Mutex<State>
    var address: BusAddress { .at("unix:path=\(path)") }

    /// Lets one program in, answers its hello, and answers its next message by `speech`, and the end of the stream.
    convenience init(update speech: [UInt8], on loop: EventLoop) throws { try self.init(.letting(speech), on: loop) }

    /// Rejects the authentication: sends `speech` instead, and then nothing.
    convenience init(refusingWith speech: [UInt8], on loop: EventLoop) throws {
        try self.init(.refusing(speech), on: loop)
    }

    private init(_ phase: Phase, on loop: EventLoop) throws {
        let number = Self.number.withLock { number in
            number += 1
            return number
        }
        path = "/tmp/lubdub-false-bus-\(getpid())-\(number)"
        state = Mutex(State(phase: phase))
        let listener = try StreamListener(at: .unix(path: path), on: loop) { [self] stream in
            state.withLock { $0.streams.append(stream) }
            stream.start { [self] event in
                if case .received(let octets) = event { received(octets, on: stream) }
            }
        }
        state.withLock { $0.listener = listener }
    }

    func close() {
        let (listener, streams) = state.withLock { state in
            defer { (state.listener, state.streams) = (nil, []) }
            return (state.listener, state.streams)
        }
        for stream in streams { stream.close() }
        listener?.close()
        unsafe unlink(path)
    }

    private func received(_ octets: [UInt8], on stream: StreamConnection) {
        let (all, phase) = state.withLock { state in
            state.received += octets
            return (state.received, state.phase)
        }
        switch phase {
        case .refusing(let speech):
            go(to: .silent)
            stream.send(speech)
        case .letting(let speech):
            let begin = Array("BEGIN\r\n".utf8)
            if let start = all.indices.first(where: { all[$0...].starts(with: begin) }) {
                guard all.count >= start + begin.count + 16 else { return }
                let serial = all[(start + begin.count + 8)...].prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
                go(to: .greeted(speech))
                stream.send(Frame.answer(to: serial, text: ":1.1").octets)
            } else if all.last == UInt8(ascii: "\n") {
                go(to: phase)
                let isAsking = all.drop { $0 == 0 }.starts(with: "AUTH".utf8)
                stream.send(Array((isAsking ? "OK 0123456789abcdef0123456789abcdef\r\n" : "ERROR\r\n").utf8))
            }
        case .greeted(let speech):
            go(to: .silent)
            stream.send(speech)
            stream.close()
        case .silent: break
        }
    }

    private func go(to phase: Phase) {
        state.withLock { state in
            state.received = []
            state.phase = phase
        }
    }
}
