import ATT
import Bluetooth
import GATT
import Simulation

// How a server is discovered: each procedure by itself, and all of them have to agree.
extension Check {
    static let discovery = [
        Check(
            "GATT/SR/GAC/BV-01-C", "an exchange of MTUs is answered with 23 or more",
            "Core 6.0, Vol 3, Part G, section 4.3.1", scope: .link
        ) { peripheral throws(CheckExit) in
            switch try peripheral.result(of: .exchangeMTU, "an exchange of MTUs") {
            case .failure(.refused(.requestNotSupported, _)): throw .skipped("not claimed: it refuses to exchange MTUs")
            case .failure(let error):
                throw peripheral.failure(expected: "the MTU that the server takes", seen: "\(error)")
            case .success: return
            }
        },
        Check(
            "GATT/SR/GAD/BV-01-C", "all primary services are listed, by ascending handles",
            "Core 6.0, Vol 3, Part G, section 4.4.1", scope: .link
        ) { peripheral throws(CheckExit) in _ = try peripheral.primaryServices() },
        Check(
            "GATT/SR/GAD/BV-02-C", "each primary service is found by its UUID, with the same handles",
            "Core 6.0, Vol 3, Part G, section 4.4.2", scope: .link
        ) { peripheral throws(CheckExit) in
            let listed = try peripheral.primaryServices()
            for uuid in Set(listed.map(\.uuid)).sorted(by: { $0.description < $1.description }) {
                let found = try peripheral.services(of: .findPrimaryServices(uuid), "a search for service \(uuid)")
                let wanted = listed.filter { $0.uuid == uuid }.map(\.range.description)
                try peripheral.expect(
                    found.map(\.range.description) == wanted,
                    "service \(uuid) at \(wanted.joined(separator: ", ")), as in the list of all",
                    seen: found.isEmpty ? "none" : found.map(\.range.description).joined(separator: ", "))
            }
        },
        Check(
            "GATT/SR/GAD/BV-03-C", "the services that are included in each service are listed",
            "Core 6.0, Vol 3, Part G, section 4.5.1", scope: .link
        ) { peripheral throws(CheckExit) in
            for service in try peripheral.primaryServices() {
                let words = "the services that are included in \(service.uuid)"
                guard
                    case .success(.included(let found)) = try peripheral.result(
                        of: .findIncludedServices(service.range), words)
                else { throw peripheral.failure(expected: words, seen: "the search was refused") }
                for included in found {
                    try peripheral.expect(
                        service.range.contains(included.declaration) && included.range.isValid,
                        "\(words) are declared within \(service.range)",
                        seen: "\(included.uuid) at \(included.declaration.inHex), with \(included.range)")
                }
            }
        },
        Check(
            "GATT/SR/GAD/BV-05-C", "each characteristic is found by its UUID among those of its service",
            "Core 6.0, Vol 3, Part G, section 4.6.2"
        ) { peripheral throws(CheckExit) in
            for service in peripheral.services {
                for wanted in service.characteristics {
                    // A search for one UUID may begin with any declaration of the service.
                    let rest = HandleRange(wanted.range.first, service.range.last)
                    let words = "the characteristics of \(rest)"
                    guard
                        case .success(.characteristics(let found)) = try peripheral.result(
                            of: .discoverCharacteristics(rest), words)
                    else { throw peripheral.failure(expected: words, seen: "the search was refused") }
                    try peripheral.expect(
                        found.first?.uuid == wanted.uuid && found.first?.valueHandle == wanted.valueHandle,
                        "\(words) begin with \(wanted.uuid), whose value is at \(wanted.valueHandle.inHex)",
                        seen: found.first.map { "\($0.uuid) at \($0.valueHandle.inHex)" } ?? "none")
                }
            }
        },
        Check(
            "GATT/SR/GAD/BV-04-C", "the characteristics of each service are listed",
            "Core 6.0, Vol 3, Part G, section 4.6.1", scope: .link
        ) { peripheral throws(CheckExit) in
            for service in try peripheral.primaryServices() {
                let words = "the characteristics of service \(service.uuid)"
                for found in try peripheral.characteristics(of: service, words) {
                    try peripheral.expect(
                        service.range.contains(found.valueHandle), "\(words) stand within \(service.range)",
                        seen: "\(found.uuid) with its value at \(found.valueHandle)")
                }
            }
        },
        Check(
            "GATT/SR/GAD/BV-06-C", "the descriptors of each characteristic are listed",
            "Core 6.0, Vol 3, Part G, section 4.7.1", scope: .link
        ) { peripheral throws(CheckExit) in
            for service in try peripheral.primaryServices() {
                for found in try peripheral.characteristics(of: service, "characteristics")
                where found.valueHandle < found.range.last {
                    let rest = HandleRange(found.valueHandle + 1, found.range.last)
                    let words = "the descriptors of \(found.uuid)"
                    guard
                        case .success(.descriptors(let descriptors)) = try peripheral.result(
                            of: .discoverDescriptors(rest), words)
                    else { throw peripheral.failure(expected: words, seen: "the search was refused") }
                    guard !found.properties.isDisjoint(with: [.notify, .indicate]) else { continue }
                    try peripheral.expect(
                        descriptors.contains { $0.type == .clientCharacteristicConfiguration },
                        "a Client Characteristic Configuration among \(words)",
                        seen: descriptors.isEmpty ? "none" : descriptors.map(\.type.description).joined(separator: ", ")
                    )
                }
            }
        },
    ]
}

extension Examiner {
    fileprivate mutating func primaryServices() throws(CheckExit) -> [DiscoveredService] {
        let found = try services(of: .discoverPrimaryServices, "a list of all primary services")
        try expect(!found.isEmpty, "a primary service", seen: "none")
        return found
    }

    fileprivate mutating func services(
        of procedure: Procedure, _ words: String
    ) throws(CheckExit) -> [DiscoveredService] {
        switch try result(of: procedure, words) {
        case .success(.services(let found)): return found
        case .failure(.refused(let error, _)): throw failure(expected: words, seen: "\(error)")
        default: throw failure(expected: words, seen: "another answer")
        }
    }

    fileprivate mutating func characteristics(
        of service: DiscoveredService, _ words: String
    ) throws(CheckExit) -> [DiscoveredCharacteristic] {
        switch try result(of: .discoverCharacteristics(service.range), words) {
        case .success(.characteristics(let found)): return found
        case .failure(.refused(let error, _)): throw failure(expected: words, seen: "\(error)")
        default: throw failure(expected: words, seen: "another answer")
        }
    }
}
