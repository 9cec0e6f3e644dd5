import ATT
import Bluetooth
import Checks
import GATT

// Declarations and descriptors that belong together.
extension Check {
    static let declarations = [
        Check(
            "discovery/included_services", "an included service is declared where its include declaration says",
            gatt("3.2")
        ) { peripheral throws(CheckExit) in
            let all = peripheral.services.flatMap(\.included)
            guard !all.isEmpty else { throw .skipped("not applicable: no service includes another") }
            for included in all { try peripheral.expectService(included) }
        },
        Check(
            "discovery/extended_properties",
            "a characteristic has Extended Properties if and only if its declaration announces them",
            "\(gatt("3.3.1.1")) and 3.3.3.1"
        ) { peripheral throws(CheckExit) in
            let extended = peripheral.characteristics.filter { value in
                value.properties.contains(.extendedProperties)
                    || value.descriptors.contains { $0.type == .characteristicExtendedProperties }
            }
            guard !extended.isEmpty else {
                throw .skipped("not applicable: no characteristic has Extended Properties")
            }
            for value in extended { try peripheral.expectExtendedProperties(of: value) }
        },
        Check(
            "discovery/broadcast_configuration",
            "a characteristic that is declared with Broadcast has a Server Characteristic Configuration",
            "\(gatt("3.3.1.1")) and 3.3.3.4"
        ) { peripheral throws(CheckExit) in
            let values = peripheral.characteristics.filter { $0.properties.contains(.broadcast) }
            guard !values.isEmpty else {
                throw .skipped("not applicable: no characteristic is declared with Broadcast")
            }
            for value in values { try peripheral.expectOne(.serverCharacteristicConfiguration, of: value) }
        },
    ]
}

extension Examiner {
    fileprivate mutating func expectService(_ included: IncludedService) throws(CheckExit) {
        let (first, description) = (included.range.first, "\(included.uuid.name), which is included")
        let answer = try result(
            of: .discoverDescriptors(HandleRange(first, first)), "Find Information at \(first.inHex)")
        var type: UUID?
        if case .success(.descriptors(let found)) = answer { type = found.first?.type }
        try expect(
            type == .primaryService || type == .secondaryService,
            "the declaration of \(description), at \(first.inHex)",
            seen: type?.name ?? "none")
        let octets = try read(first, "the declaration at \(first.inHex)")
        try expect(octets == included.uuid.octets, "the UUID of \(description), at \(first.inHex)", seen: octets.text)
    }

    fileprivate mutating func expectExtendedProperties(of value: DiscoveredCharacteristic) throws(CheckExit) {
        guard value.properties.contains(.extendedProperties) else {
            throw failure(
                expected: "\(value.uuid.name) is declared with Extended Properties, since it has the descriptor",
                seen: "properties \(value.properties.rawValue.inHex)")
        }
        let handle = try expectOne(.characteristicExtendedProperties, of: value)
        let octets = try read(handle, "the Extended Properties of \(value.uuid.name)")
        try expect(octets.count == 2, "2 octets in the Extended Properties of \(value.uuid.name)", seen: octets.text)
    }

    /// The handle of the only descriptor of a type.
    @discardableResult
    fileprivate func expectOne(_ type: UUID, of value: DiscoveredCharacteristic) throws(CheckExit) -> UInt16 {
        let found = value.descriptors.filter { $0.type == type }
        guard let only = found.first, found.count == 1 else {
            throw failure(
                expected: "one descriptor \(type.name) of \(value.uuid.name)",
                seen: found.isEmpty ? "none" : "\(found.count)")
        }
        return only.handle
    }
}
