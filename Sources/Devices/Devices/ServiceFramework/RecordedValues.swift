/// Values that a device has notified or indicated, with their times; none for a value that it has never sent.
package struct RecordedValues: Hashable, Sendable {
    /// A value of a recording.
    package struct Entry: Hashable, Sendable {
        /// The time since the client subscribed.
        package let time: Duration
        package let octets: [UInt8]

        package init(at time: Duration, _ octets: [UInt8]) { (self.time, self.octets) = (time, octets) }
    }

    package let entries: [Entry]
    /// The time from a value until it comes again.  From the last value to the first, as much time passes as before the last
    /// one; after a single value, 1 s.
    package let cycle: Duration

    /// A recording of these values, whose times must rise.
    package init(_ entries: [Entry]) {
        self.entries = entries
        guard let first = entries.first, let last = entries.last else {
            cycle = .zero
            return
        }
        let gap = entries.count > 1 ? last.time - entries[entries.count - 2].time : .seconds(1)
        cycle = last.time + gap - first.time
    }
}
