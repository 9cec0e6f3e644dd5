import Bluetooth

// Whether a peripheral comes back after a disconnection.
extension Examiner {
    /// How many times to look for it, each time for twice the longest interval of legacy advertising.
    private static let searches = 2

    /// How long `isFoundAgain` looks for it.
    package static let returnTime = scanTime * searches

    /// Looks for a peripheral that was disconnected: long enough for one that advertises slowly, or that a person wakes.
    package mutating func isFoundAgain() -> Bool {
        forgetReports()
        for _ in 1...Self.searches {
            do throws(CheckExit) {
                try findAdvertiser()
                return true
            } catch { continue }
        }
        return false
    }

    /// The name that the peripheral advertises; nil if there is none.
    package var advertisedName: String? { advertisers.all.first { $0.address == address }?.name }

    /// Why it may be there although it is not found: it has another address; nil if nothing suggests that.
    package func possibleMove(of name: String?) -> String? {
        if case .name = peer { return nil }
        if let address, address.isPrivate {
            return "its address, \(address), is private and may have changed: find it by its name"
        }
        let double = advertisers.all.first { name != nil && $0.name == name }
        return double.map { "\($0.address) advertises the same name: its address may have changed" }
    }

    /// The peripheral may stay silent, which is not the fault of earlier checks.
    package mutating func noteSilence() { isIgnored = true }

    /// Skips the check if the peripheral is known not to advertise after its first connection.
    package func skipIfAbsent() throws(CheckExit) {
        if let absence = knowledge.absence, latestLink.number > 0 { throw .skipped(absence) }
    }

    /// Keeps why there is no second connection.
    package mutating func noteAbsence(_ reason: String?) { knowledge.absence = reason }

    /// Keeps a value that shows that the sensor is in use.
    package mutating func noteUse(_ value: ReceivedValue) { knowledge.lastUse = value }
}

extension DeviceAddress {
    /// Whether it is a private address, which a device changes now and then.  Core 6.0, Vol 6, Part B, section 1.3.2.2.
    fileprivate var isPrivate: Bool { kind == .random && number >> 47 == 0 }
}
