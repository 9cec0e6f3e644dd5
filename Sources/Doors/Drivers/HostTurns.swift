import Basics
import Bluetooth
import HCI
import LEHost

/// The hosts that use one controller, one after the other; HCI Reset ends what each of them has left behind.
///
/// While a host is served, its packets and those of the controller pass.  At other times, those of the controller are
/// discarded.
struct HostTurns: Sendable {
    /// An event of the hosts, the controller or the clock.
    enum Input: Sendable {
        /// The transport to the controller is open.
        case opened
        /// A host has connected.  Each has another number.
        case arrived(Int)
        /// A host has disconnected.
        case left(Int)
        case fromHost(Int, H4Framer.Framed)
        case fromController(H4Framer.Framed)
        case timePassed
    }

    /// A request to the owner.
    enum Output: Hashable, Sendable {
        /// From now on, receive the packets of this host.
        case serve(Int)
        /// Disconnect this host, which is then forgotten.
        case disconnect(Int, Reason)
        case toHost(Int, H4Framer.Framed)
        case toController(H4Framer.Framed)
        /// Call `timePassed` then, instead of at the instant of an earlier output.
        case wake(Instant)
        /// The controller cannot be used any more.
        case failed(Host.Failure)
    }

    /// Why a host is disconnected: the problem, then the fix.
    enum Reason: Hashable, Sendable, CustomStringConvertible {
        /// Another host is served, or has waited for longer.
        case taken
        /// It has sent a packet that hosts do not send over the kernel's user channel.
        case sends(PacketKind)

        var description: String {
            switch self {
            case .taken: "another host uses the controller (disconnect that one first)"
            case .sends(let kind):
                "it sends a packet of kind \(kind) (a host sends commands, ACL data and synchronous data)"
            }
        }
    }

    private enum Phase: Hashable {
        case opening
        case resetting(until: Instant, isAnswered: Bool)
        case free
        case serving(Int)
        case failed
    }

    /// The time that a controller has for its answer to HCI Reset, as with Lubdub's own host.
    static let answerTimeout = Duration.seconds(10)
    /// How long a host waits for the one before it, whose end may be reported later than the arrival.
    static let patience = Duration.seconds(1)
    /// The longest packet without its indicator.  Linux, `include/net/bluetooth/hci.h`: `HCI_MAX_FRAME_SIZE`.
    static let maximumLength = 1027

    private static let reset = H4Framer.Framed(kind: .command, octets: Command.reset().octets)

    private var phase = Phase.opening
    private var unansweredResets = 0  // also those of the hosts
    private var waiting: (host: Int, until: Instant)?

    /// Whether the packets of this host pass.
    func isServing(_ host: Int) -> Bool { phase == .serving(host) }

    mutating func step(_ input: Input, at now: Instant, into outbox: inout [Output]) {
        switch input {
        case .opened: reset(at: now, into: &outbox)
        case .arrived(let host): arrived(host, at: now, into: &outbox)
        case .left(let host):
            if waiting?.host == host { waiting = nil }
            if isServing(host) { reset(at: now, into: &outbox) }
        case .fromHost(let host, let packet):
            guard isServing(host) else { return }
            guard Self.passes(packet.kind) else {
                outbox.append(.disconnect(host, .sends(packet.kind)))
                return reset(at: now, into: &outbox)
            }
            if packet.isReset { unansweredResets += 1 }
            outbox.append(.toController(packet))
        case .fromController(let packet): received(packet, into: &outbox)
        case .timePassed: timePassed(now, into: &outbox)
        }
    }

    /// Linux, `net/bluetooth/hci_sock.c`: `hci_sock_sendmsg`.  Before Linux 6.0, it takes no isochronous data.
    private static func passes(_ kind: PacketKind) -> Bool {
        switch kind {
        case .command, .acl, .synchronous: true
        case .event, .isochronous: false
        }
    }

    private mutating func arrived(_ host: Int, at now: Instant, into outbox: inout [Output]) {
        guard phase != .free else { return serve(host, into: &outbox) }
        guard waiting == nil else { return outbox.append(.disconnect(host, .taken)) }
        waiting = (host, now.advanced(by: Self.patience))
        if case .serving = phase { outbox.append(.wake(now.advanced(by: Self.patience))) }
    }

    private mutating func serve(_ host: Int, into outbox: inout [Output]) {
        phase = .serving(host)
        outbox.append(.serve(host))
    }

    private mutating func reset(at now: Instant, into outbox: inout [Output]) {
        let end = now.advanced(by: Self.answerTimeout)
        phase = .resetting(until: end, isAnswered: false)
        unansweredResets += 1
        outbox += [.toController(Self.reset), .wake(end)]
    }

    private mutating func received(_ packet: H4Framer.Framed, into outbox: inout [Output]) {
        let status = Self.statusOfReset(packet)
        if status != nil { unansweredResets = max(0, unansweredResets - 1) }
        switch phase {
        case .serving(let host): outbox.append(.toHost(host, packet))
        case .resetting(let end, _):
            guard let status else { return }
            if unansweredResets > 0 {
                phase = .resetting(until: end, isAnswered: true)
            } else if status == .success {
                becomeFree(into: &outbox)
            } else {
                fail(.startRefused(Command.reset.opcode, status), into: &outbox)
            }
        case .opening, .free, .failed: break
        }
    }

    private mutating func becomeFree(into outbox: inout [Output]) {
        (phase, unansweredResets) = (.free, 0)
        if let host = waiting.take()?.host { serve(host, into: &outbox) }
    }

    private mutating func timePassed(_ now: Instant, into outbox: inout [Output]) {
        switch phase {
        case .resetting(let end, let isAnswered) where end <= now:
            // If a host does not wait for answers, a controller may answer several of its commands once.
            guard !isAnswered else { return becomeFree(into: &outbox) }
            fail(.noAnswer(Command.reset.opcode), into: &outbox)
        case .serving:
            guard let (host, end) = waiting, end <= now else { return }
            waiting = nil
            outbox.append(.disconnect(host, .taken))
        case .opening, .resetting, .free, .failed: break
        }
    }

    private mutating func fail(_ failure: Host.Failure, into outbox: inout [Output]) {
        phase = .failed
        outbox.append(.failed(failure))
    }

    /// The status with which a controller answers HCI Reset; nil for other packets.
    private static func statusOfReset(_ packet: H4Framer.Framed) -> HCIStatus? {
        guard packet.kind == .event, let event = try? Event(octets: packet.octets), case Event.commandComplete = event,
            let (_, opcode, returned) = try? Event.commandComplete.parameters(of: event),
            opcode == Command.reset.opcode, let status = returned.first
        else { return nil }
        return HCIStatus(rawValue: status)
    }
}
