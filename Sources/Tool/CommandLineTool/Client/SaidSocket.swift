import Simulation
import Sockets

/// Where a client under test says what its user sees, if that is not its standard output: a test on a phone.
///
/// Each connection says lines of its own; whoever connects may speak.
actor ClientOutputSocket {
    private struct Speaker {
        let number: Int  // by arrival
        let connection: StreamConnection
        var output = ClientOutput()
    }

    /// So many speak at once, at the most; others are sent away.
    static let mostSpeakers = 16

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var listener: StreamListener?
    private var speakers: [Speaker] = []
    private var arrivals = 0
    private var say: @Sendable ([ClientLine]) -> Void = { _ in }

    init(on loop: EventLoop) { self.loop = loop }

    /// Listens at an address; the address that it is reached at.
    func open(at address: StreamAddress) throws(SocketFailure) -> StreamAddress {
        let listener = try StreamListener(at: address, on: loop) { [weak self] connection in
            guard let self else { return connection.close() }
            self.assumeIsolated { $0.connected(connection) }
        }
        self.listener = listener
        return listener.address
    }

    /// From now on `say` gets what is said; until then it is lost.
    func listen(_ say: @escaping @Sendable ([ClientLine]) -> Void) { self.say = say }

    /// Whether somebody may still say something.
    var hasSpeakers: Bool { !speakers.isEmpty }

    /// Sends everybody away.
    func close() {
        listener?.close()
        for speaker in speakers { speaker.connection.close() }
        speakers.removeAll()
    }

    private func connected(_ connection: StreamConnection) {
        guard speakers.count < Self.mostSpeakers else { return connection.close() }
        arrivals += 1
        let number = arrivals
        speakers.append(Speaker(number: number, connection: connection))
        connection.start { [weak self] event in
            self?.assumeIsolated { $0.speaker(number, event) }
        }
    }

    private func speaker(_ number: Int, _ event: StreamConnection.Event) {
        guard let index = speakers.firstIndex(where: { $0.number == number }) else { return }
        switch event {
        case .opened: break
        case .received(let octets): say(speakers[index].output.take(octets[...]))
        case .ended, .failed:
            if let line = speakers[index].output.finish() { say([line]) }
            speakers.remove(at: index).connection.close()
        }
    }
}
