import ATT
import Basics
import Bluetooth
import Checks
import GATT

// Writes are verified by a read, then undone.  Core 6.0, Vol 3,
// Part G, section 4.9.
extension Check {
    static let writing = [
        Check(
            "GATT/SR/GAW/BV-01-C", "a Write Command changes a value and is not answered", gatt("4.9.1")
        ) { peripheral throws(CheckExit) in
            try peripheral.writeAndRead(.writeWithoutResponse, lengths: 1...peripheral.mtu - 3) {
                peripheral, handle, octets throws(CheckExit) in
                try peripheral.expectSilence(
                    after: PDU.writeCommand(handle: handle, value: octets).octets, "a Write Command")
                return true
            }
        },
        Check(
            "GATT/SR/GAW/BV-03-C", "a written value reads back the same", gatt("4.9.3")
        ) { peripheral throws(CheckExit) in
            try peripheral.writeAndRead(lengths: 1...peripheral.mtu - 3, by: whole)
        },
        Check(
            "GATT/SR/GAW/BV-05-C", "a value longer than a PDU can be written in parts", gatt("4.9.4"), scope: .narrow
        ) { peripheral throws(CheckExit) in
            let shortest = min(peripheral.mtu - 2, 512)
            try peripheral.writeAndRead(lengths: shortest...512, by: inParts(of: 512))
        },
        Check(
            "GATT/SR/GAW/BV-06-C", "the server repeats prepared writes, and executes them on request", gatt("4.9.5")
        ) { peripheral throws(CheckExit) in try peripheral.writeAndRead(by: inParts()) },
        Check(
            "GATT/SR/GAW/BV-07-C", "cancelled prepared writes are not executed", att("3.4.6.3")
        ) { peripheral throws(CheckExit) in try peripheral.expectNotExecuted() },
        Check(
            "GATT/SR/GAW/BV-08-C", "a written configuration reads back the same", gatt("4.12.3")
        ) { peripheral throws(CheckExit) in try peripheral.configureAndRead(by: whole) },
        Check(
            "GATT/SR/GAW/BV-09-C", "a prepared write of a configuration is executed", gatt("4.12.4")
        ) { peripheral throws(CheckExit) in try peripheral.configureAndRead(by: prepared) },
        Check(
            "GATT/SR/GAW/BV-10-C", "several values can be written at once", gatt("4.9.5")
        ) { peripheral throws(CheckExit) in try peripheral.expectWrittenTogether() },
        Check(
            "GATT/SR/GAW/BV-11-C", "Execute Write with an empty queue succeeds", att("3.4.6.3")
        ) { peripheral throws(CheckExit) in
            let description = "Execute Write with an empty queue"
            switch try peripheral.answer(to: .executeWriteRequest(write: true), description) {
            case .executeWriteResponse: return
            case .errorResponse(_, _, .requestNotSupported): throw Examiner.unsupported("Execute Write")
            case let answer:
                guard try peripheral.acceptsPreparedWrites() else {
                    throw .notApplicable("no attribute accepts prepared writes")
                }
                throw peripheral.failure(
                    expected: "19, Execute Write Response, in answer to \(description)", seen: answer.octets.text)
            }
        },
    ]

    /// Writes octets to a handle; returns whether the server accepts them.
    fileprivate typealias WriteMethod = @Sendable (inout Examiner, UInt16, [UInt8]) throws(CheckExit) -> Bool

    private static let whole: WriteMethod = { peripheral, handle, octets throws(CheckExit) in
        try peripheral.refusal(of: .write(handle: handle, value: octets), "a write to \(handle.inHex)") == nil
    }

    /// In parts that fit into PDUs and have at most this length; by default in two, if they fit.
    private static func inParts(of length: Int? = nil) -> WriteMethod {
        { peripheral, handle, octets throws(CheckExit) in
            guard try peripheral.prepare(octets, for: handle, partLength: length) else { return false }
            let answer = try peripheral.answer(to: .executeWriteRequest(write: true), "Execute Write")
            return answer == .executeWriteResponse
        }
    }

    /// In one part, as a client writes a value that fits.  A server may support this for none of its attributes, or have
    /// no room for more parts.
    private static let prepared: WriteMethod = { peripheral, handle, octets throws(CheckExit) in
        guard try peripheral.prepare(octets, for: handle, partLength: octets.count) else {
            throw .notApplicable("the configuration accepts no prepared write")
        }
        return try peripheral.answer(to: .executeWriteRequest(write: true), "Execute Write") == .executeWriteResponse
    }
}

/// A value that can be written, and its original content.
private struct Writable {
    let handle: UInt16
    let before: [UInt8]
    /// Whether it can also be notified or indicated.
    let isNotified: Bool

    /// Another value of the same length.
    var other: [UInt8] {
        guard let last = before.last else { return before }
        return before.dropLast() + [last ^ 0x01]
    }
}

extension Examiner {
    /// The readable, stable values of these lengths that can be written with this property; skips the check if there are
    /// none.
    private mutating func writable(
        _ property: CharacteristicProperties = .write, lengths: ClosedRange<Int> = 1...512
    ) throws(CheckExit) -> [Writable] {
        var found: [Writable] = []
        let both = property.union(.read)
        let candidates = applicationValues.filter { $0.properties.isSuperset(of: both) }
        let stable = try stableValues(candidates.map(\.valueHandle))
        for value in candidates {
            guard let octets = stable[value.valueHandle], lengths ~= octets.count else { continue }
            let isNotified = !value.properties.isDisjoint(with: [.notify, .indicate])
            found.append(Writable(handle: value.valueHandle, before: octets, isNotified: isNotified))
        }
        guard !found.isEmpty else {
            throw .notApplicable(
                "no stable value has \(both.names), and \(lengths.lowerBound) to \(lengths.upperBound) octets"
            )
        }
        return found
    }

    /// Prepares a value in parts of at most `partLength`, by default in two, or in more if they do not fit into PDUs; the
    /// server must repeat each.  False, with an empty queue, if it rejects one.
    fileprivate mutating func prepare(
        _ octets: [UInt8], for handle: UInt16, partLength: Int? = nil
    ) throws(CheckExit) -> Bool {
        let length = min(mtu - 5, max(1, partLength ?? (octets.count + 1) / 2))
        for offset in stride(from: 0, to: octets.count, by: length) {
            let (place, part) = (UInt16(clamping: offset), Array(octets[offset...].prefix(length)))
            let description = "Prepare Write of \(part.text) to \(handle.inHex)"
            switch try answer(to: .prepareWriteRequest(handle: handle, offset: place, value: part), description) {
            case .prepareWriteResponse(handle, place, part): continue
            case .errorResponse(_, _, .requestNotSupported): throw Self.unsupported("Prepare Write")
            case .errorResponse:
                try cancelPreparedWrites()
                return false
            case let answer: throw failure(expected: "a response that repeats \(description)", seen: answer.octets.text)
            }
        }
        return true
    }

    /// Whether a value or a configuration accepts a prepared write, which is then cancelled.
    fileprivate mutating func acceptsPreparedWrites() throws(CheckExit) -> Bool {
        let values = applicationValues.filter { $0.properties.contains(.write) }.map(\.valueHandle)
        for handle in values + characteristics.compactMap(\.configurationHandle) {
            if try errorOfPreparedWrite(to: handle, handle.inHex) == nil { return true }
        }
        return false
    }

    private mutating func expectCancelled() throws(CheckExit) {
        let answer = try cancelPreparedWrites()
        try expect(
            answer == .executeWriteResponse,
            "19, Execute Write Response, in answer to a cancelling Execute Write", seen: answer.octets.text)
    }

    /// Writes another value, reads it, and restores the original; tries the next if the server rejects the write.
    fileprivate mutating func writeAndRead(
        _ property: CharacteristicProperties = .write, lengths: ClosedRange<Int> = 1...512,
        by write: Check.WriteMethod
    ) throws(CheckExit) {
        for value in try writable(property, lengths: lengths) {
            guard try write(&self, value.handle, value.other) else { continue }
            let read = try read(value.handle, "handle \(value.handle.inHex)")
            guard read != value.other else {
                _ = try write(&self, value.handle, value.before)
                return
            }
            if !value.isNotified { _ = try write(&self, value.handle, value.before) }
            try expectNotKept(value, seen: read, by: write)
        }
        throw .notApplicable("no writable value accepts and keeps another value of its length")
    }

    /// Fails if a value that had other octets after a write has others again, but keeps them after a Write Request.  A server may
    /// change what it stores, or take it for a command; and a clock or a counter changes by itself.  Core 6.0, Vol 3, Part G,
    /// section 4.9, does not require that it keeps a value.
    private mutating func expectNotKept(
        _ value: Writable, seen: [UInt8], by write: Check.WriteMethod
    ) throws(CheckExit) {
        guard !value.isNotified, value.other.count <= mtu - 3 else { return }
        let (handle, name) = (value.handle, "handle \(value.handle.inHex)")
        var isKept = false
        if try write(&self, handle, value.other), try read(handle, name) != value.other {
            isKept = try keepsWritten(value)
        }
        _ = try refusal(of: .write(handle: handle, value: value.before), "a write of the previous value")
        try expect(
            !isKept, "\(name) has \(value.other.text), as written, and as after a Write Request", seen: seen.text)
    }

    /// Whether a value has other octets for 10 s after a Write Request.
    private mutating func keepsWritten(_ value: Writable) throws(CheckExit) -> Bool {
        let (handle, name) = (value.handle, "handle \(value.handle.inHex)")
        guard try refusal(of: .write(handle: handle, value: value.other), "a write to \(name)") == nil,
            try read(handle, name) == value.other
        else { return false }
        wait(.seconds(10))
        return try read(handle, name) == value.other
    }

    /// Writes 1 or 2 to a configuration, whichever it supports, and reads it.
    fileprivate mutating func configureAndRead(by write: Check.WriteMethod) throws(CheckExit) {
        guard
            let value = characteristics.first(where: {
                $0.configurationHandle != nil && !$0.properties.isDisjoint(with: [.notify, .indicate])
            }), let handle = value.configurationHandle
        else { throw .notApplicable("no characteristic can be notified or indicated") }
        // The link becomes as secure as the peripheral requires.
        let error = try refusedSecurely(.write(handle: handle, value: [0, 0]), "a write to \(handle.inHex)")
        if let error { try skipIfUnpaired(error, "the configuration of \(value.uuid.name)") }
        let octets: [UInt8] = [value.properties.contains(.notify) ? 1 : 2, 0]
        let isWritten = try write(&self, handle, octets)
        try expect(
            isWritten, "the configuration of \(value.uuid.name) accepts \(octets.text)", seen: "an Error Response")
        let read = try read(handle, "the configuration of \(value.uuid.name)")
        try expect(read == octets, "the configuration of \(value.uuid.name) is \(octets.text)", seen: read.text)
        try subscribe([], to: value)
    }

    fileprivate mutating func expectNotExecuted() throws(CheckExit) {
        for value in try writable() {
            let cancelled = value.before.farAway
            guard try prepare(cancelled, for: value.handle) else { continue }
            try expectCancelled()
            _ = try answer(to: .executeWriteRequest(write: true), "Execute Write")
            let name = "handle \(value.handle.inHex)"
            let read = try read(value.handle, name)
            return try expectIgnored(name, value.before, seen: read, ifWritten: read == cancelled)
        }
        throw .notApplicable("no value accepts prepared writes")
    }

    fileprivate mutating func expectWrittenTogether() throws(CheckExit) {
        var prepared: [Writable] = []
        for value in try writable() where prepared.count < 2 {
            guard try prepare(value.other, for: value.handle) else { continue }
            try expectCancelled()
            prepared.append(value)
        }
        guard prepared.count == 2 else { throw .notApplicable("fewer than two values accept prepared writes") }
        let values = prepared
        let together: Check.WriteMethod = { peripheral, _, _ throws(CheckExit) in
            for value in values {
                guard try peripheral.prepare(value.other, for: value.handle) else {
                    throw .notApplicable("the prepare queue is too short for two values")
                }
            }
            let response = try peripheral.answer(to: .executeWriteRequest(write: true), "Execute Write")
            guard response == .executeWriteResponse else {
                throw .notApplicable("the values reject other values of their length: \(response.octets.text)")
            }
            return true
        }
        _ = try together(&self, values[0].handle, values[0].other)
        for value in values where !value.isNotified {
            let read = try read(value.handle, "handle \(value.handle.inHex)")
            if read != value.other { try expectNotKept(value, seen: read, by: together) }
            _ = try refusal(of: .writeLong(handle: value.handle, value: value.before), "a write of the previous value")
        }
    }
}
