import ATT
import Basics
import Bluetooth
import Checks
import GATT

// Each discovery procedure by itself; all results must agree.  Then declarations and descriptors that belong together.
extension Check {
    static let discovery = [
        Check(
            "GATT/SR/GAC/BV-01-C", "the server answers Exchange MTU with 23 or more",
            "Core 6.0, Vol 3, Part F, section 3.4.2.2, and Part G, section 4.3.1", scope: .freshLink
        ) { peripheral throws(CheckExit) in
            let request = PDU.exchangeMTURequest(clientReceives: UInt16(clamping: Server.maximumMTU))
            switch try peripheral.answer(to: request, "Exchange MTU") {
            case .errorResponse(_, _, .requestNotSupported): throw Examiner.unsupported("Exchange MTU")
            case .exchangeMTUResponse(let size) where size >= Server.defaultMTU: return
            case let answer:
                throw peripheral.failure(
                    expected: "03, Exchange MTU Response, with a Server Rx MTU of 23 or more", seen: answer.octets.text)
            }
        },
        Check(
            "GATT/SR/GAD/BV-01-C", "the server lists all primary services in handle order", gatt("4.4.1"), scope: .link
        ) { peripheral throws(CheckExit) in _ = try peripheral.primaryServices() },
        Check(
            "GATT/SR/GAD/BV-02-C", "discovery by UUID finds each primary service at the same handles",
            gatt("4.4.2"), scope: .link
        ) { peripheral throws(CheckExit) in
            let listed = try peripheral.primaryServices()
            for uuid in Set(listed.map(\.uuid)).sorted(by: { $0.description < $1.description }) {
                let found = try peripheral.found(
                    by: .findPrimaryServices(uuid), "discovery of \(uuid.name)", \.services)
                let expected = listed.filter { $0.uuid == uuid }.map(\.range.description)
                try peripheral.expect(
                    found.map(\.range.description) == expected,
                    "\(uuid.name) at \(expected.joined(separator: ", ")), as when all services are listed",
                    seen: found.isEmpty ? "none" : found.map(\.range.description).joined(separator: ", "))
            }
        },
        Check(
            "GATT/SR/GAD/BV-03-C", "the server lists the included services of each service", gatt("4.5.1"), scope: .link
        ) { peripheral throws(CheckExit) in
            for service in try peripheral.primaryServices() {
                let description = "the included services of \(service.uuid.name)"
                for included in try peripheral.found(by: .findIncludedServices(service.range), description, \.included)
                {
                    try peripheral.expect(
                        service.range.contains(included.declaration) && included.range.isValid,
                        "\(description) are declared within \(service.range)",
                        seen: "\(included.uuid.name) at \(included.declaration.inHex), with \(included.range)")
                }
            }
        },
        Check(
            "GATT/SR/GAD/BV-05-C", "discovery by UUID finds each characteristic within its service", gatt("4.6.2")
        ) { peripheral throws(CheckExit) in
            for service in peripheral.services {
                for expected in service.characteristics {
                    // A client that looks for one UUID may start at any declaration of the service.
                    let rest = HandleRange(expected.range.first, service.range.last)
                    let description = "the characteristics of \(rest)"
                    let found = try peripheral.found(by: .discoverCharacteristics(rest), description, \.characteristics)
                    try peripheral.expect(
                        found.first?.uuid == expected.uuid && found.first?.valueHandle == expected.valueHandle,
                        "\(expected.uuid.name), with its value at \(expected.valueHandle.inHex), first among \(description)",
                        seen: found.first.map { "\($0.uuid.name) at \($0.valueHandle.inHex)" } ?? "none")
                }
            }
        },
        Check(
            "GATT/SR/GAD/BV-04-C", "the server lists the characteristics of each service", gatt("4.6.1"), scope: .link
        ) { peripheral throws(CheckExit) in
            for service in try peripheral.primaryServices() {
                let description = "the characteristics of \(service.uuid.name)"
                for found in try peripheral.characteristics(of: service, description) {
                    try peripheral.expect(
                        service.range.contains(found.valueHandle), "\(description) are within \(service.range)",
                        seen: "\(found.uuid.name) with its value at \(found.valueHandle.inHex)")
                }
            }
        },
        Check(
            "GATT/SR/GAD/BV-06-C", "the server lists the descriptors of each characteristic",
            gatt("4.7.1"), scope: .link
        ) { peripheral throws(CheckExit) in
            for service in try peripheral.primaryServices() {
                for found in try peripheral.characteristics(of: service, "characteristics") {
                    guard let rest = found.descriptorRange else { continue }
                    let description = "the descriptors of \(found.uuid.name)"
                    let descriptors = try peripheral.found(by: .discoverDescriptors(rest), description, \.descriptors)
                    guard !found.properties.isDisjoint(with: [.notify, .indicate]) else { continue }
                    try peripheral.expect(
                        descriptors.contains { $0.type == .clientCharacteristicConfiguration },
                        "a Client Characteristic Configuration among \(description)",
                        seen: descriptors.isEmpty ? "none" : descriptors.map(\.type.name).joined(separator: ", ")
                    )
                }
            }
        },
        Check(
            "discovery/included_services", "an included service is declared where its include declaration says",
            gatt("3.2")
        ) { peripheral throws(CheckExit) in
            let all = peripheral.services.flatMap(\.included)
            guard !all.isEmpty else { throw .notApplicable("no service includes another") }
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
            guard !extended.isEmpty else { throw .notApplicable("no characteristic has Extended Properties") }
            for value in extended { try peripheral.expectExtendedProperties(of: value) }
        },
        Check(
            "discovery/broadcast_configuration",
            "a characteristic that is declared with Broadcast has a Server Characteristic Configuration",
            "\(gatt("3.3.1.1")) and 3.3.3.4"
        ) { peripheral throws(CheckExit) in
            for value in try peripheral.characteristics(declaredWith: .broadcast) {
                try peripheral.expectOne(.serverCharacteristicConfiguration, of: value)
            }
        },
    ]
}

extension Examiner {
    fileprivate mutating func primaryServices() throws(CheckExit) -> [DiscoveredService] {
        let found = try found(by: .discoverPrimaryServices, "Discover All Primary Services", \.services)
        try expect(!found.isEmpty, "a primary service", seen: "none")
        return found
    }

    fileprivate mutating func characteristics(
        of service: DiscoveredService, _ description: String
    ) throws(CheckExit) -> [DiscoveredCharacteristic] {
        try found(by: .discoverCharacteristics(service.range), description, \.characteristics)
    }

    /// What a discovery procedure finds; an Error Response is a fail.
    fileprivate mutating func found<Found>(
        by procedure: Procedure, _ description: String, _ found: (Procedure.Outcome) -> [Found]?
    ) throws(CheckExit) -> [Found] {
        let answer = try result(of: procedure, description)
        if case .success(let outcome) = answer, let found = found(outcome) { return found }
        guard case .failure(.refused(let error, _)) = answer else {
            throw failure(expected: description, seen: "another answer")
        }
        throw failure(expected: description, seen: "\(error)")
    }

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
