import Basics
import Sockets

/// A socket that takes the lines of a client under test in addition to its standard output, for example from a test on a
/// phone. Any number of connections, up to a limit, may send lines.
actor ClientOutputSocket: LoopActor {
    private struct Sender {
        let number: Int  // by arrival
        let connection: StreamConnection
        var output: ClientOutput
    }

    /// The maximum number of connections; more are closed.
    static let maximumSenders = 16

    nonisolated let loop: EventLoop
    private let patterns: [LinePattern]
    private var listener: StreamListener?
    private var senders: [Sender] = []
    private var arrivals = 0
    private var receive: @Sendable ([ClientLine]) -> Void = { _ in }

    init(_ patterns: [LinePattern], on loop: EventLoop) { (self.patterns, self.loop) = (patterns, loop) }

    /// Listens at an address, and returns the address with the port that was chosen.
    func open(at address: StreamAddress) throws(SocketFailure) -> StreamAddress {
        let listener = try StreamListener(at: address, on: loop) { [weak self] connection in
            guard let self else { return connection.close() }
            self.assumeIsolated { $0.connected(connection) }
        }
        self.listener = listener
        return listener.address
    }

    /// Sets the function that receives the lines; earlier lines are lost.
    func listen(_ receive: @escaping @Sendable ([ClientLine]) -> Void) { self.receive = receive }

    var hasSenders: Bool { !senders.isEmpty }

    func close() {
        listener?.close()
        for sender in senders { sender.connection.close() }
        senders.removeAll()
    }

    private func connected(_ connection: StreamConnection) {
        guard senders.count < Self.maximumSenders else { return connection.close() }
        arrivals += 1
        let number = arrivals
        senders.append(Sender(number: number, connection: connection, output: ClientOutput(patterns)))
        connection.start { [weak self] event in
            self?.assumeIsolated { $0.received(number, event) }
        }
    }

    private func received(_ number: Int, _ event: StreamConnection.Event) {
        guard let index = senders.firstIndex(where: { $0.number == number }) else { return }
        switch event {
        case .opened: break
        case .received(let octets): receive(senders[index].output.take(octets[...]))
        case .ended, .failed:
            if let line = senders[index].output.finish() { receive([line]) }
            senders.remove(at: index).connection.close()
        }
    }
}
