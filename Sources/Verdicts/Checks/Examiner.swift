package import Basics
package import Bluetooth
package import Devices
package import GATT
import HCI
package import LEHost
package import ScenarioModel
package import SecurityManager
import VirtualWorld

/// The central with which a check tests a peripheral; each call lets time pass until it has a result.
///
/// Every wait is bounded, so every check ends, whatever the peripheral does.
package struct Examiner {
    /// A value that the peripheral notified or indicated.
    package struct ReceivedValue: Hashable {
        package let handle: UInt16
        package let octets: [UInt8]
        package let instant: Instant

        /// `16 48 at 3.250000 s`
        package var description: String { "\(octets.text) at \(instant) s" }
    }

    /// How many values and answers are kept per check; later ones are dropped.
    static let maximumNotices = 1 << 16

    /// The host by which it reaches the peripheral.
    var host: any ExaminerHost
    package let peer: Peer
    /// Its address; nil until it is found.
    private(set) var address: DeviceAddress?
    private(set) var addresses = ExaminerAddresses()
    var security = Security()
    /// Where keys and random values come from.
    var secrets: HostSecurity.Secrets
    private(set) var advertisers = AdvertiserCache()
    /// The latest advertiser of the longest shortened name with which the peer's name begins.
    private var abbreviation: (address: DeviceAddress, length: Int)?

    package var services: [DiscoveredService] = []
    /// The services in an earlier connection, if their attributes need not be discovered again.
    var earlierServices: [DiscoveredService] = []
    /// Whether the attributes of the latest connection were discovered in an earlier one.
    var reusesAttributes = false
    /// The values received since this was last cleared.
    package var receivedValues: [ReceivedValue] = []
    /// The responses, requested or not, since this was last cleared.
    package var answered: [[UInt8]] = []
    package private(set) var latestLink = ExaminedLink()
    private(set) var isReady = false
    /// Whether the peripheral has ignored a request of the check.
    var isIgnored = false
    private var answers: [UInt32: Result<Procedure.Outcome, Procedure.Failure>] = [:]
    private var asked: UInt32 = 0
    /// What the peripheral did not answer, in this check and in earlier ones.
    package internal(set) var knowledge: Knowledge
    /// What the peripheral sent in an earlier connection; nil if that was not recorded.
    package internal(set) var recording: Recording?
    /// A recording in progress.
    var tape: Recording?
    /// The scope of all checks that have used the connection; nil if they differ, or do not share connections.
    var sharedScope: Check.Scope?
    /// The configurations that are not 0.
    var configured: Set<UInt16> = []

    /// The longest stop of this machine that could have changed the result of a wait.
    private(set) var stall = Duration.zero

    init(by host: any ExaminerHost, of peer: Peer, knowing knowledge: Knowledge = Knowledge()) {
        (self.host, self.peer, self.knowledge, secrets) = (host, peer, knowledge, host.secrets)
        if case .address(let own) = peer { address = own }
    }

    /// A central that tests a device of a world that has not started.
    init(in world: World, of device: Int) throws(AttributeTable.DefinitionError) {
        let tested = world.scenario.devices[device]
        let peer = tested.hasPrivacy ? Peer.name(tested.name) : .address(tested.address)
        self.init(by: try VirtualTimeHost(world, device: device), of: peer)
    }

    package var now: Instant { host.now }

    package var connection: ConnectionID? { latestLink.connection }
    package var mtu: Int { latestLink.mtu }

    /// Whether nobody acts on the peripheral, because it is not a scenario's.
    package var isReal: Bool { host.simulated == nil }

    /// The peripheral's advertising reports without repetitions, newest last.
    var reports: [AdvertisingReport] { advertisers.all.first { $0.address == address }?.reports ?? [] }

    mutating func start() {
        host.start()
        // A check that needs what the host lacks is skipped; an earlier one may have disabled confirmations.
        for fault in [.overhear(true), .divertSecurity(true), .confirmIndications(true)] as [Host.Fault]
        where host.unsupportedReason(for: fault.capability) == nil { try? inject(fault) }
        listen()
    }

    /// Resets the controller, which drops all links silently.
    mutating func resetController() throws(CheckExit) {
        isReady = false
        command(.start)
        guard wait(atMost: .seconds(10), until: { $0.isReady }) else {
            throw .inconclusive("the controller was not ready within 10 s of its reset")
        }
    }

    /// Forgets what happened during earlier checks.
    mutating func forget() {
        (answered, stall, isIgnored) = ([], .zero, false)
        if tape?.begin == nil { receivedValues = [] }
    }

    package mutating func command(_ command: Host.Command) {
        host.perform(command)
        listen()
    }

    /// Skips the check if the host cannot inject the fault.
    package mutating func inject(_ fault: Host.Fault) throws(CheckExit) {
        do throws(UnsupportedFault) { try host.inject(fault) } catch { throw .skipped(error.reason) }
        listen()
    }

    /// A value of the scenario, by its name or as the main value of a service; nil for a real peripheral.
    package func scenarioValue(named name: String? = nil, of service: ServiceDescription) -> EntityReference? {
        host.simulated.flatMap { $0.scenario.value(named: name, of: service, device: $0.device) }
    }

    /// Applies a script action to the peripheral for `duration`; skips the check with a real peripheral.
    mutating func act(_ action: Action, for duration: Duration? = nil) throws(CheckExit) {
        guard host.act(action, for: duration) else {
            throw .skipped("cannot apply \(action.kind.rawValue) to a real peripheral")
        }
        listen()
    }

    // MARK: Time

    package mutating func wait(_ duration: Duration) { _ = wait(atMost: duration) { _ in false } }

    /// Waits for a condition, at most `duration`; returns whether it holds.  `bound` is the time within which it is
    /// due, if that is shorter.
    package mutating func wait(
        atMost duration: Duration, due bound: Duration? = nil, until isSo: (borrowing Examiner) -> Bool
    ) -> Bool {
        let begin = now
        let limit = begin.advanced(by: duration)
        defer { noteStall(since: begin, of: bound ?? duration) }
        while !isSo(self) {
            guard host.play(until: limit) else { return false }
            listen()
        }
        return true
    }

    /// Notes a stop of this machine for a tenth of the time, after which a late event proves nothing.
    private mutating func noteStall(since begin: Instant, of bound: Duration) {
        let longest = host.stall(since: begin)
        if longest > max(bound / 10, Self.unnoticed) { stall = max(stall, longest) }
    }

    /// Shorter stops never matter.
    private static let unnoticed = Duration.milliseconds(50)

    mutating func listen() {
        var outputs: [Host.Output] = []
        host.drain(into: &outputs)
        for output in outputs { take(output) }
    }

    private mutating func take(_ output: Host.Output) {
        switch output {
        case .started(let address, _):
            (isReady, addresses.own, addresses.first) = (true, address, host.bondAddress ?? address)
        case .report(let report):
            let advertiser = advertisers.add(report)
            // Of several devices with one name, the first found counts.
            let length = advertiser.shortenedLength(of: peer)
            if length > 0, length >= abbreviation?.length ?? 0 { abbreviation = (advertiser.address, length) }
            if host.isSimulatedPeer(report.address) ?? advertiser.matches(peer),
                !advertisers.all.contains(where: { $0.address == address })
            {
                address = advertiser.address
            }
        case .connected(let id, let complete):
            // Another host exchanges the MTU without reporting it.
            let hasDefaultMTU = host.unsupportedReason(for: .untouchedConnections) == nil
            latestLink = ExaminedLink(
                connection: id, number: latestLink.number + 1, mtu: hasDefaultMTU ? 23 : Server.maximumMTU)
            latestLink.supervisionTimeout = .milliseconds(10 * Int(complete.timing.supervisionTimeout))
        case .remoteFeatures(let id, _) where id == connection: latestLink.isEstablished = true
        case .timing(_, let timing): latestLink.supervisionTimeout = .milliseconds(10 * Int(timing.supervisionTimeout))
        case .connectionFailed(_, let failure): latestLink.refusal = failure
        case .disconnected(let id, _, let reason) where id == connection:
            (latestLink.connection, latestLink.end) = (nil, reason)
        case .exchangedMTU(_, let size): latestLink.mtu = size
        case .server(let id, .exchangedMTU(let size)) where id == connection:
            (latestLink.mtu, latestLink.hasPeerExchangedMTU) = (size, true)
        case .finished(let own, let id, let result) where own == connection: answers[id] = result
        case .notified(_, let handle, let packet), .indicated(_, let handle, let packet):
            let octets = host.take(packet)
            if receivedValues.count < Self.maximumNotices {
                receivedValues.append(ReceivedValue(handle: handle, octets: octets, instant: now))
            }
        case .securityPDU(let id, let octets) where id == connection: take(security: octets)
        case .security(let id, .encrypted(let key, _)) where id == connection:
            (security.encryption, security.isEncrypted) = (.success, key != nil)
        case .security(let id, .notEncrypted(let status)) where id == connection: security.encryption = status
        case .overheard(_, let octets): if answered.count < Self.maximumNotices { answered.append(octets) }
        default: break
        }
    }

    /// Skips the check if the host lacks a capability.
    package func require(_ capability: CentralCapability) throws(CheckExit) {
        if let reason = host.unsupportedReason(for: capability) { throw .skipped(reason) }
    }

    /// Skips the check if the peripheral, whose attributes are known, does not meet a condition.
    package func require(_ prerequisite: Prerequisite) throws(CheckExit) {
        if let reason = prerequisite.unsupportedReason(self) { throw .skipped(reason) }
    }

    // MARK: Procedures

    /// Runs a procedure; nil if the connection ended or no answer arrived in time.
    mutating func ask(_ procedure: Procedure) -> Result<Procedure.Outcome, Procedure.Failure>? {
        guard let connection else { return nil }
        asked += 1
        let id = asked
        command(.procedure(connection, procedure, id: id))
        _ = wait(atMost: Self.patience, due: Self.answerTime) { $0.answers[id] != nil }
        return answers.removeValue(forKey: id)
    }

    /// More than any answered procedure takes.
    private static let patience = Duration.seconds(300)

    /// Uses another static random address in later connections; nil: the usual one.
    mutating func changeAddress(to address: DeviceAddress?) {
        guard let wanted = address ?? addresses.usual, wanted != addresses.own else { return }
        command(.changeAddress(wanted.kind == .random ? wanted : nil))
        addresses.own = wanted
    }

    /// Whether the connection is one for a check that avoids a bond, or for one that does not.
    var hasUsualAddress: Bool { addresses.own == addresses.usual }

    /// The bond with the peripheral, under the present address.
    var keptBond: Bond? {
        guard addresses.own == addresses.first, let address else { return nil }
        return host.bond(with: address)
    }

    /// Uses an address under which the peripheral has no bond, if it has one under the first.
    mutating func avoidBond(_ avoids: Bool) {
        addresses.avoidsBond = avoids && address.flatMap(host.bond) != nil
        guard addresses.avoidsBond, addresses.strangers == nil else { return }
        addresses.strangers = DeviceAddress(0xC000_0000_0000 | secrets.next() >> 18, .random)
    }

    /// Waits for advertising of the peripheral.  A device with a shortened name counts if none advertises the whole one.
    mutating func awaitAdvertisement(within duration: Duration) -> Bool {
        let isSeen = wait(atMost: duration) { $0.advertisement != nil || $0.abbreviation != nil }
        guard isSeen else { return false }
        if wait(atMost: .seconds(3), due: duration, until: { $0.advertisement != nil }) { return true }
        address = abbreviation?.address ?? address
        return advertisement != nil
    }

    package mutating func forgetReports() { (advertisers, abbreviation) = (AdvertiserCache(), nil) }

    mutating func beginConnecting(_ parameters: ConnectionParameters, within patience: Duration) {
        pauseRecording()
        (latestLink.refusal, services, receivedValues, answered, configured, sharedScope) = (nil, [], [], [], [], nil)
        (security, reusesAttributes) = (Security(), false)
        guard let address else {
            latestLink.refusal = .notNow
            return
        }
        command(.connect(ConnectionCreation(to: address, parameters: parameters), timeout: patience))
    }
}

/// The central host of an `Examiner`, and the time in which it works.
///
/// A check is code without `async`, so the host lets time pass while the check waits for an output.
package protocol ExaminerHost: CentralHost {
    var now: Instant { get }

    /// Whether the host cannot be used any more.  Then no time passes, waits end at once, and results are not valid.
    var isOver: Bool { get }

    /// Of the connections, in units of 1.25 ms.
    var connectionInterval: UInt16 { get }

    /// Starts a check: a host that is ready outputs `.started`, now or later.
    mutating func start()

    /// Lets time pass until there is an output; returns false at `limit` if there is none.
    mutating func play(until limit: Instant) -> Bool

    /// The longest time since `begin` during which this machine did not run the program.
    func stall(since begin: Instant) -> Duration

    /// The scenario of the peripheral, and its device there; nil if the peripheral cannot be controlled.
    var simulated: (scenario: Scenario, device: Int)? { get }

    /// Whether an address is, or was last, that of the peripheral of `simulated`; nil if the peripheral cannot be controlled.
    func isSimulatedPeer(_ address: DeviceAddress) -> Bool?

    /// Plays an action on the peripheral of `simulated`, for some time or forever; returns false if that is not possible.
    mutating func act(_ action: Action, for duration: Duration?) -> Bool

    /// Why an action would change nothing on the peripheral of `simulated`; nil if it would.
    func ineffectiveReason(for action: Action) -> String?

    /// Where keys and random values come from.
    var secrets: HostSecurity.Secrets { get }

    // Bonds that outlast a connection.

    /// The address under which the bonds were made; nil: the one with which the host starts.
    var bondAddress: DeviceAddress? { get }

    /// The bond with a peripheral, at its identity address or at one that its IRK resolves.
    func bond(with address: DeviceAddress) -> Bond?

    /// Whether a pairing that the peripheral has demanded makes a bond.
    func keepsBond(isAuthenticated: Bool) -> Bool

    /// Keeps a bond, in place of an earlier one with the same peripheral.
    mutating func keep(_ bond: Bond, under address: DeviceAddress)

    // A person at the peripheral while it pairs; nil or false: nobody is there.

    /// Reads the passkey that the peripheral displays.
    mutating func displayedPasskey() -> UInt32?

    /// Enters a passkey at the peripheral, soon.
    mutating func enter(passkey: UInt32, _ connection: ConnectionID) -> Bool

    /// Compares a number with the one that the peripheral displays, and confirms there, soon, that they are equal.
    mutating func compare(number: UInt32, _ connection: ConnectionID) -> Bool

    /// Makes the peripheral send a Security Request.
    mutating func requestSecurity() -> Bool

    /// Carries data to the peripheral, out of band; returns what the peripheral gives away.
    mutating func exchangeOutOfBand(_ data: OutOfBandData) -> OutOfBandData.Commitment?
}

extension ExaminerHost {
    /// 30 ms.
    package var connectionInterval: UInt16 { 0x18 }

    package func isSimulatedPeer(_ address: DeviceAddress) -> Bool? { nil }

    package func ineffectiveReason(for action: Action) -> String? { nil }

    package var secrets: HostSecurity.Secrets { .system }
    package var bondAddress: DeviceAddress? { nil }
    package func bond(with address: DeviceAddress) -> Bond? { nil }
    package func keepsBond(isAuthenticated: Bool) -> Bool { false }
    package mutating func keep(_ bond: Bond, under address: DeviceAddress) {}
    package mutating func displayedPasskey() -> UInt32? { nil }
    package mutating func enter(passkey: UInt32, _ connection: ConnectionID) -> Bool { false }
    package mutating func compare(number: UInt32, _ connection: ConnectionID) -> Bool { false }
    package mutating func requestSecurity() -> Bool { false }
    package mutating func exchangeOutOfBand(_ data: OutOfBandData) -> OutOfBandData.Commitment? { nil }
}
