import Basics
import Bluetooth
import Testing

@Suite struct DeviceAddressTests {
    @Test(
        arguments: [
            ("C0:FF:EE:00:00:01/random", 0xC0FF_EE00_0001, .random, "C0:FF:EE:00:00:01/random"),
            ("c0:ff:ee:00:00:01", 0xC0FF_EE00_0001, .public, "C0:FF:EE:00:00:01/public"),
            ("00:00:00:00:00:0A/public", 0x0A, .public, "00:00:00:00:00:0A/public"),
        ] as [(String, UInt64, DeviceAddress.Kind, String)])
    func `An address is parsed and printed`(
        text: String, number: UInt64, kind: DeviceAddress.Kind, canonical: String
    ) throws {
        let address = try #require(DeviceAddress(text))
        #expect(address == DeviceAddress(number, kind))
        #expect(address.description == canonical)
        #expect(DeviceAddress(canonical) == address)
    }

    @Test(
        arguments: [
            "", "/", "C0:FF:EE:00:00", "C0:FF:EE:00:00:01:02", "C0:FF:EE:00:00:1", "C0:FF:EE:00:00:+1",
            "C0:FF:EE:00:00:01/", "C0:FF:EE:00:00:01/static", "C0:FF:EE:00:00:01/random/public", "C0-FF-EE-00-00-01",
        ])
    func `Other text is not an address`(text: String) { #expect(DeviceAddress(text) == nil) }

    @Test func `The least significant octet is sent first`() throws {
        let address = DeviceAddress(0xC0FF_EE00_0001, .random)
        #expect(address.octets == [0x01, 0x00, 0x00, 0xEE, 0xFF, 0xC0])
        var reader = OctetReader(address.octets)
        #expect(try DeviceAddress(kind: .random, from: &reader, "Peer_Address") == address)
        for count in 0..<6 {
            var short = OctetReader(Array(address.octets[..<count]))
            let error = #expect(throws: Malformed.self) {
                try DeviceAddress(kind: .random, from: &short, "Peer_Address")
            }
            #expect(error == .tooShort(field: "Peer_Address", at: 0, needs: 6, has: count))
        }
    }

    @Test func `Public and random addresses with the same number differ`() {
        #expect(DeviceAddress(1, .public) != DeviceAddress(1, .random))
        #expect(DeviceAddress(0xFFFF_0000_0000_0001, .public) == DeviceAddress(1, .public))
    }
}
