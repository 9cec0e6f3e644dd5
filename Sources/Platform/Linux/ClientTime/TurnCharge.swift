import Basics

/// How much time each turn of a client in virtual time takes, from the wake of a thread until all sleep again.
package struct TurnCharge: Hashable, Sendable, CustomStringConvertible {
    /// The longest turn.
    private static let longest = Duration.seconds(60)

    private let least, most: Duration
    /// As the user wrote it.
    package let description: String

    /// Reads `5ms`, or a range `1ms..20ms`; nil for other text, and unless 0 < A ≤ B ≤ 60 s.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        var ends = [text]
        if let gap = parts.indices.dropFirst().dropLast().first(where: { parts[$0].isEmpty }) {
            ends = [parts[..<gap].joined(separator: "."), parts[(gap + 1)...].joined(separator: ".")]
        }
        let durations = ends.compactMap { Duration(parsing: $0) }
        guard durations.count == ends.count, let least = durations.first, let most = durations.last,
            least > .zero, least <= most, most <= Self.longest
        else { return nil }
        (self.least, self.most, description) = (least, most, text)
    }

    /// The time of the next turn.
    fileprivate func draw(from stream: inout RandomStream) -> Duration {
        let span = UInt64((most - least).inNanoseconds)
        return span == 0 ? least : least + .nanoseconds(Int64(stream.below(span + 1)))
    }
}

/// The turns of a client, charged with the times that a seed gives.
struct ChargedTurns {
    private let charge: TurnCharge
    private var stream: RandomStream
    private var begun: UInt64 = 0
    /// When the last turn is over.
    private(set) var end = Instant.start

    init(_ charge: TurnCharge, seed: UInt64) {
        (self.charge, stream) = (charge, RandomStream(seed: seed).stream("compute"))
    }

    /// All threads sleep at `now`, and `count` turns have begun so far. Returns whether one has to be charged.
    mutating func take(_ count: UInt64, at now: Instant) -> Bool {
        guard count != begun else { return false }
        begun = count
        end = max(now, end).advanced(by: charge.draw(from: &stream))
        return true
    }
}
