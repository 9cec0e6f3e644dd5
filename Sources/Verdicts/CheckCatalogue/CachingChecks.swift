import ATT
import Basics
import Bluetooth
import Checks
import Cryptography
import GATT

// How clients learn that attributes have changed.  Core 6.0, Vol 3, Part G, sections 2.5.2 and 7.
extension Check {
    static let hasHash = Prerequisite.characteristic(.databaseHash, of: .genericAttribute)
    static let hasClientFeatures = Prerequisite.characteristic(.clientSupportedFeatures, of: .genericAttribute)
    static let indicatesChanges = Prerequisite.characteristic(
        .serviceChanged, of: .genericAttribute, with: .indicate)

    static let canMoveHandles = Prerequisite.control("move the handles")

    static let caching = [
        Check(
            "GATT/SR/GAS/BV-01-C", "a subscribed client, and no other, is indicated which handles have changed",
            gatt("7.1"), scope: .freshConnection, if: indicatesChanges, canMoveHandles
        ) { peripheral throws(CheckExit) in try peripheral.expectChangeIndicated() }.withoutBond(),
        Check(
            "GATT/SR/GAS/BV-02-C", "the Database Hash matches the attributes", gatt("7.3.1"), if: hasHash
        ) { peripheral throws(CheckExit) in
            let received = try peripheral.databaseHash()
            let computed = try peripheral.computedHash()
            // Stacks differ in the octet order, and clients only compare hashes.
            try peripheral.expect(
                received == computed || received == computed.reversed(),
                "\(computed.text), the AES-CMAC of the discovered attributes, in either octet order",
                seen: received.text)
        },
        Check(
            "GATT/SR/GAS/BV-03-C", "reserved bits of Client Supported Features are ignored",
            gatt("7.2"), scope: .freshConnection, if: hasClientFeatures
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(.clientSupportedFeatures, of: .genericAttribute).valueHandle
            try peripheral.write([0xF9], to: handle, "Client Supported Features")
            let kept = try peripheral.read(handle, "Client Supported Features")
            try peripheral.expect(
                kept.first == 0x01 && kept.dropFirst().allSatisfy { $0 == 0 },
                "Client Supported Features is 01 after a write of F9, since bits 3 to 7 are reserved", seen: kept.text)
        }.withoutBond(),
        Check(
            "gatt/supported_features_are_forgotten",
            "Client Supported Features last for one connection of an unbonded client",
            gatt("7.2"), scope: .freshConnection, if: hasClientFeatures
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.enableRobustCaching()
            let kept = try peripheral.read(handle, "Client Supported Features")
            try peripheral.expect(kept.first == 0x01, "Client Supported Features is 01, as written", seen: kept.text)
            peripheral.disconnect()
            try peripheral.connect()
            let next = try peripheral.read(handle, "Client Supported Features")
            try peripheral.expect(
                next.allSatisfy { $0 == 0 }, "Client Supported Features is 00 after an unbonded client reconnects",
                seen: next.text)
        }.withoutBond(),
        Check(
            "gatt/supported_features_stay", "a client cannot clear a feature that it has set",
            gatt("7.2"), scope: .freshConnection, if: hasClientFeatures
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.enableRobustCaching()
            try peripheral.expectClearingRefused(handle)
            _ = try peripheral.enableRobustCaching()
        },
    ]
}

extension Examiner {
    /// The Database Hash, read by its type as clients must.
    mutating func databaseHash() throws(CheckExit) -> [UInt8] {
        let description = "Read By Type of Database Hash"
        guard case .success(.values(let found)) = try result(of: .readByUUID(.databaseHash, .all), description),
            let hash = found.first?.value
        else { throw failure(expected: description, seen: "it was refused") }
        try expect(hash.count == AESCMAC.count, "a Database Hash of 16 octets", seen: hash.text)
        return hash
    }

    /// The AES-CMAC, with a zero key, of all attributes that the Database Hash covers.
    fileprivate mutating func computedHash() throws(CheckExit) -> [UInt8] {
        guard case .success(.descriptors(let all)) = try result(of: .discoverDescriptors(.all), "Find Information")
        else { throw .inconclusive("the peripheral refused Find Information over all handles") }
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
        do throws(CryptographyFailure) {
            return try AESCMAC.code(of: message, key: [UInt8](repeating: 0, count: AESCMAC.count))
        } catch { throw .inconclusive("cannot compute an AES-CMAC: \(error)") }
    }

    /// Enables robust caching; returns the handle of Client Supported Features.
    mutating func enableRobustCaching() throws(CheckExit) -> UInt16 {
        let handle = try characteristic(.clientSupportedFeatures, of: .genericAttribute).valueHandle
        try write([0x01], to: handle, "Client Supported Features")
        return handle
    }

    /// Fails unless a client that has set a feature is refused to clear it.
    mutating func expectClearingRefused(_ handle: UInt16) throws(CheckExit) {
        try expectRefused(
            .writeRequest(handle: handle, value: [0x00]), with: [.valueNotAllowed], at: handle,
            "a write of 00 over 01 in Client Supported Features")
    }

    fileprivate mutating func expectChangeIndicated() throws(CheckExit) {
        let value = try characteristic(.serviceChanged, of: .genericAttribute)
        try moveHandles()
        let unasked = try next(of: value.valueHandle, within: .seconds(2))
        try expect(
            unasked == nil, "no indication of Service Changed without a subscription",
            seen: unasked?.octets.text ?? "")
        try subscribe(.indication, to: value)
        let before = try primaryServices()
        try moveHandles()
        let received = try next(of: value.valueHandle, within: .seconds(30))
        guard let octets = received?.octets, octets.count == 4 else {
            throw failure(
                expected: "an indication of Service Changed with two handles within 30 s of the change",
                seen: received?.octets.text ?? "none")
        }
        let range = HandleRange(
            UInt16(octets[0]) | UInt16(octets[1]) << 8, UInt16(octets[2]) | UInt16(octets[3]) << 8)
        let after = try primaryServices()
        let moved = before.filter { old in !after.contains { $0.uuid == old.uuid && $0.range == old.range } }
        for service in moved {
            try expect(
                range.isValid && range.contains(service.range.first) && range.contains(service.range.last),
                "Service Changed covers \(service.range), the handles of \(service.uuid.name), which has moved",
                seen: "\(octets.text), which is \(range)")
        }
    }

    private mutating func primaryServices() throws(CheckExit) -> [DiscoveredService] {
        let answer = try result(of: .discoverPrimaryServices, "Discover All Primary Services")
        guard case .success(.services(let found)) = answer else {
            throw .inconclusive("the peripheral refused service discovery after a change")
        }
        return found
    }
}
