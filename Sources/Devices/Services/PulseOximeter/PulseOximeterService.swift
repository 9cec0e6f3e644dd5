import Basics
import Bluetooth
package import Characteristics
package import Devices
import Documents
import GATT

extension ServiceDescription {
    /// The Pulse Oximeter Service, 0x1822.  Pulse Oximeter Service 1.0.1.
    package static let pulseOximeter = ServiceDescription(
        "pulse_oximeter", .pulseOximeter,
        "oxygen saturation and pulse rate, amplitude, contact, spot-checks with time stamps",
        example: [
            "service": "pulse_oximeter", "value": 97, "pulse_rate": 62, "amplitude": 2, "contact": true,
            "period": "1 s",
            "spot_check_period": "5 s",
        ],
        fields: [
            PulseOximeterFields.spo2, PulseOximeterFields.pulseRate,
            PulseOximeterFields.amplitude, PulseOximeterFields.contact,
            PulseOximeterFields.period, PulseOximeterFields.spotCheckPeriod,
        ],
        characteristics: [
            CharacteristicDescription(
                .plxContinuousMeasurement, "PLX Continuous Measurement", .notify, format: PLXContinuousMeasurement.self,
                value: spo2(""),
                members: [
                    ValueDescription(
                        .number(PulseOximeterFields.rates), named: "pulse_rate", key: "pulse_rate", unit: "bpm",
                        label: "pulse rate", tolerance: 0.5),
                    ValueDescription(
                        .number(PulseOximeterFields.percent), named: "amplitude", key: "amplitude", unit: "%",
                        label: "pulse amplitude index", tolerance: 0.05, field: PulseOximeterFields.amplitude.key),
                    ValueDescription(
                        .truth, named: "contact", key: "contact", label: "skin contact",
                        field: PulseOximeterFields.contact.key),
                ],
                client: ClientUse(
                    "pulse_oximeter", ["spo2": 97, "pulse_rate": 62], isMeasurement: true, expires: true,
                    row: ScreenFact("SpO2", unit: "%", key: "spo2", decimals: 1, warnsUpTo: 90))),
            CharacteristicDescription(
                .plxSpotCheckMeasurement, "PLX Spot-Check Measurement", .indicate, format: PLXSpotCheckMeasurement.self,
                value: spo2("spot_check", isSettable: false, field: PulseOximeterFields.spotCheckPeriod.key),
                client: ClientUse(
                    "spot_check", ["spo2": 97, "pulse_rate": 62, "timestamp": "2026-03-14T22:15:00"],
                    isMeasurement: true)),
            CharacteristicDescription(
                .plxFeatures, "PLX Features", .read, format: PLXFeatures.self,
                value: ValueDescription(.structure, named: "features", isSettable: false, isEncodable: false),
                client: ClientUse(
                    "plx_features", ["timestamp", "pulse_amplitude_index"], importance: .extra,
                    isMeasurement: false)),
        ],
        sensor: { PulseOximeterSensor($0) })

    private static func spo2(_ name: String, isSettable: Bool = true, field: String? = nil) -> ValueDescription {
        ValueDescription(
            .number(PulseOximeterFields.percent), named: name, key: "spo2", unit: "%", label: "oxygen saturation",
            example: "97", isSettable: isSettable, tolerance: 0.05, field: field)
    }
}

/// The keys of `pulse_oximeter` in a scenario.
package enum PulseOximeterFields {
    static let percent = 0.0...100
    static let rates = 0.0...300
    /// Oxygen saturation in percent.
    package static let spo2 = Field.curve("value", percent, standard: 97, "SpO2 in percent.")
    /// Beats per minute.
    package static let pulseRate = Field.curve("pulse_rate", rates, standard: 60, "Pulse rate in bpm.")
    /// Percent; nil: measurements have no Pulse Amplitude Index.
    package static let amplitude = Field.optionalCurve(
        "amplitude", percent, "Pulse Amplitude Index in percent; not sent if it is left out.")
    /// Nil: measurements have neither Measurement Status nor Device and Sensor Status.
    package static let contact = Field<Curve?>.truth(
        "contact", "Whether the sensor is on the finger; without a finger it sends NaN.")
    /// From one PLX Continuous Measurement to the next.
    package static let period = Field.period("From measurement to measurement.")
    /// From one PLX Spot-Check Measurement to the next; a device sends them only if the scenario has the key.
    package static let spotCheckPeriod = Field.optionalPeriod(
        "spot_check_period", from: .seconds(1),
        "From spot-check to spot-check, each indicated with a time stamp; none if it is left out.")
}

extension PLXContinuousMeasurement: CharacteristicValue {
    /// `SpO2 97 %, pulse 62 bpm, contact, amplitude 1.5 %`.
    package var words: String { normal.words + details.words }
    /// SpO2, pulse rate or amplitude.
    package func number(of key: String?) -> Double? {
        switch key {
        case "spo2": normal.spo2.finite
        case "pulse_rate": normal.pulseRate.finite
        case "amplitude": details.amplitude?.finite
        default: nil
        }
    }
    /// `{"spo2": null, "pulse_rate": null}`
    package static var expired: StaticString { "{\"spo2\": null, \"pulse_rate\": null}" }
}

extension PLXSpotCheckMeasurement: CharacteristicValue {
    /// `spot-check: SpO2 97 %, pulse 62 bpm`.
    package var words: String { "spot-check: \(value.words)\(details.words)" }
    /// SpO2 or pulse rate.
    package func number(of key: String?) -> Double? {
        switch key {
        case "spo2": value.spo2.finite
        case "pulse_rate": value.pulseRate.finite
        default: nil
        }
    }
}

extension PLXFeatures: CharacteristicValue {
    /// `oximeter features: ["timestamp"]`.
    package var words: String { "oximeter features: \(json)" }
}

extension SpO2PR {
    fileprivate var words: String {
        let saturation = spo2.words.map { "SpO2 \($0) %" } ?? "no SpO2"
        return saturation + (pulseRate.words.map { ", pulse \($0) bpm" } ?? ", no pulse")
    }
}

extension PLXDetails {
    fileprivate var words: String {
        let contact = sensorStatus.map { $0.contains(.unconnectedToUser) ? ", no contact" : ", contact" } ?? ""
        return contact + (amplitude?.words.map { ", amplitude \($0) %" } ?? "")
    }
}

extension MedicalShortFloat {
    fileprivate var finite: Double? { value.flatMap { $0.isFinite ? $0 : nil } }

    /// `97.5`; nil for a special value.
    fileprivate var words: String? {
        guard finite != nil else { return nil }
        var text = JSONText()
        text.append(self)
        return text.string
    }
}

/// The Pulse Oximeter Service of a device: it notifies continuous measurements and indicates spot-checks.  Pulse Oximeter
/// Service 1.0.1, section 3.
///
/// Its curves follow the wall clock.
struct PulseOximeterSensor: ServiceSensor {
    /// In the order of the description.
    private enum Value: Int {
        case spo2
        case pulseRate
        case amplitude
        case contact
        case spotCheck
        case features
    }

    private var spo2: Gauge
    private var pulseRate: Gauge
    private var amplitude: Gauge?
    private var contact: Gauge?
    private let hasSpotChecks: Bool
    private var continuous: Schedule
    private var spotChecks: Schedule
    private var isUnconfirmed = false  // the last spot-check

    init(_ source: SensorSource) {
        let configuration = source.configuration
        spo2 = Gauge(source.signal(PulseOximeterFields.spo2, "spo2"))
        pulseRate = Gauge(source.signal(PulseOximeterFields.pulseRate, "pulse_rate"))
        amplitude = source.signal(PulseOximeterFields.amplitude, "amplitude").map { Gauge($0) }
        contact = source.signal(PulseOximeterFields.contact, "contact").map { Gauge($0) }
        hasSpotChecks = configuration.has(PulseOximeterFields.spotCheckPeriod.key)
        continuous = Schedule(every: configuration[PulseOximeterFields.period])
        spotChecks = Schedule(every: configuration[PulseOximeterFields.spotCheckPeriod] ?? .seconds(1))
    }

    func read(_ id: ValueID, at _: Instant, context _: inout SensorContext) throws(ATTError) -> [UInt8] {
        guard Value(id) == .features else { throw .unlikelyError }
        var features = PLXFeatures([])
        if hasSpotChecks { features.supported.insert(.timeStamp) }
        if amplitude != nil { features.supported.insert(.amplitude) }
        if contact != nil {
            features.measurementStatus = [.measurementOngoing, .fullyQualifiedData, .measurementUnavailable]
            features.sensorStatus = .unconnectedToUser
        }
        return features.octets
    }

    // MARK: Measuring

    /// Nil where the curve of SpO2 has stopped.
    private mutating func measure(
        _ id: ValueID, at now: Instant, context: inout SensorContext
    ) -> (value: SpO2PR, details: PLXDetails)? {
        let time = context.clock.sensorTime(at: now)
        guard let saturation = spo2.value(at: time) else { return nil }
        context.noteSaturation(of: saturation, as: id, in: MedicalShortFloat.range)
        let isOnFinger = contact.map { _ in (contact?.value(at: time) ?? 0) >= 0.5 }
        let rate = pulseRate.value(at: time) ?? .nan
        let index = amplitude.map { _ in amplitude?.value(at: time) ?? .nan }
        var details = PLXDetails()
        if let isOnFinger {
            details.measurementStatus = isOnFinger ? .fullyQualifiedData : .measurementUnavailable
            if Value(id) == .spo2 { details.measurementStatus?.insert(.measurementOngoing) }
            details.sensorStatus = isOnFinger ? [] : .unconnectedToUser
        }
        let isKnown = isOnFinger ?? true
        func number(_ value: Double, decimals: Int) -> MedicalShortFloat {
            isKnown ? MedicalShortFloat(value, decimals: decimals) : MedicalShortFloat(.notANumber)
        }
        details.amplitude = index.map { number($0, decimals: 1) }
        return (SpO2PR(spo2: number(saturation, decimals: 1), pulseRate: number(rate, decimals: 0)), details)
    }

    mutating func encodeNotification(
        of id: ValueID, trigger: NotificationTrigger, at now: Instant, context: inout SensorContext,
        into packet: inout Packet, pool: inout PacketPool
    ) -> Bool {
        if trigger == .scheduled { reschedule(id, after: now) }
        guard let (value, details) = measure(id, at: now, context: &context) else { return false }
        guard Value(id) == .spotCheck else {
            PLXContinuousMeasurement(value, details: details).append(to: &packet, in: &pool)
            return true
        }
        isUnconfirmed = trigger == .scheduled
        let time = context.clock.sensorTime(at: now)
        let stamp = DateTime(secondsSince1970: context.clock.seconds(at: time))
        pool.append(PLXSpotCheckMeasurement(value, timeStamp: stamp, details: details).octets[...], to: &packet)
        return true
    }

    // MARK: Subscriptions

    mutating func didSubscribe(to id: ValueID, at now: Instant, context _: inout SensorContext) {
        reschedule(id, after: now)
    }

    mutating func didUnsubscribe(from id: ValueID, at _: Instant) { settle(id) }
    mutating func indicationWasConfirmed(of id: ValueID, at _: Instant) { settle(id) }
    mutating func indicationWasDropped(of id: ValueID, at _: Instant) { settle(id) }
    mutating func notificationWasSuppressed(of id: ValueID) { settle(id) }

    /// The next spot-check waits for nothing.
    private mutating func settle(_ id: ValueID) { if Value(id) == .spotCheck { isUnconfirmed = false } }

    mutating func reschedule(_ id: ValueID, after now: Instant) {
        if Value(id) == .spotCheck { spotChecks.reschedule(after: now) } else { continuous.reschedule(after: now) }
    }

    /// A spot-check waits until the one before is confirmed.
    func nextNotification(of id: ValueID, context _: SensorContext) -> Instant {
        guard Value(id) == .spotCheck else { return continuous.due }
        return isUnconfirmed ? .never : spotChecks.due
    }

    // MARK: The script

    mutating func set(
        _ id: ValueID, to input: SensorInput?, at now: Instant, begun: Instant?, context: inout SensorContext
    ) -> Bool {
        guard let signal = input.signal else { return false }
        switch Value(id) {
        case .spo2: spo2.set(signal, at: now, begun: begun, by: context.clock)
        case .pulseRate: pulseRate.set(signal, at: now, begun: begun, by: context.clock)
        case .amplitude where amplitude != nil: amplitude?.set(signal, at: now, begun: begun, by: context.clock)
        case .contact where contact != nil: contact?.set(signal, at: now, begun: begun, by: context.clock)
        default: return false
        }
        return true
    }

    func number(of id: ValueID, at now: Instant, context: SensorContext) -> Double? {
        let time = context.clock.sensorTime(at: now)
        var copy = self
        return switch Value(id) {
        case .spo2, .spotCheck: copy.spo2.value(at: time)
        case .pulseRate: copy.pulseRate.value(at: time)
        case .amplitude: copy.amplitude?.value(at: time)
        case .contact: copy.contact?.value(at: time).map { $0 >= 0.5 ? 1 : 0 }
        case .features, nil: nil
        }
    }

    func octets(of id: ValueID, for input: SensorInput) -> [UInt8]? {
        guard let number = input.number else { return nil }
        let value = SpO2PR(spo2: MedicalShortFloat(number, decimals: 1), pulseRate: MedicalShortFloat(.notANumber))
        return Value(id) == .spotCheck
            ? PLXSpotCheckMeasurement(value).octets : PLXContinuousMeasurement(value).octets
    }
}
