import ATT
import Basics
import Bluetooth
import Checks
import GATT
import LEHost
import SecurityManager

// Servers answer a client that does not know yet that attributes have changed with Database Out Of Sync.  Core 6.0, Vol 3,
// Part G, section 2.5.2.1.
extension Check {
    static let awareness = [
        Check(
            "GATT/SR/GAS/BV-05-C", "a change-unaware client gets Database Out Of Sync once; its commands are ignored",
            gatt("2.5.2.1"), scope: .freshConnection, if: hasHash, hasClientFeatures, canMoveHandles
        ) { peripheral throws(CheckExit) in try peripheral.expectOutOfSync() }.withoutBond(),
        Check(
            "GATT/SR/GAS/BV-06-C",
            "a client becomes change-aware by reading the Database Hash, or by confirming Service Changed",
            gatt("2.5.2.1"), scope: .freshConnection, if: hasHash, hasClientFeatures, canMoveHandles, indicatesChanges
        ) { peripheral throws(CheckExit) in try peripheral.expectAware() }.withoutBond(),
        Check(
            "GATT/SR/GAS/BV-07-C", "a bonded client that was absent during a change is change-unaware",
            gatt("2.5.2.1"), scope: .freshConnection, if: hasHash, hasClientFeatures, canMoveHandles, indicatesChanges,
            .pairing
        ) { peripheral throws(CheckExit) in try peripheral.expectAwareAcrossConnections() },
        Check(
            "GATT/SR/GAS/BV-08-C", "Read Multiple Variable of a change-unaware client gets Database Out Of Sync once",
            gatt("2.5.2.1"), scope: .freshConnection, if: hasHash, hasClientFeatures, canMoveHandles,
            .characteristic(.appearance, of: .genericAccess)
        ) { peripheral throws(CheckExit) in try peripheral.expectSeveralOutOfSync() }.withoutBond(),
        Check(
            "GATT/SR/GAW/BI-41-C", "a write that was prepared before a change is not executed",
            gatt("2.5.2.1"), scope: .freshConnection, if: hasHash, hasClientFeatures, canMoveHandles
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.preparable().handle
            _ = try peripheral.enableRobustCaching()
            let prepared = PDU.prepareWriteRequest(handle: handle, offset: 0, value: [0x01])
            _ = try peripheral.answer(to: prepared, "a prepared write to \(handle.inHex)")
            try peripheral.moveHandles()
            let description = "Execute Write of a value prepared before the change"
            let error = try peripheral.refusal(of: PDU.executeWriteRequest(write: true), description)?.error
            try peripheral.expect(
                error == .databaseOutOfSync, "\(description) is refused with \(ATTError.databaseOutOfSync)",
                seen: error?.description ?? "it was executed")
        },
    ]
}

extension Examiner {
    /// Fails if a read of Device Name is refused.
    private mutating func expectAnswered(_ handle: UInt16, _ expected: String) throws(CheckExit) {
        let error = try refusal(of: .read(handle: handle), "a read of Device Name")
        try expect(error == nil, expected, seen: error?.description ?? "")
    }

    /// Fails unless a read of Device Name gets Database Out Of Sync.
    private mutating func expectUnaware(_ handle: UInt16) throws(CheckExit) {
        try expectOutOfSync(
            .readRequest(handle: handle), at: handle, "a read of Device Name by a change-unaware client")
    }

    private mutating func expectOutOfSync(_ request: PDU, at handle: UInt16, _ name: String) throws(CheckExit) {
        try expectRefused(request, with: [.databaseOutOfSync], at: handle, name)
    }

    /// Fails unless a client that has set its features cannot clear them.
    private mutating func expectFeaturesKept(_ handle: UInt16) throws(CheckExit) {
        try expectClearingRefused(handle)
        let kept = try read(handle, "Client Supported Features")
        try expect(kept.first == 0x01, "Client Supported Features stays 01", seen: kept.text)
    }

    fileprivate mutating func expectOutOfSync() throws(CheckExit) {
        let name = try nameHandle
        let commanded = try commandedType()
        try moveHandles()
        try expectAnswered(name, "a value, since the client has not enabled robust caching")
        let features = try enableRobustCaching()
        try moveHandles()
        try expectUnaware(name)
        try expectAnswered(name, "the next read is answered")
        if let commanded {
            try moveHandles()
            try expectCommandIgnored(commanded, name)
        }
        try expectFeaturesKept(features)
        try moveHandles()
        let hash = try characteristic(.databaseHash, of: .genericAttribute).valueHandle
        try expectOutOfSync(.readRequest(handle: hash), at: hash, "a read of the Database Hash by its handle")
        try moveHandles()
        try expectOutOfSync(
            .readByTypeRequest(HandleRange(name, name), type: .deviceName), at: name,
            "Read By Type of Device Name at \(name.inHex) only")
    }

    /// The type of a stable value that takes Write Commands, and that no other value has; nil if there is none.
    private mutating func commandedType() throws(CheckExit) -> UUID? {
        let values = applicationValues
        for value in values where value.properties.isSuperset(of: [.read, .writeWithoutResponse]) {
            guard values.count(where: { $0.uuid == value.uuid }) == 1,
                let octets = try stableValue(value.valueHandle), 1...mtu - 4 ~= octets.count
            else { continue }
            return value.uuid
        }
        return nil
    }

    private mutating func expectCommandIgnored(_ type: UUID, _ name: UInt16) throws(CheckExit) {
        // A search over all handles does not make the client change-aware.
        let search = "Read By Type of \(type.name)"
        guard case .success(.values(let found)) = try result(of: .readByUUID(type, .all), search),
            let value = found.first
        else { throw failure(expected: "an answer to \(search) within all handles", seen: "none") }
        try expectUnaware(name)
        let commanded = value.value.farAway
        try send(PDU.writeCommand(handle: value.handle, value: commanded).octets)
        wait(.seconds(1))
        let after = try read(value.handle, type.name)
        try expectIgnored(
            type.name, value.value, seen: after, ifWritten: after == commanded,
            " after a Write Command of a change-unaware client")
    }

    fileprivate mutating func expectAware() throws(CheckExit) {
        let name = try nameHandle
        let changed = try characteristic(.serviceChanged, of: .genericAttribute)
        _ = try enableRobustCaching()
        let before = try databaseHash()
        try moveHandles()
        let after = try databaseHash()
        try expect(after != before, "a different Database Hash after the change", seen: after.text)
        try expectAnswered(name, "a value, since the client has read the Database Hash")
        try subscribe(.indication, to: changed)
        try moveHandles()
        try expectIndicated(changed.valueHandle)
        try expectAnswered(name, "a value, since the client has confirmed Service Changed")
        try require(.unconfirmedIndications)
        try inject(.confirmIndications(false))
        try moveHandles()
        try expectIndicated(changed.valueHandle)
        try expectUnaware(name)
    }

    private mutating func expectIndicated(_ handle: UInt16, after count: Int? = nil) throws(CheckExit) {
        let first = count ?? receivedValues.count
        let isIndicated = wait(atMost: .seconds(30)) { examiner in
            examiner.receivedValues.dropFirst(first).contains { $0.handle == handle } || examiner.connection == nil
        }
        guard connection != nil else { throw disconnected(during: "a wait for Service Changed") }
        try expect(isIndicated, "an indication of Service Changed within 30 s of the change", seen: "none")
    }

    fileprivate mutating func expectAwareAcrossConnections() throws(CheckExit) {
        let keys = try bondWithAttributes()
        let name = try nameHandle
        let changed = try characteristic(.serviceChanged, of: .genericAttribute)
        let features = try enableRobustCaching()
        try comeBack(keys, afterChange: true)
        _ = try databaseHash()
        try expectAnswered(name, "a value, since the client has read the Database Hash")
        try subscribe(.indication, to: changed)
        try comeBack(keys, afterChange: true)
        try expectIndicated(changed.valueHandle, after: 0)
        try expectAnswered(name, "a value, since the client has confirmed Service Changed")
        try comeBack(keys)
        try expectFeaturesKept(features)
        try subscribe([], to: changed)
        try comeBack(keys, afterChange: true)
        try expectUnaware(name)
        try comeBack(keys)
        try expectUnaware(name)
    }

    /// Reconnects as a bonded client that knows the attributes; first changes them if `afterChange`.
    private mutating func comeBack(_ keys: PairedKeys, afterChange isChanged: Bool = false) throws(CheckExit) {
        let known = services
        try reconnect(withBond: keys) { peripheral throws(CheckExit) in
            if isChanged { try peripheral.moveHandles() }
        }
        services = known
        wait(.seconds(1))  // until the server knows that the link is encrypted
    }

    fileprivate mutating func expectSeveralOutOfSync() throws(CheckExit) {
        let request = PDU.readMultipleVariableRequest([
            try nameHandle, try characteristic(.appearance, of: .genericAccess).valueHandle,
        ])
        let name = "Read Multiple Variable"
        try moveHandles()
        let first = try refusal(of: request, name)?.error
        if first == .requestNotSupported { throw Self.unsupported(name) }
        try expect(
            first != .databaseOutOfSync, "another answer, since the client has not enabled robust caching",
            seen: "\(ATTError.databaseOutOfSync)")
        _ = try enableRobustCaching()
        try moveHandles()
        let second = try refusal(of: request, name)?.error
        try expect(
            second == .databaseOutOfSync, "\(ATTError.databaseOutOfSync) for \(name) of a change-unaware client",
            seen: second?.description ?? "values")
        let third = try refusal(of: request, name)?.error
        try expect(third != .databaseOutOfSync, "another answer to the next request", seen: "the same")
    }
}
