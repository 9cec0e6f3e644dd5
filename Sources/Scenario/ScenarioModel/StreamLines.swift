/// The lines of a client about a stream.
///
/// Each shows consecutive samples: how many, how many were lost among them or since the line before, and which they are. Of an ECG and
/// of Measurements, that is the `index` of the first sample; of Polar's ECG, the `timestamp` of the last.
package struct StreamLines: Hashable, Sendable {
    /// The value that has the samples.
    package let of: EntityReference
    /// The key of the lines.
    package let key: String
    /// The event by which samples reach the client.
    package private(set) var arrival = Event.Kind.delivered

    /// The lines under a key about the samples of a value.
    package init(of value: EntityReference, shownAs key: String) { (of, self.key) = (value, key) }

    /// The same where samples reach the client by another event.
    package func arriving(by arrival: Event.Kind) -> StreamLines {
        var lines = self
        lines.arrival = arrival
        return lines
    }

    /// Samples reach the client.
    package var arrives: Event { Event(arrival, of: of) }

    /// The client prints one.
    package var shown: Event {
        let line = Matcher.object([Matcher.Member(key: key, matcher: .any(true))])
        return Event(.said, of: .client, filters: [.line(line)])
    }

    /// Samples reach the client, or begin or end to do so.
    package var arrivals: [Event] {
        let device = of.device.map(EntityReference.device)
        return [
            arrives, Event(.subscribed, of: of), Event(.unsubscribed, of: of), Event(.disconnected, of: device),
        ]
    }
}
