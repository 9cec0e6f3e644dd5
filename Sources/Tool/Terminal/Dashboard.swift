public import Simulation
public import Statistics

/// What the user of a client of heart rates wants to see at once; `rows` shows it.
///
/// It takes in what the client says, as it says it, and knows nothing of clients and terminals.
public struct Dashboard: Sendable {
    /// How far it is to the device.
    public enum Link: Equatable, Sendable {
        /// Listening for it.
        case scanning
        /// It was heard, and is asked for.
        case connecting
        /// It is there, and is being looked at.
        case connected
        /// It sends what it measures.
        case subscribed
        /// It is gone; this is why.
        case disconnected(reason: String)
    }

    /// Something new.
    public enum Input: Sendable {
        /// The device is another one, or its name is known now; what another one said is forgotten.
        case device(address: String, name: String?)
        /// The device is nearer or farther from now on.
        case link(Link)
        /// Beats a minute; whether the sensor is worn, if it knows; kilojoules since it was reset, if it counts.
        case heartRate(UInt16, contact: Bool?, energy: UInt16?)
        /// Heart rates at a high rate, in the order of their time; from the first on they are what the chart shows.
        case measurements([UInt16])
        /// The heart rate that is displayed is not true any more.
        case cleared
        /// Microvolts from the sample with this number on; how many samples a second there are; whether an electrode is
        /// off.
        case ecg([Int16], at: UInt32, rate: Int, isLeadOff: Bool)
        /// All steps since the device's start.
        case steps(UInt32)
        /// Steps since its midnight; here it is that day.
        case stepsToday(UInt32, on: CalendarDay)
        /// A number with its label, in place of the last with that label.
        case fact(Fact)
        /// One of the three.
        case statistic(Statistic)
        /// Something is not as it should be.
        case problem(String)
    }

    /// A number with its label.
    public struct Fact: Hashable, Sendable {
        let label: String
        let value: String?
        let isWarning: Bool

        /// A number as it is written; nil where it is not known.
        public init(label: String, value: String?, isWarning: Bool = false) {
            (self.label, self.value, self.isWarning) = (label, value, isWarning)
        }
    }

    package let body: BodyMeasurements
    private let labels: [String]
    package private(set) var address: String?
    package private(set) var name: String?
    package private(set) var link = Link.scanning
    private var linkBegan: Instant?
    private var linkEnded: Instant?
    package private(set) var bpm: UInt16?
    package private(set) var contact: Bool?
    package private(set) var energy: UInt16?
    private(set) var history = RateHistory()
    private var hasMeasurements = false
    package private(set) var ecg: ECGStrip?
    private(set) var isLeadOff = false
    package private(set) var steps: UInt32?
    private(set) var month: MonthOfSteps?
    /// In alphabetical order.
    package private(set) var facts: [Fact]
    private(set) var statistics: [Statistic.Name: Statistic] = [:]
    package private(set) var problem: String?

    /// Nothing is known yet; rows with these labels are there all the same.
    public init(_ body: BodyMeasurements = BodyMeasurements(), rows labels: [String] = []) {
        (self.body, self.labels, facts) = (body, labels, [])
        for label in labels { take(Fact(label: label, value: nil)) }
    }

    /// How long the last connection has lasted, or lasted.
    package func session(at now: Instant) -> Duration? { linkBegan.map { $0.duration(to: linkEnded ?? now) } }

    /// Takes in something new.
    public mutating func take(_ input: Input, at now: Instant) {
        switch input {
        case .device(let address, let name):
            if let known = self.address, known != address { forget() }
            (self.address, self.name) = (address, name ?? self.name)
        case .link(let link): take(link, at: now)
        case .heartRate(let bpm, let contact, let energy):
            (self.bpm, self.contact, self.energy) = (bpm, contact, energy ?? self.energy)
            if !hasMeasurements { history.add(bpm) }
        case .measurements(let rates):
            guard let last = rates.last else { return }
            if !hasMeasurements { (hasMeasurements, history) = (true, RateHistory()) }
            for rate in rates.suffix(RateHistory.length) { history.add(rate) }
            bpm = last
        case .cleared:
            (bpm, contact) = (nil, nil)
            history.interrupt()
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
        case .statistic(let statistic): statistics[statistic.name] = statistic
        case .problem(let text): problem = text
        }
    }

    private mutating func take(_ link: Link, at now: Instant) {
        self.link = link
        switch link {
        case .scanning, .connecting: break
        case .connected: (linkBegan, linkEnded, problem) = (now, nil, nil)
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
