package import Basics
package import CommandSupport
import Documents
import Linux
package import Sockets
import Synchronization

/// Converts the words of `lubdub control` into a line for the socket.
package enum ControlWords {
    /// Arguments that look like numbers but are text.
    private static let texts = ["octets", "with"]

    /// A single JSON word is the line itself, `status` is a query, and `DO [OF] [KEY=VALUE...]` is an action.
    ///
    /// A value is JSON or else text; the space between a number and its unit is optional, as in `for=8s`.
    package static func line(of words: [String]) throws(UsageError) -> String {
        guard let first = words.first else { throw UsageError("WORD is missing") }
        if first.hasPrefix("{") {
            guard words.count == 1 else { throw UsageError("JSON must be a single word: put it in quotes") }
            return first.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
        if first.hasPrefix("[") || first.hasPrefix("\"") {
            throw UsageError("expected a JSON object such as '{\"ask\": \"status\"}', got \(first.quoted)")
        }
        if words == ["status"] { return #"{"ask": "status"}"# }
        var members = [("do", Node(.string(first)))]
        for (index, word) in words.enumerated().dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2, !parts[0].isEmpty {
                members.append((parts[0], value(parts[1], of: parts[0])))
            } else if index == 1 {
                members.append(("of", Node(.string(word))))
            } else {
                throw UsageError("expected KEY=VALUE, got \(word.quoted)")
            }
        }
        return Node.object(members).json
    }

    private static func value(_ text: String, of key: String) -> Node {
        if !texts.contains(key), let node = try? Node(json: Array(text.utf8), file: "") { return node }
        let number = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(number.count)
        let isQuantity = !number.isEmpty && (Duration.units.map(\.unit) + ["m", "Hz"]).contains(String(unit))
        return Node(.string(isQuantity ? "\(number) \(unit)" : text))
    }
}

/// The maximum time for a reply, in real time.
private let patience = Duration.seconds(10)

/// The maximum octets of a reply; the server never sends as many.
private let maximumReply = 16 << 20

/// Parses the address of a control socket, which must be a Unix socket.
package func controlAddress(_ text: String, named name: String) throws(Obstacle) -> StreamAddress {
    guard text.hasPrefix("unix:") else {
        let why = text.hasPrefix("tcp:") ? ": every user can reach a TCP port" : " (do you mean unix:\(text)?)"
        throw Obstacle(.usage, "\(name) must be unix:PATH, not \(text.quoted)\(why)")
    }
    return try orFail(.usage, "\(name): ") { try StreamAddress(text) }
}

/// Sends a line to the server, and waits for its reply.
package func send(_ line: String, to address: StreamAddress) throws(Obstacle) -> String {
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
            let reason = await completion.wait(signals, on: loop, for: patience, watchesReader: false)
            if let line = reply.line { return line }
            switch reason {
            case .failure(let why): throw Obstacle(.environment, why)
            case .signal(let number): throw Obstacle(.signal(number), "interrupted before the reply")
            default: throw Obstacle(.environment, "\(address): no reply within 10 s")
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
