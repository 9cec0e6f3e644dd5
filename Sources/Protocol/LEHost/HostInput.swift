public import Bluetooth
public import GATT
public import HCI
public import L2CAP
public import Octets

extension Host {
    /// What a host reacts to.
    public enum Input: Equatable, Sendable {
        /// A packet from the controller, without its H4 indicator; the host releases it.
        case received(PacketKind, Packet)
        /// The time is what a `.wake` requested, or any other.
        case timePassed
        /// A request of the caller.
        case command(Command)
    }

    /// What a caller can request.  The host chooses the address with which it advertises, scans and connects, whatever
    /// the parameters contain: its random address if it has one, else the controller's.
    public enum Command: Equatable, Sendable {
        /// Resets and initializes the controller, until `.started` or `.failed`.  Removes all connections.
        case start
        /// Advertises as soon as the host has started, and again after each connection.  Data and scan response have
        /// up to 31 octets.
        indirect case advertise(AdvertisingParameters, data: [UInt8], scanResponse: [UInt8])
        /// Stops advertising.
        case stopAdvertising
        /// Scans as soon as the host has started; the filter lets each advertiser be reported once.
        indirect case scan(ScanParameters, filterDuplicates: Bool)
        /// Stops scanning.
        case stopScanning
        /// Connects when the peer advertises, until `.connected` or `.connectionFailed`; the latter comes after
        /// `timeout` if there is one, as soon as the controller confirms.  Only one at a time; scanning pauses
        /// meanwhile.
        indirect case connect(ConnectionCreation, timeout: Duration?)
        /// Stops connecting, until `.connectionFailed`; a connection that is made nevertheless is disconnected first.
        case cancelConnecting
        /// Disconnects.  The reason is one of those that a host may give, such as `remoteUserTerminated`.
        case disconnect(ConnectionID, reason: HCIStatus)
        /// Starts a procedure with the peer's server; `.finished` returns the caller's `id`.
        case procedure(ConnectionID, Procedure, id: UInt32)
        /// Notifies every subscriber of a value, or indicates it to those that have enabled only indications.
        case notify(handle: UInt16, [UInt8])
        /// Replaces the attributes; the values of each following step must belong to these.  With `isAnnounced`,
        /// clients that have enabled Service Changed receive it.
        indirect case changeAttributes(AttributeTable, isAnnounced: Bool)
        /// Uses another static random address for advertising, scanning and connecting; nil: the controller's public
        /// address.  Connections stay.  Refused while the host connects.
        case changeAddress(DeviceAddress?)

        // Faults that a script injects; each applies to all connections, including later ones.

        /// True: requests of clients wait, up to `Host.maximumHeldPDUs` of each; false: they are answered, in order.
        case stall(Bool)
        /// The server answers these requests with an error, and only these.
        case injectErrors(ErrorInjection)
        /// The server offers this MTU, 23 to 517 octets, in every following MTU exchange.
        case offer(mtu: Int)
        /// Whether the client confirms indications.
        case confirmIndications(Bool)
        /// Sends these octets as one PDU on each connection, whatever they are.
        case sendRaw(Channel, [UInt8])

        /// Whether the host reports the PDUs of the peer's server, including unsolicited answers, as
        /// `Output.overheard`.
        case overhear(Bool)
    }
}
