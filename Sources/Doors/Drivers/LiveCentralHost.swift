package import Bluetooth
package import LEHost

/// A central host in real time, on the thread of an event loop.
///
/// It notifies its owner whenever `drain` may have new outputs, or `failure` changes.
package protocol LiveCentralHost: AnyObject, CentralHost, CustomStringConvertible {
    /// Why the host is unusable, as a message; nil while it works.
    var failure: String? { get }

    /// A message that the radio does not respond; nil once the host has started.
    var silence: String? { get }

    /// The maximum time for ending a connection.
    var disconnectTimeout: Duration { get }

    /// Whether another program on this machine is connected to a device.
    func isTaken(_ address: DeviceAddress) -> Bool

    /// Releases the radio, and returns a message if not everything could be restored.
    var close: @Sendable () async -> String? { get }
}

extension LiveCentralHost {
    /// Other radios start at once, or fail.
    package var silence: String? { nil }

    /// No other program uses the radio.
    package func isTaken(_ address: DeviceAddress) -> Bool { false }
}

/// Warnings about a controller, one per kind of refusal.
package struct HostWarnings: Sendable {
    private static let maximum = 64

    private var kinds: Set<String> = []

    /// No warnings yet.
    package init() {}

    /// A warning for an output; nil if it needs none, or one of its kind was given already.
    package mutating func warning(for output: Host.Output) -> String? {
        switch output {
        case .malformed(let packet): return "\(packet)"  // the host limits their number
        case .refused(let opcode, let status):
            return isNew("\(opcode) \(status)") ? "the controller refused \(opcode): \(status)" : nil
        case .keptThroughReset:
            return isNew("reset") ? ControllerTrouble.keepsLinks : nil
        case .dropped:
            return isNew("dropped")
                ? "the controller is too slow: data are lost that the event log may show as sent" : nil
        default: return nil
        }
    }

    private mutating func isNew(_ kind: String) -> Bool { kinds.count < Self.maximum && kinds.insert(kind).inserted }
}
