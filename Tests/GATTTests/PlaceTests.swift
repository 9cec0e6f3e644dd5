import ATT
import Bluetooth
import Testing

@testable import GATT

/// Finding attributes in a large table.
@Suite struct PlaceTests {
    /// Services with 0 to 4 characteristics each, of which every third service is absent, and gaps before some handles.
    private static func table() throws -> AttributeTable {
        var next: UInt16 = 0x20
        return try AttributeTable(
            (0..<300).map { index in
                next += 40
                var service = ServiceDefinition(
                    uuid: UUID(0x180D), handle: index.isMultiple(of: 7) ? next : nil,
                    characteristics: (0..<index % 5).map { number in
                        CharacteristicDefinition(
                            uuid: UUID(UInt16(0x2A00 + number)),
                            properties: number.isMultiple(of: 2) ? [.read, .notify] : .read)
                    })
                service.isPresent = !index.isMultiple(of: 3)
                return service
            })
    }

    @Test func `Each value handle has the place of its characteristic, and no other handle has one`() throws {
        let table = try Self.table()
        var places: [UInt16: [Int]] = [:]
        for (service, definition) in table.services.enumerated() {
            for characteristic in definition.characteristics.indices {
                guard let handle = table.handle(ofValue: characteristic, service: service) else { continue }
                places[handle] = [service, characteristic]
            }
        }
        #expect(places.count > 300)
        for handle in 0...UInt16(0x4000) {
            let place = table.place(ofValue: handle).map { [$0.service, $0.characteristic] }
            #expect(place == places[handle])
            // A characteristic begins with its declaration, just before the value.
            let range = table.range(ofCharacteristicWithValue: handle)
            #expect(range?.first == (place == nil ? nil : handle - 1))
            #expect(table.keeps(handle, of: table) == (place != nil))
        }
    }

    @Test func `A range has the attributes between its ends`() throws {
        let table = try Self.table()
        let handles = table.attributes.map(\.handle)
        for (first, last) in [(1, 0xFFFF), (1, 1), (0x30, 0x300), (0x300, 0x301), (0x3000, 0xFFFE), (0xFFFF, 0xFFFF)] {
            let range = HandleRange(UInt16(first), UInt16(last))
            #expect(table.attributes.inside(range).map(\.handle) == handles.filter { (first...last).contains(Int($0)) })
        }
    }

    @Test func `A configuration is accepted for a value that has that property`() throws {
        let table = try Self.table()
        for (service, definition) in table.services.enumerated() {
            for (index, characteristic) in definition.characteristics.enumerated() {
                guard let handle = table.handle(ofValue: index, service: service) else { continue }
                #expect(table.accepts(.notification, ofValue: handle) == characteristic.properties.contains(.notify))
                #expect(!table.accepts(.indication, ofValue: handle))
            }
        }
        #expect(!table.accepts(.notification, ofValue: 0xFFFF))
    }
}
