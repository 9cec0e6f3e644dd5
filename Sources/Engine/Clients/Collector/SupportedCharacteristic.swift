import Basics
import Bluetooth
import Characteristics
import Devices
import GATT
import Services

/// A characteristic that the client reads, subscribes to or writes.
struct SupportedCharacteristic: Sendable {
    /// How the client gets the value.
    struct Access: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// By a read, once in each connection.
        static let read = Access(rawValue: 0x01)
        /// The value may be longer than one PDU.
        static let long = Access(rawValue: 0x02)
        /// By a read every `Settings.asksOnDemand`.
        static let poll = Access(rawValue: 0x04)
        /// By a notification or an indication.
        static let subscribe = Access(rawValue: 0x08)
    }

    /// How the client uses the value.
    enum Use: Equatable, Sendable {
        /// As its service description specifies.
        case value(CharacteristicID, ClientUse.Role)
        case serviceChanged
        case clientSupportedFeatures
    }

    let service: UUID
    let uuid: UUID
    let name: String
    let access: Access
    let importance: ClientUse.Importance
    let use: Use
    /// The update when notifications have stopped; nil for a value that stays valid, such as a count.
    let expired: SensorCollector.Content?

    private init(
        _ service: UUID, _ uuid: UUID, _ name: String, _ access: Access, importance: ClientUse.Importance, _ use: Use,
        expired: SensorCollector.Content? = nil
    ) {
        (self.service, self.uuid, self.name, self.access) = (service, uuid, name, access)
        (self.importance, self.use, self.expired) = (importance, use, expired)
    }

    private init?(_ characteristic: CharacteristicDescription, of service: ServiceDescription) {
        guard let id = CharacteristicID(characteristic.uuid, of: service) else { return nil }
        let (client, properties) = (characteristic.client, characteristic.properties)
        var access: Access = []
        if properties.contains(.read) { access.insert(.read) }
        if client.isLong { access.insert(.long) }
        if client.isPolled { access.insert(.poll) }
        if !properties.isDisjoint(with: [.notify, .indicate]) { access.insert(.subscribe) }
        let expired: SensorCollector.Content? =
            switch client.role {
            case .heartRate, .heartRates: .cleared
            default: client.expires ? .value(ReceivedValue(expired: id)) : nil
            }
        self.init(
            service.uuid, characteristic.uuid, characteristic.title, access, importance: client.importance,
            .value(id, client.role), expired: expired)
    }

    /// The client's action in addition to printing the value; nil for the attributes of Generic Attribute.
    var role: ClientUse.Role? { if case .value(_, let role) = use { role } else { nil } }

    /// How long the first value is valid before the client knows the interval; nil: indefinitely.
    ///
    /// A heart rate is sent about once a second (Heart Rate Service 1.0, section 3.1.1), a thermometer may send only one.
    var lifetime: Duration? { expired == .cleared ? .seconds(10) : nil }

    func words(for octets: ArraySlice<UInt8>, _ error: Malformed) -> String {
        "\(name) \(octets.isEmpty ? "without octets" : Array(octets).hex) is malformed: \(error)"
    }

    /// In the order in which the client reads, and then subscribes.
    static let all =
        ServiceRegistry.all.flatMap { service in
            service.characteristics.compactMap { SupportedCharacteristic($0, of: service) }
        } + [
            SupportedCharacteristic(
                .genericAttribute, .serviceChanged, "Service Changed", .subscribe, importance: .none, .serviceChanged),
            SupportedCharacteristic(
                .genericAttribute, .clientSupportedFeatures, "Client Supported Features", [], importance: .none,
                .clientSupportedFeatures),
        ]
}
