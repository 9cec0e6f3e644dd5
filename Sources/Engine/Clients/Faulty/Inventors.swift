import Bluetooth
import Characteristics
import Devices
import Services

// Clients that show something wrong, and then the right value, so that all that is expected comes.
extension FaultyClient {
    /// One that shows another value before each that has what it invents.
    private static func inventing(
        _ what: String, _ characteristic: UUID,
        _ other: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> FaultyClient {
        FaultyClient(
            name: "invents_\(what.split(separator: " ").joined(separator: "_"))",
            about: "shows a wrong \(what) before each right one",
            values: { octets, uuid, _ in
                let other = uuid == characteristic ? other(octets) : octets
                return other == octets ? [.receive(octets)] : [.receive(other), .receive(octets)]
            }
        )
    }

    /// The octets with one changed; unchanged if they are fewer.
    private static func changed(_ octets: [UInt8], at place: Int, _ change: (UInt8) -> UInt8) -> [UInt8] {
        guard octets.indices.contains(place) else { return octets }
        return octets[..<place] + [change(octets[place])] + octets[(place + 1)...]
    }

    static let inventors = [
        inventing("heart rate", .heartRateMeasurement) { changed($0, at: 1) { $0 &+ 100 } },
        inventing("contact", .heartRateMeasurement) { changed($0, at: 0) { $0 ^ 0x04 } },
        inventing("lost contact", .heartRateMeasurement) {
            changed($0, at: 0) { $0 & 0x06 == 0x06 ? $0 ^ 0x02 : $0 }
        },
        inventing("energy", .heartRateMeasurement) { octets in
            changed(octets, at: 2) { octets[0] & 0x09 == 0x08 ? $0 &+ 3 : $0 }
        },
        inventing("RR-Interval", .heartRateMeasurement) { octets in
            changed(octets, at: octets.count - 1) { octets[0] & 0x10 != 0 ? $0 ^ 0x04 : $0 }
        },
        inventing("temperature", .temperatureMeasurement) {
            changed($0, at: 1) { $0 &+ 9 }
        },
        inventing("intermediate temperature", .intermediateTemperature) {
            changed($0, at: 1) { $0 &+ 9 }
        },
        inventing("SpO2", .plxContinuousMeasurement) { changed($0, at: 1) { $0 ^ 0x08 } },
        inventing("pulse rate", .plxContinuousMeasurement) { changed($0, at: 3) { $0 &+ 60 } },
        inventing("spot-check", .plxSpotCheckMeasurement) { changed($0, at: 1) { $0 ^ 0x08 } },
        inventing("speed", .rscMeasurement) { changed($0, at: 2) { $0 &+ 9 } },
        inventing("cadence", .rscMeasurement) { changed($0, at: 3) { $0 &+ 9 } },
        inventing("stride length", .rscMeasurement) { changed($0, at: 4) { $0 &+ 9 } },
        inventing("total distance", .rscMeasurement) { changed($0, at: 7) { $0 ^ 0x40 } },
        inventing("running", .rscMeasurement) { changed($0, at: 0) { $0 ^ 0x04 } },
        inventing("amplitude", .plxContinuousMeasurement) { octets in
            changed(octets, at: octets.count - 2) { octets[0] & 0x10 != 0 ? $0 ^ 0x08 : $0 }
        },
        inventing("steps", VendorUUID.steps.uuid) { changed($0, at: 2) { $0 &+ 1 } },
        inventing("steps today", VendorUUID.stepsToday.uuid) { changed($0, at: 2) { $0 &+ 1 } },
        inventing("feed", VendorUUID.feedValue.uuid) { changed($0, at: 2) { $0 &+ 1 } },
        inventing("battery", .batteryLevel, of: .battery, as: [3]),
        inventing(
            "measurement interval", .measurementInterval, of: .healthThermometer, as: [9, 0]),
        inventing("sensor location", .sensorLocation, of: .runningSpeedAndCadence, as: [3]),
        inventing("location", .bodySensorLocation, of: .heartRate, as: [2]),
        inventing("manufacturer", DeviceInformation.manufacturer.uuid, of: .deviceInformation, as: [65]),
        inventing("temperature type", .temperatureType, of: .healthThermometer, as: [2]),
        FaultyClient(
            name: "counts_twice", about: "counts each ECG sample twice",
            shows: { content, _ in if case .ecg = content { [content, content] } else { [content] } }),
        FaultyClient(
            name: "invents_measurements", about: "adds 100 to the heart rates of a stream",
            shows: { content, _ in
                guard case .measurementTally(let tally, let bpm) = content else { return [content] }
                return [.measurementTally(tally, bpm: bpm + 100), content]
            }),
    ]

    /// One that shows other octets before each value with the same key.
    private static func inventing(
        _ what: String, _ uuid: UUID, of service: ServiceDescription, as octets: [UInt8]
    ) -> FaultyClient {
        let id = CharacteristicID(uuid, of: service)
        return FaultyClient(
            name: "invents_\(what.split(separator: " ").joined(separator: "_"))",
            about: "shows a wrong \(what) before each right one",
            shows: { content, _ in
                guard case .value(let value) = content, value.use.key == id?.description.client.key, let id,
                    let other = try? ReceivedValue(octets[...], of: id)
                else { return [content] }
                return [.value(other), content]
            })
    }
}
