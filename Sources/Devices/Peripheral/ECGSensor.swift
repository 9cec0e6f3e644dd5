import Bluetooth
import Characteristics
import GATT
import Octets
public import Sensors
import Simulation

extension PeripheralDefinition {
    /// An electrocardiogram of the device's heart, by Lubdub's own ECG service or as Polar's straps send it.
    public struct Electrocardiogram: Sendable {
        /// Which service has it.
        public enum Form: Hashable, Sendable {
            /// Lubdub's own.
            case vendor
            /// Polar Measurement Data.
            case pmd
        }

        /// Which service has it.
        public var form: Form
        /// Samples in a second, 1 to 65535.
        public var rate: Int
        /// What is not the heart.
        public var noise: ECG.Noise
        /// The number that its frames bear, 0 to 255; the wave form is that of one lead.
        public var lead: Signal

        /// Of Lubdub's own form unless said otherwise, with a resting person's noise and lead 1.
        public init(_ form: Form = .vendor, rate: Int = 500) {
            (self.form, self.rate, noise, lead) = (form, rate, .resting, Signal(1))
        }
    }
}

/// An electrocardiogram that is told in frames, whatever service has it.
struct ECGRecorder: Sendable {
    private(set) var stream: SampleStream
    private(set) var samples: [Int16] = []
    private var ecg: ECG
    private let pulse: Int
    private var seenBeats = 0

    /// Of one of the body's hearts.
    init(_ definition: PeripheralDefinition.Electrocardiogram, pulse: Int, seed: UInt64) {
        let clock = SampleClock(hertz: definition.rate)
        ecg = ECG(clock, noise: definition.noise, seed: seed)
        stream = SampleStream(clock, delay: ECG.delay)
        self.pulse = pulse
    }

    mutating func begin(at now: Instant) { stream.begin(at: now) }

    /// Draws what is ready, `most` samples at most, into `samples`; nil when nothing is.
    mutating func record(_ most: Int, at now: Instant, of body: inout Body) -> (from: Int64, ECG.Quality)? {
        let ready = stream.ready(most, at: now)
        guard !ready.isEmpty else { return nil }
        body.pulses[pulse].listen(until: now)
        body.pulses[pulse].show(&ecg, after: &seenBeats)
        let quality = ecg.draw(ready, into: &samples)
        ecg.forget(before: ecg.clock.instant(of: ready.lowerBound))
        return (ready.lowerBound, quality)
    }

    /// What was recorded last was told.
    mutating func told(from first: Int64) { stream.told(first..<first + Int64(samples.count)) }

    mutating func setLead(isOff: Bool, at now: Instant) { ecg.setLead(isOff: isOff, at: now) }

    /// When a sample was taken.
    func instant(of index: Int64) -> Instant { ecg.clock.instant(of: index) }
}

/// What stands behind Lubdub's own ECG service.
struct ECGSensor: ServiceSensor {
    private let definition: PeripheralDefinition.Electrocardiogram
    private var recorder: ECGRecorder
    private var lead: Gauge

    init(_ definition: PeripheralDefinition.Electrocardiogram, pulse: Int, seed: UInt64) {
        self.definition = definition
        recorder = ECGRecorder(definition, pulse: pulse, seed: seed)
        lead = Gauge(definition.lead)
    }

    var attributes: (ServiceDefinition, [Part.Quantity]) {
        let samples = CharacteristicDefinition(.ecgSamples, properties: .notify)
        let description = CharacteristicDefinition(.ecgDescription, properties: .read)
        return (
            ServiceDefinition(uuid: VendorUUID.ecg.uuid, characteristics: [samples, description]),
            [.ecgSamples, .ecgDescription]
        )
    }

    func read(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) throws(ATTError) -> [UInt8] {
        guard quantity == .ecgDescription else { throw .unlikelyError }
        return ECGDescription(rate: UInt16(clamping: definition.rate)).octets
    }

    mutating func begin(_: Part.Quantity, at now: Instant, of body: inout Body) { recorder.begin(at: now) }

    func due(_: Part.Quantity, of body: Body) -> Instant { recorder.stream.due(ECGFrame.capacity(mtu: body.mtu)) }

    mutating func tell(
        _: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        guard let (first, quality) = recorder.record(ECGFrame.capacity(mtu: body.mtu), at: now, of: &body) else {
            return false
        }
        var flags = ECGFrame.Flags.synthetic
        if recorder.stream.hasGap { flags.insert(.gap) }
        if quality.isLeadOff { flags.insert(.leadOff) }
        if quality.isSaturated {
            flags.insert(.saturated)
            body.saturatedValues.append((.ecgSamples, nil))
        }
        let number = lead.value(at: now) ?? 0
        body.say(number, as: .lead)
        let header = ECGFrame.Header(
            flags: flags, sequence: recorder.stream.sequence, index: UInt32(truncatingIfNeeded: first),
            lead: UInt8(saturating: number))
        ECGFrame.append(header, samples: recorder.samples[...], to: &packet, in: &pool)
        recorder.told(from: first)
        return true
    }

    mutating func set(
        _ quantity: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool {
        guard quantity == .lead, let signal = value.signal else { return false }
        lead.set(signal, at: now, begun: begun)
        lead.forget(before: now)
        return true
    }

    mutating func setLead(isOff: Bool, at now: Instant) -> Bool {
        recorder.setLead(isOff: isOff, at: now)
        return true
    }

    func number(of quantity: Part.Quantity, at now: Instant, of body: Body) -> Double? {
        var lead = lead
        return quantity == .lead ? lead.value(at: now) : nil
    }

    func octets(of _: Part.Quantity, saying value: PartValue) -> [UInt8]? {
        guard let number = value.number else { return nil }
        let header = ECGFrame.Header(
            sequence: recorder.stream.sequence, index: UInt32(truncatingIfNeeded: recorder.stream.next))
        return ECGFrame(header, samples: [Int16(saturating: number)])?.octets
    }
}
