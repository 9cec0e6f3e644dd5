import ATT
import Bluetooth
import GATT

// What a server does not let anybody write, whatever its services are.  Core 6.0, Vol 3, Part F, sections 3.4.5 and
// 3.4.6, and Part G, section 4.9.
extension Check {
    private static let named = Claim.characteristic(.deviceName, of: .genericAccess)
    private static let unauthorized = TargetAttribute.guardedFromWriting(.insufficientAuthorization)
    private static let unauthenticated = TargetAttribute.guardedFromWriting(.insufficientAuthentication)

    static let writingRefused =
        [
            ("BI-02-C", false, .invalidHandle, .nobody), ("BI-03-C", false, .writeNotPermitted, .unwritable),
            ("BI-04-C", false, .insufficientAuthorization, unauthorized),
            ("BI-05-C", false, .insufficientAuthentication, unauthenticated),
            ("BI-07-C", true, .invalidHandle, .nobody), ("BI-08-C", true, .writeNotPermitted, .unwritable),
            ("BI-11-C", true, .insufficientAuthorization, unauthorized),
            ("BI-12-C", true, .insufficientAuthentication, unauthenticated),
        ].map(refusing) + [
            Check(
                "GATT/SR/GAW/BI-09-C", "what was prepared for behind the end of a value: \(ATTError.invalidOffset)",
                "Core 6.0, Vol 3, Part F, section 3.4.6.3", if: named
            ) { peripheral throws(CheckExit) in
                try peripheral.expectPreparedRefused(with: .invalidOffset) { count in [(count + 1, [0])] }
            },
            Check(
                "GATT/SR/GAW/BI-33-C",
                "what was prepared for more than a value has room for: \(ATTError.invalidAttributeValueLength)",
                "Core 6.0, Vol 3, Part F, sections 3.2.9 and 3.4.6.3", if: named
            ) { peripheral throws(CheckExit) in
                try peripheral.expectPreparedRefused(with: .invalidAttributeValueLength) { _ in
                    stride(from: 0, through: 512, by: 18).map { ($0, Array(repeating: 0x41, count: 18)) }
                }
            },
            Check(
                "GATT/SR/GAW/BI-32-C",
                "an octet more than a value has room for: \(ATTError.invalidAttributeValueLength)",
                "Core 6.0, Vol 3, Part F, section 3.4.5.1", if: named
            ) { peripheral throws(CheckExit) in try peripheral.expectTooLongRefused() },
            Check(
                "gatt/configuration_length", "a configuration of three octets: \(ATTError.invalidAttributeValueLength)",
                "Core 6.0, Vol 3, Part F, section 3.4.5.1, and Part G, section 3.3.3.3", if: named
            ) { peripheral throws(CheckExit) in
                let handle = try peripheral.anyConfiguration()
                try peripheral.readName("before")
                try peripheral.expectRefused(
                    .writeRequest(handle: handle, value: [1, 0, 0]), with: [.invalidAttributeValueLength], at: handle,
                    "a write of three octets to a configuration")
                try peripheral.readName("after")
            },
        ]

    private static func refusing(
        _ number: String, _ isPrepared: Bool, _ error: ATTError, _ place: TargetAttribute
    ) -> Check {
        let way = isPrepared ? "Prepare Write" : "Write"
        return Check(
            "GATT/SR/GAW/\(number)", "\(way) to \(place.words): \(error)",
            "Core 6.0, Vol 3, Part G, section \(isPrepared ? "4.9.4" : "4.9.3")", if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            let handle = try place.find(in: &peripheral).handle
            let words = "\(way) to \(place.words), \(handle.inHex),"
            let request: PDU =
                isPrepared
                ? .prepareWriteRequest(handle: handle, offset: 0, value: [0])
                : .writeRequest(handle: handle, value: [0])
            if isPrepared, try peripheral.refusal(of: request, words)?.error == .requestNotSupported {
                throw Examiner.unsupported(way)
            }
            try peripheral.expectRefused(request, with: [error], at: handle, words)
            try peripheral.readName("after")
        }
    }
}

extension Examiner {
    /// The first configuration there is; skips the check where there is none.
    func anyConfiguration() throws(CheckExit) -> UInt16 {
        guard let handle = services.flatMap(\.characteristics).lazy.compactMap(\.configurationHandle).first else {
            throw .skipped("not claimed: nothing can be notified or indicated")
        }
        return handle
    }

    /// A value that can be read and takes prepared writes, and its length; skips the check where there is none.
    mutating func preparable() throws(CheckExit) -> (handle: UInt16, octets: [UInt8]) {
        for value in ownValues where value.properties.isSuperset(of: [.read, .write]) {
            guard let octets = try steady(value.valueHandle) else { continue }
            let request = PDU.prepareWriteRequest(handle: value.valueHandle, offset: 0, value: [])
            let refusal = try refusal(of: request, "a prepared write to \(value.uuid)")
            _ = try answer(to: .executeWriteRequest(write: false), "a cancel of what was prepared")
            if refusal == nil { return (value.valueHandle, octets) }
            guard refusal?.error != .requestNotSupported else { throw Self.unsupported("Prepare Write") }
        }
        throw .skipped("not claimed: no value that can be read takes a prepared write")
    }

    /// Prepares parts of a value, and fails unless they are refused so, then or at the end, and nothing is written.
    fileprivate mutating func expectPreparedRefused(
        with error: ATTError, _ parts: (Int) -> [(offset: Int, octets: [UInt8])]
    ) throws(CheckExit) {
        try readName("before")
        let (handle, before) = try preparable()
        for (offset, octets) in parts(before.count) {
            let place = UInt16(clamping: offset)
            let words = "a prepared write of \(octets.count) octets from \(offset)"
            switch try answer(to: .prepareWriteRequest(handle: handle, offset: place, value: octets), words) {
            case .prepareWriteResponse: continue
            case .errorResponse(_, _, .prepareQueueFull):
                _ = try answer(to: .executeWriteRequest(write: false), "a cancel of what was prepared")
                throw .skipped("not claimed: it has no room to prepare so much")
            case .errorResponse(_, _, error):
                _ = try answer(to: .executeWriteRequest(write: false), "a cancel of what was prepared")
                return try readName("after")
            case let answer:
                throw failure(expected: "\(words) is repeated, or refused with \(error)", seen: answer.octets.hex)
            }
        }
        try expectRefused(.executeWriteRequest(write: true), with: [error], at: handle, "a write of what was prepared")
        let after = try read(handle, "handle \(handle.inHex)")
        try expect(after == before, "handle \(handle.inHex) keeps \(before.hex)", seen: after.hex)
        try readName("after")
    }

    fileprivate mutating func expectTooLongRefused() throws(CheckExit) {
        try readName("before")
        for value in ownValues where value.properties.isSuperset(of: [.read, .write]) {
            guard let octets = try steady(value.valueHandle), octets.count < mtu - 3 else { continue }
            let longer = PDU.writeRequest(handle: value.valueHandle, value: octets + [0])
            guard let refusal = try refusal(of: longer, "a write of an octet more to \(value.uuid)") else {
                _ = try self.refusal(of: .write(handle: value.valueHandle, value: octets), "a write of what was there")
                continue
            }
            guard !refusal.error.isOwnBusiness, refusal.error != .valueNotAllowed else { continue }
            try expect(
                refusal.error == .invalidAttributeValueLength,
                "a write of \(octets.count + 1) octets to \(value.uuid), which has \(octets.count), is refused with "
                    + "\(ATTError.invalidAttributeValueLength)", seen: "\(refusal.error)")
            return try readName("after")
        }
        throw .skipped("not claimed: each value that can be written takes an octet more")
    }
}
