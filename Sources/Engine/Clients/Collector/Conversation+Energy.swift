import Basics
import Bluetooth
import Characteristics
import Devices
import GATT

// Writes to the strap.
extension Conversation {
    /// Resets Energy Expended, once, when it has reached its maximum, at which it stays until a client resets it. Heart
    /// Rate Service 1.0, section 3.1.1.3.
    mutating func resetEnergy(isFull: Bool, into outbox: inout [Output]) {
        defer { hasResetEnergy = isFull }
        guard isFull, !hasResetEnergy, let point = target(.energyReset) else { return }
        let reset = HeartRateControlPoint.resetEnergyExpended.octets
        ask(.write(handle: point.handle, value: reset), for: .energy, into: &outbox)
    }
}
