package import Basics
package import ScenarioModel

/// What a failure depends on: the event that opened its expectation, or one that came close.
package struct Fact: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A value reached the client at this instant, in a packet.
        case value
        /// The client printed a line, about a value that it had received before.
        case line
        /// Something else happened, in a packet.
        case packet(EventName)
    }

    package let kind: Kind
    package let instant: Instant

    package init(_ kind: Kind, at instant: Instant) { (self.kind, self.instant) = (kind, instant) }

    /// Nil if no packet causes events of this kind.
    init?(_ kind: Event.Kind, at instant: Instant) {
        switch kind {
        case .delivered, .indicated, .notified, .read, .advertised: self.init(.value, at: instant)
        case .said: self.init(.line, at: instant)
        case .connecting, .connected, .disconnected, .encrypted, .mtu, .parameters, .discovering, .discovered,
            .subscribed, .unsubscribed, .written, .confirmed, .refused:
            self.init(.packet(kind), at: instant)
        default: return nil
        }
    }
}

extension ReasonFormatter {
    /// What a failed decision depends on, without what occurred at its own instant.
    func facts(_ expectation: Expectation, _ decision: Decision, _ nearMisses: NearMisses, _ truths: Truths) -> [Fact] {
        var facts: [Fact?] = []
        if let event = expectation.opens.event {
            facts.append(Fact(event.kind, at: decision.opened.advanced(by: .zero - event.delay)))
        }
        if let event = expectation.expected.first {
            let nearest = NearestLine.nearest(to: event, decision, among: nearMisses.misses, truths)
            let miss = (nearest?.observation ?? nearMisses.miss)?.instant
            let close = [miss].compactMap(\.self) + (nearMisses.hits(in: decision.window) ?? []).suffix(3)
            facts += close.filter(decision.window.contains).map { Fact(event.kind, at: $0) }
        }
        return facts.compactMap(\.self)
    }
}
