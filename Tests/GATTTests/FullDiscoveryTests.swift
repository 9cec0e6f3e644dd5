import ATT
import Basics
import Bluetooth
import GATT
import Testing

/// `discoverEverything` with included services.
@Suite struct FullDiscoveryTests {
    /// A service of one value.
    private static func service(
        _ number: UInt16, isPrimary: Bool = true, includes: [Int] = [], handle: UInt16? = nil
    ) -> ServiceDefinition {
        ServiceDefinition(
            uuid: UUID(number), isPrimary: isPrimary, handle: handle, includes: includes,
            characteristics: [CharacteristicDefinition(uuid: UUID(number + 0x1000), properties: .read)])
    }

    private static func found(_ number: UInt16, _ value: UInt16) -> DiscoveredCharacteristic {
        DiscoveredCharacteristic(
            uuid: UUID(number + 0x1000), range: HandleRange(value - 1, value), properties: .read, valueHandle: value)
    }

    private func discover(_ services: [ServiceDefinition]) throws -> (end: [Client.Output], requests: Int) {
        var link = Link(TestServer(try AttributeTable(services), StrapValues()))
        let end = link.play(.discoverEverything)
        #expect(link.testClient.pool.taken + link.strap.pool.taken == 0)
        return (end, link.requests)
    }

    /// GATT/CL/GAD/BV-01-C, BV-03-C and BV-04-C: a primary service includes a secondary one, which includes another.
    @Test func `Secondary services are discovered where they are included, each once`() throws {
        let (end, _) = try discover([
            Self.service(0xA000, includes: [2, 1]), Self.service(0xA001, includes: [2]),
            Self.service(0xA002, isPrimary: false, includes: [3]), Self.service(0xA003, isPrimary: false),
            Self.service(0xA004, isPrimary: false),
        ])
        let (first, second) = (HandleRange(0x0001, 0x0005), HandleRange(0x0006, 0x0009))
        let (third, fourth) = (HandleRange(0x000A, 0x000D), HandleRange(0x000E, 0x0010))
        #expect(
            end == [
                .finished(
                    1,
                    .services([
                        DiscoveredService(
                            uuid: UUID(0xA000), range: first,
                            included: [
                                IncludedService(declaration: 0x0002, range: third, uuid: UUID(0xA002)),
                                IncludedService(declaration: 0x0003, range: second, uuid: UUID(0xA001)),
                            ], characteristics: [Self.found(0xA000, 0x0005)]),
                        DiscoveredService(
                            uuid: UUID(0xA001), range: second,
                            included: [IncludedService(declaration: 0x0007, range: third, uuid: UUID(0xA002))],
                            characteristics: [Self.found(0xA001, 0x0009)]),
                        DiscoveredService(
                            uuid: UUID(0xA002), range: third, isPrimary: false,
                            included: [IncludedService(declaration: 0x000B, range: fourth, uuid: UUID(0xA003))],
                            characteristics: [Self.found(0xA002, 0x000D)]),
                        DiscoveredService(
                            uuid: UUID(0xA003), range: fourth, isPrimary: false,
                            characteristics: [Self.found(0xA003, 0x0010)]),
                    ]))
            ])
    }

    @Test func `Without room for include declarations none are searched`() throws {
        // Two for services, two for characteristics.
        #expect(try discover([Self.service(0xA000)]).requests == 4)
        #expect(try discover([Self.service(0xA000, includes: [0])]).requests == 5)
    }

    @Test func `Services that include each other are discovered once`() throws {
        let (end, _) = try discover([
            Self.service(0xA000, includes: [1]), Self.service(0xA001, isPrimary: false, includes: [2]),
            Self.service(0xA002, isPrimary: false, includes: [1, 0]),
        ])
        guard case .finished(_, .services(let services)) = end.first else {
            Issue.record("\(end)")
            return
        }
        #expect(services.map(\.uuid) == [UUID(0xA000), UUID(0xA001), UUID(0xA002)])
        #expect(services.map(\.isPrimary) == [true, false, false])
    }

    /// Invalid answers about included services.
    @Test(arguments: [
        ("09 08 02 00 00 00 05 00 0F 18", Procedure.Failure.handleOutOfOrder(0)),
        ("09 08 02 00 09 00 05 00 0F 18", .handleOutOfOrder(9)),
        ("09 08 05 00 09 00 0A 00 0F 18", .handleOutOfOrder(5)),
        ("01 08 02 00 0E", .refused(.unlikelyError, handle: 2)),
    ])
    func `An invalid answer about an included service fails the discovery`(answer: String, failure: Procedure.Failure) {
        var testClient = TestClient()
        testClient.play(
            .discoverEverything,
            [
                ("10 01 00 FF FF 00 28", "11 06 01 00 04 00 0D 18"), ("10 05 00 FF FF 00 28", "01 10 05 00 0A"),
                ("08 02 00 04 00 03 28", "09 07 03 00 02 04 00 37 2A"), ("08 04 00 04 00 03 28", "01 08 04 00 0A"),
                ("08 02 00 02 00 02 28", answer),
            ])
        #expect(testClient.events == [.failed(7, failure)])
        #expect(testClient.pool.taken == 0)
    }
}
