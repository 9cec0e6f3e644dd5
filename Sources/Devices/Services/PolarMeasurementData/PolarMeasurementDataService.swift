package import Characteristics
import GATT
package import Octets
package import ServiceFramework

extension ServiceDescription {
    /// Polar Measurement Data, the service with which Polar straps send an ECG: `ecg` as `pmd` in a scenario.
    package static let polarMeasurementData = ServiceDescription(
        "ecg", as: ServiceVariant(ECGFields.form.key, "pmd"), PMD.Identifier.service.uuid,
        "the same in Polar's format", main: "samples",
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
                client: ClientUse("ecg", #"{"samples": 468, "lost": 0}"#, role: .pmdSamples, isMeasurement: true)),
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
    package var words: String { "\(samples.count) samples" }
    /// Microvolts, without the number of the lead.
    package static func samples(in octets: ArraySlice<UInt8>) throws(Malformed) -> (samples: [Int32], lead: UInt8?)? {
        (try PMDECGFrame(octets: octets).samples, nil)
    }
}
