import Basics
package import Bluetooth
package import GATT
import HCI
package import LEHost
import SecurityManager
package import VirtualWorld

/// A client that differs from the built-in one in one thing: it changes what passes between that one, its host and its user.
package struct FaultyClient: Sendable {
    /// The connections and values that it has observed.
    package struct View: Sendable {
        /// The number of its connections.
        package internal(set) var connections = 0
        /// The number of values notified or indicated in the present connection.
        package internal(set) var values = 0
        /// The peer's address in the first connection.
        package internal(set) var firstPeer: DeviceAddress?
        /// The result of the first discovery, in any connection.
        package internal(set) var services: [DiscoveredService] = []
        /// The heart rate before the present connection.
        package internal(set) var formerHeartRate: SensorCollector.Content?

        /// The characteristic whose value or configuration has a handle.
        func uuid(at handle: UInt16) -> UUID? {
            let all = services.flatMap(\.characteristics)
            return all.first { $0.valueHandle == handle || $0.configurationHandle == handle }?.uuid
        }

        /// The handle of a characteristic's value.
        func handle(of uuid: UUID) -> UInt16? {
            services.flatMap(\.characteristics).first { $0.uuid == uuid }?.valueHandle
        }
    }

    /// A faulty reaction.
    package enum Operation: Sendable {
        /// Sends a command to the host.
        case request(Host.Command)
        /// Makes the host faulty.
        case inject(Host.Fault)
        /// Treats a procedure as finished without performing it.
        case assume(Procedure.Outcome)
        /// Takes octets as the received value.
        case receive([UInt8])
        /// Ends the connection, and makes a new one.
        case reconnect
        /// Ends for good.
        case crash
    }

    package let name: String
    /// Its fault, as a verb phrase.
    package let about: String
    /// Where such a client was seen.
    package var source: String?
    /// How it is set up.
    var settings: @Sendable (inout SensorCollector.Settings) -> Void = { _ in }
    /// Shows the last heart rate again, each time after this duration.
    var repetition: Duration?
    /// Replaces a command to the host.
    var commands: @Sendable (Host.Command, View) -> [Operation] = { command, _ in [.request(command)] }
    /// Replaces a value that was notified or indicated.
    var values: @Sendable ([UInt8], UUID, View) -> [Operation] = { octets, _, _ in [.receive(octets)] }
    /// Replaces what it shows.
    var shows: @Sendable (SensorCollector.Content, View) -> [SensorCollector.Content] = { content, _ in [content] }
    /// Changes the packets between its host and its controller.
    var mutation: Mutation?
    /// How it pairs.
    var security: @Sendable (inout SecuritySettings) -> Void = { _ in }
    /// Replaces an advertising report; nil if it ignores it.
    var reports: @Sendable (AdvertisingReport) -> AdvertisingReport? = { $0 }

    /// All faulty clients, by the subject of their faults.
    package static let all =
        decoders + finders + subscribers + returners + displays + streamDisplays + pairers + initiators + listeners

    /// Changes the settings of the built-in client, and a world that it was added to but that has not started.
    package func configure(_ settings: inout SensorCollector.Settings, node: Int, in world: inout World) {
        self.settings(&settings)
        world.clientMutation = mutation
        guard var security = world.securitySettings(of: node) else { return }
        self.security(&security)
        world.command(.changeSecurity(security), of: node)
    }
}
