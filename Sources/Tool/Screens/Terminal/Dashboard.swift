import Basics

/// The state of a heart-rate client at a glance; `rows` shows it.
///
/// It receives the client's updates, and does not know about clients or terminals.
struct Dashboard: Sendable {
    /// The state of the connection.
    enum Link: Equatable, Sendable {
        case scanning
        case connecting
        /// Discovering its services.
        case connected
        case subscribed
        /// The connection has ended, for this reason.
        case disconnected(reason: String)
    }

    /// A change of what is displayed.
    enum Input: Sendable {
        /// The device or its name has changed; values of another device are cleared.
        case device(address: String, name: String?)
        /// The state of the connection has changed.
        case link(Link)
        /// Beats per minute; skin contact, if the sensor detects it; kilojoules since the last reset, if it counts
        /// them.
        case heartRate(UInt16, contact: Bool?, energy: UInt16?)
        /// Times between beats in units of 1/1024 s, in order, which follow those before.
        case rrIntervals([UInt16])
        /// Heart rates of a stream, in order; the chart shows them instead of the others from now on.
        case measurements([UInt16])
        /// The displayed heart rate is out of date.
        case cleared
        /// Microvolts from the sample with this number on; samples per second; whether an electrode is off.
        case ecg([Int16], at: UInt32, rate: Int, isLeadOff: Bool)
        case steps(UInt32)
        /// Today's steps by the device's clock; `day` is the local date.
        case stepsToday(UInt32, on: CalendarDay)
        /// A number with its label; it replaces the last one with that label.
        case fact(Fact)
        /// The number with this label is out of date.
        case noFact(label: String)
        case statistic(Statistic)
        case problem(String)
    }

    /// A number with its label.
    struct Fact: Hashable, Sendable {
        let label: String
        /// Formatted; nil when unknown.
        let value: String?
        var isWarning = false
    }

    let body: BodyMeasurements
    private let labels: [String]
    private(set) var address: String?
    private(set) var name: String?
    private(set) var link = Link.scanning
    private var linkBegan: Instant?
    private var linkEnded: Instant?
    private(set) var bpm: UInt16?
    private(set) var contact: Bool?
    private(set) var energy: UInt16?
    private(set) var history = RateHistory()
    /// The last time between beats in units of 1/1024 s.
    private(set) var rrInterval: UInt16?
    private(set) var variability = HeartRateVariability()
    private var hasMeasurements = false
    private(set) var ecg: ECGStrip?
    private(set) var isLeadOff = false
    private(set) var steps: UInt32?
    private(set) var month: MonthOfSteps?
    /// In alphabetical order.
    private(set) var facts: [Fact]
    private(set) var statistics: [Statistic.Name: Statistic] = [:]
    private(set) var problem: String?

    /// An empty dashboard; rows with these labels are visible before their first values.
    init(_ body: BodyMeasurements = BodyMeasurements(), rows labels: [String] = []) {
        (self.body, self.labels, facts) = (body, labels, [])
        for label in labels { take(Fact(label: label, value: nil)) }
    }

    /// Whether the device has sent times between beats.
    var hasRhythm: Bool { rrInterval != nil || variability.pairs > 0 }

    /// The duration of the present or last connection.
    func session(at now: Instant) -> Duration? { linkBegan.map { $0.duration(to: linkEnded ?? now) } }

    mutating func take(_ input: Input, at now: Instant) {
        switch input {
        case .device(let address, let name):
            if let known = self.address, known != address { forget() }
            (self.address, self.name) = (address, name ?? self.name)
        case .link(let link): take(link, at: now)
        case .heartRate(let bpm, let contact, let energy):
            (self.bpm, self.contact, self.energy) = (bpm, contact, energy ?? self.energy)
            if !hasMeasurements { history.add(bpm) }
            if contact == false { variability.interrupt() }
        case .rrIntervals(let intervals):
            for interval in intervals { variability.add(interval) }
            rrInterval = intervals.last ?? rrInterval
        case .measurements(let rates):
            guard let last = rates.last else { return }
            if !hasMeasurements { (hasMeasurements, history) = (true, RateHistory()) }
            for rate in rates.suffix(RateHistory.length) { history.add(rate) }
            bpm = last
        case .cleared:
            (bpm, contact, rrInterval) = (nil, nil, nil)
            history.interrupt()
            variability.interrupt()
        case .ecg(let samples, let index, let rate, let isLeadOff):
            let strip = ECGStrip(rate: rate, from: index)
            if ecg?.rate != strip.rate { ecg = strip }
            ecg?.add(samples, at: index)
            self.isLeadOff = isLeadOff
        case .steps(let count): steps = count
        case .stepsToday(let count, let day):
            if month == nil { month = MonthOfSteps(day) }
            month?.take(today: count, total: steps, on: day)
        case .fact(let fact): take(fact)
        case .noFact(let label): facts.removeAll { $0.label == label }
        case .statistic(let statistic): statistics[statistic.name] = statistic
        case .problem(let text): problem = text
        }
    }

    private mutating func take(_ link: Link, at now: Instant) {
        self.link = link
        switch link {
        case .scanning, .connecting: break
        case .connected:
            (linkBegan, linkEnded, problem) = (now, nil, nil)
            variability.interrupt()
        case .subscribed: problem = nil
        case .disconnected: linkEnded = now
        }
    }

    private mutating func take(_ fact: Fact) {
        let name = fact.label.lowercased()
        let place = facts.firstIndex { $0.label.lowercased() >= name } ?? facts.endIndex
        if facts.indices.contains(place), facts[place].label == fact.label {
            facts[place] = fact
        } else {
            facts.insert(fact, at: place)
        }
    }

    private mutating func forget() { self = Dashboard(body, rows: labels) }
}
