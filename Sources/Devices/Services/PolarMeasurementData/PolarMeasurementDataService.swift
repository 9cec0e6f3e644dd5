package import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// Polar Measurement Data, the service with which Polar straps send an ECG: `ecg` as `pmd` in a scenario.
    package static let polarMeasurementData = ServiceDescription(
        "ecg", as: ServiceVariant(ECGFields.form.key, "pmd"), PMD.Identifier.service.uuid,
        "the same in Polar's format", main: "samples",
        example: ["service": "ecg", "as": "pmd", "rate": "130 Hz"],
        fields: ECGFields.all,
        characteristics: [
            CharacteristicDescription(
                PMD.Identifier.controlPoint.uuid, "PMD Control Point", [.read, .write, .indicate], format: nil,
                value: ValueDescription(.structure, named: "control_point", isSettable: false, isEncodable: false),
                client: ClientUse(
                    "pmd_control_point", role: .pmdControlPoint, importance: .extra, isMeasurement: false)),
            CharacteristicDescription(
                PMD.Identifier.data.uuid, "PMD Data", .notify, format: PMDECGFrame.self,
                value: ValueDescription(
                    .number(-32768...32767), named: "samples", key: "samples", label: "ECG samples", isSettable: false,
                    isEncodable: false),
                client: ClientUse(
                    "ecg", ["samples": 468, "lost": 0, "timestamp": 825_379_200_000_000_000], role: .pmdSamples,
                    isMeasurement: true)),
        ],
        problem: { configuration in
            guard configuration.has(ECGFields.lead.key) else { return nil }
            return .conflict(key: ECGFields.lead.key, "Polar Measurement Data has no place for a lead")
        },
        rate: { ECGFields.pmdRate($0) },
        sensor: { PolarMeasurementDataSensor($0) })
}

extension PMDECGFrame: CharacteristicValue {
    /// `73 samples`.
    package var words: String { samples.count.counted("sample") }
    /// Microvolts, without the number of the lead.
    package static func samples(in octets: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)? {
        (try PMDECGFrame(octets: octets).samples, nil)
    }
}

/// The Polar Measurement Data service of a device: an electrocardiogram that a client starts with the control point.
struct PolarMeasurementDataSensor: ServiceSensor {
    /// In the order of the description.
    private enum Value: Int {
        case controlPoint
        case samples
    }

    private static let mostResponses = 8

    private var recorder: ECGRecorder
    private var controlPoint: PMDControlPoint
    private var responses: [[UInt8]] = []
    private var isSubscribed = false  // to responses

    init(_ source: SensorSource) {
        let rate = ECGFields.pmdRate(source.configuration)
        recorder = ECGRecorder(source, rate: rate)
        controlPoint = PMDControlPoint(sampleRate: UInt16(clamping: rate))
    }

    func read(_ id: ValueID, at now: Instant, context: inout SensorContext) throws(ATTError) -> [UInt8] {
        guard Value(id) == .controlPoint else { throw .unlikelyError }
        return controlPoint.features.octets
    }

    mutating func write(
        _ octets: [UInt8], to id: ValueID, at now: Instant, context: inout SensorContext
    ) throws(ATTError) {
        guard Value(id) == .controlPoint else { throw .unlikelyError }
        guard responses.count < Self.mostResponses else { throw .insufficientResources }
        let wasStreaming = controlPoint.isStreaming
        let response = controlPoint.answer(octets, mtu: context.mtu)
        if isSubscribed { responses.append(response.octets) }
        if !wasStreaming, controlPoint.isStreaming { recorder.start(at: now) }
    }

    mutating func didSubscribe(to id: ValueID, at now: Instant, context: inout SensorContext) {
        if Value(id) == .samples { recorder.start(at: now) } else { isSubscribed = true }
    }

    /// The stream ends with the last subscription to it.
    mutating func didUnsubscribe(from id: ValueID, at now: Instant) {
        if Value(id) == .samples { controlPoint.disconnect() } else { (isSubscribed, responses) = (false, []) }
    }

    func nextNotification(of id: ValueID, context: SensorContext) -> Instant {
        switch Value(id) {
        case .controlPoint: responses.isEmpty ? .never : .start
        default: controlPoint.isStreaming ? recorder.stream.due(PMDECGFrame.capacity(mtu: context.mtu)) : .never
        }
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        guard Value(id) == .samples else {
            guard !responses.isEmpty else { return false }
            pool.append(responses.removeFirst()[...], to: &packet)
            return true
        }
        guard let (first, quality) = recorder.record(PMDECGFrame.capacity(mtu: context.mtu), at: now, context: &context)
        else {
            return false
        }
        if quality.isSaturated { context.saturatedValues.append((id, nil)) }
        let last = recorder.instant(of: first + Int64(recorder.samples.count) - 1)
        PMDECGFrame.append(
            timeStamp: context.clock.nanosecondsSince2000(at: last), samples: recorder.samples[...], to: &packet,
            in: &pool)
        recorder.didNotify(from: first)
        return true
    }

    mutating func setLead(isOff: Bool, at now: Instant) -> Bool {
        recorder.setLead(isOff: isOff, at: now)
        return true
    }
}

extension WallClock {
    /// The time of Polar's time stamps.
    fileprivate func nanosecondsSince2000(at instant: Instant) -> UInt64 {
        let time = sensorTime(at: instant)
        let seconds = max(0, seconds(at: time) - 946_684_800)
        let (nanoseconds, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : nanoseconds &+ UInt64(max(0, time.nanoseconds) % 1_000_000_000)
    }
}
