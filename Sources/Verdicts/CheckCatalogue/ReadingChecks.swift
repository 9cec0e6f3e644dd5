import ATT
import Basics
import Bluetooth
import Checks
import GATT

// Every read procedure must return the same values.  Core 6.0, Vol 3, Part G, section 4.8.
extension Check {
    private static let hasAppearance = Prerequisite.characteristic(.appearance, of: .genericAccess)

    static let reading = [
        Check(
            "GATT/SR/GAR/BV-01-C", "each value declared with Read can be read, or requires security",
            "Core 6.0, Vol 3, Part G, sections 3.3.1.1 and 4.8.1"
        ) { peripheral throws(CheckExit) in
            for value in try peripheral.characteristics(declaredWith: .read) {
                let error = try peripheral.refusal(of: .read(handle: value.valueHandle), "a read of \(value.uuid.name)")
                guard let error, !error.isServerSpecific else { continue }
                throw peripheral.failure(
                    expected: "the value of \(value.uuid.name), which is declared with Read", seen: "\(error)")
            }
        },
        Check(
            "GATT/SR/GAR/BV-03-C", "a value reads the same by UUID as by handle", gatt("4.8.2")
        ) { peripheral throws(CheckExit) in
            let values = try peripheral.characteristics(declaredWith: .read)
            let stable = try peripheral.stableValues(values.map(\.valueHandle))
            for value in values {
                if let octets = stable[value.valueHandle] { try peripheral.expectFound(value, octets) }
            }
        },
        Check(
            "GATT/SR/GAR/BV-04-C", "a value longer than a PDU can be read in parts", gatt("4.8.3"), scope: .narrow
        ) { peripheral throws(CheckExit) in
            try peripheral.expectParts(
                ofFirstOf: try peripheral.characteristics(declaredWith: .read).map(\.valueHandle), "value")
        },
        Check(
            "GATT/SR/GAR/BV-05-C", "several values of known length can be read at once",
            gatt("4.8.4"), if: .deviceName, hasAppearance
        ) { peripheral throws(CheckExit) in
            let (name, appearance) = try peripheral.nameAndAppearance()
            let request = PDU.readMultipleRequest([appearance.handle, name.handle])
            // Part F, section 3.4.4.8.
            let expected = Array((appearance.value + name.value).prefix(peripheral.mtu - 1))
            try peripheral.expectAnswer(request, .readMultipleResponse(expected), "Read Multiple")
        },
        Check(
            "GATT/SR/GAR/BV-06-C", "each descriptor can be read, or requires security", gatt("4.12.1"),
            scope: .freshConnection
        ) { peripheral throws(CheckExit) in
            let descriptors = peripheral.characteristics.flatMap(\.descriptors)
            guard !descriptors.isEmpty else { throw .notApplicable("the peripheral has no descriptors") }
            let defined: ClosedRange<UInt16> = 0x2900...0x2906  // from Extended Properties to Valid Range
            for descriptor in descriptors {
                let description = "a read of descriptor \(descriptor.type.name)"
                let error = try peripheral.refusal(of: .read(handle: descriptor.handle), description)
                guard let error, !error.isServerSpecific else { continue }
                // A server may protect descriptors that no specification defines.
                if error == .readNotPermitted, !defined.contains(descriptor.type.number ?? 0) { continue }
                throw peripheral.failure(expected: "the value of descriptor \(descriptor.type.name)", seen: "\(error)")
            }
        },
        Check(
            "GATT/SR/GAR/BV-07-C", "a descriptor longer than a PDU can be read in parts", gatt("4.12.2"), scope: .narrow
        ) { peripheral throws(CheckExit) in
            let descriptors = peripheral.characteristics.flatMap(\.descriptors)
            try peripheral.expectParts(ofFirstOf: descriptors.map(\.handle), "descriptor")
        },
        Check(
            "GATT/SR/GAR/BV-09-C", "several values can be read at once with their lengths",
            gatt("4.8.5"), if: .deviceName, hasAppearance
        ) { peripheral throws(CheckExit) in
            let (name, appearance) = try peripheral.nameAndAppearance()
            let values = peripheral.fitting([name.value, appearance.value])
            let request = PDU.readMultipleVariableRequest([name.handle, appearance.handle])
            try peripheral.expectAnswer(request, .readMultipleVariableResponse(values), "Read Multiple Variable")
        },
        format(
            "GATT/SR/GPA/BV-12-C", .characteristicPresentationFormat,
            "a presentation format has 7 octets and a format from 01 to 1C", "3.3.3.5"
        ) { octets in octets.count == 7 && 0x01...0x1C ~= octets[0] },
        format(
            "GATT/SR/GPA/BV-11-C", UUID(0x2905), "an aggregate format lists the handles of presentation formats",
            "3.3.3.6"
        ) { octets in octets.count >= 4 && octets.count % 2 == 0 },
    ]

    private static func format(
        _ id: String, _ type: UUID, _ description: String, _ section: String,
        _ isRight: @escaping @Sendable ([UInt8]) -> Bool
    ) -> Check {
        Check(id, description, gatt(section)) { peripheral throws(CheckExit) in
            let descriptors = peripheral.characteristics.flatMap(\.descriptors)
            let found = descriptors.filter { $0.type == type }
            guard !found.isEmpty else { throw .notApplicable("no characteristic has a descriptor \(type.name)") }
            for descriptor in found {
                let octets = try peripheral.read(descriptor.handle, "descriptor \(type.name)")
                try peripheral.expect(isRight(octets), description, seen: octets.text)
                guard type == UUID(0x2905) else { continue }
                for place in stride(from: 0, to: octets.count, by: 2) {
                    let handle = UInt16(octets[place]) | UInt16(octets[place + 1]) << 8
                    try peripheral.expect(
                        descriptors.contains { $0.handle == handle && $0.type == .characteristicPresentationFormat },
                        "a presentation format at \(handle.inHex), which the aggregate format lists", seen: "none")
                }
            }
        }
    }
}

extension ATTError {
    /// Whether a server may answer any request like this: the link lacks security, or the error is the application's or
    /// the service's own.  Core 6.0, Vol 3, Part F, section 3.4.1.1.
    var isServerSpecific: Bool { Self.securityErrors.contains(self) || 0x80...0x9F ~= rawValue || rawValue >= 0xE0 }
}

extension Examiner {
    /// The characteristics outside Generic Attribute, whose values affect the connection.
    var applicationValues: [DiscoveredCharacteristic] {
        services.filter { $0.uuid != .genericAttribute }.flatMap(\.characteristics)
    }

    /// A whole value that does not change within 1 s; nil if it does or cannot be read.
    mutating func stableValue(_ handle: UInt16) throws(CheckExit) -> [UInt8]? { try stableValues([handle])[handle] }

    /// The whole values, by handle, that can be read and do not change within 1 s.
    mutating func stableValues(_ handles: [UInt16]) throws(CheckExit) -> [UInt16: [UInt8]] {
        let before = try wholeValues(handles)
        guard !before.isEmpty else { return [:] }
        wait(.seconds(1))
        let after = try wholeValues(before.keys.sorted())
        return before.filter { after[$0.key] == $0.value }
    }

    fileprivate mutating func expectFound(_ value: DiscoveredCharacteristic, _ octets: [UInt8]) throws(CheckExit) {
        let description = "Read By Type of \(value.uuid.name)"
        let range = HandleRange(value.valueHandle, value.range.last)
        guard case .success(.values(let found)) = try result(of: .readByUUID(value.uuid, range), description) else {
            throw failure(expected: "an answer to \(description)", seen: "an Error Response")
        }
        // The response has room for 253 octets of a value, and for MTU − 4.  Vol 3, Part F, section 3.4.4.2.
        let expected = Array(octets.prefix(min(253, mtu - 4)))
        // The value may have changed since it was stable.
        if found.first?.value != expected, try stableValue(value.valueHandle) != octets { return }
        try expect(
            found == [AttributeData(value.valueHandle, expected)],
            "\(value.uuid.name) at \(value.valueHandle.inHex) with \(expected.text)",
            seen: found.map { "\($0.handle.inHex) with \($0.value.text)" }.joined(separator: ", "))
    }

    /// Reads the first of these attributes that is longer than a PDU; skips the check if all fit.
    fileprivate mutating func expectParts(ofFirstOf handles: [UInt16], _ word: String) throws(CheckExit) {
        let long = try wholeValues(handles).filter { $0.value.count >= mtu }.keys
        for handle in handles where long.contains(handle) {
            guard let octets = try stableValue(handle), octets.count >= mtu else { continue }
            do throws(CheckExit) {
                return try expectParts(octets, of: handle, "the \(word) at \(handle.inHex)")
            } catch {
                // The value may have changed since it was stable.
                guard case .failed = error, connection != nil, try stableValue(handle) != octets else { throw error }
            }
        }
        throw .notApplicable("no \(word) has more than \(mtu - 1) octets")
    }

    /// Fails unless Read returns the beginning of a value, and Read Blob the rest from any offset.
    private mutating func expectParts(_ octets: [UInt8], of handle: UInt16, _ name: String) throws(CheckExit) {
        let beginning = Array(octets.prefix(mtu - 1))
        try expectAnswer(.readRequest(handle: handle), .readResponse(beginning), "Read of \(name)")
        for offset in [1, mtu - 1, octets.count - 1, octets.count] {
            let part = Array(octets[offset...].prefix(mtu - 1))
            let request = PDU.readBlobRequest(handle: handle, offset: UInt16(clamping: offset))
            try expectAnswer(request, .readBlobResponse(part), "Read Blob of \(name) from \(offset)")
        }
    }

    /// Fails unless a request gets this answer; skips the check if the server does not support the request.
    fileprivate mutating func expectAnswer(_ request: PDU, _ expected: PDU, _ description: String) throws(CheckExit) {
        let answer = try answer(to: request, description)
        if case .errorResponse(_, _, .requestNotSupported) = answer { throw Self.unsupported(description) }
        try expect(answer == expected, "\(expected.octets.text) in answer to \(description)", seen: answer.octets.text)
    }

    /// As much of these values as fits into a Read Multiple Variable Response; a length is never cut.  Core 6.0, Vol 3,
    /// Part F, section 3.4.4.12.
    fileprivate func fitting(_ values: [[UInt8]]) -> [LengthValue] {
        var (list, room) = ([] as [LengthValue], mtu - 1)
        for value in values where room >= 2 {
            list.append(LengthValue(length: UInt16(clamping: value.count), Array(value.prefix(room - 2))))
            room -= 2 + value.count
        }
        return list
    }

    fileprivate mutating func nameAndAppearance() throws(CheckExit) -> (name: AttributeData, appearance: AttributeData)
    {
        func value(_ uuid: UUID, _ examiner: inout Examiner) throws(CheckExit) -> AttributeData {
            let handle = try examiner.characteristic(uuid, of: .genericAccess).valueHandle
            return AttributeData(handle, try examiner.read(handle, uuid.name))
        }
        return (try value(.deviceName, &self), try value(.appearance, &self))
    }
}
