import Basics
import Bluetooth
import Mutations
import Testing

@Suite struct AdvertisingDataTests {
    /// Flags, Heart Rate, heart rate belt, "HRM".
    static let strap: [UInt8] = [
        0x02, 0x01, 0x06, 0x03, 0x03, 0x0D, 0x18, 0x03, 0x19, 0x41, 0x03, 0x04, 0x09, 0x48, 0x52, 0x4D,
    ]

    @Test func `Advertising data is encoded and decoded`() throws {
        var data = AdvertisingData()
        try data.append(flags: [.generalDiscoverable, .lowEnergyOnly])
        try data.append(services: [.heartRate])
        try data.append(appearance: .heartRateBelt)
        try data.append(localName: "HRM")
        #expect(data.octets == Self.strap)
        #expect(data.free == 15)
        let read = try AdvertisingData(octets: Self.strap)
        #expect(read == data)
        #expect(read.flags == [.generalDiscoverable, .lowEnergyOnly])
        #expect(read.services == [.heartRate])
        #expect(read.appearance?.category == 13)
        #expect(read.appearance?.subcategory == 1)
        #expect(read.localName == "HRM")
        #expect(read.txPowerLevel == nil)
    }

    @Test func `Lists, service data, manufacturer data and power are decoded`() throws {
        let vendor = try #require(UUID("6c750100-6264-4562-a000-4c7562647562"))
        var data = AdvertisingData(limit: .extended)
        try data.append(services: [vendor, .heartRate, .battery])
        try data.append(txPowerLevel: -20)
        try data.append(serviceData: [87], of: .battery)
        try data.append(serviceData: [1, 2], of: vendor)
        try data.append(manufacturerSpecificData: [7], company: 0x006B)
        let read = try AdvertisingData(octets: data.octets, limit: .extended)
        #expect(read.services == [.heartRate, .battery, vendor])
        #expect(read.txPowerLevel == -20)
        #expect(read.serviceData(.battery) == [87])
        #expect(read.serviceData(vendor) == [1, 2])
        #expect(read.serviceData(.heartRate) == nil)
        #expect(read.manufacturerSpecificData?.company == 0x006B)
        #expect(read.manufacturerSpecificData?.data == [7])
    }

    @Test(
        arguments: [
            (31, "Lubdub", .completeLocalName, "Lubdub"), (8, "Lubdub", .completeLocalName, "Lubdub"),
            (7, "Lubdub", .shortenedLocalName, "Lubdu"), (3, "Lubdub", .shortenedLocalName, "L"),
            (5, "Hérz", .shortenedLocalName, "Hé"), (4, "Hérz", .shortenedLocalName, "H"),
        ] as [(Int, String, ADType, String)])
    func `A name is shortened to whole characters`(room: Int, name: String, type: ADType, text: String) throws {
        var data = AdvertisingData()
        if room < 31 { try data.append(.init(.flags, Array(repeating: 6, count: 29 - room))) }
        #expect(data.free == room)
        try data.append(localName: name)
        #expect(data.structures.last?.type == type)
        #expect(data.localName == text)
        #expect(data.octets.count <= 31)
    }

    @Test func `A structure that does not fit is rejected, and changes nothing`() throws {
        var data = AdvertisingData()
        try data.append(.init(.flags, Array(repeating: 6, count: 27)))
        let before = data
        let error = #expect(throws: AdvertisingData.Overflow.self) { try data.append(txPowerLevel: 0) }
        #expect(error?.description == "AD type 0x0A needs 3 octets, but only 2 are free")
        #expect(throws: AdvertisingData.Overflow.self) { try data.append(localName: "é") }
        #expect(throws: AdvertisingData.Overflow.self) { try data.append(services: [.heartRate]) }
        #expect(data == before)
        try data.append(.init(.flags, []))
        #expect(data.free == 0)
        #expect(data.octets.count == 31)
    }

    @Test(
        arguments: [
            ([0x02, 0x01], "octet 2: AD Data needs 1 octet(s), and 0 are left"),
            ([0x01], "octet 1: AD Type needs 1 octet(s), and 0 are left"),
            ([0x01, 0x01, 0x00, 0x05], "octet 3: padding is 5, and must be 0 after a Length of 0"),
            (Array(repeating: 0, count: 32), "octet 31: 1 octet(s) after the last field"),
        ] as [([UInt8], String)])
    func `Malformed octets are rejected with the reason`(octets: [UInt8], complaint: String) {
        let error = #expect(throws: Malformed.self) { try AdvertisingData(octets: octets) }
        #expect(error?.description == complaint)
    }

    @Test func `A length of 0 ends the list, and padding is not encoded again`() throws {
        let padded = Self.strap + Array(repeating: 0, count: 15)
        #expect(try AdvertisingData(octets: padded).octets == Self.strap)
        #expect(try AdvertisingData(octets: []).structures.isEmpty)
    }

    @Test func `Malformed data of a known type is nil`() throws {
        let data = try AdvertisingData(octets: [
            0x01, 0x01, 0x02, 0x19, 0x41, 0x04, 0x03, 0x0D, 0x18, 0x0A, 0x02, 0xFF, 1,
        ])
        #expect(data.flags == nil)
        #expect(data.appearance == nil)
        #expect(data.services == [.heartRate])
        #expect(data.manufacturerSpecificData == nil)
    }

    /// The other AD types, in extended advertising data.
    static let others: [UInt8] = [
        0x02, 0x0A, 0xF8,  // TX Power Level
        0x05, 0xFF, 0xFF, 0xFF, 1, 2,  // Manufacturer Specific Data
        0x04, 0x16, 0x0D, 0x18, 7,  // Service Data, 16 bits
        0x05, 0x02, 0x0D, 0x18, 0x0F, 0x18,  // some services of 16 bits
        0x05, 0x05, 0x0D, 0x18, 0, 0,  // all services of 32 bits
        0x11, 0x07, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,  // all services of 128 bits
        0x03, 0x08, 0xC3, 0xA9,  // a shortened name: é
    ]

    @Test(arguments: [strap, others])
    func `No prefix and no flipped bit traps, or changes when encoded again`(octets: [UInt8]) throws {
        #expect(try AdvertisingData(octets: octets, limit: .extended).octets == octets)
        for mutation in octets.mutations {
            guard let data = try? AdvertisingData(octets: mutation, limit: .extended) else { continue }
            #expect((try? AdvertisingData(octets: data.octets, limit: .extended)) == data)
            _ = (data.flags, data.services, data.appearance, data.localName, data.serviceData(.heartRate))
            _ = (data.txPowerLevel, data.manufacturerSpecificData?.data)
        }
    }
}
