import Scenarios
import Simulation

/// A part that sends several values in one notification.
struct Stream: Sendable {
    let part: Thing
    /// Its values in a second; more than 0.
    let rate: Int

    /// From a value to the next, in nanoseconds.
    private var step: Double { 1e9 / Double(rate) }

    /// How far the first value of a notification can lie back.
    var reach: Duration { .nanoseconds(Int64(step * Double(Happening.mostSamples))) }

    /// When a value arose that has so many of its notification behind it.
    func instant(ofValueBefore behind: Int, deliveredAt now: Instant) -> Instant {
        let nanoseconds = Int64(step * Double(min(behind, Happening.mostSamples)))
        return now.advanced(byNanoseconds: -nanoseconds / 1000 * 1000)
    }
}

extension Scenario {
    /// Its streams, in the order of its devices.
    var streams: [Stream] {
        var streams: [Stream] = []
        for (device, content) in devices.enumerated() {
            for (index, service) in content.services.enumerated() {
                guard let rate = service.content.rate, rate > 0,
                    let part = service.parts.firstIndex(where: { $0.role == .value })
                else { continue }
                streams.append(Stream(part: .part(device: device, service: index, part: part), rate: rate))
            }
        }
        return streams
    }
}

extension Service.Content {
    /// Of a stream: values in a second.
    fileprivate var rate: Int? {
        switch self {
        case .ecg(let ecg): ecg.rate
        case .measurements(let measurements): measurements.rate
        default: nil
        }
    }
}
