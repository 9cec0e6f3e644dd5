import ATT
import Bluetooth
import GATT
import Simulation

// How values are written: what is read afterwards is what was written, and what was there is put back.  Core 6.0, Vol 3,
// Part G, section 4.9.
extension Check {
    static let writing = [
        Check(
            "GATT/SR/GAW/BV-01-C", "a value is written by a command, and nothing answers that",
            "Core 6.0, Vol 3, Part G, section 4.9.1"
        ) { peripheral throws(CheckExit) in
            try peripheral.writeAndRead(.writeWithoutResponse) { peripheral, handle, octets throws(CheckExit) in
                try peripheral.expectSilence(
                    after: PDU.writeCommand(handle: handle, value: octets).octets, "a Write Command")
                return true
            }
        },
        Check(
            "GATT/SR/GAW/BV-03-C", "a value is written, and read as it was written",
            "Core 6.0, Vol 3, Part G, section 4.9.3"
        ) { peripheral throws(CheckExit) in
            try peripheral.writeAndRead { peripheral, handle, octets throws(CheckExit) in
                try peripheral.isDone(.write(handle: handle, value: octets), "a write to \(handle.inHex)")
            }
        },
        Check(
            "GATT/SR/GAW/BV-05-C", "a value that is longer than a PDU is written in parts",
            "Core 6.0, Vol 3, Part G, section 4.9.4", scope: .narrow
        ) { peripheral throws(CheckExit) in
            try peripheral.writeAndRead(atLeast: 21) { peripheral, handle, octets throws(CheckExit) in
                try peripheral.isDone(.writeLong(handle: handle, value: octets), "a long write to \(handle.inHex)")
            }
        },
        Check(
            "GATT/SR/GAW/BV-06-C", "what is prepared is repeated by the server, and written when that is asked",
            "Core 6.0, Vol 3, Part G, section 4.9.5"
        ) { peripheral throws(CheckExit) in
            try peripheral.writeAndRead { peripheral, handle, octets throws(CheckExit) in
                guard try peripheral.prepare(octets, for: handle) else { return false }
                let done = try peripheral.answer(to: .executeWriteRequest(write: true), "the end of a reliable write")
                return done == .executeWriteResponse
            }
        },
        Check(
            "GATT/SR/GAW/BV-07-C", "what was prepared and cancelled is not written",
            "Core 6.0, Vol 3, Part F, section 3.4.6.3"
        ) { peripheral throws(CheckExit) in try peripheral.expectCancelled() },
        Check(
            "GATT/SR/GAW/BV-08-C", "a configuration is written, and read as it was written",
            "Core 6.0, Vol 3, Part G, section 4.12.3"
        ) { peripheral throws(CheckExit) in
            try peripheral.configureAndRead { peripheral, handle, octets throws(CheckExit) in
                try peripheral.isDone(.write(handle: handle, value: octets), "a write to \(handle.inHex)")
            }
        },
        Check(
            "GATT/SR/GAW/BV-09-C", "a configuration is written in parts", "Core 6.0, Vol 3, Part G, section 4.12.4"
        ) { peripheral throws(CheckExit) in
            try peripheral.configureAndRead { peripheral, handle, octets throws(CheckExit) in
                guard try peripheral.prepare(octets, for: handle) else { return false }
                let done = try peripheral.answer(to: .executeWriteRequest(write: true), "the end of a long write")
                return done == .executeWriteResponse
            }
        },
        Check(
            "GATT/SR/GAW/BV-10-C", "several values are written at once", "Core 6.0, Vol 3, Part G, section 4.9.5"
        ) { peripheral throws(CheckExit) in try peripheral.expectWrittenTogether() },
        Check(
            "GATT/SR/GAW/BV-11-C", "to write what was prepared is no error where nothing was",
            "Core 6.0, Vol 3, Part F, section 3.4.6.3"
        ) { peripheral throws(CheckExit) in
            let words = "a write of what was prepared, which is nothing,"
            switch try peripheral.answer(to: .executeWriteRequest(write: true), words) {
            case .executeWriteResponse: return
            case .errorResponse(_, _, .requestNotSupported): throw Examiner.unsupported("Execute Write")
            case let answer:
                throw peripheral.failure(expected: "\(words) is answered by 19", seen: answer.octets.hex)
            }
        },
    ]
}

/// A value that can be written, and what it was.
private struct Writable {
    let handle: UInt16
    let before: [UInt8]
    /// Whether it is notified or indicated too.
    let isTold: Bool

    /// Another value of the same length.
    var other: [UInt8] {
        guard let last = before.last else { return before }
        return before.dropLast() + [last ^ 0x01]
    }
}

extension Examiner {
    /// What can be read, keeps its value, and can be written so; skips the check where nothing can.
    private mutating func writable(
        _ property: CharacteristicProperties = .write, atLeast count: Int = 1
    ) throws(CheckExit) -> [Writable] {
        var found: [Writable] = []
        let both = property.union(.read)
        for value in ownValues where value.properties.isSuperset(of: both) {
            guard let octets = try steady(value.valueHandle), octets.count >= count else { continue }
            let isTold = !value.properties.isDisjoint(with: [.notify, .indicate])
            found.append(Writable(handle: value.valueHandle, before: octets, isTold: isTold))
        }
        guard !found.isEmpty else {
            throw .skipped("not claimed: no value of \(count) octets or more has \(both.names), and stays what it is")
        }
        return found
    }

    /// Whether a request is done; false when it is refused.
    fileprivate mutating func isDone(_ procedure: Procedure, _ words: String) throws(CheckExit) -> Bool {
        try refusal(of: procedure, words) == nil
    }

    /// Prepares a value in two parts, each of which has to be repeated; false when it is refused.
    fileprivate mutating func prepare(_ octets: [UInt8], for handle: UInt16) throws(CheckExit) -> Bool {
        let middle = octets.count / 2
        for (offset, part) in [(0, octets[..<middle]), (middle, octets[middle...])] where !part.isEmpty {
            let (place, octets) = (UInt16(clamping: offset), Array(part))
            let words = "a prepared write of \(octets.hex) to \(handle.inHex)"
            switch try answer(to: .prepareWriteRequest(handle: handle, offset: place, value: octets), words) {
            case .prepareWriteResponse(handle, place, octets): continue
            case .errorResponse(_, _, .requestNotSupported): throw Self.unsupported("Prepare Write")
            case .errorResponse: return false
            case let answer: throw failure(expected: "\(words) is repeated", seen: answer.octets.hex)
            }
        }
        return true
    }

    /// Writes another value, reads it, and writes back what was there; a value that nobody may change is left alone.
    fileprivate mutating func writeAndRead(
        _ property: CharacteristicProperties = .write, atLeast count: Int = 1,
        _ write: (inout Examiner, UInt16, [UInt8]) throws(CheckExit) -> Bool
    ) throws(CheckExit) {
        for value in try writable(property, atLeast: count) {
            guard try write(&self, value.handle, value.other) else { continue }
            let read = try read(value.handle, "handle \(value.handle.inHex)")
            guard read != value.other else {
                _ = try write(&self, value.handle, value.before)
                return
            }
            // What tells its own answer is a control point, and need not keep what is written.
            guard !value.isTold else { continue }
            throw failure(
                expected: "handle \(value.handle.inHex) has \(value.other.hex), as it was written", seen: read.hex)
        }
        throw .skipped("not claimed: no value that can be written takes and keeps another one of its length")
    }

    /// Writes 1 or 2 to a configuration, whichever it can have, and reads it.
    fileprivate mutating func configureAndRead(
        _ write: (inout Examiner, UInt16, [UInt8]) throws(CheckExit) -> Bool
    ) throws(CheckExit) {
        guard
            let value = services.flatMap(\.characteristics).first(where: {
                $0.configurationHandle != nil && !$0.properties.isDisjoint(with: [.notify, .indicate])
            }), let handle = value.configurationHandle
        else { throw .skipped("not claimed: nothing can be notified or indicated") }
        let octets: [UInt8] = [value.properties.contains(.notify) ? 1 : 2, 0]
        let isWritten = try write(&self, handle, octets)
        try expect(isWritten, "the configuration of \(value.uuid) takes \(octets.hex)", seen: "it was refused")
        let read = try read(handle, "the configuration of \(value.uuid)")
        try expect(read == octets, "the configuration of \(value.uuid) is \(octets.hex)", seen: read.hex)
    }

    fileprivate mutating func expectCancelled() throws(CheckExit) {
        for value in try writable() {
            guard try prepare(value.other, for: value.handle) else { continue }
            let words = "a cancel of what was prepared"
            let answer = try answer(to: .executeWriteRequest(write: false), words)
            try expect(answer == .executeWriteResponse, "\(words) is answered by 19", seen: answer.octets.hex)
            _ = try self.answer(to: .executeWriteRequest(write: true), "a write of what was prepared")
            let read = try read(value.handle, "handle \(value.handle.inHex)")
            return try expect(
                read == value.before, "handle \(value.handle.inHex) keeps \(value.before.hex)", seen: read.hex)
        }
        throw .skipped("not claimed: no value takes a prepared write")
    }

    fileprivate mutating func expectWrittenTogether() throws(CheckExit) {
        var prepared: [Writable] = []
        for value in try writable() where prepared.count < 2 {
            if try prepare(value.other, for: value.handle) { prepared.append(value) }
        }
        let isDone = try answer(to: .executeWriteRequest(write: true), "the end of a reliable write")
        guard prepared.count == 2 else { throw .skipped("not claimed: fewer than two values take a prepared write") }
        guard isDone == .executeWriteResponse else {
            throw .skipped("not claimed: the values refuse others of their length: \(isDone.octets.hex)")
        }
        for value in prepared where !value.isTold {
            let read = try read(value.handle, "handle \(value.handle.inHex)")
            try expect(
                read == value.other, "handle \(value.handle.inHex) has \(value.other.hex), as it was prepared",
                seen: read.hex)
            _ = try refusal(of: .writeLong(handle: value.handle, value: value.before), "a write of what was there")
        }
    }
}
