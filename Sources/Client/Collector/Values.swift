import Characteristics
import Octets
import Services
import Simulation
import Statistics

/// What is made of the values that come over one connection, and of all heart rates since the beginning.
struct Values: Sendable {
    /// Whether heart rates come as measurements, so that those of 2A37 do not count for the statistics.
    var hasMeasurements = false
    /// Polar's electrocardiogram, where there is one.
    var polar = PolarStream()

    /// Whether the energy that the last heart rate came with cannot grow any more.
    private(set) var energyIsFull = false

    private let givesSamples: Bool
    private var peer: SensorCollector.Peer?
    private var ecg = StreamReport()
    private var ecgRate = Self.usualRate
    private var measurements = StreamReport()
    private var lastMeasurement: UInt16 = 0
    private var statistics: HeartRateStatistics

    /// In Hz: what an ECG has that does not describe itself.
    private static let usualRate = 500

    /// Of no connection yet.
    init(givesSamples: Bool) { self.init(givesSamples, HeartRateStatistics()) }

    private init(_ givesSamples: Bool, _ statistics: HeartRateStatistics) {
        (self.givesSamples, self.statistics) = (givesSamples, statistics)
    }

    /// A connection begins.
    mutating func begin(with peer: SensorCollector.Peer) {
        self = Values(givesSamples, statistics)
        self.peer = peer
    }

    /// The connection is over: says what was counted and not told yet.
    mutating func end(into outbox: inout [SensorCollector.Output]) {
        if let rest = ecg.rest() { say(.ecg(rest), into: &outbox) }
        if let rest = measurements.rest() { say(.measurementTally(rest, bpm: lastMeasurement), into: &outbox) }
    }

    /// Says what a value means to a user; allocates nothing for the samples of a stream.
    mutating func take(
        _ octets: ArraySlice<UInt8>, as meaning: Known.Meaning, at now: Instant,
        into outbox: inout [SensorCollector.Output]
    ) throws(Malformed) {
        switch meaning {
        case .said(let decode): say(try decode(Array(octets)), into: &outbox)
        case .described(let id): say(.value(try ReceivedValue(octets, of: id)), into: &outbox)
        case .heartRate:
            var measurement = try HeartRateMeasurement(octets: octets)
            if measurement.rrIntervals.contains(0) { measurement.rrIntervals.removeAll { $0 == 0 } }
            let bpm = measurement.bpm
            if let energy = measurement.energyExpended { energyIsFull = energy == .max }
            say(.heartRate(measurement), into: &outbox)
            guard !hasMeasurements else { return }
            var due: [Statistic] = []
            statistics.add(bpm, at: now, into: &due)
            for statistic in due { say(.statistic(statistic), into: &outbox) }
        case .heartRates: try takeMeasurements(octets, at: now, into: &outbox)
        case .ecgDescription:
            let description = try ECGDescription(octets: Array(octets))
            ecgRate = Int(description.rate)
            say(.ecgDescription(description), into: &outbox)
        case .ecgFrame:
            let (header, count) = try ECGFrame.header(of: octets)
            guard counts(header, count) else { return tellECG(at: now, into: &outbox) }
            if givesSamples { say(.ecgFrame(try ECGFrame(octets: octets), rate: ecgRate), into: &outbox) }
            if count > 0 { tellECG(at: now, into: &outbox) }
        case .polarFrame:
            let (timeStamp, count) = try PMDECGFrame.header(of: octets)
            let header = polar.number(timeStamp, count: count)
            guard counts(header, count) else { return tellECG(at: now, into: &outbox) }
            if givesSamples {
                let samples = try PMDECGFrame(octets: octets).samples.map { Int16(clamping: $0) }
                if let frame = ECGFrame(header, samples: samples) {
                    say(.ecgFrame(frame, rate: polar.rate), into: &outbox)
                }
            }
            if count > 0 { tellECG(at: now, into: &outbox) }
        case .heartRateControlPoint, .polarControlPoint, .serviceChanged, .clientFeatures: break
        }
    }

    private mutating func takeMeasurements(
        _ octets: ArraySlice<UInt8>, at now: Instant, into outbox: inout [SensorCollector.Output]
    ) throws(Malformed) {
        let (_, index, count) = try HeartRateFrame.header(of: octets)
        var due: [Statistic] = []
        if count == 0 || measurements.add(index: index, count: count) {
            _ = try HeartRateFrame.read(octets) { bpm in
                lastMeasurement = bpm
                statistics.add(bpm, at: now, into: &due)
            }
            if givesSamples { say(.measurements(try HeartRateFrame(octets: octets).values), into: &outbox) }
        }
        if count > 0, let tally = measurements.due(at: now) {
            say(.measurementTally(tally, bpm: lastMeasurement), into: &outbox)
        }
        for statistic in due { say(.statistic(statistic), into: &outbox) }
    }

    /// Whether the samples of a frame are new, or there are none in it.
    private mutating func counts(_ header: ECGFrame.Header, _ count: Int) -> Bool {
        count == 0 || ecg.add(index: header.index, count: count)
    }

    private mutating func tellECG(at now: Instant, into outbox: inout [SensorCollector.Output]) {
        if let tally = ecg.due(at: now) { say(.ecg(tally), into: &outbox) }
    }

    private func say(_ content: SensorCollector.Content, into outbox: inout [SensorCollector.Output]) {
        outbox.append(.said(SensorCollector.Saying(content, of: peer)))
    }
}
