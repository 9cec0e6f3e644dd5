public import Basics
public import Bluetooth
import L2CAP

/// A host in the central role: a `Host` above a controller, or one that another program provides, such as bluetoothd.
public protocol CentralHost {
    /// Performs a command of a central.
    mutating func perform(_ command: Host.Command)

    /// Injects a fault, or throws why the host cannot.
    mutating func inject(_ fault: Host.Fault) throws(UnsupportedFault)

    /// Appends all outputs since the last call, without `.send` and `.wake`.
    mutating func drain(_ handle: (Host.Output, inout PacketPool) -> Void)

    /// Holds the packets in the outputs; the receiver of an output releases its packet.
    var pool: PacketPool { get set }

    /// Why the host lacks a capability, for people; nil if it has it.
    func unsupportedReason(for capability: CentralCapability) -> String?
}

extension CentralHost {
    /// A `Host` has all capabilities.
    public func unsupportedReason(for capability: CentralCapability) -> String? { nil }

    /// Appends all outputs since the last call, without `.send` and `.wake`.
    public mutating func drain(into outputs: inout [Host.Output]) { drain { output, _ in outputs.append(output) } }

    /// Releases a packet and returns its octets.
    public mutating func take(_ packet: Packet) -> [UInt8] {
        defer { pool.release(packet) }
        return pool.octets(of: packet)
    }
}

/// A fault that a host cannot inject.
public struct UnsupportedFault: Error, Hashable, Sendable {
    /// For people.
    public let reason: String

    /// A fault that a host cannot inject, for this reason.
    public init(_ reason: String) { self.reason = reason }
}

extension Host.Fault {
    /// The capability that a host in the central role needs for this fault.
    public var capability: CentralCapability {
        switch self {
        case .confirmIndications: .unconfirmedIndications
        case .sendRaw(.security, _), .divertSecurity, .injectSecurityFaults: .pairing
        case .sendRaw, .overhear, .acceptParameters, .respondToSubscribersLate, .stall, .injectErrors, .offer: .packets
        }
    }
}

/// What a `Host` above a controller can do, and another program's host perhaps cannot.
public enum CentralCapability: Hashable, Sendable {
    /// Reports each advertising packet as it was sent.  Core 6.0, Vol 3, Part C, section 11.
    case advertisements
    /// Connects without sending any request, so that the MTU is still the default.
    case untouchedConnections
    /// Sends any octets as an ATT PDU, and reports those received.  Core 6.0, Vol 3, Part F, section 3.3.1.
    case packets
    /// Can leave indications unconfirmed.  Core 6.0, Vol 3, Part G, section 4.11.
    case unconfirmedIndications
    /// Reports notified values without a subscription.
    case unwantedValues
    /// Gives access to the attributes of this service.
    case service(UUID)
    /// Loses its links by a reset of its controller; the peripheral sees a supervision timeout.
    /// Core 6.0, Vol 4, Part E, section 7.3.2.
    case lossOfLinks
    /// Connects without a bond.  Core 6.0, Vol 3, Part C, section 9.4.4.
    case absenceOfBond
    /// Sends any PDU of the Security Manager, and encrypts with any key.  Core 6.0, Vol 3, Part H, section 3.
    case pairing
}
