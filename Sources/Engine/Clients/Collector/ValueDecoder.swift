import Basics
import Characteristics
import Devices
import Services

/// Decodes the values of one connection; the statistics span all connections.
struct ValueDecoder: Sendable {
    /// Whether the device streams heart rates, so that the statistics ignore Heart Rate Measurements.
    var hasMeasurements = false
    /// The electrocardiogram by Polar Measurement Data.
    var polar = PolarStream()

    /// Whether Energy Expended has reached its maximum.
    private(set) var energyIsFull = false

    private let givesSamples: Bool
    private var peer: SensorCollector.Peer?
    private var ecg = StreamReport()
    private var ecgRate = Self.usualRate
    private var measurements = StreamReport()
    private var lastMeasurement: UInt16 = 0
    private var statistics: HeartRateStatistics

    /// In Hz, for an ECG without a description.
    private static let usualRate = 500

    /// The state before the first connection.
    init(givesSamples: Bool) { self.init(givesSamples, HeartRateStatistics()) }

    private init(_ givesSamples: Bool, _ statistics: HeartRateStatistics) {
        (self.givesSamples, self.statistics) = (givesSamples, statistics)
    }

    /// Resets the state for a new connection.
    mutating func begin(with peer: SensorCollector.Peer) {
        self = ValueDecoder(givesSamples, statistics)
        self.peer = peer
    }

    /// Ends the connection, and outputs the remaining tallies.
    mutating func end(into outbox: inout [SensorCollector.Output]) {
        if let rest = ecg.rest() { update(.ecg(rest), into: &outbox) }
        if let rest = measurements.rest() { update(.measurementTally(rest, bpm: lastMeasurement), into: &outbox) }
    }

    /// Decodes a value; allocates nothing for the samples of a stream.
    mutating func take(
        _ octets: ArraySlice<UInt8>, of id: CharacteristicID, _ role: ClientUse.Role, at now: Instant,
        into outbox: inout [SensorCollector.Output]
    ) throws(Malformed) {
        switch role {
        case .printed: update(.value(try ReceivedValue(octets, of: id)), into: &outbox)
        case .heartRate: try takeHeartRate(octets, at: now, into: &outbox)
        case .heartRates: try takeMeasurements(octets, at: now, into: &outbox)
        case .ecgDescription:
            ecgRate = Int(try ECGDescription(octets: octets).rate)
            update(.value(try ReceivedValue(octets, of: id)), into: &outbox)
        case .ecgSamples:
            let (header, count) = try ECGFrame.header(of: octets)
            guard counts(header, count) else { return updateECG(at: now, into: &outbox) }
            if givesSamples { update(.ecgFrame(try ECGFrame(octets: octets), rate: ecgRate), into: &outbox) }
            if count > 0 { updateECG(at: now, into: &outbox) }
        case .pmdSamples:
            let (timeStamp, count) = try PMDECGFrame.header(of: octets)
            let header = polar.number(timeStamp, count: count)
            guard counts(header, count, timeStamp) else { return updateECG(at: now, into: &outbox) }
            if givesSamples {
                let samples = try PMDECGFrame(octets: octets).samples.map { Int16(clamping: $0) }
                if let frame = ECGFrame(header, samples: samples) {
                    update(.ecgFrame(frame, rate: polar.rate), into: &outbox)
                }
            }
            if count > 0 { updateECG(at: now, into: &outbox) }
        case .energyReset, .pmdControlPoint: break
        }
    }

    private mutating func takeHeartRate(
        _ octets: ArraySlice<UInt8>, at now: Instant, into outbox: inout [SensorCollector.Output]
    ) throws(Malformed) {
        var measurement = try HeartRateMeasurement(octets: octets)
        if measurement.rrIntervals.contains(0) { measurement.rrIntervals.removeAll { $0 == 0 } }
        let bpm = measurement.bpm
        if let energy = measurement.energyExpended { energyIsFull = energy == .max }
        update(.heartRate(measurement), into: &outbox)
        guard !hasMeasurements else { return }
        var due: [Statistic] = []
        statistics.add(bpm, at: now, into: &due)
        for statistic in due { update(.statistic(statistic), into: &outbox) }
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
            if givesSamples { update(.measurements(try HeartRateFrame(octets: octets).values), into: &outbox) }
        }
        if count > 0, let tally = measurements.due(at: now) {
            update(.measurementTally(tally, bpm: lastMeasurement), into: &outbox)
        }
        for statistic in due { update(.statistic(statistic), into: &outbox) }
    }

    /// Whether the samples of a frame are new, or it has none.
    private mutating func counts(_ header: ECGFrame.Header, _ count: Int, _ timeStamp: UInt64? = nil) -> Bool {
        count == 0 || ecg.add(index: header.index, count: count, timeStamp: timeStamp)
    }

    private mutating func updateECG(at now: Instant, into outbox: inout [SensorCollector.Output]) {
        if let tally = ecg.due(at: now) { update(.ecg(tally), into: &outbox) }
    }

    private func update(_ content: SensorCollector.Content, into outbox: inout [SensorCollector.Output]) {
        outbox.append(.update(SensorCollector.Update(content, of: peer)))
    }
}
