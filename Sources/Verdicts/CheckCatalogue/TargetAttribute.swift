import ATT
import Bluetooth
import Checks
import GATT

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

    /// The handle and type of such a value; skips the check if there is none.
    func find(in peripheral: inout Examiner) throws(CheckExit) -> (handle: UInt16, type: UUID) {
        let values = peripheral.characteristics
        switch self {
        case .unreadable:
            guard let value = values.first(where: { !$0.properties.contains(.read) }) else {
                throw .skipped("not applicable: every characteristic is declared with Read")
            }
            return (value.valueHandle, value.uuid)
        case .unwritable:
            let writing: CharacteristicProperties = [
                .write, .writeWithoutResponse, .authenticatedSignedWrites, .extendedProperties,
            ]
            guard let value = values.first(where: { $0.properties.isDisjoint(with: writing) }) else {
                throw .skipped("not applicable: every characteristic is declared with Write")
            }
            return (value.valueHandle, value.uuid)
        case .unused:
            let known = values.flatMap { [$0.valueHandle] + $0.descriptors.map(\.handle) }
            guard let last = known.max(), last < 0xFFFF else {
                throw .skipped("not applicable: the last handle, 0xFFFF, is in use")
            }
            return (0xFFFF, .deviceName)
        case .guardedFromReading(let error):
            for value in values where value.properties.contains(.read) {
                let request = PDU.readRequest(handle: value.valueHandle)
                let refusal = try peripheral.refusal(of: request, "a read of \(value.uuid.name)")
                if refusal?.error == error { return (value.valueHandle, value.uuid) }
            }
            throw .skipped("not applicable: no read fails with \(error)")
        case .guardedFromWriting(let error):
            // A cancelled prepared write finds out without writing.
            for value in values where value.properties.contains(.write) {
                let request = PDU.prepareWriteRequest(handle: value.valueHandle, offset: 0, value: [])
                let refusal = try peripheral.refusal(of: request, "Prepare Write to \(value.uuid.name)")
                _ = try peripheral.answer(to: .executeWriteRequest(write: false), "a cancelling Execute Write")
                if refusal?.error == error { return (value.valueHandle, value.uuid) }
            }
            throw .skipped("not applicable: no write fails with \(error)")
        }
    }

    /// For the title of a check.
    var description: String {
        switch self {
        case .unreadable: "a value without Read"
        case .unwritable: "a value without Write"
        case .unused: "an unused handle"
        case .guardedFromReading(.insufficientAuthorization), .guardedFromWriting(.insufficientAuthorization):
            "a value that requires authorization"
        case .guardedFromReading, .guardedFromWriting: "a value that requires authentication"
        }
    }
}
