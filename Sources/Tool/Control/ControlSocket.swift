import CommandSupport
import Documents
package import Drivers
import ScenarioLanguage
package import Scenarios
package import Simulation
package import Sockets
import TextFormatting
import VirtualWorld

/// A socket on which other programs start actions in a world and query its status; each line has a reply of one line.
///
/// A client's actions are done in order, at the current instant, under its name: `control 2` for the second connection.
package actor ControlSocket: LoopActor {
    private struct Client {
        package let number: Int  // by arrival
        package let connection: StreamConnection
        let isTooMany: Bool  // its first line gets an error
        package var lines = LineFramer(longest: maximumLine)
    }

    static let maximumClients = 16
    /// The maximum octets of a line, without its line feed.
    package static let maximumLine = 64 << 10
    private static let linesPerTurn = 16  // then other clients are served

    package nonisolated let loop: EventLoop
    private let world: LiveWorld
    private let reader: InstructionReader
    private var listener: StreamListener?
    private var clients: [Client] = []
    private var arrivals = 0

    /// Listens after `open`.
    package init(_ scenario: Scenario, _ world: LiveWorld, on loop: EventLoop) {
        (self.world, self.loop) = (world, loop)
        reader = InstructionReader(scenario)
    }

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
        for _ in 0..<Self.linesPerTurn {
            guard let index = clients.firstIndex(where: { $0.number == number }) else { return }
            let connection = clients[index].connection
            do throws(LineFramer.TooLong) {
                guard let line = try clients[index].lines.next() else { return connection.resume() }
                connection.send(Self.line(answer(line, from: number)))
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

/// The reply to a line on the control socket: one line of JSON.
enum ControlAnswer {
    /// The action was done, or its `chance` decided against it.
    case done(Bool)
    case status(WorldStatus)
    /// What is wrong, and its key; empty when the whole line is wrong.
    case error(String, at: String)

    init(_ problem: Problem) { self = .error(problem.message, at: problem.path) }

    init(_ outcome: LiveWorld.Outcome) {
        switch outcome {
        case .done(let isDone): self = .done(isDone)
        case .notPlaying: self = .error("the devices are not switched on yet", at: "")
        case .refused(let key, let reason): self = .error(reason, at: key)
        }
    }
}

extension ControlAnswer: JSONWritable {
    package func write(to text: inout JSONText) {
        switch self {
        case .done(true): text.append("{\"ok\": true}")
        case .done(false): text.append("{\"ok\": true, \"done\": false}")
        case .error(let message, let path):
            text.append(text: "{\"error\": \(message.quoted), \"at\": \(path.quoted)}")
        case .status(let status):
            text.append(text: "{\"ok\": true, \"t\": \(status.now), \"devices\": ")
            Self.write(status.devices, to: &text) { device in
                var members = [
                    "\"id\": \(device.id.quoted)", "\"clients\": \(device.mtus.count)", "\"mtu\": \(device.mtus)",
                ]
                if let bpm = device.bpm { members.append("\"bpm\": \(bpm)") }
                if let isTouching = device.isTouching { members.append("\"contact\": \(isTouching)") }
                return members
            }
            text.append(", \"in_force\": ")
            Self.write(status.activeActions, to: &text) { force in
                var members = ["\"do\": \(force.kind.rawValue.quoted)"]
                if let entity = force.entity { members.append("\"of\": \(entity.quoted)") }
                members += ["\"rule\": \(force.rule.quoted)", "\"since\": \(force.begun)"]
                if let end = force.end { members.append("\"until\": \(end)") }
                return members
            }
            if let next = status.next {
                text.append(text: ", \"next\": {\"rule\": \(next.rule.quoted), \"at\": \(next.due)}")
            }
            text.append("}")
        }
    }

    private static func write<Item>(_ items: [Item], to text: inout JSONText, members: (Item) -> [String]) {
        let objects = items.map { "{" + members($0).joined(separator: ", ") + "}" }
        text.append(text: "[" + objects.joined(separator: ", ") + "]")
    }
}
