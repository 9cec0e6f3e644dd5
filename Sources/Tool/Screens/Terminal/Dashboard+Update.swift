import Basics
import Characteristics
import Clients
import Devices
import Documents
import Services

extension Dashboard {
    /// The labels of rows that are visible before the first value.
    static var labels: [String] {
        ServiceRegistry.all.flatMap(\.characteristics).compactMap(\.client.row).filter(\.isAlwaysThere).map(\.label)
    }

    /// Applies an update of the client; `day` is the local date.
    mutating func take(_ update: SensorCollector.Update, on day: CalendarDay, at now: Instant) {
        if case .found = update.content { return }  // others too are found
        if let peer = update.peer { take(.device(address: "\(peer.address)", name: peer.name), at: now) }
        switch update.content {
        case .state(let state): take(.link(Link(state)), at: now)
        case .heartRate(let measurement):
            take(.heartRate(measurement.bpm, contact: measurement.touches, energy: measurement.energyExpended), at: now)
            // Without contact they are noise.
            if measurement.touches != false { take(.rrIntervals(measurement.rrIntervals), at: now) }
        case .cleared: take(.cleared, at: now)
        case .value(let value):
            guard let row = value.use.row else { return }
            let count = value.number(of: row).flatMap { UInt32(exactly: $0) }
            switch row.place {
            case .row:
                if let label = row.replaced { take(.noFact(label: label), at: now) }
                take(.fact(Fact(row, value)), at: now)
            case .steps: if let count { take(.steps(count), at: now) }
            case .stepsToday: if let count { take(.stepsToday(count, on: day), at: now) }
            }
        case .error(let words): take(.problem(words), at: now)
        case .pairing(.failed(let why)): take(.problem(why), at: now)
        case .pairing(let update): take(.fact(Fact(label: "pairing", value: update.text, isWarning: false)), at: now)
        case .ecgFrame(let frame, let rate):
            let isLeadOff = frame.header.flags.contains(.leadOff)
            take(.ecg(frame.samples, at: frame.header.index, rate: rate, isLeadOff: isLeadOff), at: now)
        case .measurements(let rates): take(.measurements(rates), at: now)
        case .statistic(let statistic): take(.statistic(statistic), at: now)
        case .advertised(let measurement):
            guard let rate = measurement.heartRate, rate > 0 else { return }
            take(.heartRate(UInt16(rate), contact: measurement.contact, energy: nil), at: now)
        case .found, .ecg, .measurementTally, .surveyed: break
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

extension Dashboard.Fact {
    /// A number of a value, with its label.
    fileprivate init(_ fact: ScreenFact, _ value: ReceivedValue) {
        let number = value.number(of: fact)
        self.init(
            label: fact.label,
            value: number.map { number in
                "\(fact.decimals.map { groupedDecimal(number, $0) } ?? number.plain) \(fact.unit)"
            },
            isWarning: number.map { $0 <= fact.warnsUpTo ?? -.infinity } ?? false)
    }
}

extension HeartRateMeasurement {
    /// Whether the sensor touches the skin; nil when it cannot detect that.
    fileprivate var touches: Bool? {
        switch contact {
        case .notSupported: nil
        case .notDetected: false
        case .detected: true
        }
    }
}
