import Bluetooth
import Characteristics
import Octets
import Sensors
import ServiceFramework
import Simulation

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
