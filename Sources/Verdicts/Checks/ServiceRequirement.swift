import ATT
import Basics
package import Bluetooth
package import GATT

/// The attributes that a service specification requires, from which the checks of its declarations follow.
package struct ServiceRequirement: Sendable {
    package enum Presence: Sendable {
        case mandatory, optional
        /// Optional, with one row for each combination of these optional properties.
        case variant(of: CharacteristicProperties)
    }

    /// A characteristic with the properties that its declaration must have.
    package struct Characteristic: Sendable {
        /// The end of the check's id: `BV-01-C`, or `features` for a service that is not in the SIG's public list.
        let number: String
        let uuid: UUID
        let properties: CharacteristicProperties
        /// Where the specification defines it: `section 3.1`.
        let section: String
        let presence: Presence
        let expectedValue: (@Sendable ([UInt8]) -> String?)?

        /// `expectedValue` describes what a value should be; nil if it is right.  With it the check reads the value too.
        package init(
            _ number: String, _ uuid: UUID, _ properties: CharacteristicProperties, _ section: String,
            _ presence: Presence = .optional, expectedValue: (@Sendable ([UInt8]) -> String?)? = nil
        ) {
            (self.number, self.uuid, self.properties, self.section) = (number, uuid, properties, section)
            (self.presence, self.expectedValue) = (presence, expectedValue)
        }
    }

    /// A characteristic whose Client Characteristic Configuration must be writable and readable.
    package struct Configuration: Sendable {
        /// The end of the check's id, after the prefix of the service.
        let number: String
        let uuid: UUID
        let value: ClientConfiguration
        let section: String
        let prerequisite: Prerequisite?

        /// By default, the prerequisite is that the service has the characteristic.
        package init(
            _ number: String, _ uuid: UUID, _ value: ClientConfiguration, _ section: String,
            if prerequisite: Prerequisite? = nil
        ) {
            (self.number, self.uuid, self.value, self.section) = (number, uuid, value, section)
            self.prerequisite = prerequisite
        }
    }

    let service: UUID
    /// `Heart Rate Service 1.0`
    let specification: String
    /// What the ids begin with: `HRS/SEN`; of a service that is not in the SIG's public list, `pulse_oximeter`.
    let prefix: String
    /// The beginning of the ids of checks that are not in the SIG's public list: `heart_rate`.
    let area: String
    /// Whether the SIG's public list has the checks: ids are then `…/SGGIT/CHA/BV-01-C`, and else `…/` and the number.
    let isInSIGList: Bool
    let isSingle: Bool
    /// Whether other services may include it, instead of a primary service.
    let canBeSecondary: Bool
    let characteristics: [Characteristic]
    let configurations: [Configuration]

    package init(
        _ service: UUID, _ specification: String, ids prefix: String, area: String? = nil, isSingle: Bool = true,
        canBeSecondary: Bool = false, characteristics: [Characteristic], configurations: [Configuration] = []
    ) {
        (self.service, self.specification, self.prefix) = (service, specification, prefix)
        (self.area, isInSIGList) = (area ?? prefix, area != nil)
        (self.isSingle, self.canBeSecondary) = (isSingle, canBeSecondary)
        (self.characteristics, self.configurations) = (characteristics, configurations)
    }

    /// `Heart Rate Service 1.0, section 3.1`
    package func section(_ number: String) -> String { "\(specification), section \(number)" }

    package var declarationChecks: [Check] {
        [presenceCheck] + characteristics.map(declarationCheck) + [accessCheck]
    }

    /// A characteristic can be read and has a right value, which `expected` describes.
    package func valueCheck(
        _ id: String, _ title: String, _ uuid: UUID, _ number: String, _ expected: String,
        where isRight: @escaping @Sendable ([UInt8]) -> Bool
    ) -> Check {
        let service = service
        return Check(id, title, section(number), if: .characteristic(uuid, of: service)) {
            peripheral throws(CheckExit) in
            let octets = try peripheral.read(uuid, of: service)
            try peripheral.expect(isRight(octets), expected, seen: octets.text)
        }
    }

    /// Each configuration can be written and read.
    package var configurationChecks: [Check] { configurations.map(configurationCheck) }

    private var presenceCheck: Check {
        let (service, isSingle, canBeSecondary) = (service, isSingle, canBeSecondary)
        let title = "there is \(isSingle ? "exactly one" : "a") \(service.name) Service, and it is a primary service"
        return Check(
            isInSIGList ? "\(prefix)/SGGIT/SER/BV-01-C" : "\(prefix)/service", title, section("2"),
            if: .service(service)
        ) { peripheral throws(CheckExit) in
            let count = peripheral.services.count { $0.uuid == service && $0.isPrimary }
            if count == 0, canBeSecondary, peripheral.services.contains(where: { $0.uuid == service }) {
                throw .notApplicable("\(service.name) is a secondary service")
            }
            try peripheral.expect(
                isSingle ? count == 1 : count > 0, "\(isSingle ? "one" : "a") primary \(service.name) Service",
                seen: count == 0 ? "none" : "\(count) of them")
        }
    }

    private func declarationCheck(_ row: Characteristic) -> Check {
        let (service, name) = (service, row.uuid.name)
        let isMandatory = if case .mandatory = row.presence { true } else { false }
        let title = "\(name) is declared with \(row.properties.names) only"
        return Check(
            "\(prefix)/\(isInSIGList ? "SGGIT/CHA/" : "")\(row.number)",
            row.expectedValue == nil ? title : "\(title), and can be read",
            "\(specification), \(row.section)",
            if: isMandatory ? .service(service) : .characteristic(row.uuid, of: service)
        ) { peripheral throws(CheckExit) in
            if case .variant(let optional) = row.presence {
                let found = try peripheral.characteristic(row.uuid, of: service).properties
                guard found.intersection(optional) == row.properties.intersection(optional) else {
                    throw .notApplicable("\(name) is declared with \(found.names)")
                }
            }
            let value = try peripheral.expectDeclared(row.uuid, of: service, with: row.properties)
            guard let expectedValue = row.expectedValue else { return }
            let octets = try peripheral.read(value.valueHandle, name)
            if let expected = expectedValue(octets) {
                throw peripheral.failure(expected: "\(name) is \(expected)", seen: octets.text, evidence: octets)
            }
        }
    }

    private var accessCheck: Check {
        let service = service
        return Check(
            "\(area)/only_declared_access",
            "characteristics declared without Read cannot be read, and those without Write cannot be written",
            "\(specification), section 3; Core 6.0, Vol 3, Part G, section 3.3.1.1", if: .service(service)
        ) { peripheral throws(CheckExit) in
            for value in peripheral.services.filter({ $0.uuid == service }).flatMap(\.characteristics) {
                try peripheral.expectOnlyDeclaredAccess(to: value)
            }
        }
    }

    private func configurationCheck(_ row: Configuration) -> Check {
        let service = service
        return Check(
            "\(prefix)/\(row.number)", "the configuration of \(row.uuid.name) can be written and read",
            "\(specification), \(row.section); Core 6.0, Vol 3, Part G, section 3.3.3.3",
            if: row.prerequisite ?? .characteristic(row.uuid, of: service)
        ) { peripheral throws(CheckExit) in
            try peripheral.expectConfigurable(row.uuid, of: service, as: row.value)
        }
    }
}

extension DiscoveredCharacteristic {
    /// The value of its declaration.  Core 6.0, Vol 3, Part G, section 3.3.1.
    fileprivate var declaration: [UInt8] {
        [properties.rawValue, UInt8(truncatingIfNeeded: valueHandle), UInt8(valueHandle >> 8)] + uuid.octets
    }
}

extension Examiner {
    /// Fails unless a service has one such characteristic, with exactly these properties.
    fileprivate func expectDeclared(
        _ uuid: UUID, of service: UUID, with properties: CharacteristicProperties
    ) throws(CheckExit) -> DiscoveredCharacteristic {
        let found = services.first { $0.uuid == service }?.characteristics.filter { $0.uuid == uuid } ?? []
        let count = found.isEmpty ? "none" : "\(found.count)"
        try expect(found.count == 1, "one \(uuid.name) characteristic", seen: count)
        try expect(
            found[0].properties == properties, "\(uuid.name) is declared with properties \(properties.hexAndNames)",
            seen: found[0].properties.hexAndNames, evidence: found[0].declaration)
        return found[0]
    }

    /// Fails if a value can be read or written although it is not declared with that.  A readable value is written with its
    /// own octets, so that nothing changes.
    fileprivate mutating func expectOnlyDeclaredAccess(to value: DiscoveredCharacteristic) throws(CheckExit) {
        let (handle, name) = (value.valueHandle, "\(value.uuid.name), which is declared with \(value.properties.names)")
        var octets: [UInt8] = [0]
        if !value.properties.contains(.read) {
            let isRefused = try refusal(of: PDU.readRequest(handle: handle), "a read of \(name)", isPrompt: true) != nil
            try expect(isRefused, "an Error Response to a read of \(name)", seen: "its value")
        } else {
            let found = try result(of: .readLong(handle: handle), "a read of \(name)")
            guard case .success(.value(let present)) = found, present.count <= mtu - 3 else { return }
            octets = present
        }
        guard value.properties.isDisjoint(with: .writing) else { return }
        let request = PDU.writeRequest(handle: handle, value: octets)
        let isRefused = try refusal(of: request, "a write to \(name)", isPrompt: true) != nil
        try expect(isRefused, "an Error Response to a write of \(octets.text) to \(name)", seen: "it was accepted")
    }

    /// Fails unless a characteristic's configuration accepts this value, keeps it, and accepts 0.
    fileprivate mutating func expectConfigurable(
        _ uuid: UUID, of service: UUID, as configuration: ClientConfiguration
    ) throws(CheckExit) {
        let value = try characteristic(uuid, of: service)
        try subscribe(configuration, to: value)
        guard let handle = value.configurationHandle else { return }
        let octets = try read(handle, "the configuration of \(uuid.name)")
        let written = [UInt8(truncatingIfNeeded: configuration.rawValue), 0]
        try expect(
            octets == written, "the configuration of \(uuid.name) is \(written.text), as written", seen: octets.text)
        try subscribe([], to: value)
    }
}

extension CharacteristicProperties {
    /// `0x12 (Read, Notify)`
    fileprivate var hexAndNames: String { "\(rawValue.inHex) (\(names))" }

    /// With any of these, clients may write the value.
    package static let writing: Self = [.write, .writeWithoutResponse, .authenticatedSignedWrites, .extendedProperties]

    /// `Read, Notify`
    package var names: String {
        let names = [
            "Broadcast", "Read", "Write Without Response", "Write", "Notify", "Indicate", "Signed Writes",
            "Extended Properties",
        ]
        return names.enumerated().filter { rawValue >> $0.offset & 1 == 1 }.map(\.element).joined(separator: ", ")
    }
}

extension UUID {
    /// `Heart Rate Measurement`; the number where the SIG has assigned no name.
    package var name: String {
        guard let assignedName else { return description }
        return assignedName.split(separator: "_").map { word in
            switch word {
            case "id", "plx", "rsc", "sc": word.uppercased()
            case "pnp": "PnP"
            case "and": "and"
            default: word.prefix(1).uppercased() + word.dropFirst()
            }
        }.joined(separator: " ")
    }
}
