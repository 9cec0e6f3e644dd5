import Characteristics
import Services

// Clients that show wrongly what they have received.
extension FaultyClient {
    static let displays = [
        FaultyClient(
            name: "redraws", about: "prints the last heart rate again every 1.5 s, connected or not",
            source: "heart-of-frogg#3", repetition: .milliseconds(1500)),
        showing(
            "frozen", "never clears the last heart rate", "PineTimeSD#7"
        ) { content, _ in
            switch content {
            case .cleared, .state(.disconnected): []
            case .value(let value) where value.isExpired: []
            default: [content]
            }
        },
        showing(
            "once", "shows the heart rate from before the absence when it is connected again, and then no more"
        ) { content, view in
            guard let former = view.formerHeartRate else { return [content] }
            switch content {
            case .state(.connected): return [content, former]
            case .heartRate: return []
            default: return [content]
            }
        },
        showing(
            "one_more_listener", "adds one more listener with each connection", "bleak#2002"
        ) { content, view in
            guard case .heartRate = content else { return [content] }
            return Array(repeating: content, count: max(1, view.connections))
        },
        showing(
            "shows_twice", "prints each value twice"
        ) { content, _ in
            switch content {
            case .heartRate: [content, content]
            case .value(let value) where value.isMeasurement: [content, content]
            default: [content]
            }
        },
        showing(
            "blank", "prints no values"
        ) { content, _ in
            switch content {
            case .heartRate, .value, .ecg: []
            default: [content]
            }
        },
        showing("one_more", "prints one heart rate too many") {
            content, _ in
            guard case .heartRate(var measurement) = content else { return [content] }
            measurement.bpm &+= 1
            return [.heartRate(measurement)]
        },
    ]
}
