package import Bluetooth
package import LEHost

/// A central host in real time, on the thread of an event loop.
///
/// Its maker is notified whenever `drain` may have new outputs, or `failure` a reason.
package protocol LiveCentralHost: AnyObject, CentralHost, CustomStringConvertible {
    /// Why the host cannot be used any more, for people; nil while it can.
    var failure: String? { get }

    /// How long the host may take to end a connection.
    var disconnectTimeout: Duration { get }

    /// Whether another program of this machine is connected to a device.
    func isTaken(_ address: DeviceAddress) -> Bool

    /// Releases the radio, and returns what could not be restored, for people.
    var close: @Sendable () async -> String? { get }
}

extension LiveCentralHost {
    /// No other program uses the radio.
    package func isTaken(_ address: DeviceAddress) -> Bool { false }
}

/// Warnings about a controller, one for each kind of refusal.
package struct HostWarnings: Sendable {
    private static let maximum = 64

    private var kinds: Set<String> = []

    /// No warning was given yet.
    package init() {}

    /// A warning for an output; nil if it needs none, or one of its kind was given before.
    package mutating func warning(for output: Host.Output) -> String? {
        switch output {
        case .malformed(let packet): "\(packet)"  // the host limits their number
        case .refused(let opcode, let status):
            isNew("\(opcode) \(status)") ? "the controller refused \(opcode): \(status)" : nil
        default: nil
        }
    }

    private mutating func isNew(_ kind: String) -> Bool { kinds.count < Self.maximum && kinds.insert(kind).inserted }
}
