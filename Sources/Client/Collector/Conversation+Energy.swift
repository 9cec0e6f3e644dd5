import Bluetooth
import Characteristics
import GATT
import Services

// What a client may change at a strap.
extension Conversation {
    /// Has the energy counted anew, once, when it has reached the most that can be said: it stays there so that a client
    /// knows that it has to.  Heart Rate Service 1.0, section 3.1.1.3.
    mutating func resetEnergy(_ decoder: ValueDecoder, into outbox: inout [Output]) {
        defer { hasResetEnergy = decoder.energyIsFull }
        guard decoder.energyIsFull, !hasResetEnergy, let point = target(.energyReset) else { return }
        let reset = HeartRateControlPoint.resetEnergyExpended.octets
        ask(.write(handle: point.handle, value: reset), for: .energy, into: &outbox)
    }
}
