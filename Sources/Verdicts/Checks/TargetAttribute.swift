import ATT
import Bluetooth
import GATT

/// An attribute that something is not allowed with, in whichever peripheral.
enum TargetAttribute: Hashable, Sendable {
    /// A value that is declared without Read.
    case unreadable
    /// A value that is declared without any way to write it.
    case unwritable
    /// A handle that no attribute has.
    case nobody
    /// A value that is declared with Read, and is refused with this error on a link without a key.
    case guardedFromReading(ATTError)
    /// A value that is declared with Write, and is refused with this error on a link without a key.
    case guardedFromWriting(ATTError)

    /// The value that is meant, and its type; skips the check where there is none.
    func find(in peripheral: inout Examiner) throws(CheckExit) -> (handle: UInt16, type: UUID) {
        let values = peripheral.services.flatMap(\.characteristics)
        switch self {
        case .unreadable:
            guard let value = values.first(where: { !$0.properties.contains(.read) }) else {
                throw .skipped("not claimed: every characteristic is declared with Read")
            }
            return (value.valueHandle, value.uuid)
        case .unwritable:
            let writing: CharacteristicProperties = [
                .write, .writeWithoutResponse, .authenticatedSignedWrites, .extendedProperties,
            ]
            guard let value = values.first(where: { $0.properties.isDisjoint(with: writing) }) else {
                throw .skipped("not claimed: every characteristic is declared with Write")
            }
            return (value.valueHandle, value.uuid)
        case .nobody:
            let known = values.flatMap { [$0.valueHandle] + $0.descriptors.map(\.handle) }
            guard let last = known.max(), last < 0xFFFF else {
                throw .skipped("not claimed: the last handle, 0xFFFF, is in use")
            }
            return (0xFFFF, .deviceName)
        case .guardedFromReading(let error):
            for value in values where value.properties.contains(.read) {
                let request = PDU.readRequest(handle: value.valueHandle)
                let refusal = try peripheral.refusal(of: request, "a read of \(value.uuid)")
                if refusal?.error == error { return (value.valueHandle, value.uuid) }
            }
            throw .skipped("not claimed: no read is refused with \(error)")
        case .guardedFromWriting(let error):
            // What is prepared is thrown away: nothing is written to find out.
            for value in values where value.properties.contains(.write) {
                let request = PDU.prepareWriteRequest(handle: value.valueHandle, offset: 0, value: [])
                let refusal = try peripheral.refusal(of: request, "a prepared write to \(value.uuid)")
                _ = try peripheral.answer(to: .executeWriteRequest(write: false), "a cancel of what was prepared")
                if refusal?.error == error { return (value.valueHandle, value.uuid) }
            }
            throw .skipped("not claimed: no write is refused with \(error)")
        }
    }

    /// In a title.
    var words: String {
        switch self {
        case .unreadable: "a value without Read"
        case .unwritable: "a value without Write"
        case .nobody: "a handle that is nobody's"
        case .guardedFromReading(.insufficientAuthorization), .guardedFromWriting(.insufficientAuthorization):
            "a value for who is authorized"
        case .guardedFromReading, .guardedFromWriting: "a value for who is authenticated"
        }
    }
}
