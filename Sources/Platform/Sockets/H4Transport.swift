import Glibc
public import HCI
import Synchronization

/// A stream of octets to a controller or from a host: a socket or `/dev/vhci`.
public protocol OctetStream: Sendable {
    /// Calls `handler` with all further events, on the loop's thread.
    func start(_ handler: @escaping StreamConnection.Handler)

    /// Sends octets after those sent before; has no effect when the stream is closed.
    func send(_ octets: [UInt8])

    /// The number of octets that wait until the other side reads.
    var queued: Int { get }

    /// Closes the stream; no event follows.
    func close()
}

extension StreamConnection: OctetStream {}

/// HCI packets over a stream of octets.  Core 6.0, Vol 4, Part A (UART transport, "H4"), section 2.
public final class H4Transport: Sendable {
    /// A change of the transport, or packets.
    public enum Event: Sendable {
        /// The other side is connected.
        case opened
        /// At least one packet, in order.
        case received([H4Framer.Framed])
        /// The transport is closed; no event follows.
        case failed(Failure)
    }

    /// The reason for closing a transport.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// The other side closed the stream.
        case closed
        /// The stream could not be opened, or broke.
        case stream(SocketFailure)
        /// The octets received are not H4 packets.
        case framing(H4Framer.Failure)

        /// Whether the other side has left, as opposed to a problem.
        package var isHangUp: Bool {
            switch self {
            case .closed, .stream(.broken(EPIPE)), .stream(.broken(ECONNRESET)): true
            case .stream, .framing: false
            }
        }

        /// The message about a host at the other side.
        public var description: String { text(for: "host") }

        /// The message about the controller at an address.
        public func description(at address: StreamAddress) -> String {
            if case .stream(let failure) = self { return failure.description(at: address) }
            return "\(address): \(text(for: "controller"))"
        }

        private func text(for side: String) -> String {
            switch self {
            case .closed: "the \(side) closed the connection"
            case .stream(let failure): "\(failure)"
            case .framing(let failure): "the \(side) does not speak H4: \(failure)"
            }
        }
    }

    private let stream: any OctetStream
    private let framer: Mutex<H4Framer>

    /// Nothing is sent or received before `start`.  The framer limits the length of received packets.
    public init(_ stream: any OctetStream, framer: H4Framer = H4Framer()) {
        self.stream = stream
        self.framer = Mutex(framer)
    }

    /// Calls `handler` with all further events, on the loop's thread.
    public func start(_ handler: @escaping @Sendable (Event) -> Void) {
        stream.start { [weak self] event in
            switch event {
            case .opened: handler(.opened)
            case .received(let octets): self?.received(octets, handler)
            case .ended: handler(.failed(.closed))
            case .failed(let failure): handler(.failed(.stream(failure)))
            }
        }
    }

    /// Sends one packet; has no effect when the transport is closed.
    public func send(_ kind: PacketKind, _ octets: [UInt8]) { stream.send(H4Framer.octets(kind, octets)) }

    /// The number of octets that wait until the other side reads.
    public var queued: Int { stream.queued }

    /// Closes the transport; no event follows.
    public func close() { stream.close() }

    private func received(_ octets: [UInt8], _ handler: @Sendable (Event) -> Void) {
        var packets: [H4Framer.Framed] = []
        let failure = framer.withLock { framer -> H4Framer.Failure? in
            framer.append(octets)
            do throws(H4Framer.Failure) {
                while let packet = try framer.next() { packets.append(packet) }
                return nil
            } catch { return error }
        }
        if !packets.isEmpty { handler(.received(packets)) }
        guard let failure else { return }
        close()
        handler(.failed(.framing(failure)))
    }
}
