import Arguments
package import CommandSupport
import Documents
import Simulation
package import Sockets
import Synchronization
import TextFormatting

/// The maximum time for a reply, in real time.
private let patience = Duration.seconds(10)

/// The maximum octets of a reply; the server never sends as many.
private let maximumReply = 16 << 20

/// Parses the address of a control socket, which must be a Unix socket.
package func controlAddress(_ text: String, named name: String) throws(CommandFailure) -> StreamAddress {
    let address = try orFail(.usage, "\(name): ") { try StreamAddress(text) }
    if case .unix = address { return address }
    throw CommandFailure(.usage, "\(name) must be unix:PATH, not \(text.quoted): every user can reach a TCP port")
}

/// Sends a line to the server, and waits for its reply.
package func send(_ line: String, to address: StreamAddress) throws(CommandFailure) -> String {
    let signals = Signals()
    let loop = EventLoop(pace: .real())
    return try orFail {
        try loop.run {
            let (completion, reply) = (RunCompletion(), ReplyBuffer())
            let connection = try StreamConnection(to: address, on: loop)
            defer { connection.close() }
            connection.start { event in
                switch event {
                case .opened: break
                case .received(let octets): if reply.add(octets) { completion.finish(.quit) }
                case .ended: completion.finish(.failure("\(address): the server closed the connection without a reply"))
                case .failed(let failure): completion.finish(.failure("\(failure)"))
                }
            }
            connection.send(Array((line + "\n").utf8))
            let reason = await completion.wait(signals, on: loop, for: patience)
            if let line = reply.line { return line }
            switch reason {
            case .failure(let why): throw CommandFailure(.environment, why)
            case .signal(let number): throw CommandFailure(.signal(number), "interrupted before the reply")
            default: throw CommandFailure(.environment, "\(address): no reply within 10 s")
            }
        }
    }
}

/// The received octets of the reply.
private final class ReplyBuffer: Sendable {
    private let octets = Mutex<[UInt8]>([])

    /// Returns whether the line is complete, or too long.
    package func add(_ more: [UInt8]) -> Bool {
        octets.withLock { octets in
            octets += more
            return more.contains(UInt8(ascii: "\n")) || octets.count > maximumReply
        }
    }

    /// The first line; nil while it is incomplete.
    package var line: String? {
        octets.withLock { octets in
            octets.firstIndex(of: UInt8(ascii: "\n")).map { String(decoding: octets[..<$0], as: UTF8.self) }
        }
    }
}
