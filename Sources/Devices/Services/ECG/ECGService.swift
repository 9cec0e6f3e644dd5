package import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The vendor-specific ECG service, 0x0200.
    package static let ecg = ServiceDescription(
        "ecg", VendorUUID.ecg.uuid,
        "vendor service: an ECG with 500 samples per second, whose R waves match the beats of `heart_rate`",
        main: "samples",
        example: [
            "service": "ecg", "as": "ecg", "rate": "250 Hz", "lead": 2,
            "noise": ["mains": "50 Hz", "wander": 0.1, "muscle": 0.005],
        ],
        fields: ECGFields.all,
        characteristics: [
            CharacteristicDescription(
                .ecgSamples, .notify, format: ECGFrame.self,
                value: ValueDescription(
                    .number(-32768...32767), named: "samples", key: "samples", label: "ECG samples", isSettable: false),
                members: [ValueDescription(.number(ECGFields.leads), named: "lead")],
                client: ClientUse(
                    "ecg", ["samples": 468, "lost": 0, "index": 500], role: .ecgSamples, isMeasurement: true)),
            CharacteristicDescription(
                .ecgDescription, .read, format: ECGDescription.self,
                value: ValueDescription(.structure, named: "description", isSettable: false),
                client: ClientUse(
                    "ecg_description", ["rate": 500, "resolution": 1000, "leads": 1], role: .ecgDescription,
                    importance: .extra, isMeasurement: false)),
        ],
        rate: { ECGFields.rate($0) },
        sensor: { ECGSensor($0) })
}

/// The keys of `ecg` in a scenario, where `as` chooses one of two services.
package enum ECGFields {
    static let leads = 0.0...255
    /// `ecg` for the vendor-specific service, `pmd` for Polar Measurement Data.
    package static let form = Field.word("as", ["ecg", "pmd"], standard: "ecg", "The service.")
    /// Samples per second; nil: the service's usual rate.
    package static let rate = Field.optionalRate(
        "rate", 1...4000, "Samples per second, 1 to 4000; 500 by default, for pmd 130.")
    /// Hz; nil: no power line hum.
    package static let mains = Field.optionalRate(
        "noise.mains", 1...4000, "Frequency of the power line hum; none by default.")
    /// mV; nil: that of a resting person.
    package static let wander = Field.optionalNumber("noise.wander", 0...10, "Baseline wander, in mV.")
    /// mV; nil: that of a resting person.
    package static let muscle = Field.optionalNumber("noise.muscle", 0...10, "Muscle noise, in mV.")
    /// The number of the lead; the wave form is always that of one lead.
    package static let lead = Field.curve("lead", leads, standard: 1, "Number of the lead.")

    static let all: [any ServiceField] = [
        form, rate,
        FieldDescription.object("noise", [mains, wander, muscle], "The noise."),
        lead,
    ]

    static func rate(_ configuration: ServiceConfiguration) -> Int { configuration[rate] ?? 500 }

    static func pmdRate(_ configuration: ServiceConfiguration) -> Int { configuration[rate] ?? 130 }

    static func noise(_ configuration: ServiceConfiguration) -> ECG.Noise {
        func microvolts(_ field: Field<Double?>, _ resting: Double) -> Double {
            configuration[field].map { $0 * 1000 } ?? resting
        }
        return ECG.Noise(
            wander: microvolts(wander, ECG.Noise.resting.wander),
            mains: configuration[mains].map { ECG.Noise.Mains(hertz: $0) },
            muscle: microvolts(muscle, ECG.Noise.resting.muscle))
    }
}

extension ECGFrame: CharacteristicValue {
    /// `73 samples from 500 on`.
    package var words: String { "\(samples.count.counted("sample")) from \(header.index) on" }
    /// Microvolts and the number of the lead.
    package static func samples(in octets: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)? {
        let frame = try ECGFrame(octets: octets)
        return (frame.samples.map(Int32.init), frame.header.lead)
    }
}

extension ECGDescription: CharacteristicValue {
    /// `ECG at 500 Hz, leads: 1`.
    package var words: String { "ECG at \(rate) Hz, leads: \(leads)" }
}

/// The ECG service of a device.
struct ECGSensor: ServiceSensor {
    /// In the order of the description.
    private enum Value: Int {
        case samples
        case lead
        case description
    }

    private let rate: Int
    private var recorder: ECGRecorder
    private var lead: Gauge

    init(_ source: SensorSource) {
        rate = ECGFields.rate(source.configuration)
        recorder = ECGRecorder(source, rate: rate)
        lead = Gauge(source.signal(ECGFields.lead, "lead"))
    }

    func read(_ id: ValueID, at now: Instant, context: inout SensorContext) throws(ATTError) -> [UInt8] {
        guard Value(id) == .description else { throw .unlikelyError }
        return ECGDescription(rate: UInt16(clamping: rate)).octets
    }

    mutating func didSubscribe(to _: ValueID, at now: Instant, context: inout SensorContext) {
        recorder.start(at: now)
    }

    func nextNotification(of _: ValueID, context: SensorContext) -> Instant {
        recorder.stream.due(ECGFrame.capacity(mtu: context.mtu))
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        guard let (first, quality) = recorder.record(ECGFrame.capacity(mtu: context.mtu), at: now, context: &context)
        else {
            return false
        }
        var flags = ECGFrame.Flags.synthetic
        if recorder.stream.hasGap { flags.insert(.gap) }
        if quality.isLeadOff { flags.insert(.leadOff) }
        if quality.isSaturated {
            flags.insert(.saturated)
            context.saturatedValues.append((id, nil))
        }
        let number = lead.value(at: now) ?? 0
        context.noteSaturation(
            of: number, as: ValueID(index: Value.lead.rawValue, carrier: Value.samples.rawValue), in: ECGFields.leads)
        let header = ECGFrame.Header(
            flags: flags, sequence: recorder.stream.sequence, index: UInt32(truncatingIfNeeded: first),
            lead: UInt8(saturating: number))
        ECGFrame.append(header, samples: recorder.samples[...], to: &packet, in: &pool)
        recorder.didNotify(from: first)
        return true
    }

    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        guard Value(id) == .lead, let signal = input.signal else { return false }
        lead.set(signal, at: now, begun: begun)
        lead.forget(before: now)
        return true
    }

    mutating func setLead(isOff: Bool, at now: Instant) -> Bool {
        recorder.setLead(isOff: isOff, at: now)
        return true
    }

    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double? {
        var lead = lead
        return Value(id) == .lead ? lead.value(at: now) : nil
    }

    func octets(of _: ValueID, for input: SensorInput) -> [UInt8]? {
        guard let number = input.number else { return nil }
        let header = ECGFrame.Header(
            sequence: recorder.stream.sequence, index: UInt32(truncatingIfNeeded: recorder.stream.next))
        return ECGFrame(header, samples: [Int16(saturating: number)])?.octets
    }
}

/// Records the ECG of the device's heart in frames, for any service.
struct ECGRecorder: Sendable {
    private(set) var stream: SampleStream
    private(set) var samples: [Int16] = []
    private var ecg: ECG
    private let pulse: Int
    private var seenBeats = 0

    /// A recorder with this number of samples per second.
    init(_ source: SensorSource, rate: Int) {
        let clock = SampleClock(hertz: rate)
        ecg = ECG(clock, noise: ECGFields.noise(source.configuration), seed: source.seed)
        stream = SampleStream(clock, delay: ECG.delay)
        pulse = source.heart
    }

    mutating func start(at now: Instant) { stream.start(at: now) }

    /// Draws the samples that are ready, at most `most`, into `samples`; nil when none is.
    mutating func record(_ most: Int, at now: Instant, context: inout SensorContext) -> (from: Int64, ECG.Quality)? {
        let ready = stream.ready(most, at: now)
        guard !ready.isEmpty else { return nil }
        context.pulses[pulse].listen(until: now)
        context.pulses[pulse].show(&ecg, after: &seenBeats)
        let quality = ecg.draw(ready, into: &samples)
        ecg.forget(before: ecg.clock.instant(of: ready.lowerBound))
        return (ready.lowerBound, quality)
    }

    /// The samples recorded last were notified.
    mutating func didNotify(from first: Int64) { stream.didNotify(first..<first + Int64(samples.count)) }

    mutating func setLead(isOff: Bool, at now: Instant) { ecg.setLead(isOff: isOff, at: now) }

    func instant(of index: Int64) -> Instant { ecg.clock.instant(of: index) }
}
