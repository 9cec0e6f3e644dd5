public import Basics
public import Bluetooth
public import GATT
public import HCI
public import L2CAP
public import SecurityManager

extension Host {
    /// What a host reacts to.
    public enum Input: Equatable, Sendable {
        /// A packet from the controller, without its H4 indicator; the host releases it.
        case received(PacketKind, Packet)
        /// The time is what a `.wake` requested, or any other.
        case timePassed
        /// A request of the caller.
        case command(Command)
        /// A fault from now on.
        case fault(Fault)
    }

    /// What a caller can request.  The host chooses the address with which it advertises, scans and connects, whatever
    /// the parameters contain: with privacy a resolvable private address, else its random address if it has one, else the
    /// controller's.
    public enum Command: Equatable, Sendable {
        /// Resets and initializes the controller, until `.started` or `.failed`.  Removes all connections.
        case start
        /// Resets the controller, which then neither sends nor receives until `start`.  Peers notice it when their
        /// supervision timeout is over; only connections that are `keptThroughReset` are ended.
        case stop
        /// Advertises as soon as the host has started, and again after each connection.  Data and scan response have
        /// up to 31 octets.
        indirect case advertise(AdvertisingParameters, data: [UInt8], scanResponse: [UInt8])
        /// Changes the data while the host advertises, without an interruption; else it has no effect.
        indirect case changeAdvertisingData([UInt8], scanResponse: [UInt8])
        /// Stops advertising.
        case stopAdvertising
        /// Scans as soon as the host has started; the filter lets each advertiser be reported once.
        indirect case scan(ScanParameters, filterDuplicates: Bool)
        /// Stops scanning.
        case stopScanning
        /// Connects when the peer advertises, until `.connected` or `.connectionFailed`; the latter comes after
        /// `timeout` if there is one, as soon as the controller confirms.  Only one at a time; scanning pauses
        /// meanwhile.  A bonded peer has its identity address, whatever private address it was reported with last.
        indirect case connect(ConnectionCreation, timeout: Duration?)
        /// Stops connecting, until `.connectionFailed`; a connection that is made nevertheless is disconnected first.
        case cancelConnecting
        /// Disconnects.  The reason is one of those that a host may give, such as `remoteUserTerminated`.
        case disconnect(ConnectionID, reason: HCIStatus)
        /// Requests the features of the peer's Link Layer, until `.remoteFeatures`.  Its answer proves that the connection is
        /// established: Core 6.0, Vol 6, Part B, section 4.5.
        case readRemoteFeatures(ConnectionID)
        /// Requests the strength of the peer's signal, until `.signalStrength`.
        case readSignalStrength(ConnectionID)
        /// Starts a procedure with the peer's server; `.finished` returns the caller's `id`.
        case procedure(ConnectionID, Procedure, id: UInt32)
        /// Notifies every subscriber of a value, or indicates it to those that have enabled only indications.
        case notify(handle: UInt16, [UInt8])
        /// Answers `Server.Output.requested` of a connection, with the octets from the offset on, which do not matter for a
        /// write, or with an error.
        indirect case answer(ConnectionID, Result<[UInt8], ATTError>)
        /// Requests other parameters of a connection, as its peripheral.
        case requestParameters(ConnectionID, ConnectionParameters)
        /// Replaces the attributes; the values of each following step must belong to these.  With `isAnnounced`,
        /// clients that have enabled Service Changed receive it.
        indirect case changeAttributes(AttributeTable, isAnnounced: Bool)
        /// Uses another static random address for advertising, scanning and connecting; nil: the controller's public
        /// address.  Connections stay.  Refused while the host connects.
        case changeAddress(DeviceAddress?)
        /// Uses another resolvable private address now, or as soon as the host does not connect any more.  Connections
        /// stay.  Without effect before the start, and on a host without privacy.
        case rotateAddress
        /// Advertises weaker than the controller itself chooses, by this number of dB, or stronger if that is negative, as far
        /// as the controller lets; reported as `.advertisingPower` when the host advertises so.  Connections keep their power.
        case attenuate(Int)
        /// Secures a connection, or continues a pairing with what the user does.  Only `.secure`, `.resume`, `.pair`,
        /// `.passkey`, `.compared` and `.keypress`.
        case security(ConnectionID, LinkSecurityManager.Input)
        /// Pairs with these settings from now on; nil: the host rejects pairing.
        indirect case changeSecurity(SecuritySettings?)
        /// Pairs with the peer that has this address with data that the devices have exchanged out of band, in place of those
        /// of the settings, from the next pairing on; nil: with those of the settings.
        indirect case exchangeOutOfBand(OutOfBandData?, with: DeviceAddress)
        /// Removes the bond with a peer, which it has distributed this identity address to.
        case forget(DeviceAddress)
    }

    /// A request that no app can make: a fault that a script injects, or a means to test the peer.  Each applies to all
    /// connections, including later ones.
    public enum Fault: Equatable, Sendable {
        /// These requests of clients wait, up to `Host.maximumHeldPDUs` of each client, and with `.all` every PDU for the
        /// server; without any, they are answered, in order.
        case stall(ErrorInjection.Requests)
        /// The server answers these requests with an error, and only these.
        case injectErrors(ErrorInjection)
        /// Whether the response to a client that subscribes comes only when all else that is due at that instant has been sent.
        case respondToSubscribersLate(Bool)
        /// The server offers this MTU, 23 to 517 octets, in every following MTU exchange.
        case offer(mtu: Int)
        /// Whether the client confirms indications.
        case confirmIndications(Bool)
        /// Whether the host, as a central, accepts the connection parameters that a peripheral requests.
        case acceptParameters(Bool)
        /// Pairs with these faults.
        case injectSecurityFaults(SecurityFaults)
        /// Sends these octets as one PDU on each connection, whatever they are.
        case sendRaw(Channel, [UInt8])

        /// Whether the host reports the PDUs of the peer's server, including unsolicited answers, as
        /// `Output.overheard`.
        case overhear(Bool)
        /// Whether the caller pairs in place of the host: with `sendRaw` and `LinkSecurityManager.Input.encrypt`.  The host
        /// answers no PDUs of the peer's Security Manager, and reports them as `Output.securityPDU`.
        case divertSecurity(Bool)
    }
}

/// What a host learns about its controller when it starts.
public struct ControllerFacts: Hashable, Sendable {
    /// The versions of HCI and the Link Layer; nil until the controller has returned them.
    public var version: LocalVersion?
    /// The LE features.
    public var features: LEFeatures = []
    /// The public address; all zeros: none.
    public var publicAddress = DeviceAddress(0, .public)
    /// The maximum number of data octets in an ACL packet.
    public var bufferLength = 0
    /// The number of ACL packets that the controller can hold.
    public var bufferCount = 0
    /// The range of its transmit power, in dBm; nil: it has no extended advertising, or does not report the range.
    public var transmitPower: ClosedRange<Int8>?

    /// Nothing is known yet.
    public init() {}
}

/// A packet of the controller that cannot be read, and has no effect.
public struct MalformedPacket: Equatable, Sendable, CustomStringConvertible {
    /// Event or ACL data.
    public let kind: PacketKind
    /// The packet, without its H4 indicator.
    public let octets: [UInt8]
    /// What is wrong with it.
    public let reason: Malformed

    /// The description shows at most this number of octets.
    private static let maximumShownOctets = 32

    init(_ kind: PacketKind, _ octets: [UInt8], _ reason: Malformed) {
        (self.kind, self.octets, self.reason) = (kind, octets, reason)
    }

    /// For people: `the controller sent an invalid event (LE_Connection_Complete): octet 6: Role is 7, and must be 0 or
    /// 1: 3E 13 01 …`.
    public var description: String {
        let name = (try? Event(octets: octets)).map { " (\($0.code))" } ?? ""
        let what = kind == .event ? "event\(name)" : "ACL packet"
        let shown = Array(octets.prefix(Self.maximumShownOctets)).hex
        return "the controller sent an invalid \(what): \(reason): \(shown)"
            + (octets.count > Self.maximumShownOctets ? " …" : "")
    }
}

extension Host {
    /// What a host requests of its caller, or reports.
    public enum Output: Equatable, Sendable {
        /// Send this packet to the controller; the caller releases it.
        case send(PacketKind, Packet)
        /// Call with `.timePassed` at this instant.
        case wake(at: Instant)

        /// The controller is ready; the address is the one that peers see.
        indirect case started(DeviceAddress, ControllerFacts)
        /// The controller cannot be used any more; the end of everything that depended on it has been reported.
        /// Only `Command.start` helps.
        case failed(Failure)
        /// The controller rejected a command; what depended on it does not happen.
        case refused(Opcode, HCIStatus)
        /// The controller sent a packet that cannot be read; at most `maximumMalformedReports` after each start.
        indirect case malformed(MalformedPacket)

        /// Advertising has started or stopped.
        case advertising(Bool)
        /// The power of advertising since `Command.attenuate`.
        case advertisingPower(AdvertisingPower)
        /// Scanning has started or stopped.
        case scanning(Bool)
        /// A scanner received advertising; a bonded peer has its identity address.  Extended advertising is reassembled, up
        /// to 1650 octets, and reported as the kind of legacy PDU that permits the same.
        indirect case report(AdvertisingReport)

        /// There is a new connection; a bonded peer has its identity address.
        indirect case connected(ConnectionID, ConnectionComplete)
        /// `Command.connect` failed.
        case connectionFailed(DeviceAddress, ConnectionFailure)
        /// A connection has other parameters.
        case timing(ConnectionID, ConnectionTiming)
        /// A connection of this peripheral has other parameters, or does not get those that the host requested.
        indirect case parameters(ConnectionID, ParameterDecision)
        /// The peer's Link Layer has answered `Command.readRemoteFeatures`.
        case remoteFeatures(ConnectionID, LEFeatures)
        /// The controller has answered `Command.readSignalStrength`: the strength in dBm; nil if it does not know it, or refuses.
        case signalStrength(ConnectionID, Int8?)
        /// A connection has ended.
        case disconnected(ConnectionID, DeviceAddress, reason: HCIStatus)
        /// `Command.stop` or `Command.start` has reset the controller, but not ended this connection, as the
        /// specification demands; so the host has ended it, with the reason `remotePowerOff`.
        case keptThroughReset(ConnectionID)
        /// The controller is too slow: a whole PDU for this connection was dropped.
        case dropped(ConnectionID)

        /// Pairing or encryption of a connection; never `.send`, `.wake`, `.encrypt` or `.answer`.
        indirect case security(ConnectionID, LinkSecurityManager.Output)

        /// The bond with the peer that has this identity address is removed: by `Command.forget`, or because there is no room
        /// for it.
        case bondLost(DeviceAddress)

        /// The peer, as a client, accessed this device's attributes; never `.send`.
        case server(ConnectionID, Server.Output)
        /// The peer's server sent a notification; the caller releases the packet.
        case notified(ConnectionID, handle: UInt16, Packet)
        /// The peer's server sent an indication, confirmed unless `Fault.confirmIndications` is off; the caller
        /// releases the packet.
        case indicated(ConnectionID, handle: UInt16, Packet)
        /// The peer's server sent this PDU, neither a notification nor an indication.  Only with `Fault.overhear`,
        /// and before its other outputs.
        case overheard(ConnectionID, [UInt8])
        /// The peer's Security Manager sent this PDU.  Only with `Fault.divertSecurity`.
        case securityPDU(ConnectionID, [UInt8])
        /// The MTU of a connection after the exchange that this host's client requested, in octets.
        case exchangedMTU(ConnectionID, Int)
        /// The procedure of `Command.procedure` has ended.
        case finished(ConnectionID, id: UInt32, Result<Procedure.Outcome, Procedure.Failure>)
        /// The peer's attributes have changed.  Only from a host that uses a system service, which receives Service
        /// Changed itself.
        case attributesChanged(ConnectionID)
    }

    /// Why a connection could not be made.
    public enum ConnectionFailure: Error, Hashable, Sendable {
        /// The controller reported this status.
        case status(HCIStatus)
        /// The peer did not advertise in time.
        case timedOut
        /// `Command.cancelConnecting` came first.
        case cancelled
        /// The host already connects, or has not started.
        case notNow
        /// The system service that owns the radio reported this message.
        case outside(String)
    }

    /// Why a controller cannot be used any more.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// The controller did not answer a command within 10 s.
        case noAnswer(Opcode)
        /// The controller accepted no commands for 10 s.
        case takesNoCommands
        /// The controller rejected a command that initialization requires.
        case startRefused(Opcode, HCIStatus)
        /// The return parameters of a command that initialization requires cannot be read.
        case startMalformed(Opcode, String)
        /// The controller has no buffers for data, or buffers of less than 27 octets.
        case noBuffers
        /// The controller reported a hardware error, with a code of its vendor.
        case hardware(UInt8)
        /// The controller causes more commands than it accepts: 256 commands wait.
        case tooManyCommands
        /// The system service that owns the radio failed, with this message.
        case outside(String)

        /// For people: `the controller did not answer Reset within 10 s`.
        public var description: String {
            switch self {
            case .noAnswer(let opcode): "the controller did not answer \(opcode) within 10 s"
            case .takesNoCommands: "the controller has accepted no command for 10 s"
            case .startRefused(let opcode, let status): "the controller refused \(opcode): \(status)"
            case .startMalformed(let opcode, let why): "the controller's answer to \(opcode) cannot be read: \(why)"
            case .noBuffers: "the controller has no buffers of 27 octets or more for data"
            case .hardware(let code): "the controller reports a hardware error, code \(code)"
            case .tooManyCommands: "the controller accepts commands too slowly: 256 commands wait"
            case .outside(let why): why
            }
        }
    }
}
