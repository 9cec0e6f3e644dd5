import EventLog
import Scenarios
import ServiceFramework
import Simulation

/// The times of the values of an entity that sends several in one notification.
///
/// They follow one another at the entity's rate, so that the sizes of notifications and the delays of connection events do
/// not matter; but the last of a notification is at most ``tolerance`` from it, so that missing or extra values do.
struct Stream: Sendable {
    /// Half of the jitter from connection events of 100 ms with one retransmission.
    static let tolerance = Duration.milliseconds(100)

    let entity: EntityReference
    let kind: Event.Kind
    /// The period of the values, in nanoseconds.
    private let step: Double
    private var end: Instant?  // the last value's

    /// A stream of `rate` values per second, more than 0.
    init(_ entity: EntityReference, _ kind: Event.Kind, rate: Int) {
        (self.entity, self.kind, step) = (entity, kind, 1e9 / Double(rate))
    }

    /// The greatest age of the first value of a notification.
    var reach: Duration { nanoseconds(ObservedEvent.maximumSamples) + Self.tolerance }

    /// Takes a notification with a number of values.
    mutating func take(_ count: Int, at now: Instant) {
        let (earliest, latest) = (now.advanced(by: .zero - Self.tolerance), now.advanced(by: Self.tolerance))
        end = end.map { max(earliest, min($0.advanced(by: nanoseconds(count)), latest)) } ?? now
    }

    /// When a value of the last notification arose, by the number of values after it.
    func instant(ofValueBefore later: Int) -> Instant? {
        end.map { Instant(nanoseconds: $0.advanced(by: .zero - nanoseconds(later)).nanoseconds / 1000 * 1000) }
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
                let entity = EntityReference.value(device: device, service: index, value: place)
                let kinds = Event.Kind.allCases.filter(\.carriesStreams)
                streams += kinds.map { Stream(entity, $0, rate: rate) }
            }
        }
        return streams
    }
}
