import Bluetooth
import Characteristics
import Collector
import ServiceFramework
import Services

// Clients that show something wrong, and then the right value, so that all that is expected comes.
extension FaultyClient {
    /// One that shows another value before each.
    private static func invents(
        _ what: String, _ uuids: UUID..., in path: String,
        _ other: @escaping @Sendable ([UInt8]) -> [UInt8]
    ) -> FaultyClient {
        FaultyClient(
            name: "invents_\(what.split(separator: " ").joined(separator: "_"))",
            about: "shows a wrong \(what) before each right one", caughtBy: ["\(path) nothing_invented"],
            values: { octets, uuid, _ in
                uuids.contains(uuid) ? [.hears(other(octets)), .hears(octets)] : [.hears(octets)]
            }
        )
    }

    /// The octets with one changed; unchanged if they are fewer.
    private static func changed(_ octets: [UInt8], at place: Int, _ change: (UInt8) -> UInt8) -> [UInt8] {
        guard octets.indices.contains(place) else { return octets }
        return octets[..<place] + [change(octets[place])] + octets[(place + 1)...]
    }

    static let inventors = [
        invents("heart rate", .heartRateMeasurement, in: "resting") { changed($0, at: 1) { $0 &+ 100 } },
        invents("contact", .heartRateMeasurement, in: "formats/two_byte") { changed($0, at: 0) { $0 ^ 0x04 } },
        invents("lost contact", .heartRateMeasurement, in: "resting") {
            changed($0, at: 0) { $0 & 0x06 == 0x06 ? $0 ^ 0x02 : $0 }
        },
        invents("energy", .heartRateMeasurement, in: "formats/energy") { octets in
            changed(octets, at: 2) { octets[0] & 0x09 == 0x08 ? $0 &+ 3 : $0 }
        },
        invents("RR-Interval", .heartRateMeasurement, in: "formats/nine_rr") { octets in
            changed(octets, at: octets.count - 1) { octets[0] & 0x10 != 0 ? $0 ^ 0x04 : $0 }
        },
        invents("temperature", .temperatureMeasurement, in: "collector/thermometer/measures") {
            changed($0, at: 1) { $0 &+ 9 }
        },
        invents("intermediate temperature", .intermediateTemperature, in: "collector/thermometer/measures") {
            changed($0, at: 1) { $0 &+ 9 }
        },
        invents("SpO2", .plxContinuousMeasurement, in: "pulse_oximeter") { changed($0, at: 1) { $0 ^ 0x08 } },
        invents("pulse rate", .plxContinuousMeasurement, in: "pulse_oximeter") { changed($0, at: 3) { $0 &+ 60 } },
        invents("spot-check", .plxSpotCheckMeasurement, in: "pulse_oximeter") { changed($0, at: 1) { $0 ^ 0x08 } },
        invents("speed", .rscMeasurement, in: "running") { changed($0, at: 2) { $0 &+ 9 } },
        invents("cadence", .rscMeasurement, in: "running") { changed($0, at: 3) { $0 &+ 9 } },
        invents("stride length", .rscMeasurement, in: "running") { changed($0, at: 4) { $0 &+ 9 } },
        invents("total distance", .rscMeasurement, in: "running") { changed($0, at: 7) { $0 ^ 0x40 } },
        invents("running", .rscMeasurement, in: "running") { changed($0, at: 0) { $0 ^ 0x04 } },
        invents("amplitude", .plxContinuousMeasurement, in: "pulse_oximeter") { octets in
            changed(octets, at: octets.count - 2) { octets[0] & 0x10 != 0 ? $0 ^ 0x08 : $0 }
        },
        invents("steps", VendorUUID.steps.uuid, in: "fitness") { changed($0, at: 2) { $0 &+ 1 } },
        invents("steps today", VendorUUID.stepsToday.uuid, in: "fitness") { changed($0, at: 2) { $0 &+ 1 } },
        invents("feed", VendorUUID.feedValue.uuid, in: "collector/streams/feed") { changed($0, at: 2) { $0 &+ 1 } },
        invents("battery", .batteryLevel, of: .battery, as: [3], in: "formats/two_batteries"),
        invents(
            "measurement interval", .measurementInterval, of: .healthThermometer, as: [9, 0],
            in: "collector/thermometer/interval"),
        invents("sensor location", .sensorLocation, of: .runningSpeedAndCadence, as: [3], in: "running"),
        invents("location", .bodySensorLocation, of: .heartRate, as: [2], in: "resting"),
        invents("manufacturer", DeviceInformation.manufacturer.uuid, of: .deviceInformation, as: [65], in: "resting"),
        invents("temperature type", .temperatureType, of: .healthThermometer, as: [2], in: "thermometer"),
        FaultyClient(
            name: "counts_twice", about: "counts each ECG sample twice",
            caughtBy: ["collector/streams/ecg nothing_invented", "collector/streams/pmd nothing_invented"],
            shows: { content, _ in if case .ecg = content { [content, content] } else { [content] } }),
        FaultyClient(
            name: "invents_measurements", about: "adds 100 to the heart rates of a stream",
            caughtBy: ["measurements_500hz nothing_invented"],
            shows: { content, _ in
                guard case .measurementTally(let tally, let bpm) = content else { return [content] }
                return [.measurementTally(tally, bpm: bpm + 100), content]
            }),
    ]

    /// One that shows other octets before each value with the same key.
    private static func invents(
        _ what: String, _ uuid: UUID, of service: ServiceDescription, as octets: [UInt8], in path: String
    ) -> FaultyClient {
        let id = CharacteristicID(uuid, of: service)
        return FaultyClient(
            name: "invents_\(what.split(separator: " ").joined(separator: "_"))",
            about: "shows a wrong \(what) before each right one", caughtBy: ["\(path) nothing_invented"],
            shows: { content, _ in
                guard case .value(let value) = content, value.use.key == id?.description.client.key, let id,
                    let other = try? ReceivedValue(octets[...], of: id)
                else { return [content] }
                return [.value(other), content]
            })
    }
}
