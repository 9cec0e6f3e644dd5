public import Bluetooth
public import GATT
public import HCI
public import Octets
public import Simulation

/// What a controller says about itself when a host starts.
public struct ControllerFacts: Hashable, Sendable {
    /// Of HCI and of the Link Layer; nil before it is known.
    public var version: LocalVersion?
    /// LE features.
    public var features: LEFeatures = []
    /// All zeros for a controller that has none.
    public var publicAddress = DeviceAddress(0, .public)
    /// The most octets of data in an ACL packet.
    public var bufferLength = 0
    /// How many ACL packets the controller holds.
    public var bufferCount = 0

    /// Before a controller has said anything.
    public init() {}
}

extension Host {
    /// What a host wants done, or tells.
    public enum Output: Equatable, Sendable {
        /// A packet for the controller; whoever takes it releases it.
        case send(PacketKind, Packet)
        /// `timePassed` is to be said then.
        case wake(at: Instant)

        /// The controller is ready; the address is the one that others see.
        indirect case started(DeviceAddress, ControllerFacts)
        /// The controller is of no use any more; everything that was under way has been told to have ended.
        /// Only `Command.start` helps.
        case failed(Failure)
        /// The controller refused a command; what depended on it does not happen.
        case refused(Opcode, HCIStatus)
        /// A packet of the controller that cannot be read; nothing came of it.
        indirect case ignored(PacketKind, Malformed)

        /// Advertising has begun, or ended.
        case advertising(Bool)
        /// Scanning has begun, or ended.
        case scanning(Bool)
        /// An advertiser was heard.  Of extended advertising this is the whole, with 1650 octets at most, and its kind
        /// is that of the legacy PDU which allows the same.
        indirect case report(AdvertisingReport)

        /// There is a connection.
        indirect case connected(ConnectionID, ConnectionComplete)
        /// What `Command.connect` asked for did not come about.
        case connectionFailed(DeviceAddress, ConnectionFailure)
        /// The two sides meet in another rhythm.
        case timing(ConnectionID, ConnectionTiming)
        /// A connection is over.
        case disconnected(ConnectionID, DeviceAddress, reason: HCIStatus)
        /// The controller does not keep up: a PDU for this connection was dropped, whole.
        case dropped(ConnectionID)

        /// The peer, as a client, did something with this device's attributes; never `.send`.
        case server(ConnectionID, Server.Output)
        /// The peer's server notified; whoever takes the packet releases it.
        case notified(ConnectionID, handle: UInt16, Packet)
        /// The peer's server indicated, and it has been confirmed unless `Command.confirmIndications` says otherwise;
        /// whoever takes the packet releases it.
        case indicated(ConnectionID, handle: UInt16, Packet)
        /// The peer's server has sent this PDU, which is neither a notification nor an indication; told only if
        /// `Command.overhear` wants it, and before what comes of it.
        case overheard(ConnectionID, [UInt8])
        /// Both sides' PDUs have so many octets at most from now on, because this host's client asked for it.
        case exchangedMTU(ConnectionID, Int)
        /// What `Command.procedure` asked for is over.
        case finished(ConnectionID, id: UInt32, Result<Procedure.Outcome, Procedure.Failure>)
        /// The peer's attributes are not what was discovered.  Only who has the link through a service of the system says
        /// so, which hears Service Changed in our place.
        case attributesChanged(ConnectionID)
    }

    /// Why a connection did not come about.
    public enum ConnectionFailure: Error, Hashable, Sendable {
        /// The controller says so.
        case status(HCIStatus)
        /// The peer was not heard in time.
        case timedOut
        /// `Command.cancelConnecting` came first.
        case cancelled
        /// Another connection is being made, or the host has not started.
        case notNow
        /// Who has the radio says so, in its words.
        case outside(String)
    }

    /// Why a controller is of no use any more.
    public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// It did not answer a command within 10 s.
        case noAnswer(Opcode)
        /// It has said that it takes no commands, and nothing else for 10 s.
        case takesNoCommands
        /// It refused a command without which the host cannot start.
        case startRefused(Opcode, HCIStatus)
        /// What it returned to a command, without which the host cannot start, cannot be read.
        case startMalformed(Opcode, String)
        /// It has no buffers for data, or buffers of less than 27 octets.
        case noBuffers
        /// It says that it broke, with a code of its maker's.
        case hardware(UInt8)
        /// It asks for more than it takes: 256 commands wait for it.
        case tooManyCommands
        /// Who has the radio in our place is of no use: why, in words for people.
        case outside(String)

        /// For people: `the controller did not answer Reset within 10 s`.
        public var description: String {
            switch self {
            case .noAnswer(let opcode): "the controller did not answer \(opcode) within 10 s"
            case .takesNoCommands: "the controller has taken no command for 10 s"
            case .startRefused(let opcode, let status): "the controller refused \(opcode): \(status)"
            case .startMalformed(let opcode, let why): "the controller's answer to \(opcode) cannot be read: \(why)"
            case .noBuffers: "the controller has no buffers of 27 octets or more for data"
            case .hardware(let code): "the controller reports a hardware error, code \(code)"
            case .tooManyCommands: "the controller asks for more than it takes: 256 commands wait for it"
            case .outside(let why): why
            }
        }
    }
}
