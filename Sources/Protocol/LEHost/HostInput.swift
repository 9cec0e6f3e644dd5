public import Bluetooth
public import GATT
public import HCI
public import L2CAP
public import Octets

extension Host {
    /// What can happen to a host.
    public enum Input: Equatable, Sendable {
        /// A packet came from the controller; the host releases it.
        case received(PacketKind, Packet)
        /// An instant for which `.wake` asked has come, or any other.
        case timePassed
        /// Somebody above wants something.
        case command(Command)
    }

    /// What can be wanted of a host.  The address that it advertises, scans and connects with is the host's choice,
    /// whatever the parameters say: the random one if it has one, else the controller's.
    public enum Command: Equatable, Sendable {
        /// Resets the controller and prepares it: ends with `.started` or `.failed`.  Connections are forgotten.
        case start
        /// Advertises from now on, or as soon as the host has started: also again after a connection has ended.
        /// Data and scan response have 31 octets at most.
        indirect case advertise(AdvertisingParameters, data: [UInt8], scanResponse: [UInt8])
        /// Advertises no more.
        case stopAdvertising
        /// Scans from now on, or as soon as the host has started; with the filter an advertiser is reported once.
        indirect case scan(ScanParameters, filterDuplicates: Bool)
        /// Scans no more.
        case stopScanning
        /// Connects when the peer is heard: ends with `.connected`, or with `.connectionFailed` after `timeout` at the
        /// latest if there is one, or as soon as the controller agrees that it has ended.  There can be one such command
        /// at a time; scanning pauses for it.
        indirect case connect(ConnectionCreation, timeout: Duration?)
        /// Connects no more: ends with `.connectionFailed`; a connection that comes all the same is ended before that.
        case cancelConnecting
        /// Ends a connection; the reason is one of those that a host may give, as `remoteUserTerminated`.
        case disconnect(ConnectionID, reason: HCIStatus)
        /// Asks the peer's server for something; `id` is the caller's, and comes back with `.finished`.
        case procedure(ConnectionID, Procedure, id: UInt32)
        /// Notifies every subscriber of a value, or indicates it to those who have asked for that only.
        case notify(handle: UInt16, [UInt8])
        /// The device has these attributes from now on, and the values that come with each step have to be theirs; with
        /// `isAnnounced` clients are told by Service Changed, if they have asked for that.
        indirect case changeAttributes(AttributeTable, isAnnounced: Bool)
        /// Advertises, scans and connects under another static random address from now on, or under the controller's public
        /// one if it is nil; connections stay what they are.  Refused while a connection is being made.
        case changeAddress(DeviceAddress?)

        // Faults that a script plays; each holds for all connections, also for those to come.

        /// What clients ask is not answered, or is again: then `Host.mostHeld` PDUs of each that have come meanwhile are
        /// answered, in their order.
        case stall(Bool)
        /// The server refuses these requests, and only these.
        case injectErrors(ErrorInjection)
        /// The server says that it takes PDUs of so many octets, 23 to 517, to who exchanges MTUs from now on.
        case offer(mtu: Int)
        /// The client confirms indications, or does not.
        case confirmIndications(Bool)
        /// Sends these octets as one PDU on each connection, whatever they are.
        case sendRaw(Channel, [UInt8])

        /// Tells what the peer's server answers as octets too, `Output.overheard`, also where nobody has asked.
        case overhear(Bool)
    }
}
