import EventLog
import Scenarios
import Services
import Simulation

/// When the values of a part arise that sends several of them in one notification.
///
/// They follow one another at the part's rate, so that neither the size of a notification nor the wait for the next
/// connection event is seen; but the last of a notification is never further than ``tolerance`` from when that came, so
/// that values too few or too many show.
struct Stream: Sendable {
    /// Half of what connection events of 100 ms and a repetition make of an even row.
    static let tolerance = Duration.milliseconds(100)

    let part: EntityReference
    let kind: Event.Kind
    /// From a value to the next, in nanoseconds.
    private let step: Double
    private var end: Instant?  // the last value's

    /// Of `rate` values in a second, more than 0.
    init(_ part: EntityReference, _ kind: Event.Kind, rate: Int) {
        (self.part, self.kind, step) = (part, kind, 1e9 / Double(rate))
    }

    /// How far the first value of a notification can lie back.
    var reach: Duration { nanoseconds(ObservedEvent.maximumSamples) + Self.tolerance }

    /// A notification of so many values has come.
    mutating func take(_ count: Int, at now: Instant) {
        let (earliest, latest) = (now.advanced(by: .zero - Self.tolerance), now.advanced(by: Self.tolerance))
        end = end.map { max(earliest, min($0.advanced(by: nanoseconds(count)), latest)) } ?? now
    }

    /// When a value arose that has so many of its notification, the last, behind it.
    func instant(ofValueBefore behind: Int) -> Instant? {
        end.map { Instant(nanoseconds: $0.advanced(by: .zero - nanoseconds(behind)).nanoseconds / 1000 * 1000) }
    }

    private func nanoseconds(_ count: Int) -> Duration {
        .nanoseconds(Int64(step * Double(min(count, ObservedEvent.maximumSamples))))
    }
}

extension Scenario {
    /// Its streams, in the order of its devices.
    var streams: [Stream] {
        var streams: [Stream] = []
        for (device, content) in devices.enumerated() {
            for (index, service) in content.services.enumerated() {
                guard let rate = service.description.rate(in: service.configured.configuration), rate > 0,
                    let place = service.mainValue
                else { continue }
                let part = EntityReference.part(device: device, service: index, part: place)
                let kinds = Event.Kind.allCases.filter(\.carriesStreams)
                streams += kinds.map { Stream(part, $0, rate: rate) }
            }
        }
        return streams
    }
}
