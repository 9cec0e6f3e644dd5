import ATT
import Basics
import Bluetooth
import GATT
import LEHost
import Testing

@testable import Clients

/// A device that has nothing that the client knows.
@Suite struct SurveyTests {
    private static let temperature: UInt16 = 0x42

    /// 0042 temperature, with a configuration and a description; 0046 humidity; 0049 pressure, which is only written.
    private static var unknown: DiscoveredService {
        var service = Services.service(
            .environmentalSensing, from: 0x40,
            [(.temperature, [.read, .notify]), (UUID(0x2A6F), [.read, .indicate]), (UUID(0x2A6D), .write)])
        service.characteristics[0].descriptors.append(AttributeType(0x43 + 0x10, .characteristicUserDescription))
        return service
    }

    private static func stand() throws -> Stand {
        var settings = SensorCollector.Settings(choice: .address(Stand.strap))
        settings.reconnects = false
        var stand = Stand(settings)
        stand.start()
        stand.hostStarts()
        try stand.advertises(services: [.environmentalSensing], name: "Lubdub Box")
        stand.connects()
        let asked = stand.procedures
        stand.finishes(asked[0].number, .success(.mtu(247)))
        stand.finishes(asked[1].number, .success(.services([unknown])))
        return stand
    }

    @Test func `Everything is read and subscribed to, one after the other`() throws {
        var stand = try Self.stand()
        var asked: [Procedure] = []
        var texts: [String] = []
        for value in [[0x01, 0x02], Array("Room".utf8), [0x03], []] as [[UInt8]] {
            asked += stand.procedures.map(\.procedure)
            stand.finishes(stand.procedures[0].number, .success(.value(value)))
            texts += stand.texts
            if asked.count == 3 { break }
        }
        while let (procedure, number) = stand.procedures.first {
            asked.append(procedure)
            stand.finishes(number, .success(.written))
            texts += stand.texts
        }
        #expect(
            asked == [
                .readLong(handle: 0x42), .readLong(handle: 0x53), .readLong(handle: 0x45),
                .configure(handle: 0x43, .notification), .configure(handle: 0x46, .indication),
            ])
        #expect(
            texts == [
                "2A6E: 01 02", #"2901 of 2A6E: 52 6F 6F 6D "Room""#, "2A6F: 03",
                "subscribed to Lubdub Box C0:FF:EE:00:00:01/random",
            ])
        stand.notifies([0x04], of: Self.temperature)
        #expect(stand.texts == ["2A6E: 04"])
        #expect(
            stand.lines == [
                #"{"characteristic": {"service": "181A", "uuid": "2A6E", "handle": 66, "octets": "04"}, "peer": "C0:FF:EE:00:00:01/random"}"#
            ])
        stand.indicates([], of: 0x45)
        #expect(stand.texts == ["2A6F: no octets"])
        stand.notifies([1], of: 0x48)
        #expect(stand.texts == [])
        #expect(stand.pool.taken == 0)
    }

    @Test func `A refusal is reported, and the others go on`() throws {
        var stand = try Self.stand()
        stand.finishes(
            stand.procedures[0].number, .failure(.refused(.insufficientAuthentication, handle: Self.temperature)))
        #expect(stand.texts.count == 1 && stand.texts[0].hasPrefix("error: reading 2A6E failed: "))
        #expect(stand.procedures.map(\.procedure) == [.readLong(handle: 0x53)])
        #expect(stand.commands.count == 1)
    }

    @Test func `A device without anything to read is left`() throws {
        var settings = SensorCollector.Settings()
        settings.services = []
        var stand = Stand(settings)
        try stand.discovers([Services.service(.environmentalSensing, from: 0x40, [(.temperature, .write)])])
        #expect(stand.texts == ["error: Lubdub HRM C0:FF:EE:00:00:01/random has nothing that this client knows"])
    }

    @Test(
        arguments: [
            ([], "no octets"), ([0x41], "41"), ([0x41, 0x42], #"41 42 "AB""#), ([0x41, 0x0A], "41 0A"),
            (Array("a text of more octets".utf8), #""a text of more octets""#),
            ([UInt8](repeating: 0, count: 21), Array(repeating: "00", count: 21).joined(separator: " ")),
        ] as [([UInt8], String)])
    func `Octets that are text are shown as text too`(octets: [UInt8], words: String) {
        let value = SurveyedValue(
            service: UUID(0x1815), characteristic: UUID(0x2A58), descriptor: nil, handle: 3, octets: octets)
        #expect(value.words == "2A58: \(words)")
    }
}
