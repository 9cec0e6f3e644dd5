package import Characteristics
import GATT
package import Octets
package import Sensors
package import ServiceFramework

extension ServiceDescription {
    /// The vendor-specific ECG service, 0x0200.
    package static let ecg = ServiceDescription(
        "ecg", VendorUUID.ecg.uuid,
        "vendor service: an ECG with 500 samples per second, whose R waves match the beats of `heart_rate`",
        main: "samples", fields: ECGFields.all,
        characteristics: [
            CharacteristicDescription(
                .ecgSamples, .notify, format: ECGFrame.self,
                value: ValueDescription(
                    .number(-32768...32767), named: "samples", key: "samples", label: "ECG samples", isSettable: false),
                members: [ValueDescription(.number(ECGFields.leads), named: "lead")],
                client: ClientUse("ecg", #"{"samples": 468, "lost": 0}"#, role: .ecgSamples, isMeasurement: true)),
            CharacteristicDescription(
                .ecgDescription, .read, format: ECGDescription.self,
                value: ValueDescription(.structure, named: "description", isSettable: false),
                client: ClientUse(
                    "ecg_description", #"{"rate": 500, "resolution": 1000, "leads": 1}"#, role: .ecgDescription,
                    importance: .extra, isMeasurement: false)),
        ],
        rate: { ECGFields.rate($0) },
        sensor: { ECGSensor($0) })
}

/// The keys of `ecg` in a scenario, where `as` chooses one of two services.
package enum ECGFields {
    static let leads = 0.0...255
    /// `ecg` for the vendor-specific service, `pmd` for Polar Measurement Data.
    package static let form = Field.word("as", ["ecg", "pmd"], standard: "ecg", "The service; ecg by default.")
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
    package static let lead = Field.curve("lead", leads, standard: 1, "Number of the lead; 1 by default.")

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
    package var words: String { "\(samples.count) samples from \(header.index) on" }
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
