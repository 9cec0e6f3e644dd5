import Bluetooth
import Testing

@Suite struct UUIDTests {
    static let spellings: [(text: String, octets: [UInt8], canonical: String)] = [
        ("180D", [0x0D, 0x18], "180D"),
        ("180d", [0x0D, 0x18], "180D"),
        ("0000180D-0000-1000-8000-00805F9B34FB", [0x0D, 0x18], "180D"),
        (
            "6c750100-6264-4562-a000-4c7562647562",
            [0x62, 0x75, 0x64, 0x62, 0x75, 0x4C, 0x00, 0xA0, 0x62, 0x45, 0x64, 0x62, 0x00, 0x01, 0x75, 0x6C],
            "6c750100-6264-4562-a000-4c7562647562"
        ),
    ]

    @Test(arguments: spellings)
    func `A UUID is parsed, encoded and printed in its shortest form`(
        text: String, octets: [UInt8], canonical: String
    ) throws {
        let uuid = try #require(UUID(text))
        #expect(uuid.octets == octets)
        #expect(uuid.description == canonical)
        #expect(UUID(octets: octets) == uuid)
        #expect(UUID(octets: uuid.fullOctets) == uuid)
    }

    @Test(
        arguments: [
            "", "180", "180D0", "18 D", "+80D", "180G", "0x180D", "180D-", "6c7501006264-4562-a000-4c7562647562",
            "6c750100-6264-4562-a000-4c756264756g", "６c750100-6264-4562-a000-4c7562647562",
        ])
    func `Other text is not a UUID`(text: String) { #expect(UUID(text) == nil) }

    @Test func `A UUID has 2 or 16 octets`() {
        for count in 0...20 where count != 2 && count != 16 {
            #expect(UUID(octets: Array(repeating: 0, count: count)) == nil)
        }
    }

    @Test func `Every assigned name gives the UUID with that name`() throws {
        #expect(UUID.heartRateMeasurement == UUID(0x2A37))
        #expect(UUID.heartRate.assignedName == "heart_rate")
        #expect(UUID(assignedName: "client_characteristic_configuration") == UUID(0x2902))
        #expect(UUID(assignedName: "hart_rate") == nil)
        #expect(UUID(0xFFFF).assignedName == nil)
        for name in UUID.assignedNames { #expect(UUID(assignedName: name)?.assignedName == name) }
    }
}
