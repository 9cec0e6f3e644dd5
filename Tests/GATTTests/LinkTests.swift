import ATT
import Basics
import Bluetooth
import GATT
import Testing

/// A client and a server connected directly.
struct Link<Values: AttributeValues> {
    var testClient = TestClient()
    var strap: TestServer<Values>
    /// The number of PDUs that the client sent.
    private(set) var requests = 0

    init(_ server: TestServer<Values>) { strap = server }

    /// The outputs at the end of a procedure.
    mutating func play(_ procedure: Procedure) -> [Client.Output] {
        let before = testClient.events.count
        var sent = testClient.step(.start(procedure, id: 1))
        while !sent.isEmpty {
            requests += sent.count
            sent = sent.flatMap { strap.answer($0) }.flatMap { testClient.receive($0) }
        }
        return Array(testClient.events[before...])
    }
}

extension Link<StrapValues> {
    init() throws { self.init(try StrapServer()) }
}

@Suite struct LinkTests {
    static let services = [
        DiscoveredService(
            uuid: UUID(0x1800), range: HandleRange(0x0001, 0x0005),
            characteristics: [
                DiscoveredCharacteristic(
                    uuid: UUID(0x2A00), range: HandleRange(0x0002, 0x0003), properties: .read, valueHandle: 0x0003),
                DiscoveredCharacteristic(
                    uuid: UUID(0x2A01), range: HandleRange(0x0004, 0x0005), properties: .read, valueHandle: 0x0005),
            ]),
        DiscoveredService(
            uuid: UUID(0x180D), range: HandleRange(0x0006, 0x000D),
            characteristics: [
                DiscoveredCharacteristic(
                    uuid: UUID(0x2A37), range: HandleRange(0x0007, 0x0009), properties: .notify, valueHandle: 0x0008,
                    descriptors: [AttributeType(0x0009, UUID(0x2902))]),
                DiscoveredCharacteristic(
                    uuid: UUID(0x2A38), range: HandleRange(0x000A, 0x000B), properties: .read, valueHandle: 0x000B),
                DiscoveredCharacteristic(
                    uuid: UUID(0x2A39), range: HandleRange(0x000C, 0x000D), properties: .write, valueHandle: 0x000D),
            ]),
        DiscoveredService(
            uuid: Strap.service, range: HandleRange(0x000E, 0x0012),
            characteristics: [
                DiscoveredCharacteristic(
                    uuid: Strap.characteristic, range: HandleRange(0x000F, 0x0012), properties: [.read, .indicate],
                    valueHandle: 0x0010,
                    descriptors: [AttributeType(0x0011, UUID(0x2902)), AttributeType(0x0012, UUID(0x2901))])
            ]),
    ]

    /// The result does not depend on the MTU.
    @Test(arguments: [nil, 100, 247])
    func `A client discovers all attributes of the server`(mtu: Int?) throws {
        var link = try Link()
        if let mtu {
            link.strap.server = Server(receives: mtu)
            #expect(link.play(.exchangeMTU) == [.exchangedMTU(mtu), .finished(1, .mtu(mtu))])
        }
        #expect(link.play(.discoverEverything) == [.finished(1, .services(Self.services))])
        #expect(link.play(.readLong(handle: 0x0010)) == [.finished(1, .value(Strap.long))])
        #expect(link.play(.write(handle: 0x000D, value: [1])) == [.finished(1, .written)])
        #expect(link.strap.values.written == [[1]])
        #expect(link.testClient.pool.taken + link.strap.pool.taken == 0)
    }

    @Test func `A client is notified while it is subscribed`() throws {
        var link = try Link()
        #expect(link.play(.subscribe(handle: 0x0009, to: .notification)) == [.finished(1, .written)])
        for notification in link.strap.notify(0x0008, [0x00, 0x48]) { _ = link.testClient.receive(notification) }
        guard case .notified(handle: 0x0008, _)? = link.testClient.events.last else {
            Issue.record("not notified")
            return
        }
        #expect(link.play(.unsubscribe(handle: 0x0009)) == [.finished(1, .written)])
        #expect(link.strap.notify(0x0008, [0x00, 0x48]) == [])
        #expect(link.testClient.pool.taken + link.strap.pool.taken == 0)
    }
}

@Suite struct AttributeTableTests {
    @Test func `Handles are found by index, and can be fixed`() throws {
        let table = try AttributeTable([
            ServiceDefinition(
                uuid: UUID(0x180D), handle: 0x0010,
                characteristics: [
                    CharacteristicDefinition(uuid: UUID(0x2A37), properties: .notify),
                    CharacteristicDefinition(uuid: UUID(0x2A38), properties: .read, handle: 0x0020),
                ]),
            ServiceDefinition(uuid: UUID(0x180F)),
        ])
        #expect(table.handle(ofValue: 0, service: 0) == 0x0012)
        #expect(table.handle(ofValue: 1, service: 0) == 0x0020)
        #expect(table.handle(ofValue: 2, service: 0) == nil)
        #expect(table.handle(ofValue: 0, service: 2) == nil)
        let types: [(UInt16, UUID?)] = [
            (0x000F, nil), (0x0010, UUID(0x2800)), (0x0013, UUID(0x2902)), (0x0014, UUID(0x2803)), (0x0015, nil),
            (0x0020, UUID(0x2A38)), (0x0021, UUID(0x2800)), (0x0022, nil),
        ]
        for (handle, type) in types { #expect(table.type(of: handle) == type) }
    }

    /// 0010 service, 0011 declaration, 0020 value, 0021 2901, 0030 2902, 0031 2904.
    private static let gapped = ServiceDefinition(
        uuid: UUID(0x180D), handle: 0x0010,
        characteristics: [
            CharacteristicDefinition(
                uuid: UUID(0x2A37), properties: [.read, .notify],
                descriptors: [
                    DescriptorDefinition(uuid: UUID(0x2901), value: [0x61]),
                    DescriptorDefinition(
                        uuid: UUID(0x2902), permissions: [.readable, .writeable(needing: .encrypted)], value: nil,
                        handle: 0x0030),
                    DescriptorDefinition(uuid: UUID(0x2904), value: [4, 0, 0, 0x27, 1, 0, 0]),
                ], declarationHandle: 0x0011, handle: 0x0020)
        ])

    @Test(arguments: [0, 0x100] as [UInt16])
    func `A configuration and other descriptors have the handles and the order of the definition`(
        distance: UInt16
    ) throws {
        let table = try AttributeTable([Self.gapped]).moving(from: 0, by: distance)
        let types: [(UInt16, UUID?)] = [
            (0x0010, UUID(0x2800)), (0x0011, UUID(0x2803)), (0x0012, nil), (0x0020, UUID(0x2A37)),
            (0x0021, UUID(0x2901)), (0x0022, nil), (0x0030, UUID(0x2902)), (0x0031, UUID(0x2904)), (0x0032, nil),
        ]
        for (handle, type) in types { #expect(table.type(of: handle + distance) == type) }
        let descriptors = (0..<4).map { table.handle(ofDescriptor: $0, characteristic: 0, service: 0) }
        #expect(descriptors == [0x0021, 0x0030, 0x0031, nil].map { (handle: UInt16?) in handle.map { $0 + distance } })
        #expect(table.range(ofService: 0)?.last == 0x0031 + distance)
    }

    @Test func `A placed configuration keeps its client's value, and has its own permissions`() throws {
        var server = TestServer(try AttributeTable([Self.gapped]), NoAttributeValues())
        #expect(server.answer(hex("12 30 00 01 00")) == [hex("01 12 30 00 05")])
        server.server.security = .encrypted
        #expect(server.answer(hex("12 30 00 01 00")) == [hex("13")])
        #expect(server.server.configuration(ofValue: 0x0020) == .notification)
        #expect(server.answer(hex("0A 30 00")) == [hex("0B 01 00")])
    }

    static let wrong: [(ServiceDefinition, AttributeTable.DefinitionError)] = [
        (
            ServiceDefinition(
                uuid: UUID(0x180D),
                characteristics: [
                    CharacteristicDefinition(
                        uuid: UUID(0x2A38), properties: .read, declarationHandle: 8, handle: 8)
                ]),
            .handleTaken(8, lowestFree: 9)
        ),
        (
            ServiceDefinition(
                uuid: UUID(0x180D),
                characteristics: [
                    CharacteristicDefinition(uuid: UUID(0x2A38), properties: .read, declarationHandle: 1)
                ]),
            .handleTaken(1, lowestFree: 2)
        ),
        (
            ServiceDefinition(
                uuid: UUID(0x180D),
                characteristics: [
                    CharacteristicDefinition(
                        uuid: UUID(0x2A38), properties: .read,
                        descriptors: [DescriptorDefinition(uuid: UUID(0x2901), value: [], handle: 3)])
                ]),
            .handleTaken(3, lowestFree: 4)
        ),
        (ServiceDefinition(uuid: UUID(0x180D), handle: 0), .handleTaken(0, lowestFree: 1)),
        (
            ServiceDefinition(
                uuid: UUID(0x180D),
                characteristics: [CharacteristicDefinition(uuid: UUID(0x2A38), properties: .read, handle: 2)]),
            .handleTaken(2, lowestFree: 3)
        ),
        (
            ServiceDefinition(
                uuid: UUID(0x180D), handle: 0xFFFF,
                characteristics: [CharacteristicDefinition(uuid: UUID(0x2A38), properties: .read)]),
            .outOfHandles
        ),
        (
            ServiceDefinition(
                uuid: UUID(0x180D), handle: 0xFFFD,
                characteristics: [CharacteristicDefinition(uuid: UUID(0x2A37), properties: .notify)]),
            .outOfHandles
        ),
        (
            ServiceDefinition(
                uuid: UUID(0x180D),
                characteristics: [
                    CharacteristicDefinition(
                        uuid: UUID(0x2A38), properties: .read, value: .fixed([UInt8](repeating: 0, count: 513)))
                ]),
            .valueTooLong(UUID(0x2A38), count: 513)
        ),
    ]

    @Test(arguments: wrong)
    func `Invalid definitions are rejected with the reason`(
        service: ServiceDefinition, error: AttributeTable.DefinitionError
    ) {
        #expect(throws: error) { try AttributeTable([service]) }
    }
}
