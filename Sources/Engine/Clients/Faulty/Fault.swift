import Basics
import Bluetooth
import GATT
import HCI
import LEHost

/// The state of a faulty client in a run.
struct Fault: Sendable {
    private let client: FaultyClient
    private var view = FaultyClient.View()
    private var connection: ConnectionID?
    private var heartRate: SensorCollector.Update?
    private var hasCrashed = false
    private var isCrashNew = false
    /// Outputs for the client that no host made.
    private var assumptions: [Host.Output] = []
    /// When the client shows its last heart rate again; `.never` if it does not.
    private(set) var nextRepetition = Instant.never

    init(_ client: FaultyClient) { self.client = client }

    /// Whether there are outputs for the client that no host made.
    var hasAssumptions: Bool { !assumptions.isEmpty }

    /// Removes and returns the outputs for the client that no host made.
    mutating func takeAssumptions() -> [Host.Output] {
        defer { assumptions = [] }
        return assumptions
    }

    /// The replacement of a command to the host, and the faults that come first; it can cause assumptions.
    mutating func replacement(of command: Host.Command) -> (faults: [Host.Fault], commands: [Host.Command]) {
        var (faults, commands): ([Host.Fault], [Host.Command]) = ([], [])
        for operation in client.commands(command, view) {
            switch operation {
            case .request(let other): commands.append(other)
            case .inject(let fault): faults.append(fault)
            case .assume(let outcome):
                guard case .procedure(let connection, _, let id) = command else { continue }
                assumptions.append(.finished(connection, id: id, .success(outcome)))
            case .receive, .reconnect, .crash: commands += disconnect(operation)
            }
        }
        return (faults, commands)
    }

    /// The replacement of a value, and the client's commands to its host.
    mutating func replacement(
        ofValue octets: [UInt8], at handle: UInt16
    ) -> (values: [[UInt8]], commands: [Host.Command]) {
        view.values += 1
        guard let uuid = view.uuid(at: handle) else { return ([octets], []) }
        var (values, commands): ([[UInt8]], [Host.Command]) = ([], [])
        for operation in client.values(octets, uuid, view) {
            switch operation {
            case .receive(let other): values.append(other)
            case .request(let command): commands.append(command)
            case .assume, .inject, .reconnect, .crash: commands += disconnect(operation)
            }
        }
        return (values, commands)
    }

    private mutating func disconnect(_ operation: FaultyClient.Operation) -> [Host.Command] {
        if case .crash = operation, !hasCrashed { (hasCrashed, isCrashNew) = (true, true) }
        guard let connection else { return [] }
        return [.disconnect(connection, reason: .remoteUserTerminated)]
    }

    /// The replacement of an output to the client; nil for none.
    mutating func replacement(of output: Host.Output) -> Host.Output? {
        switch output {
        case .connected(let id, let complete):
            (connection, view.values) = (id, 0)
            view.firstPeer = view.firstPeer ?? complete.peer
            view.connections += 1
            view.formerHeartRate = heartRate?.content
        case .finished(_, _, .success(.services(let services))) where view.services.isEmpty: view.services = services
        case .report(let report): return client.reports(report).map { .report($0) }
        default: break
        }
        return output
    }

    /// The replacement of what the client shows.
    mutating func replacement(of update: SensorCollector.Update, at now: Instant) -> [SensorCollector.Content] {
        if case .heartRate = update.content, !hasCrashed {
            heartRate = update
            if let period = client.repetition { nextRepetition = now.advanced(by: period) }
        }
        return hasCrashed ? [] : client.shows(update.content, view)
    }

    /// Whether the client has crashed since the last call: stop it then.
    mutating func takeCrash() -> Bool {
        defer { isCrashNew = false }
        return isCrashNew
    }

    /// The heart rate that the client shows again now.
    func repetition(at now: Instant) -> SensorCollector.Update? { nextRepetition <= now ? heartRate : nil }
}
