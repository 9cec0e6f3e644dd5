import Basics
import Bluetooth
import Testing

@testable import Characteristics

/// Octets of real devices, as the projects that the codec names have them, and octets that mean nothing.
@Suite struct AdvertisedMeasurementTests {
    static let known: [(data: String, line: String)] = [
        // Manufacturer data of a Polar H7 and H10, as in polar-ble-sdk#305, and of its tests.
        ("07 FF 6B 00 3B 1B 54 52", #"{"heart_rate": 82, "contact": true}"#),
        ("07 FF 6B 00 3F 16 4C 4C", #"{"heart_rate": 76, "contact": true}"#),
        ("06 FF 6B 00 21 00 48", #"{"heart_rate": 72, "contact": false}"#),
        ("07 FF 6B 00 20 00 00 00", #"{"heart_rate": null, "contact": false}"#),
        // A record of another kind comes first; its length follows its flags.
        ("0B FF 6B 00 72 02 97 C6 3B 1B 54 52", #"{"heart_rate": 82, "contact": true}"#),
        (
            "1B FF 57 01 00 01 02 48" + String(repeating: " 00", count: 20),
            #"{"heart_rate": 72}"#
        ),
        ("1B FF 57 01 00 01 02 FF" + String(repeating: " 00", count: 20), #"{"heart_rate": null}"#),
        // The examples of bthome.io/format, and a negative temperature.
        ("0A 16 D2 FC 40 02 CA 09 03 BF 13", #"{"temperature": 25.06, "humidity": 50.55}"#),
        ("09 16 D2 FC 40 01 57 02 57 FE", #"{"battery": 87, "temperature": -4.25}"#),
        ("0D 16 D2 FC 44 00 66 01 64 2E 3D 45 01 01", #"{"battery": 100, "temperature": 25.7, "humidity": 61}"#),
        ("0F 16 D2 FC 42 06 05 04 03 02 01 01 57 02 57 FE", #"{"battery": 87, "temperature": -4.25}"#),
        ("06 16 D2 FC 40 57 EC", #"{"temperature": -20}"#),
        ("04 16 0F 18 57", #"{"battery": 87}"#),
    ]

    @Test(arguments: known) func `What a device broadcasts`(data: String, line: String) throws {
        let measurement = try #require(AdvertisedMeasurement(try Self.advertising(data)))
        var text = JSONText()
        measurement.write(to: &text)
        #expect(text.string == line)
        #expect(!measurement.words.isEmpty)
    }

    @Test(arguments: [
        "02 01 06", "03 FF 6B 00", "05 FF 6B 00 63 00", "05 FF 6B 00 72 FF", "06 FF 4C 00 21 00 48",
        "07 FF 57 01 00 01 02 48", "04 16 D2 FC 40", "06 16 D2 FC 41 01 57", "06 16 D2 FC 20 01 57",
        "06 16 D2 FC 40 FE 57", "05 16 D2 FC 40 02", "03 16 0F 18", "05 16 0F 18 57 57",
    ]) func `Other data have no measurement`(data: String) throws {
        #expect(AdvertisedMeasurement(try Self.advertising(data)) == nil)
    }

    @Test func `Two packets are one measurement`() throws {
        let rate = try #require(AdvertisedMeasurement(try Self.advertising("06 FF 6B 00 21 00 48")))
        let battery = try #require(AdvertisedMeasurement(try Self.advertising("04 16 0F 18 57")))
        #expect(rate.updated(by: battery).words == "72 bpm, no contact, battery 87 %")
    }

    private static func advertising(_ text: String) throws -> AdvertisingData {
        try AdvertisingData(octets: text.split(separator: " ").compactMap { UInt8($0, radix: 16) })
    }
}
