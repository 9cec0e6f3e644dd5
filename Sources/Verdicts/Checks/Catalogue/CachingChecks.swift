import ATT
import Bluetooth
import Cryptography
import GATT
import Octets
import Simulation

// How clients learn that attributes have changed.  Core 6.0, Vol 3, Part G, sections 2.5.2 and 7.
extension Check {
    private static let hashed = Claim.characteristic(.databaseHash, of: .genericAttribute)
    private static let featured = Claim.characteristic(.clientSupportedFeatures, of: .genericAttribute)
    private static let changing = Claim.indicated(.serviceChanged, of: .genericAttribute)

    static let caching = [
        Check(
            "GATT/SR/GAS/BV-01-C", "a client that wants to know is told which handles have changed",
            "Core 6.0, Vol 3, Part G, section 7.1", if: changing
        ) { peripheral throws(CheckExit) in try peripheral.expectChangeTold() },
        Check(
            "GATT/SR/GAS/BV-02-C", "the Database Hash is that of the attributes",
            "Core 6.0, Vol 3, Part G, section 7.3.1", if: hashed
        ) { peripheral throws(CheckExit) in
            let told = try peripheral.databaseHash()
            let computed = try peripheral.computedHash()
            // Stacks differ in which octet goes first, and clients only compare.
            try peripheral.expect(
                told == computed || told == computed.reversed(),
                "\(computed.hex), AES-CMAC of what was discovered, in either order", seen: told.hex)
        },
        Check(
            "GATT/SR/GAS/BV-03-C", "what a client supports is kept for its connection, and for it only",
            "Core 6.0, Vol 3, Part G, section 7.2", if: featured
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(.clientSupportedFeatures, of: .genericAttribute).valueHandle
            try peripheral.write([0x01], to: handle, "2B29")
            let kept = try peripheral.read(handle, "2B29")
            try peripheral.expect(kept.first == 0x01, "2B29 is 01 as it was written", seen: kept.hex)
            peripheral.disconnect()
            try peripheral.connect()
            let next = try peripheral.read(handle, "2B29")
            try peripheral.expect(
                next.allSatisfy { $0 == 0 }, "2B29 is 00 for a client without a bond that comes back", seen: next.hex)
        },
        Check(
            "gatt/supported_features_stay", "a client cannot take back what it supports",
            "Core 6.0, Vol 3, Part G, section 7.2", if: featured
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(.clientSupportedFeatures, of: .genericAttribute).valueHandle
            try peripheral.write([0x01], to: handle, "2B29")
            try peripheral.expectRefused(
                .writeRequest(handle: handle, value: [0x00]), with: [.valueNotAllowed], at: handle,
                "a write of 00 to 2B29, which is 01,")
            try peripheral.write([0x01], to: handle, "2B29")
        },
        Check(
            "GATT/SR/GAS/BV-05-C", "a client that does not know of a change is told so, once",
            "Core 6.0, Vol 3, Part G, section 2.5.2.1", if: hashed, featured
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.becomeUnaware()
            try peripheral.expectRefused(
                .readRequest(handle: handle), with: [.databaseOutOfSync], at: handle,
                "a read of 2A00 by a client that does not know of the change")
            let error = try peripheral.refusal(of: .read(handle: handle), "a read of 2A00")
            try peripheral.expect(error == nil, "the next read is answered", seen: error?.description ?? "")
        },
        Check(
            "GATT/SR/GAS/BV-06-C", "a client knows of a change once it has read the Database Hash",
            "Core 6.0, Vol 3, Part G, section 2.5.2.1", if: hashed, featured
        ) { peripheral throws(CheckExit) in
            let before = try peripheral.databaseHash()
            let handle = try peripheral.becomeUnaware()
            let after = try peripheral.databaseHash()
            try peripheral.expect(after != before, "another Database Hash than before the change", seen: after.hex)
            let error = try peripheral.refusal(of: .read(handle: handle), "a read of 2A00")
            try peripheral.expect(
                error == nil, "a read after the Database Hash was read is answered", seen: error?.description ?? "")
        },
        Check(
            "GATT/SR/GAS/BV-07-C", "a client knows of a change once it has confirmed Service Changed",
            "Core 6.0, Vol 3, Part G, section 2.5.2.1", if: hashed, featured, changing
        ) { peripheral throws(CheckExit) in
            let changed = try peripheral.characteristic(.serviceChanged, of: .genericAttribute)
            try peripheral.subscribe(.indication, to: changed)
            let handle = try peripheral.becomeUnaware()
            guard peripheral.wait(atMost: .seconds(30), until: { !$0.notices.isEmpty }) else {
                throw .inconclusive("Service Changed was not indicated within 30 s")
            }
            peripheral.wait(.seconds(1))  // until the confirmation is there
            let error = try peripheral.refusal(of: .read(handle: handle), "a read of 2A00")
            try peripheral.expect(
                error == nil, "a read after Service Changed was confirmed is answered", seen: error?.description ?? "")
        },
        Check(
            "GATT/SR/GAW/BI-41-C", "what was prepared before a change is not written",
            "Core 6.0, Vol 3, Part G, section 2.5.2.1", if: hashed, featured
        ) { peripheral throws(CheckExit) in
            let features = try peripheral.characteristic(.clientSupportedFeatures, of: .genericAttribute).valueHandle
            let handle = try peripheral.preparable().handle
            try peripheral.write([0x01], to: features, "2B29")
            let prepared = PDU.prepareWriteRequest(handle: handle, offset: 0, value: [0x01])
            _ = try peripheral.answer(to: prepared, "a prepared write to \(handle.inHex)")
            try peripheral.provokeMove()
            let words = "a write of what was prepared before the change"
            let error = try peripheral.refusal(of: PDU.executeWriteRequest(write: true), words)?.error
            try peripheral.expect(
                error == .databaseOutOfSync, "\(words) is refused with \(ATTError.databaseOutOfSync)",
                seen: error?.description ?? "it was written")
        },
    ]
}

extension Examiner {
    /// As every client has to read it: by its type.
    fileprivate mutating func databaseHash() throws(CheckExit) -> [UInt8] {
        let words = "a read of the Database Hash by its type"
        guard case .success(.values(let found)) = try result(of: .readByUUID(.databaseHash, .all), words),
            let hash = found.first?.value
        else { throw failure(expected: words, seen: "it was refused") }
        try expect(hash.count == AESCMAC.count, "a Database Hash of 16 octets", seen: hash.hex)
        return hash
    }

    /// What defines the attributes, one behind the other, and its AES-CMAC with a key of zeros.
    fileprivate mutating func computedHash() throws(CheckExit) -> [UInt8] {
        guard case .success(.descriptors(let all)) = try result(of: .discoverDescriptors(.all), "Find Information")
        else {
            throw .inconclusive("Find Information over all handles was refused")
        }
        var message: [UInt8] = []
        for attribute in all {
            guard let number = attribute.type.number, 0x2800...0x2803 ~= number || 0x2900...0x2905 ~= number else {
                continue
            }
            message.append(attribute.handle)
            message.append(number)
            guard number <= 0x2900 else { continue }
            message += try read(attribute.handle, "declaration \(attribute.type) at \(attribute.handle.inHex)")
        }
        do throws(AESCMAC.Failure) {
            return try AESCMAC.code(of: message, key: [UInt8](repeating: 0, count: AESCMAC.count))
        } catch { throw .inconclusive("no AES-CMAC can be computed here: \(error)") }
    }

    /// Says that it keeps to robust caching, and has the attributes changed: where the Device Name is, before and after.
    fileprivate mutating func becomeUnaware() throws(CheckExit) -> UInt16 {
        let features = try characteristic(.clientSupportedFeatures, of: .genericAttribute).valueHandle
        try write([0x01], to: features, "2B29")
        let handle = try nameHandle
        try provokeMove()
        return handle
    }

    fileprivate mutating func expectChangeTold() throws(CheckExit) {
        let value = try characteristic(.serviceChanged, of: .genericAttribute)
        try subscribe(.indication, to: value)
        let before = services
        try provokeMove()
        let told = try next(of: value.valueHandle, within: .seconds(30))
        guard let octets = told?.octets, octets.count == 4 else {
            throw failure(
                expected: "an indication of 2A05 with two handles within 30 s of the change",
                seen: told?.octets.hex ?? "none")
        }
        let range = HandleRange(
            UInt16(octets[0]) | UInt16(octets[1]) << 8, UInt16(octets[2]) | UInt16(octets[3]) << 8)
        guard case .success(.services(let after)) = try result(of: .discoverPrimaryServices, "a list of services")
        else {
            throw .inconclusive("the services cannot be listed after the change")
        }
        let moved = before.filter { old in !after.contains { $0.uuid == old.uuid && $0.range == old.range } }
        for service in moved {
            try expect(
                range.isValid && range.contains(service.range.first) && range.contains(service.range.last),
                "2A05 names the handles of service \(service.uuid), \(service.range), which has moved",
                seen: "\(octets.hex), that is \(range)")
        }
    }
}
