import Basics
import DBus
import Glibc
import Sockets
import Synchronization
import TestBus

/// A program at a bus that does not use libdbus, and can send what libdbus never would.
final class RawPeer: Sendable {
    private let stream: StreamConnection
    private let received = Mutex<[UInt8]>([])

    var octets: [UInt8] { received.withLock { $0 } }

    private init(_ stream: StreamConnection) { self.stream = stream }

    /// Authenticates, and sends Hello.
    static func open(
        _ socket: String, _ loop: EventLoop, takingDescriptors: Bool = false
    ) async throws -> RawPeer {
        let peer = RawPeer(try StreamConnection(to: .unix(path: socket), on: loop))
        peer.stream.start { event in
            switch event {
            case .opened, .ended, .failed: break
            case .received(let octets): peer.received.withLock { $0 += octets }
            }
        }
        let user = "\(getuid())".utf8.map { "3" + String($0 - 48) }.joined()
        peer.send([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8))
        try await loop.until { peer.octets.starts(with: "OK ".utf8) && peer.octets.last == 10 }
        if takingDescriptors {
            peer.send(Array("NEGOTIATE_UNIX_FD\r\n".utf8))
            try await loop.until { peer.hasHeard("AGREE_UNIX_FD\r\n") }
        }
        let count = peer.octets.count
        let hello = Frame.call("/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello", to: "org.freedesktop.DBus")
        peer.send(Array("BEGIN\r\n".utf8) + hello.octets)
        try await loop.until { peer.octets.count > count + 16 }
        return peer
    }

    func send(_ octets: [UInt8]) { stream.send(octets) }

    func stopReading() { stream.pause() }

    func close() { stream.close() }

    /// Whether the received octets contain a text.
    func hasHeard(_ text: String) -> Bool {
        let (octets, wanted) = (octets, Array(text.utf8))
        return octets.indices.contains { octets[$0...].starts(with: wanted) }
    }
}
