import ATT
import Basics
import Bluetooth
import Checks
import GATT

// Reads that a server must reject, whatever its services.  Core 6.0, Vol 3, Part F, section 3.4.4, and
// Part G, section 4.8.
extension Check {
    private static let readRequests = [
        AttributeRequest(
            name: "Read", section: "4.8.1", isOptional: false, numbers: ["BI-01", "BI-02", "BI-03", "BI-04", "BI-05"]
        ) { handle, _, _, _ in .readRequest(handle: handle) },
        AttributeRequest(
            name: "Read By Type", section: "4.8.2", numbers: ["BI-06", nil, "BI-09", "BI-10", "BI-11"]
        ) { handle, type, _, _ in .readByTypeRequest(HandleRange(handle, handle), type: type) },
        AttributeRequest(
            name: "Read Blob", section: "4.8.3", numbers: ["BI-12", "BI-14", "BI-15", "BI-16", "BI-17"]
        ) { handle, _, _, _ in .readBlobRequest(handle: handle, offset: 0) },
        AttributeRequest(
            name: "Read Multiple", section: "4.8.4", numbers: ["BI-18", "BI-19", "BI-20", "BI-21", "BI-22"]
        ) { handle, _, _, name in .readMultipleRequest([name, handle]) },
        AttributeRequest(
            name: "Read Multiple Variable", section: "4.8.5", numbers: ["BI-36", "BI-38", "BI-40", "BI-42", "BI-44"]
        ) { handle, _, _, name in .readMultipleVariableRequest([name, handle]) },
    ]

    private static let readTargets =
        [.unreadable, .unused] + TargetAttribute.guards.map(TargetAttribute.guardedFromReading)

    static let readErrors =
        readRequests.flatMap { $0.checks("GATT/SR/GAR", "of", readTargets) } + [
            refusing(
                "GATT/SR/GAR/BI-07-C", "Read By Type of an unknown type is rejected with \(ATTError.attributeNotFound)",
                att("3.4.4.1")
            ) { peripheral throws(CheckExit) in
                try peripheral.expectRefused(
                    .readByTypeRequest(.all, type: unknownType), with: [.attributeNotFound], at: 1,
                    "Read By Type of \(unknownType)")
            },
            refusing(
                "GATT/SR/GAR/BI-08-C",
                "Read By Type with an invalid handle range is rejected with \(ATTError.invalidHandle)", att("3.4.4.1")
            ) { peripheral throws(CheckExit) in
                for range in [HandleRange(0, 0xFFFF), HandleRange(3, 2)] {
                    try peripheral.expectRefused(
                        .readByTypeRequest(range, type: .deviceName), with: [.invalidHandle], at: range.first,
                        "Read By Type within \(range)")
                }
            },
            refusing(
                "GATT/SR/GAR/BI-13-C", "Read Blob past the end of a value is rejected with \(ATTError.invalidOffset)",
                att("3.4.4.5")
            ) { peripheral throws(CheckExit) in
                let handle = try peripheral.nameHandle
                try peripheral.expectInvalidOffset(
                    past: try peripheral.read(handle, "Device Name"), of: handle, "Device Name")
            },
            Check(
                "GATT/SR/GAR/BV-08-C",
                "Read Blob past the end of a descriptor is rejected with \(ATTError.invalidOffset)", att("3.4.4.5"),
                if: .deviceName
            ) { peripheral throws(CheckExit) in
                let all = peripheral.characteristics.flatMap(\.descriptors)
                guard let descriptor = all.first(where: { $0.type != .clientCharacteristicConfiguration }) else {
                    throw .notApplicable("the peripheral has no descriptors other than configurations")
                }
                let description = "descriptor \(descriptor.type.name)"
                try peripheral.readName("before")
                let value = try peripheral.read(descriptor.handle, description)
                try peripheral.expectInvalidOffset(past: value, of: descriptor.handle, description)
                try peripheral.readName("after")
            },
        ]

    /// A UUID that no attribute has.
    private static let unknownType = UUID(octets: Array(0x10...0x1F)) ?? UUID(0)
}

extension Examiner {
    /// Fails unless Read Blob past the end is rejected; of a short value also with Attribute Not Long.
    fileprivate mutating func expectInvalidOffset(
        past value: [UInt8], of handle: UInt16, _ name: String
    ) throws(CheckExit) {
        let description = "Read Blob of \(name), which has \(value.count) octets, from \(value.count + 1)"
        let request = PDU.readBlobRequest(handle: handle, offset: UInt16(clamping: value.count + 1))
        guard try refusal(of: request, description)?.error != .requestNotSupported else {
            throw Self.unsupported("Read Blob")
        }
        let isShort = value.count < mtu
        try expectRefused(
            request, with: isShort ? [.invalidOffset, .attributeNotLong] : [.invalidOffset], at: handle, description)
    }
}

// Writes that a server must reject or ignore, whatever its services.  Core 6.0, Vol 3, Part F, sections 3.4.5 and
// 3.4.6, and Part G, section 4.9.
extension Check {
    private static let writeRequests = [
        AttributeRequest(
            name: "Write", section: "4.9.3", isOptional: false, numbers: ["BI-02", "BI-03", "BI-04", "BI-05", "BI-06"]
        ) { handle, _, octets, _ in .writeRequest(handle: handle, value: octets) },
        AttributeRequest(
            name: "Prepare Write", section: "4.9.4", numbers: ["BI-07", "BI-08", "BI-11", "BI-12", "BI-13"]
        ) { handle, _, octets, _ in .prepareWriteRequest(handle: handle, offset: 0, value: octets) },
    ]

    private static let writeTargets =
        [.unused, .unwritable] + TargetAttribute.guards.map(TargetAttribute.guardedFromWriting)

    static let writeErrors =
        writeRequests.flatMap { $0.checks("GATT/SR/GAW", "to", writeTargets) } + [
            refusing(
                "GATT/SR/GAW/BI-09-C",
                "a prepared write past the end of a value is rejected with \(ATTError.invalidOffset)", att("3.4.6.3")
            ) { peripheral throws(CheckExit) in
                try peripheral.expectPreparedRefused(with: .invalidOffset) { count in
                    [(count + 1, [0])]
                } ifWritten: { before, after in
                    after.count == before.count + 2 && after.last == 0
                }
            },
            refusing(
                "GATT/SR/GAW/BI-33-C",
                "prepared writes that are too long for a value are rejected with \(ATTError.invalidAttributeValueLength)",
                "Core 6.0, Vol 3, Part F, sections 3.2.9 and 3.4.6.3"
            ) { peripheral throws(CheckExit) in
                try peripheral.expectPreparedRefused(with: .invalidAttributeValueLength) { _ in
                    stride(from: 0, through: 512, by: 18).map { ($0, Array(repeating: 0x41, count: 18)) }
                } ifWritten: { _, after in
                    after.allSatisfy { $0 == 0x41 }
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
                try peripheral.write([0, 0], to: handle, "a configuration")  // with the security that it requires
                try peripheral.readName("before")
                try peripheral.expectRefused(
                    .writeRequest(handle: handle, value: [1, 0, 0]), with: [.invalidAttributeValueLength], at: handle,
                    "a write of three octets to a configuration")
                try peripheral.readName("after")
            },
            Check(
                "GATT/SR/GAW/BI-39-C", "a Write Command that is too long is ignored", att("3.4.5.3")
            ) { peripheral throws(CheckExit) in try peripheral.expectLongCommandIgnored() },
        ]
}

extension Examiner {
    /// A value that fits into any request to write it; nil if it is longer, empty, or cannot be read.
    fileprivate mutating func shortValue(of handle: UInt16) throws(CheckExit) -> [UInt8]? {
        let answer = try result(of: .readLong(handle: handle), "a read of handle \(handle.inHex)")
        guard case .success(.value(let octets)) = answer, 1...mtu - 5 ~= octets.count else { return nil }
        return octets
    }

    /// The handle of the first configuration; skips the check if there is none.
    func anyConfiguration() throws(CheckExit) -> UInt16 {
        guard let handle = characteristics.lazy.compactMap(\.configurationHandle).first else {
            throw .notApplicable("no characteristic can be notified or indicated")
        }
        return handle
    }

    /// A value that can be read and accepts prepared writes; skips the check if there is none.
    mutating func preparable() throws(CheckExit) -> (handle: UInt16, octets: [UInt8]) {
        for value in applicationValues where value.properties.isSuperset(of: [.read, .write]) {
            guard let octets = try stableValue(value.valueHandle) else { continue }
            let error = try errorOfPreparedWrite(to: value.valueHandle, value.uuid.name)
            if error == nil { return (value.valueHandle, octets) }
            guard error != .requestNotSupported else { throw Self.unsupported("Prepare Write") }
        }
        throw .notApplicable("no readable value accepts prepared writes")
    }

    /// The error with which the server rejects a prepared write, which is then cancelled; nil if it accepts that.
    mutating func errorOfPreparedWrite(to handle: UInt16, _ name: String) throws(CheckExit) -> ATTError? {
        let request = PDU.prepareWriteRequest(handle: handle, offset: 0, value: [])
        let refusal = try refusal(of: request, "Prepare Write to \(name)")
        try cancelPreparedWrites()
        return refusal?.error
    }

    /// Empties the prepare queue; returns the answer.
    @discardableResult
    mutating func cancelPreparedWrites() throws(CheckExit) -> PDU {
        try answer(to: .executeWriteRequest(write: false), "a cancelling Execute Write")
    }

    /// Prepares parts of a value; fails unless the server rejects them now or when executed, and writes nothing.
    fileprivate mutating func expectPreparedRefused(
        with error: ATTError, _ parts: (Int) -> [(offset: Int, octets: [UInt8])],
        ifWritten isWritten: (_ before: [UInt8], _ after: [UInt8]) -> Bool
    ) throws(CheckExit) {
        let (handle, before) = try preparable()
        for (offset, octets) in parts(before.count) {
            let target = UInt16(clamping: offset)
            let description = "Prepare Write of \(octets.count) octets from \(offset)"
            switch try answer(to: .prepareWriteRequest(handle: handle, offset: target, value: octets), description) {
            case .prepareWriteResponse: continue
            case .errorResponse(_, _, .prepareQueueFull):
                try cancelPreparedWrites()
                throw .notApplicable("the prepare queue is too short")
            case .errorResponse(_, _, error):
                try cancelPreparedWrites()
                return
            case let answer:
                throw failure(expected: "a response that repeats \(description), or \(error)", seen: answer.octets.text)
            }
        }
        try expectRefused(.executeWriteRequest(write: true), with: [error], at: handle, "Execute Write")
        let after = try read(handle, "handle \(handle.inHex)")
        try expectIgnored("handle \(handle.inHex)", before, seen: after, ifWritten: isWritten(before, after))
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
        throw .notApplicable("every writable value accepts one octet more")
    }

    /// A value has a known length if the server rejects a Write Request with one octet more.
    fileprivate mutating func expectLongCommandIgnored() throws(CheckExit) {
        for value in applicationValues where value.properties.isSuperset(of: [.read, .write, .writeWithoutResponse]) {
            let handle = value.valueHandle
            guard let octets = try stableValue(handle), !octets.isEmpty, octets.count < mtu - 3 else { continue }
            let longer = octets.farAway + [0]
            let request = PDU.writeRequest(handle: handle, value: longer)
            let error = try refusal(of: request, "a write of one octet too many to \(value.uuid.name)")?.error
            if error == nil { try write(octets, to: handle, value.uuid.name) }
            guard error == .invalidAttributeValueLength else { continue }
            try expectSilence(
                after: PDU.writeCommand(handle: handle, value: longer).octets, "a Write Command that is too long")
            let after = try read(handle, value.uuid.name)
            let isWritten = after.agrees(with: longer)
            if isWritten { try write(octets, to: handle, value.uuid.name) }
            return try expectIgnored(value.uuid.name, octets, seen: after, ifWritten: isWritten)
        }
        throw .notApplicable("no value for Read, Write and Write Without Response rejects one octet more")
    }
}

/// An attribute that a peripheral must protect, found by its properties or its errors.
enum TargetAttribute: Hashable, Sendable {
    /// A value declared without Read.
    case unreadable
    /// A value declared without any property for writing.
    case unwritable
    /// A handle that no attribute has.
    case unused
    /// A value declared with Read whose reads fail with this error without pairing.
    case guardedFromReading(ATTError)
    /// A value declared with Write whose writes fail with this error without pairing.
    case guardedFromWriting(ATTError)

    /// The errors that guard values.
    fileprivate static let guards: [ATTError] = [
        .insufficientAuthorization, .insufficientAuthentication, .encryptionKeySizeTooShort,
    ]

    /// The error with which a server rejects access to it.
    fileprivate var error: ATTError {
        switch self {
        case .unreadable: .readNotPermitted
        case .unwritable: .writeNotPermitted
        case .unused: .invalidHandle
        case .guardedFromReading(let error), .guardedFromWriting(let error): error
        }
    }

    /// Whether it is found over a link that is encrypted with a short key.
    fileprivate var needsShortKey: Bool { error == .encryptionKeySizeTooShort }

    /// Whether it cannot be found over an encrypted link.
    fileprivate var needsPlainLink: Bool { error == .insufficientAuthentication }

    /// The need of a check that looks for it.
    var need: Knowledge.Need? {
        switch self {
        case .guardedFromReading(let error): .readRejected(with: error)
        case .guardedFromWriting(let error): .writeRejected(with: error)
        case .unreadable, .unwritable, .unused: nil
        }
    }

    /// The handle and type of such a value; skips the check if there is none.
    func find(in peripheral: inout Examiner) throws(CheckExit) -> (handle: UInt16, type: UUID) {
        guard let need else { return try search(&peripheral) }
        return try peripheral.obtain(need) { peripheral throws(CheckExit) in try search(&peripheral) }
    }

    private func search(_ peripheral: inout Examiner) throws(CheckExit) -> (handle: UInt16, type: UUID) {
        if needsPlainLink, peripheral.isEncrypted {
            try peripheral.reconnect()
            try peripheral.discover()
        }
        let values = peripheral.characteristics
        switch self {
        case .unreadable:
            guard let value = values.first(where: { !$0.properties.contains(.read) }) else {
                throw .notApplicable("every characteristic is declared with Read")
            }
            return (value.valueHandle, value.uuid)
        case .unwritable:
            let found = values.filter { $0.properties.isDisjoint(with: .writing) }
            guard let first = found.first else { throw .notApplicable("every characteristic is declared with Write") }
            for value in found where value.properties.contains(.read) {
                if try peripheral.shortValue(of: value.valueHandle) != nil { return (value.valueHandle, value.uuid) }
            }
            return (first.valueHandle, first.uuid)
        case .unused: return (try peripheral.unusedHandle(), .deviceName)
        case .guardedFromReading(let error):
            for value in values where value.properties.contains(.read) {
                let request = PDU.readRequest(handle: value.valueHandle)
                let refusal = try peripheral.refusal(of: request, "a read of \(value.uuid.name)")
                if refusal?.error == error { return (value.valueHandle, value.uuid) }
            }
            throw .notApplicable("no read fails with \(error)")
        case .guardedFromWriting(let error):
            // A cancelled prepared write finds out without writing.
            for value in values where value.properties.contains(.write) {
                let found = try peripheral.errorOfPreparedWrite(to: value.valueHandle, value.uuid.name)
                if found == error { return (value.valueHandle, value.uuid) }
            }
            throw .notApplicable("no write fails with \(error)")
        }
    }

    var description: String {
        switch self {
        case .unreadable: "a value without Read"
        case .unwritable: "a value without Write"
        case .unused: "an unused handle"
        case .guardedFromReading, .guardedFromWriting:
            switch error {
            case .insufficientAuthorization: "a value that requires authorization"
            case .encryptionKeySizeTooShort: "a value that requires a longer key"
            default: "a value that requires authentication"
            }
        }
    }
}

/// A request for one attribute, and the numbers of the test cases in which a server rejects it.
struct AttributeRequest: Sendable {
    /// `Read By Type`
    let name: String
    /// In Core 6.0, Vol 3, Part G.
    let section: String
    /// Whether a server may not support the request at all.
    var isOptional = true
    /// One for each target of the table; nil where there is no test case.
    let numbers: [String?]
    /// Requests the attribute with a handle and a type, or writes octets to it; `name` is the handle of Device Name.
    let pdu: @Sendable (_ handle: UInt16, _ type: UUID, _ octets: [UInt8], _ name: UInt16) -> PDU

    /// The request is rejected, for each target that has a number, with the target's error.
    func checks(_ prefix: String, _ preposition: String, _ targets: [TargetAttribute]) -> [Check] {
        zip(numbers, targets).compactMap { number, target in
            number.map { check("\(prefix)/\($0)-C", preposition, target) }
        }
    }

    private func check(_ id: String, _ preposition: String, _ target: TargetAttribute) -> Check {
        let title = "\(name) \(preposition) \(target.description)"
        let rejection = "\(title) is rejected with \(target.error)"
        let body: Check.Body = { peripheral throws(CheckExit) in
            let (handle, type) = try target.find(in: &peripheral)
            let description = "\(title), \(handle.inHex)"
            // If the server accepts a write that it must reject, nothing changes.
            let octets = target == .unwritable ? try peripheral.shortValue(of: handle) : nil
            let request = pdu(handle, type, octets ?? [0], try peripheral.nameHandle)
            if isOptional, try peripheral.refusal(of: request, description)?.error == .requestNotSupported {
                throw Examiner.unsupported(name)
            }
            try peripheral.expectRefused(request, with: [target.error], at: handle, description)
        }
        guard target.needsShortKey else {
            let check = Check.refusing(id, rejection, Check.gatt(section), body).needing(target.need)
            return target.needsPlainLink ? check.withoutBond() : check
        }
        return Check(id, rejection, Check.gatt(section), scope: .freshConnection, if: .deviceName, .pairing) {
            peripheral throws(CheckExit) in
            try peripheral.obtain(.linkWithShortKey) { peripheral throws(CheckExit) in
                try peripheral.pairWithShortKey()
            }
            try body(&peripheral)
        }.needing(.linkWithShortKey).withoutBond()
    }
}
