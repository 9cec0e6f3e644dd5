import ATT
import Bluetooth
import GATT
import Octets
import Simulation

// How values are read, whatever they are: each way has to tell the same.  Core 6.0, Vol 3, Part G, section 4.8.
extension Check {
    private static let named = Claim.characteristic(.deviceName, of: .genericAccess)
    private static let appearing = Claim.characteristic(.appearance, of: .genericAccess)

    static let reading = [
        Check(
            "GATT/SR/GAR/BV-01-C", "each value that is declared with Read is told, or guarded",
            "Core 6.0, Vol 3, Part G, sections 3.3.1.1 and 4.8.1"
        ) { peripheral throws(CheckExit) in
            for value in try peripheral.readable() {
                let error = try peripheral.refusal(of: .read(handle: value.valueHandle), "a read of \(value.uuid)")
                guard let error, !error.isOwnBusiness else { continue }
                throw peripheral.failure(expected: "the value of \(value.uuid), declared with Read", seen: "\(error)")
            }
        },
        Check(
            "GATT/SR/GAR/BV-03-C", "a value is read by its UUID as by its handle",
            "Core 6.0, Vol 3, Part G, section 4.8.2"
        ) { peripheral throws(CheckExit) in
            for value in try peripheral.readable() {
                guard let octets = try peripheral.steady(value.valueHandle) else { continue }
                try peripheral.expectFound(value, octets)
            }
        },
        Check(
            "GATT/SR/GAR/BV-04-C", "a value that is longer than a PDU is read in parts",
            "Core 6.0, Vol 3, Part G, section 4.8.3", scope: .narrow
        ) { peripheral throws(CheckExit) in
            try peripheral.expectParts(ofFirstOf: try peripheral.readable().map(\.valueHandle), "value")
        },
        Check(
            "GATT/SR/GAR/BV-05-C", "several values of known lengths are read at once",
            "Core 6.0, Vol 3, Part G, section 4.8.4", if: named, appearing
        ) { peripheral throws(CheckExit) in
            let (name, appearance) = try peripheral.nameAndAppearance()
            let request = PDU.readMultipleRequest([appearance.handle, name.handle])
            let expected = appearance.value + name.value
            try peripheral.expectTold(request, .readMultipleResponse(expected), "Read Multiple")
        },
        Check(
            "GATT/SR/GAR/BV-06-C", "each descriptor is told, or guarded", "Core 6.0, Vol 3, Part G, section 4.12.1"
        ) { peripheral throws(CheckExit) in
            let descriptors = peripheral.services.flatMap(\.characteristics).flatMap(\.descriptors)
            guard !descriptors.isEmpty else { throw .skipped("not claimed: it has no descriptors") }
            let defined: ClosedRange<UInt16> = 0x2900...0x2906  // from Extended Properties to Valid Range
            for descriptor in descriptors {
                let words = "a read of descriptor \(descriptor.type)"
                let error = try peripheral.refusal(of: .read(handle: descriptor.handle), words)
                guard let error, !error.isOwnBusiness else { continue }
                // Who may read a descriptor that no specification defines is the server's affair.
                if error == .readNotPermitted, !defined.contains(descriptor.type.number ?? 0) { continue }
                throw peripheral.failure(expected: "the value of descriptor \(descriptor.type)", seen: "\(error)")
            }
        },
        Check(
            "GATT/SR/GAR/BV-07-C", "a descriptor that is longer than a PDU is read in parts",
            "Core 6.0, Vol 3, Part G, section 4.12.2", scope: .narrow
        ) { peripheral throws(CheckExit) in
            let descriptors = peripheral.services.flatMap(\.characteristics).flatMap(\.descriptors)
            try peripheral.expectParts(ofFirstOf: descriptors.map(\.handle), "descriptor")
        },
        Check(
            "GATT/SR/GAR/BV-09-C", "several values are read at once, with their lengths",
            "Core 6.0, Vol 3, Part G, section 4.8.5", if: named, appearing
        ) { peripheral throws(CheckExit) in
            let (name, appearance) = try peripheral.nameAndAppearance()
            let values = [name, appearance].map { LengthValue(length: UInt16(clamping: $0.value.count), $0.value) }
            let request = PDU.readMultipleVariableRequest([name.handle, appearance.handle])
            try peripheral.expectTold(request, .readMultipleVariableResponse(values), "Read Multiple Variable")
        },
        format(
            "GATT/SR/GPA/BV-12-C", .characteristicPresentationFormat,
            "a presentation format has 7 octets, and a format from 01 to 1B", "3.3.3.5"
        ) { octets in octets.count == 7 && 0x01...0x1B ~= octets[0] },
        format(
            "GATT/SR/GPA/BV-11-C", UUID(0x2905), "an aggregate format lists handles of presentation formats", "3.3.3.6"
        ) { octets in octets.count >= 4 && octets.count % 2 == 0 },
    ]

    private static func format(
        _ id: String, _ type: UUID, _ words: String, _ section: String,
        _ isRight: @escaping @Sendable ([UInt8]) -> Bool
    ) -> Check {
        Check(id, words, "Core 6.0, Vol 3, Part G, section \(section)") { peripheral throws(CheckExit) in
            let descriptors = peripheral.services.flatMap(\.characteristics).flatMap(\.descriptors)
            let found = descriptors.filter { $0.type == type }
            guard !found.isEmpty else { throw .skipped("not claimed: no characteristic has a descriptor \(type)") }
            for descriptor in found {
                let octets = try peripheral.read(descriptor.handle, "descriptor \(type)")
                try peripheral.expect(isRight(octets), words, seen: octets.hex)
                guard type == UUID(0x2905) else { continue }
                for place in stride(from: 0, to: octets.count, by: 2) {
                    let handle = UInt16(octets[place]) | UInt16(octets[place + 1]) << 8
                    try peripheral.expect(
                        descriptors.contains { $0.handle == handle && $0.type == .characteristicPresentationFormat },
                        "handle \(handle.inHex), in 2905, is that of a 2904", seen: "it is not")
                }
            }
        }
    }
}

extension ATTError {
    /// What a link lacks that could be better protected.  Core 6.0, Vol 3, Part F, section 3.2.5.
    static let guards: [ATTError] = [
        .insufficientAuthentication, .insufficientAuthorization, .encryptionKeySizeTooShort, .insufficientEncryption,
    ]

    /// Whether who answers so may: the link is not protected enough, or the service has a reason of its own, which only
    /// its specification knows.  Core 6.0, Vol 3, Part F, section 3.4.1.1.
    var isOwnBusiness: Bool { Self.guards.contains(self) || 0x80...0x9F ~= rawValue || rawValue >= 0xE0 }
}

extension Examiner {
    /// What is declared with Read; skips the check where nothing is.
    func readable() throws(CheckExit) -> [DiscoveredCharacteristic] {
        let found = services.flatMap(\.characteristics).filter { $0.properties.contains(.read) }
        guard !found.isEmpty else { throw .skipped("not claimed: no characteristic is declared with Read") }
        return found
    }

    /// What has no meaning for the connection itself, as the values of Generic Attribute have.
    var ownValues: [DiscoveredCharacteristic] {
        services.filter { $0.uuid != .genericAttribute }.flatMap(\.characteristics)
    }

    /// All of a value that does not change by itself; nil for one that does, or is not told.
    mutating func steady(_ handle: UInt16) throws(CheckExit) -> [UInt8]? {
        let words = "a read of handle \(handle.inHex)"
        guard case .success(.value(let first)) = try result(of: .readLong(handle: handle), words) else { return nil }
        wait(.seconds(1))
        guard case .success(.value(let second)) = try result(of: .readLong(handle: handle), words) else { return nil }
        return first == second ? first : nil
    }

    fileprivate mutating func expectFound(_ value: DiscoveredCharacteristic, _ octets: [UInt8]) throws(CheckExit) {
        let words = "a read of \(value.uuid) by its UUID"
        let range = HandleRange(value.valueHandle, value.range.last)
        guard case .success(.values(let found)) = try result(of: .readByUUID(value.uuid, range), words) else {
            throw failure(expected: words, seen: "it was refused")
        }
        // The response has room for 253 octets of a value, and for MTU − 4.  Vol 3, Part F, section 3.4.4.2.
        let wanted = Array(octets.prefix(min(253, mtu - 4)))
        try expect(
            found == [AttributeData(value.valueHandle, wanted)],
            "\(value.uuid) at \(value.valueHandle.inHex) with \(wanted.hex)",
            seen: found.map { "\($0.handle.inHex) with \($0.value.hex)" }.joined(separator: ", "))
    }

    /// Reads the first of these attributes that does not fit into one PDU; skips the check where all fit.
    fileprivate mutating func expectParts(ofFirstOf handles: [UInt16], _ word: String) throws(CheckExit) {
        for handle in handles {
            guard let octets = try steady(handle), octets.count >= mtu else { continue }
            return try expectParts(octets, of: handle, "the \(word) at \(handle.inHex)")
        }
        throw .skipped("not claimed: no \(word) has more than \(mtu - 1) octets")
    }

    /// Fails unless Read tells the beginning of a value, and Read Blob the rest from wherever it is asked.
    private mutating func expectParts(_ octets: [UInt8], of handle: UInt16, _ name: String) throws(CheckExit) {
        let beginning = Array(octets.prefix(mtu - 1))
        try expectTold(.readRequest(handle: handle), .readResponse(beginning), "a read of \(name)")
        for offset in [1, mtu - 1, octets.count - 1, octets.count] {
            let part = Array(octets[offset...].prefix(mtu - 1))
            let request = PDU.readBlobRequest(handle: handle, offset: UInt16(clamping: offset))
            try expectTold(request, .readBlobResponse(part), "Read Blob of \(name) from \(offset)")
        }
    }

    /// Fails unless a request is answered so; skips the check where the server does not have the request.
    fileprivate mutating func expectTold(_ request: PDU, _ wanted: PDU, _ words: String) throws(CheckExit) {
        let answer = try answer(to: request, words)
        if case .errorResponse(_, _, .requestNotSupported) = answer { throw Self.unsupported(words) }
        try expect(answer == wanted, "\(words) is answered by \(wanted.octets.hex)", seen: answer.octets.hex)
    }

    fileprivate mutating func nameAndAppearance() throws(CheckExit) -> (name: AttributeData, appearance: AttributeData)
    {
        func value(_ uuid: UUID, _ examiner: inout Examiner) throws(CheckExit) -> AttributeData {
            let handle = try examiner.characteristic(uuid, of: .genericAccess).valueHandle
            return AttributeData(handle, try examiner.read(handle, "\(uuid)"))
        }
        return (try value(.deviceName, &self), try value(.appearance, &self))
    }
}
