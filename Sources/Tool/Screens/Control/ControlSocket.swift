package import Basics
import CommandSupport
import Linux
package import Sockets

/// A socket on which other programs start actions in a world and query its status; each line has a reply of one line.
///
/// A client's actions are done in order, at the current instant, under its name: `control 2` for the second connection.
package actor ControlSocket: LoopActor {
    private struct Client {
        let number: Int  // by arrival
        let connection: StreamConnection
        let isTooMany: Bool  // its first line gets an error
        var lines = LineFramer(longest: maximumLine)
    }

    static let maximumClients = 16
    /// The maximum octets of a line, without its line feed.
    package static let maximumLine = 64 << 10

    package nonisolated let loop: EventLoop
    private let desk: ControlDesk
    private var listener: StreamListener?
    private var clients: [Client] = []
    private var arrivals = 0

    /// Listens after `open`.
    package init(_ desk: ControlDesk, on loop: EventLoop) { (self.desk, self.loop) = (desk, loop) }

    /// Listens at an address that only the same user can reach.
    package func open(at address: StreamAddress) throws(SocketFailure) {
        listener = try StreamListener(at: address, on: loop, forOwnerOnly: true) { [weak self] connection in
            guard let self else { return connection.close() }
            self.assumeIsolated { $0.connected(connection) }
        }
    }

    /// Closes all connections, and removes the socket file.
    package func close() {
        listener?.close()
        for client in clients { client.connection.close() }
        clients.removeAll()
    }

    private func connected(_ connection: StreamConnection) {
        guard clients.count < 2 * Self.maximumClients else { return connection.close() }
        arrivals += 1
        let number = arrivals
        let isTooMany = clients.count { !$0.isTooMany } >= Self.maximumClients
        clients.append(Client(number: number, connection: connection, isTooMany: isTooMany))
        connection.start { [weak self] event in
            self?.assumeIsolated { $0.received(event, from: number) }
        }
    }

    private func received(_ event: StreamConnection.Event, from number: Int) {
        guard let index = clients.firstIndex(where: { $0.number == number }) else { return }
        switch event {
        case .opened: break
        case .received where clients[index].isTooMany:
            dismiss(index, "too many clients: the maximum is \(Self.maximumClients)")
        case .received(let octets):
            clients[index].lines.append(octets)
            clients[index].connection.pause()
            work(for: number)
        case .ended, .failed: clients.remove(at: index)
        }
    }

    /// Answers some lines of a client, and schedules the rest; reads on when all are answered.
    private func work(for number: Int) {
        var turn = ControlTurn()
        while !turn.isOver {
            guard let index = clients.firstIndex(where: { $0.number == number }) else { return }
            let connection = clients[index].connection
            do throws(LineFramer.TooLong) {
                guard let line = try clients[index].lines.next() else { return connection.resume() }
                let answer = Self.line(desk.answer(line, as: "control \(number)"))
                turn.answered(line, with: answer)
                connection.send(answer)
            } catch {
                return dismiss(index, "the line is too long: the maximum is \(Self.maximumLine) octets")
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
}
