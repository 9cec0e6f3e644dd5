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

/// Texts for outputs of a host that its user should know about; each is given once.
package struct HostWarnings: Sendable {
    private static let maximum = 64

    private var given: Set<String> = []

    /// No warning was given yet.
    package init() {}

    /// A warning for an output; nil if it needs none, or was given before.
    package mutating func warning(for output: Host.Output) -> String? {
        switch output {
        case .ignored(let kind, let malformed): warning("ignored a malformed HCI packet (\(kind)): \(malformed)")
        case .refused(let opcode, let status): warning("the controller refused \(opcode): \(status)")
        default: nil
        }
    }

    private mutating func warning(_ text: String) -> String? {
        given.count < Self.maximum && given.insert(text).inserted ? text : nil
    }
}
