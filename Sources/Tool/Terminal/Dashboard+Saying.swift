import Characteristics
package import Collector
package import Simulation

extension Dashboard {
    /// Takes in what a client shows; here it is `day`.
    package mutating func take(_ saying: SensorCollector.Saying, on day: CalendarDay, at now: Instant) {
        if case .found = saying.content { return }  // others too are found
        if let peer = saying.peer { take(.device(address: "\(peer.address)", name: peer.name), at: now) }
        switch saying.content {
        case .state(let state): take(.link(Link(state)), at: now)
        case .heartRate(let measurement):
            take(.heartRate(measurement.bpm, contact: measurement.touches, energy: measurement.energyExpended), at: now)
        case .cleared: take(.cleared, at: now)
        case .battery(let level): take(.battery(percent: level.percent), at: now)
        case .error(let words): take(.problem(words), at: now)
        case .steps(let count): take(.steps(count), at: now)
        case .stepsToday(let count): take(.stepsToday(count, on: day), at: now)
        case .temperature(let celsius): take(.temperature(celsius: celsius), at: now)
        case .ecgFrame(let frame, let rate):
            let isLeadOff = frame.header.flags.contains(.leadOff)
            take(.ecg(frame.samples, at: frame.header.index, rate: rate, isLeadOff: isLeadOff), at: now)
        case .measurements(let rates): take(.measurements(rates), at: now)
        case .statistic(let statistic): take(.statistic(statistic), at: now)
        case .location, .information, .found, .temperatureType, .measurementInterval, .ecgDescription, .ecg,
            .measurementTally, .feed:
            break
        }
    }
}

extension Dashboard.Link {
    fileprivate init(_ state: SensorCollector.State) {
        switch state {
        case .scanning: self = .scanning
        case .connecting: self = .connecting
        case .connected: self = .connected
        case .subscribed: self = .subscribed
        case .disconnected(let reason): self = .disconnected(reason: "\(reason)")
        }
    }
}

extension HeartRateMeasurement {
    /// Whether the sensor touches the skin; nil when it does not know.
    fileprivate var touches: Bool? {
        switch contact {
        case .notSupported: nil
        case .notDetected: false
        case .detected: true
        }
    }
}
