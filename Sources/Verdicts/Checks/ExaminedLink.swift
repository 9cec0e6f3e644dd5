import Basics
import Bluetooth
import HCI
package import LEHost

/// The latest connection of an examiner with its peripheral, or its latest attempt to connect.
package struct ExaminedLink: Sendable {
    /// Nil: there is none.
    package var connection: ConnectionID?
    /// The number of the connection, or of the last one, in the examiner's life; 0: there was none.
    var number = 0
    /// Whether the peripheral is known to have received a packet in this connection.
    var isEstablished = false
    package var mtu = 23
    /// Whether the peripheral has exchanged the MTU, as a client.  Core 6.0, Vol 3, Part F, section 3.4.2.
    package var hasPeerExchangedMTU = false
    var supervisionTimeout = Duration.zero
    /// Why the last connection ended.
    var end: HCIStatus?
    /// Why the last connection attempt failed; nil if it did not.
    var refusal: Host.ConnectionFailure?
}

/// The addresses that an examiner uses.
struct ExaminerAddresses: Sendable {
    /// The present one; nil before the host has started.
    var own: DeviceAddress?
    /// The one with which the host has started, or under which its bonds were made.
    var first: DeviceAddress?
    /// That of checks that avoid a bond.
    var strangers: DeviceAddress?
    /// Whether it uses an address under which the peripheral has no bond.
    var avoidsBond = false

    var usual: DeviceAddress? { avoidsBond ? strangers : first }
}
