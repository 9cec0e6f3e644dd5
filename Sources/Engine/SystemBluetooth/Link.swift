import ATT
import Basics
import Bluetooth
import GATT
import LEHost

/// A connection with a peripheral, and what runs on it.
struct Link: Sendable {
    /// An operation of a program, or of the service itself.
    struct Ticket: Sendable {
        /// Nil: the service's own.
        let program: ProgramID?
        let id: UInt32
        let operation: CentralOperation
        /// The step that the service's own operation belongs to.
        var step: AttributeStep?
        /// The number of the procedure that runs for it.
        var procedure: UInt32
        /// Whether the link has been secured for it.
        var isRetry = false
    }

    let id: ConnectionID
    let peer: DeviceAddress
    /// The programs that have connected.
    var clients: [SharedCentral.Client]
    var mtu = Server.defaultMTU
    /// Whether the service has requested its end, with the failure to report.
    var isEnding = false
    var failure: CentralFailure?
    /// When the service requests its end.
    var endDue = Instant.never
    var operations: [Ticket] = []
    /// Operations that wait until the link is encrypted.
    var unsecured: [Ticket] = []
    /// Writes without response that wait for the controller.
    var commands: [Ticket] = []
    /// Operations that the end of the link has interrupted.
    var interrupted: [Ticket] = []
    var subscriptions: Subscriptions
    /// The handles of Client Characteristic Configurations, by those of the values.
    var configurations: [UInt16: UInt16] = [:]
    var serviceChanged: UInt16?
    /// The next steps of the service.
    var steps: [[AttributeStep]] = []
    /// The attributes that it has discovered.
    var services: [DiscoveredService] = []
    /// Services that programs know, and that are not there any more.
    var retiring: [DiscoveredService] = []
    /// The values that it has read or received by itself.
    var values: [UUID: [UInt8]] = [:]
    /// The characteristics whose values it reports to programs.
    var reported: [UUID] = []
    /// Whether the service forgets the peripheral when the link has ended.
    var isForgotten = false
    /// When it is reported to be resolved, if not when it is.
    var resolution: SystemTrouble.Resolution?
    /// Whether it is resolved, and will be reported to be.
    var isResolvedLate = false
    /// When that is due.
    var resolutionDue = Instant.never
    /// The program that has requested pairing.
    var pairing: ProgramID?

    init(id: ConnectionID, peer: DeviceAddress, clients: [SharedCentral.Client], _ subscriptions: Subscriptions) {
        (self.id, self.peer, self.clients, self.subscriptions) = (id, peer, clients, subscriptions)
    }

    /// Whether programs can use it.
    var isUsable: Bool { !isEnding && endDue == .never }

    /// Whether a step of the service has not ended.
    var isBusy: Bool { operations.contains { $0.step != nil } || unsecured.contains { $0.step != nil } }

    /// All operations that have not ended, in the order of their kinds.
    var tickets: [Ticket] { interrupted + operations + unsecured + commands }

    /// The first characteristic with a UUID.
    func characteristic(_ uuid: UUID) -> DiscoveredCharacteristic? {
        for service in services {
            if let found = service.characteristics.first(where: { $0.uuid == uuid }) { return found }
        }
        return nil
    }

    /// An operation that subscribes to a value, and has not ended.
    func subscribing(to value: UInt16) -> Ticket? {
        operations.first { ticket in
            if case .notify(true, value: value, _, _) = ticket.operation { true } else { false }
        }
    }

    /// Replaces the attributes, with what follows from them.
    mutating func adopt(_ services: [DiscoveredService]) {
        self.services = services
        for characteristic in services.lazy.flatMap(\.characteristics) {
            if let handle = characteristic.configurationHandle {
                configurations[characteristic.valueHandle] = handle
            }
        }
        serviceChanged = characteristic(.serviceChanged)?.valueHandle
    }

    /// Notes the value of a Characteristic Extended Properties descriptor.
    mutating func note(_ value: [UInt8], ofExtendedProperties handle: UInt16) {
        for service in services.indices where services[service].range.contains(handle) {
            for index in services[service].characteristics.indices
            where services[service].characteristics[index].range.contains(handle) {
                services[service].characteristics[index].extendedProperties = value
            }
        }
    }

    /// Forgets the subscriptions to values in a range of handles.
    mutating func forget(_ range: HandleRange) {
        subscriptions.remove(in: range)
        configurations = configurations.filter { value, handle in handle < range.first || value > range.last }
    }
}
