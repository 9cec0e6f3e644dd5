package import Basics
package import Bluetooth

/// Something that happens to the Bluetooth service of a system, or only to what it knows of a peripheral.
///
/// The service carries out what concerns the radio and the links. Its facade carries out what programs see beyond that.
package enum SystemTrouble: Hashable, Sendable {
    /// The service is not running; it was killed if `isAbrupt`, so that it could announce nothing.
    case serviceAway(isAbrupt: Bool)
    /// The way by which programs reach the service is not there, and the service neither.
    case busAway
    /// The radio is switched off.
    case radioOff
    /// The radio is not there.
    case radioUnplugged
    /// No program can begin or end a scan.
    case discoveryStuck
    /// A program that is not ours scans.
    case otherScan
    /// Replies to programs come later.
    case lateReplies(by: Duration)
    /// A peripheral is forgotten.
    case forgetting(DeviceAddress)
    /// Connections with a peripheral end as soon as they are made: the next ones, or all of them if `times` is nil.
    case aborting(DeviceAddress, times: Int?)
    /// `CentralEvent.resolved` of a peripheral comes at another time.
    case resolving(DeviceAddress, Resolution)
    /// Changes of a peripheral's attributes are not noticed.
    case stale(DeviceAddress)
    /// A program that is not ours connects to a peripheral.
    case connecting(DeviceAddress)

    /// When a connection's attributes are reported to be resolved.
    package enum Resolution: Hashable, Sendable {
        /// When the connection is made.
        case early
        /// This long after they are.
        case late(Duration)
        case never
    }
}

/// The troubles that a service has now.
struct Troubles: Sendable {
    /// Whether the radio has to stay off.
    var holdsRadio = false
    /// How many connections with a peripheral are still aborted.
    var aborts: [DeviceAddress: Int] = [:]
    var resolutions: [DeviceAddress: SystemTrouble.Resolution] = [:]
    /// The peripherals whose attributes are not renewed.
    var stale: Set<DeviceAddress> = []
    /// The peripherals to which a program connects that is not ours, as soon as the radio is on, and its link has ended.
    var awaited: [DeviceAddress] = []

    /// Whether the next connection with a peripheral is aborted; counts it.
    mutating func takeAbort(of peer: DeviceAddress) -> Bool {
        guard let rest = aborts[peer], rest > 0 else { return false }
        aborts[peer] = rest - 1
        return true
    }
}

extension ProgramID {
    /// A program of the machine that is not ours.
    package static let stranger = ProgramID(number: .max)
}

extension SharedCentral {
    /// Something begins or ends that happens to the service.
    package mutating func meet(
        _ trouble: SystemTrouble, isOn: Bool, at now: Instant, into outbox: inout [Output]
    ) {
        // A service that ends abruptly announces nothing of this: programs hear of the trouble first.
        let isFirst = isOn && trouble.isAbrupt
        if isFirst { tell(.trouble(trouble, isOn: true), into: &outbox) }
        switch trouble {
        case .serviceAway, .busAway, .radioUnplugged:
            hold(isOn, at: now, into: &outbox)
            if isOn { peers.forgetAttributes() }
        case .radioOff: hold(isOn, at: now, into: &outbox)
        case .forgetting(let peer): if isOn { forget(peer, at: now, into: &outbox) }
        case .aborting(let peer, let times): troubles.aborts[peer] = isOn ? times ?? .max : nil
        case .resolving(let peer, let resolution): troubles.resolutions[peer] = isOn ? resolution : nil
        case .stale(let peer): if isOn { troubles.stale.insert(peer) } else { troubles.stale.remove(peer) }
        case .connecting(let peer):
            if isOn, !troubles.awaited.contains(peer) { troubles.awaited.append(peer) }
            connectStranger(at: now, into: &outbox)
        case .discoveryStuck, .otherScan, .lateReplies: break
        }
        if !isFirst { tell(.trouble(trouble, isOn: isOn), into: &outbox) }
        arrange(at: now, into: &outbox)
    }

    /// Switches the radio off, and keeps it so; or on.
    private mutating func hold(_ isHeld: Bool, at now: Instant, into outbox: inout [Output]) {
        troubles.holdsRadio = isHeld
        power(!isHeld, at: now, into: &outbox)
    }

    /// Connects a program that is not ours.
    mutating func connectStranger(at now: Instant, into outbox: inout [Output]) {
        guard state == .on else { return }
        for peer in troubles.awaited where !links.contains(where: { $0.peer == peer }) {
            troubles.awaited.removeAll { $0 == peer }
            connect(peer, Client(program: .stranger), at: now, into: &outbox)
        }
    }

    /// Reports that a link is resolved, unless that is to happen at another time.
    mutating func resolve(_ link: Int, into outbox: inout [Output]) {
        switch links[link].resolution {
        case .never, .early: break
        case .late: links[link].isResolvedLate = true
        case nil: tell(.resolved(links[link].peer), about: links[link], into: &outbox)
        }
    }

    /// Reports what is due, and what is to be reported later gets its time.
    mutating func resolveLate(at now: Instant, into outbox: inout [Output]) {
        for link in links.indices {
            if links[link].resolutionDue <= now {
                links[link].resolutionDue = .never
                tell(.resolved(links[link].peer), about: links[link], into: &outbox)
            }
            guard links[link].isResolvedLate, case .late(let delay)? = links[link].resolution else { continue }
            (links[link].isResolvedLate, links[link].resolutionDue) = (false, now.advanced(by: delay))
            outbox.append(.wake(at: links[link].resolutionDue))
        }
    }
}

extension SystemTrouble {
    fileprivate var isAbrupt: Bool { self == .serviceAway(isAbrupt: true) || self == .busAway }
}
