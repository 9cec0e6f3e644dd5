import Bluetooth
import Devices
import GATT

/// A supported characteristic, found on a peer.
struct Target: Sendable {
    /// Its index in `SupportedCharacteristic.all`.
    let row: Int
    let handle: UInt16
    /// The handle of its Client Characteristic Configuration; nil when it has none.
    let configuration: UInt16?
    /// The Client Characteristic Configuration to write.
    let subscription: ClientConfiguration
    /// Whether the client keeps the connection for it.
    fileprivate(set) var isHope = false
    /// Whether the server has accepted the subscription.
    var isSubscribed = false
    /// Whether the server has refused the subscription, and the client will retry.
    var mustSubscribe = false
    /// Those of `.read` and `.subscribe` that may still supply a value.
    var ways: SupportedCharacteristic.Access
    /// Those in which the last value was missing or malformed, and the client has printed that.
    var faults: SupportedCharacteristic.Access = []

    var characteristic: SupportedCharacteristic { .all[row] }

    /// Whether the same characteristic was found at the same handles.
    func isSamePlace(as other: Target) -> Bool {
        (row, handle) == (other.row, other.handle)
            && (configuration, subscription) == (other.configuration, other.subscription)
    }

    var isAskedAgain: Bool { characteristic.access.contains(.poll) && (ways.contains(.read) || faults.contains(.read)) }

    /// Nil for a characteristic that the client cannot use.
    private init?(_ row: Int, _ found: DiscoveredCharacteristic) {
        let (access, properties) = (SupportedCharacteristic.all[row].access, found.properties)
        (self.row, handle) = (row, found.valueHandle)
        subscription = properties.contains(.notify) ? .notification : .indication
        let canSubscribe = access.contains(.subscribe) && !properties.isDisjoint(with: [.notify, .indicate])
        configuration = canSubscribe ? found.configurationHandle : nil
        ways = []
        if access.contains(.read), properties.contains(.read) { ways.insert(.read) }
        if configuration != nil { ways.insert(.subscribe) }
        let isWritten = access.isEmpty && properties.contains(.write)
        if ways.isEmpty, !isWritten { return nil }
    }

    /// The targets among `services`, in the order of `SupportedCharacteristic.all`; `mute` gets those that should have
    /// Notify or Indicate and have neither.
    static func all(in services: [DiscoveredService], mute: inout [SupportedCharacteristic]) -> [Target] {
        var targets: [Target] = []
        // By index, because copies of all rows took longer than the search.
        let rows = SupportedCharacteristic.all
        for row in rows.indices {
            guard let found = services.first(rows[row].uuid, of: rows[row].service) else { continue }
            let target = Target(row, found)
            if let target { targets.append(target) }
            guard rows[row].access.contains(.subscribe), target?.configuration == nil else { continue }
            let isPromised = !found.properties.isDisjoint(with: [.notify, .indicate])
            if isPromised || target == nil { mute.append(rows[row]) }
        }
        let best = targets.map(\.characteristic.importance).max() ?? .none
        guard best > .none else { return targets }
        for index in targets.indices { targets[index].isHope = targets[index].characteristic.importance == best }
        return targets
    }
}

extension [DiscoveredService] {
    fileprivate func first(_ uuid: UUID, of service: UUID) -> DiscoveredCharacteristic? {
        for found in self where found.uuid == service {
            if let characteristic = found.characteristics.first(where: { $0.uuid == uuid }) { return characteristic }
        }
        return nil
    }
}
