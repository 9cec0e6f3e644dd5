public import Characteristics
import GATT
public import Octets
public import Sensors

extension ServiceDescription {
    /// Lubdub's own ECG service, vendor 0x0200.
    public static let ecg = ServiceDescription(
        "ecg", VendorUUID.ecg.uuid,
        "500 samples a second whose R waves are the beats of `heart_rate`", main: "samples", fields: ECGFields.all,
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

/// The keys of `ecg` in a scenario, which `as` makes one of two services.
public enum ECGFields {
    static let leads = 0.0...255
    /// `ecg` for Lubdub's own service, `pmd` for Polar Measurement Data.
    public static let form = Field.word("as", ["ecg", "pmd"], standard: "ecg", "As which service; ecg.")
    /// Samples a second; nil: what is usual for the service.
    public static let rate = Field.optionalRate("rate", 1...4000, "Samples in a second, 1 to 4000; 500, as pmd 130.")
    /// Hz; nil: the power line does not hum.
    public static let mains = Field.optionalRate("noise.mains", 1...4000, "The hum of the power line.")
    /// mV; nil: as of a resting person.
    public static let wander = Field.optionalNumber("noise.wander", 0...10, "Of the base line, in mV.")
    /// mV; nil: as of a resting person.
    public static let muscle = Field.optionalNumber("noise.muscle", 0...10, "In mV.")
    /// The number of the lead; the wave form is always that of one lead.
    public static let lead = Field.curve("lead", leads, standard: 1, "Its number; 1 if it is left out.")

    static let all = [
        form.description, rate.description,
        .object("noise", [mains.description, wander.description, muscle.description], "What is not the heart."),
        lead.description,
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
    public var words: String { "\(samples.count) samples from \(header.index) on" }
    /// Microvolts and the number of the lead.
    public static func samples(in octets: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)? {
        let frame = try ECGFrame(octets: octets)
        return (frame.samples.map(Int32.init), frame.header.lead)
    }
}

extension ECGDescription: CharacteristicValue {
    /// Five octets.
    public init(octets: ArraySlice<UInt8>) throws(Malformed) { try self.init(octets: Array(octets)) }
    /// `ECG at 500 Hz, leads: 1`.
    public var words: String { "ECG at \(rate) Hz, leads: \(leads)" }
}
