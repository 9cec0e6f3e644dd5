import Bluetooth
import Characteristics
import Collector
import GATT
import HCI
import LEHost
import SecurityManager
import Simulation
import Testing
import VirtualWorld

/// A client that differs from the built-in one in one thing: what passes between that one, its host and its user is
/// changed.
struct FaultyClient: Sendable, CustomTestStringConvertible {
    /// What it knows of its connections.
    struct View: Sendable {
        /// How many there have been.
        fileprivate(set) var connections = 0
        /// How many values were notified or indicated in this one.
        fileprivate(set) var values = 0
        /// The peer's address in the first one.
        fileprivate(set) var firstPeer: DeviceAddress?
        /// What was discovered first, in any of them.
        fileprivate(set) var services: [DiscoveredService] = []
        /// The heart rate before the present connection.
        fileprivate(set) var formerHeartRate: SensorCollector.Content?
        fileprivate var heartRate: SensorCollector.Content?

        /// What has this handle, of its value or of its configuration.
        func uuid(at handle: UInt16) -> UUID? {
            let all = services.flatMap(\.characteristics)
            return all.first { $0.valueHandle == handle || $0.configurationHandle == handle }?.uuid
        }

        /// Where the value of a characteristic is.
        func handle(of uuid: UUID) -> UInt16? {
            services.flatMap(\.characteristics).first { $0.uuid == uuid }?.valueHandle
        }
    }

    /// A faulty reaction.
    enum Operation {
        /// Says this to its host.
        case asks(Host.Command)
        /// Treats a procedure as done without performing it.
        case supposes(Procedure.Outcome)
        /// Takes in a value.
        case hears([UInt8])
        /// Ends the connection, and makes a new one.
        case leaves
        /// Crashes: it is never seen again.
        case ends
    }

    let name: String
    let about: String
    /// Where such a client was seen.
    var source: String?
    /// The expectations that fail it: `formats/edges shows`.
    let caughtBy: [String]
    /// How it is set up.
    var sets: @Sendable (inout SensorCollector.Settings) -> Void = { _ in }
    /// How long after a heart rate it shows that once more, whatever has happened, and again and again.
    var repeats: Duration?
    /// Replaces a command to the host.
    var commands: @Sendable (Host.Command, View) -> [Operation] = { command, _ in [.asks(command)] }
    /// In place of a value that was notified or indicated.
    var values: @Sendable ([UInt8], UUID, View) -> [Operation] = { octets, _, _ in [.hears(octets)] }
    /// In place of something shown.
    var shows: @Sendable (SensorCollector.Content, View) -> [SensorCollector.Content] = { content, _ in [content] }
    /// Changes the packets between its host and its controller.
    var mutation: Mutation?
    /// How it pairs.
    var security: @Sendable (inout SecuritySettings) -> Void = { _ in }
    /// Replaces an advertisement; nil: it is lost.
    var reports: @Sendable (AdvertisingReport) -> AdvertisingReport? = { $0 }

    var testDescription: String { name }
}

/// A faulty client that is being played.
struct Flaw {
    private let client: FaultyClient
    private var view = FaultyClient.View()
    private var connection: ConnectionID?
    private(set) var hasEnded = false
    private var shown: SensorCollector.Update?
    /// When it shows the last heart rate again.
    private(set) var nextShown = Instant.never

    init(_ client: FaultyClient) { self.client = client }

    /// The replacement of a command to the host, and the immediate outputs to the client.
    mutating func commands(_ command: Host.Command) -> (commands: [Host.Command], told: [Host.Output]) {
        var (commands, told): ([Host.Command], [Host.Output]) = ([], [])
        for operation in client.commands(command, view) {
            switch operation {
            case .asks(let other): commands.append(other)
            case .supposes(let outcome):
                guard case .procedure(let connection, _, let id) = command else { continue }
                told.append(.finished(connection, id: id, .success(outcome)))
            case .hears, .leaves, .ends: commands += leaves(operation)
            }
        }
        return (commands, told)
    }

    /// The replacement of a value, and the client's commands to its host.
    mutating func values(_ octets: [UInt8], at handle: UInt16) -> (values: [[UInt8]], commands: [Host.Command]) {
        view.values += 1
        guard let uuid = view.uuid(at: handle) else { return ([octets], []) }
        var (values, commands): ([[UInt8]], [Host.Command]) = ([], [])
        for operation in client.values(octets, uuid, view) {
            switch operation {
            case .hears(let other): values.append(other)
            case .asks(let command): commands.append(command)
            case .supposes, .leaves, .ends: commands += leaves(operation)
            }
        }
        return (values, commands)
    }

    private mutating func leaves(_ operation: FaultyClient.Operation) -> [Host.Command] {
        if case .ends = operation { hasEnded = true }
        guard let connection else { return [] }
        return [.disconnect(connection, reason: .remoteUserTerminated)]
    }

    mutating func shows(_ update: SensorCollector.Update, at now: Instant) -> [SensorCollector.Content] {
        if case .heartRate = update.content { view.heartRate = update.content }
        if case .heartRate = update.content, let period = client.repeats {
            (shown, nextShown) = (update, now.advanced(by: period))
        }
        return client.shows(update.content, view)
    }

    /// What it shows again.
    func showsAgain(at now: Instant) -> SensorCollector.Update? { nextShown <= now ? shown : nil }

    /// The output that the client gets instead; nil for none.
    mutating func told(_ output: Host.Output) -> Host.Output? {
        switch output {
        case .connected(let id, let complete):
            (connection, view.values) = (id, 0)
            view.firstPeer = view.firstPeer ?? complete.peer
            view.connections += 1
            view.formerHeartRate = view.heartRate
        case .finished(_, _, .success(.services(let services))) where view.services.isEmpty: view.services = services
        case .report(let report): return client.reports(report).map { .report($0) }
        default: break
        }
        return output
    }
}
