import CommandSupport
import Documents
import Drivers
import Scenarios
import Simulation
import Sockets
import Spelling
import VirtualWorld

/// Where programs outside say what happens in a world, and ask how it stands: each line of theirs is answered by one.
///
/// The lines of a client are done in order, at the present instant, under a name of the client's own: `control 2` for
/// the second that has come.
actor ControlSocket {
    private struct Client {
        let number: Int  // by arrival
        let connection: StreamConnection
        let isTooMany: Bool  // its first line is answered by that
        var lines = LineFramer(longest: longestLine)
    }

    /// So many clients are there at once, at the most.
    static let mostClients = 16
    /// The most octets of a line, without its end.
    static let longestLine = 64 << 10
    private static let linesPerTurn = 16  // then others have theirs

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private let world: LiveWorld
    private let reader: InstructionReader
    private var listener: StreamListener?
    private var clients: [Client] = []
    private var arrivals = 0

    /// Nobody is listened to before `open`.
    init(_ scenario: Scenario, _ world: LiveWorld, on loop: EventLoop) {
        (self.world, self.loop) = (world, loop)
        reader = InstructionReader(scenario)
    }

    /// Listens at an address, which only the same user can reach.
    func open(at address: StreamAddress) throws(SocketFailure) {
        listener = try StreamListener(at: address, on: loop, forOwnerOnly: true) { [weak self] connection in
            guard let self else { return connection.close() }
            self.assumeIsolated { $0.connected(connection) }
        }
    }

    /// Sends all clients away, and removes the socket file.
    func close() {
        listener?.close()
        for client in clients { client.connection.close() }
        clients.removeAll()
    }

    private func connected(_ connection: StreamConnection) {
        guard clients.count < 2 * Self.mostClients else { return connection.close() }
        arrivals += 1
        let number = arrivals
        let isTooMany = clients.count { !$0.isTooMany } >= Self.mostClients
        clients.append(Client(number: number, connection: connection, isTooMany: isTooMany))
        connection.start { [weak self] event in
            self?.assumeIsolated { $0.heard(event, from: number) }
        }
    }

    private func heard(_ event: StreamConnection.Event, from number: Int) {
        guard let index = clients.firstIndex(where: { $0.number == number }) else { return }
        switch event {
        case .opened: break
        case .received where clients[index].isTooMany:
            dismiss(index, "there are \(Self.mostClients) clients already")
        case .received(let octets):
            clients[index].lines.append(octets)
            clients[index].connection.pause()
            work(for: number)
        case .ended, .failed: clients.remove(at: index)
        }
    }

    /// Answers some lines of a client, and the others in the next turn; it says more when all are answered.
    private func work(for number: Int) {
        for _ in 0..<Self.linesPerTurn {
            guard let index = clients.firstIndex(where: { $0.number == number }) else { return }
            let connection = clients[index].connection
            do throws(LineFramer.TooLong) {
                guard let line = try clients[index].lines.next() else { return connection.resume() }
                connection.send(Self.line(answer(line, from: number)))
            } catch {
                return dismiss(index, "a line has \(Self.longestLine) octets at the most")
            }
        }
        loop.call(at: loop.now) { [weak self] in self?.assumeIsolated { $0.work(for: number) } }
    }

    private func dismiss(_ index: Int, _ reason: String) {
        let connection = clients.remove(at: index).connection
        connection.send(Self.line(.error(reason, at: "")))
        connection.close()
    }

    private static func line(_ answer: ControlAnswer) -> [UInt8] { Array((answer.json + "\n").utf8) }

    private func answer(_ line: [UInt8], from number: Int) -> ControlAnswer {
        let reader = reader
        return world.assumeIsolated { live in
            do throws(Problem) {
                switch try reader.read(line, at: live.visit { _, now in now }) {
                case .status: return .status(live.visit { world, _ in world.status })
                case .act(let rule): return ControlAnswer(live.act(rule, as: "control \(number)"))
                }
            } catch { return ControlAnswer(error) }
        }
    }
}
