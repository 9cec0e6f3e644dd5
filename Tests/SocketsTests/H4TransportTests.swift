import Glibc
import HCI
import Synchronization
import Testing

@testable import Sockets

/// A stream whose events the test makes.
private final class TestStream: OctetStream {
    struct State {
        var handler: StreamConnection.Handler?
        var sent: [[UInt8]] = []
        var isClosed = false
    }

    let state = Mutex(State())

    var isClosed: Bool { state.withLock(\.isClosed) }
    var sent: [[UInt8]] { state.withLock(\.sent) }
    func start(_ handler: @escaping StreamConnection.Handler) { state.withLock { $0.handler = handler } }
    func send(_ octets: [UInt8]) { state.withLock { $0.sent.append(octets) } }
    var queued: Int { 0 }
    func close() { state.withLock { $0.isClosed = true } }
    func happen(_ event: StreamConnection.Event) { state.withLock(\.handler)?(event) }
}

@Suite struct H4TransportTests {
    private let stream = TestStream()

    /// The events of a transport above `stream`, in words.
    private func events(_ happenings: [StreamConnection.Event]) -> [String] {
        let transport = H4Transport(stream)
        let events = Mutex<[String]>([])
        transport.start { event in
            let text =
                switch event {
                case .opened: "opened"
                case .received(let packets): packets.map { "\($0.kind) \($0.octets)" }.joined(separator: ", ")
                case .failed(let failure): failure.description(at: .tcp(host: "localhost", port: 1))
                }
            events.withLock { $0.append(text) }
        }
        for event in happenings { stream.happen(event) }
        return withExtendedLifetime(transport) { events.withLock(\.self) }
    }

    @Test func `Packets are cut from octets, wherever a chunk ends`() {
        let octets: [UInt8] = [0x04, 0x0E, 0x01, 0xAA, 0x02, 0x40, 0x00, 0x02, 0x00, 0x01, 0x02]
        let whole = ["event [14, 1, 170], acl [64, 0, 2, 0, 1, 2]"]
        #expect(events([.opened, .received(octets)]) == ["opened"] + whole)
        for cut in 1..<octets.count {
            let parts = events([.received(Array(octets[..<cut])), .received(Array(octets[cut...]))])
            #expect([parts.joined(separator: ", ")] == whole, "\(cut)")
        }
    }

    @Test func `A packet is sent after its indicator`() {
        H4Transport(stream).send(.command, [0x03, 0x0C, 0x00])
        #expect(stream.sent == [[0x01, 0x03, 0x0C, 0x00]])
    }

    @Test func `Octets that are not H4 close the stream, after the packets before them`() {
        let seen = events([.received([0x04, 0x0E, 0x00, 0x2A])])
        #expect(
            seen == [
                "event [14, 0]",
                "tcp:localhost:1: the controller does not speak H4: 0x2A where an H4 packet should begin",
            ])
        #expect(stream.isClosed)
    }

    @Test func `The end of the stream is a failure with its reason`() {
        #expect(events([.ended]) == ["tcp:localhost:1: the controller closed the connection"])
        let reason = unsafe String(cString: strerror(ECONNRESET))
        let broken = SocketFailure.broken(code: ECONNRESET)
        #expect(events([.failed(broken)]) == ["\(broken.description(at: .tcp(host: "localhost", port: 1)))"])
        #expect(H4Transport.Failure.stream(broken).description.contains(reason))
        #expect(H4Transport.Failure.closed.description == "the host closed the connection")
    }
}
