import Basics
import Bluetooth
import Devices
import GATT

// Values and services that may have become invalid.
extension Conversation {
    // MARK: Values that are out of date

    /// Records that a value was notified.
    mutating func refresh(_ row: Int, at now: Instant, into outbox: inout [Output]) {
        guard let expired = SupportedCharacteristic.all[row].expired else { return }
        if expired == .cleared {
            guard SupportedCharacteristic.all[row].role == .heartRate || target(.heartRate) == nil else { return }
            hasCleared = false
        }
        if !freshness.contains(where: { $0.row == row }) {
            freshness.append((row, Freshness(unknown: SupportedCharacteristic.all[row].lifetime)))
        }
        for index in freshness.indices where freshness[index].row == row {
            if let wake = freshness[index].of.received(at: now) { outbox.append(.wake(at: wake)) }
        }
    }

    /// Reports the values that are out of date.
    mutating func clearWhatIsOver(at now: Instant, into outbox: inout [Output]) {
        for index in freshness.indices {
            let (isOver, wake) = freshness[index].of.timePassed(at: now)
            if let wake { outbox.append(.wake(at: wake)) }
            guard isOver, let expired = SupportedCharacteristic.all[freshness[index].row].expired else { continue }
            say(expired, into: &outbox)
            if expired == .cleared { (hasCleared, checksAt) = (true, now) }
        }
    }

    // MARK: Services that moved without Service Changed

    /// Whether the handles may have changed: notifications have stopped, or nothing was found.
    var isDoubtful: Bool {
        hasCleared || isPromising && !targets.contains { $0.characteristic.importance == .purpose && $0.isHope }
    }

    mutating func checkLater(at now: Instant, into outbox: inout [Output]) {
        checksAt = now.advanced(by: Self.patience)
        outbox.append(.wake(at: checksAt))
    }

    mutating func check(at now: Instant, into outbox: inout [Output]) {
        guard checksAt <= now else { return }
        checksAt = .never
        let isAsked = underWay.contains { $0.purpose == .discovery || $0.purpose == .check }
        guard isDoubtful, !isAsked else { return }
        ask(.discoverEverything, for: .check, into: &outbox)
    }

    mutating func checked(
        _ services: [DiscoveredService], _ decoder: inout ValueDecoder, at now: Instant, into outbox: inout [Output]
    ) -> Progress {
        var mute: [SupportedCharacteristic] = []
        let found = self.targets(in: services, mute: &mute)
        guard found.elementsEqual(targets, by: { $0.isSamePlace(as: $1) }) else {
            say(.error("\(peer) has changed its services without saying so"), into: &outbox)
            return discovered(services, &decoder, at: now, into: &outbox)
        }
        if isDoubtful { checkLater(at: now, into: &outbox) }
        return .goesOn
    }
}
