import Bluetooth
import Characteristics
import GATT
import Octets
import Sensors
import Simulation

/// What stands behind Polar Measurement Data: an electrocardiogram that is told once a client has asked for it.
struct PMDSensor: ServiceSensor {
    private let definition: PeripheralDefinition.Electrocardiogram
    private var recorder: ECGRecorder
    private var controlPoint: PMDControlPoint
    private var responses: [[UInt8]] = []
    private var isHeard = false  // whether somebody is told responses

    init(_ definition: PeripheralDefinition.Electrocardiogram, pulse: Int, seed: UInt64) {
        self.definition = definition
        recorder = ECGRecorder(definition, pulse: pulse, seed: seed)
        controlPoint = PMDControlPoint(sampleRate: UInt16(clamping: definition.rate))
    }

    var attributes: (ServiceDefinition, [Part.Quantity]) {
        let point = CharacteristicDefinition(
            uuid: PMD.Identifier.controlPoint.uuid, properties: [.read, .write, .indicate])
        let data = CharacteristicDefinition(uuid: PMD.Identifier.data.uuid, properties: .notify)
        return (
            ServiceDefinition(uuid: PMD.Identifier.service.uuid, characteristics: [point, data]),
            [.pmdControlPoint, .ecgSamples]
        )
    }

    func read(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) throws(ATTError) -> [UInt8] {
        guard quantity == .pmdControlPoint else { throw .unlikelyError }
        return controlPoint.features.octets
    }

    mutating func write(
        _ value: [UInt8], to quantity: Part.Quantity, at now: Instant, of body: inout Body
    ) throws(ATTError) {
        guard quantity == .pmdControlPoint else { throw .unlikelyError }
        guard responses.count < Self.mostResponses else { throw .insufficientResources }
        let wasStreaming = controlPoint.isStreaming
        let response = controlPoint.answer(value, mtu: body.mtu)
        if isHeard { responses.append(response.octets) }
        if !wasStreaming, controlPoint.isStreaming { recorder.begin(at: now) }
    }

    private static let mostResponses = 8

    mutating func begin(_ quantity: Part.Quantity, at now: Instant, of body: inout Body) {
        if quantity == .ecgSamples { recorder.begin(at: now) } else { isHeard = true }
    }

    /// With the last who listened to the samples, the stream ends.
    mutating func end(_ quantity: Part.Quantity, at now: Instant) {
        if quantity == .ecgSamples { controlPoint.disconnect() } else { (isHeard, responses) = (false, []) }
    }

    func due(_ quantity: Part.Quantity, of body: Body) -> Instant {
        switch quantity {
        case .pmdControlPoint: responses.isEmpty ? .never : .start
        default: controlPoint.isStreaming ? recorder.stream.due(PMDECGFrame.capacity(mtu: body.mtu)) : .never
        }
    }

    mutating func tell(
        _ quantity: Part.Quantity, _ occasion: Occasion, at now: Instant, of body: inout Body,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        guard quantity == .ecgSamples else {
            guard !responses.isEmpty else { return false }
            pool.append(responses.removeFirst()[...], to: &packet)
            return true
        }
        guard let (first, quality) = recorder.record(PMDECGFrame.capacity(mtu: body.mtu), at: now, of: &body) else {
            return false
        }
        if quality.isSaturated { body.saturatedValues.append((.ecgSamples, nil)) }
        let last = recorder.instant(of: first + Int64(recorder.samples.count) - 1)
        PMDECGFrame.append(
            timeStamp: body.clock.nanosecondsSince2000(at: last), samples: recorder.samples[...], to: &packet,
            in: &pool)
        recorder.told(from: first)
        return true
    }

    func set(
        _ quantity: Part.Quantity, to value: PartValue?, at now: Instant, begun: Instant?, of body: inout Body
    ) -> Bool { false }

    mutating func setLead(isOff: Bool, at now: Instant) -> Bool {
        recorder.setLead(isOff: isOff, at: now)
        return true
    }

    func octets(of _: Part.Quantity, saying value: PartValue) -> [UInt8]? { nil }
}

extension WallClock {
    /// How Polar counts time.
    fileprivate func nanosecondsSince2000(at instant: Instant) -> UInt64 {
        let time = sensorTime(at: instant)
        let seconds = max(0, seconds(at: time) - 946_684_800)
        let (nanoseconds, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : nanoseconds &+ UInt64(max(0, time.nanoseconds) % 1_000_000_000)
    }
}
