import ATT
import Bluetooth
import Checks
import GATT

// Writes that a server must reject, whatever its services.  Core 6.0, Vol 3, Part F, sections 3.4.5 and
// 3.4.6, and Part G, section 4.9.
extension Check {
    private static let requests = [
        AttributeRequest(
            name: "Write", section: "4.9.3", isOptional: false, numbers: ["BI-02", "BI-03", "BI-04", "BI-05"]
        ) { handle, _, _ in .writeRequest(handle: handle, value: [0]) },
        AttributeRequest(
            name: "Prepare Write", section: "4.9.4", numbers: ["BI-07", "BI-08", "BI-11", "BI-12"]
        ) { handle, _, _ in .prepareWriteRequest(handle: handle, offset: 0, value: [0]) },
    ]

    private static let targets: [(TargetAttribute, ATTError)] = [
        (.unused, .invalidHandle), (.unwritable, .writeNotPermitted),
        (.guardedFromWriting(.insufficientAuthorization), .insufficientAuthorization),
        (.guardedFromWriting(.insufficientAuthentication), .insufficientAuthentication),
    ]

    static let writeErrors =
        requests.flatMap { $0.checks("GATT/SR/GAW", "to", targets) } + [
            refusing(
                "GATT/SR/GAW/BI-09-C",
                "a prepared write past the end of a value is rejected with \(ATTError.invalidOffset)", att("3.4.6.3")
            ) { peripheral throws(CheckExit) in
                try peripheral.expectPreparedRefused(with: .invalidOffset) { count in [(count + 1, [0])] }
            },
            refusing(
                "GATT/SR/GAW/BI-33-C",
                "prepared writes that are too long for a value are rejected with \(ATTError.invalidAttributeValueLength)",
                "Core 6.0, Vol 3, Part F, sections 3.2.9 and 3.4.6.3"
            ) { peripheral throws(CheckExit) in
                try peripheral.expectPreparedRefused(with: .invalidAttributeValueLength) { _ in
                    stride(from: 0, through: 512, by: 18).map { ($0, Array(repeating: 0x41, count: 18)) }
                }
            },
            refusing(
                "GATT/SR/GAW/BI-32-C",
                "a value that is one octet too long is rejected with \(ATTError.invalidAttributeValueLength)",
                att("3.4.5.1")
            ) { peripheral throws(CheckExit) in try peripheral.expectTooLongRefused() },
            Check(
                "gatt/configuration_length",
                "a configuration of three octets is rejected with \(ATTError.invalidAttributeValueLength)",
                "Core 6.0, Vol 3, Part F, section 3.4.5.1, and Part G, section 3.3.3.3", if: .deviceName
            ) { peripheral throws(CheckExit) in
                let handle = try peripheral.anyConfiguration()
                try peripheral.readName("before")
                try peripheral.expectRefused(
                    .writeRequest(handle: handle, value: [1, 0, 0]), with: [.invalidAttributeValueLength], at: handle,
                    "a write of three octets to a configuration")
                try peripheral.readName("after")
            },
        ]
}

extension Examiner {
    /// The handle of the first configuration; skips the check if there is none.
    func anyConfiguration() throws(CheckExit) -> UInt16 {
        guard let handle = characteristics.lazy.compactMap(\.configurationHandle).first else {
            throw .skipped("not applicable: no characteristic can be notified or indicated")
        }
        return handle
    }

    /// A value that can be read and accepts prepared writes; skips the check if there is none.
    mutating func preparable() throws(CheckExit) -> (handle: UInt16, octets: [UInt8]) {
        for value in applicationValues where value.properties.isSuperset(of: [.read, .write]) {
            guard let octets = try stableValue(value.valueHandle) else { continue }
            let request = PDU.prepareWriteRequest(handle: value.valueHandle, offset: 0, value: [])
            let refusal = try refusal(of: request, "Prepare Write to \(value.uuid.name)")
            _ = try answer(to: .executeWriteRequest(write: false), "a cancelling Execute Write")
            if refusal == nil { return (value.valueHandle, octets) }
            guard refusal?.error != .requestNotSupported else { throw Self.unsupported("Prepare Write") }
        }
        throw .skipped("not applicable: no readable value accepts prepared writes")
    }

    /// Prepares parts of a value; fails unless the server rejects them now or when executed, and writes nothing.
    fileprivate mutating func expectPreparedRefused(
        with error: ATTError, _ parts: (Int) -> [(offset: Int, octets: [UInt8])]
    ) throws(CheckExit) {
        let (handle, before) = try preparable()
        for (offset, octets) in parts(before.count) {
            let target = UInt16(clamping: offset)
            let description = "Prepare Write of \(octets.count) octets from \(offset)"
            switch try answer(to: .prepareWriteRequest(handle: handle, offset: target, value: octets), description) {
            case .prepareWriteResponse: continue
            case .errorResponse(_, _, .prepareQueueFull):
                _ = try answer(to: .executeWriteRequest(write: false), "a cancelling Execute Write")
                throw .skipped("not applicable: the prepare queue is too short")
            case .errorResponse(_, _, error):
                _ = try answer(to: .executeWriteRequest(write: false), "a cancelling Execute Write")
                return
            case let answer:
                throw failure(expected: "a response that repeats \(description), or \(error)", seen: answer.octets.text)
            }
        }
        try expectRefused(.executeWriteRequest(write: true), with: [error], at: handle, "Execute Write")
        let after = try read(handle, "handle \(handle.inHex)")
        try expect(after == before, "handle \(handle.inHex) keeps \(before.text)", seen: after.text)
    }

    fileprivate mutating func expectTooLongRefused() throws(CheckExit) {
        for value in applicationValues where value.properties.isSuperset(of: [.read, .write]) {
            guard let octets = try stableValue(value.valueHandle), octets.count < mtu - 3 else { continue }
            let longer = PDU.writeRequest(handle: value.valueHandle, value: octets + [0])
            guard let refusal = try refusal(of: longer, "a write of one octet too many to \(value.uuid.name)") else {
                _ = try self.refusal(
                    of: .write(handle: value.valueHandle, value: octets), "a write of the previous value")
                continue
            }
            guard !refusal.error.isServerSpecific, refusal.error != .valueNotAllowed else { continue }
            try expect(
                refusal.error == .invalidAttributeValueLength,
                "\(ATTError.invalidAttributeValueLength) for a write of \(octets.count + 1) octets to \(value.uuid.name), "
                    + "which has \(octets.count)", seen: "\(refusal.error)")
            return
        }
        throw .skipped("not applicable: every writable value accepts one octet more")
    }
}
