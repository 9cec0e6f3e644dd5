import Bluetooth
import Services
import GATT

/// A known characteristic as it was found at a peer.
struct Target: Sendable {
    /// Which row of `Known.all` it is of.
    let row: Int
    /// Where its value is.
    let handle: UInt16
    /// Where a subscription is written; nil when it cannot be subscribed to.
    let configuration: UInt16?
    /// What is written there.
    let subscription: ClientConfiguration
    /// Whether the connection is kept for it.
    fileprivate(set) var isHope = false
    /// Whether the server has taken the subscription.
    var isSubscribed = false
    /// Whether the server has refused it, and is to be asked again.
    var mustSubscribe = false
    /// By which of `.read` and `.listen` a value may still come.
    var ways: Known.Uses
    /// By which of them the last value did not come, or was malformed: that has been said.
    var faults: Known.Uses = []

    var known: Known { Known.all[row] }

    /// Whether the same characteristic was found at the same handles.
    func isSamePlace(as other: Target) -> Bool {
        (row, handle) == (other.row, other.handle)
            && (configuration, subscription) == (other.configuration, other.subscription)
    }

    /// Whether it is read every so often.
    var isAskedAgain: Bool { known.uses.contains(.again) && (ways.contains(.read) || faults.contains(.read)) }

    /// Nil for what the client can make no use of.
    private init?(_ row: Int, _ characteristic: DiscoveredCharacteristic) {
        let (uses, properties) = (Known.all[row].uses, characteristic.properties)
        (self.row, handle) = (row, characteristic.valueHandle)
        subscription = properties.contains(.notify) ? .notification : .indication
        let canListen = uses.contains(.listen) && !properties.isDisjoint(with: [.notify, .indicate])
        configuration = canListen ? characteristic.configurationHandle : nil
        ways = []
        if uses.contains(.read), properties.contains(.read) { ways.insert(.read) }
        if configuration != nil { ways.insert(.listen) }
        let isWritten = uses.isEmpty && properties.contains(.write)
        if ways.isEmpty, !isWritten { return nil }
    }

    /// Those among `services`, in the order of `Known.all`; `mute` gets those that ought to be heard and cannot be.
    static func all(in services: [DiscoveredService], mute: inout [Known]) -> [Target] {
        var targets: [Target] = []
        for (row, known) in Known.all.enumerated() {
            guard let found = services.first(known) else { continue }
            let target = Target(row, found)
            if let target { targets.append(target) }
            guard known.uses.contains(.listen), target?.configuration == nil else { continue }
            let isPromised = !found.properties.isDisjoint(with: [.notify, .indicate])
            if isPromised || target == nil { mute.append(known) }
        }
        let best = targets.map(\.known.worth).max() ?? .nothing
        guard best > .nothing else { return targets }
        for index in targets.indices { targets[index].isHope = targets[index].known.worth == best }
        return targets
    }
}

extension [DiscoveredService] {
    fileprivate func first(_ known: Known) -> DiscoveredCharacteristic? {
        lazy.filter { $0.uuid == known.service }.compactMap { service in
            service.characteristics.first { $0.uuid == known.uuid }
        }.first
    }
}
