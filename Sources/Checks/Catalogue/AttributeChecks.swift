import ATT
import Bluetooth
import GATT
import Simulation
import Spelling

// What a server refuses, whatever its services are.  A read of Device Name, which is right, stands before and after.
extension Check {
    static let attributes = [
        refusing(
            "GATT/SR/GAR/BI-01-C", "a value without Read is not read", .readNotPermitted, "4.8.1", of: .unreadable
        ) { .read(handle: $0) },
        refusing(
            "GATT/SR/GAR/BI-02-C", "a handle that is nobody's is not read", .invalidHandle, "4.8.1", of: .nobody
        ) { .read(handle: $0) },
        refusing(
            "GATT/SR/GAW/BI-02-C", "a handle that is nobody's is not written", .invalidHandle, "4.9.3", of: .nobody
        ) { .write(handle: $0, value: [0]) },
        refusing(
            "GATT/SR/GAW/BI-03-C", "a value without Write is not written", .writeNotPermitted, "4.9.3", of: .unwritable
        ) { .write(handle: $0, value: [0]) },
    ]

    /// A handle that something is not allowed with.
    private enum Place: Sendable {
        case unreadable, unwritable, nobody

        func handle(_ peripheral: borrowing Examiner) throws(Ending) -> UInt16 {
            let values = peripheral.services.flatMap(\.characteristics)
            switch self {
            case .unreadable:
                guard let value = values.first(where: { !$0.properties.contains(.read) }) else {
                    throw .skipped("not claimed: every characteristic is declared with Read")
                }
                return value.valueHandle
            case .unwritable:
                let writing: CharacteristicProperties = [
                    .write, .writeWithoutResponse, .authenticatedSignedWrites, .extendedProperties,
                ]
                guard let value = values.first(where: { $0.properties.isDisjoint(with: writing) }) else {
                    throw .skipped("not claimed: every characteristic is declared with Write")
                }
                return value.valueHandle
            case .nobody:
                let known = values.flatMap { [$0.valueHandle] + $0.descriptors.map(\.handle) }
                guard let last = known.max(), last < 0xFFFF else {
                    throw .skipped("not claimed: the last handle, 0xFFFF, is in use")
                }
                return 0xFFFF
            }
        }
    }

    private static func refusing(
        _ id: String, _ title: String, _ error: ATTError, _ section: String, of place: Place,
        _ procedure: @escaping @Sendable (UInt16) -> Procedure
    ) -> Check {
        Check(
            id, title + ": \(error)", "Core 6.0, Vol 3, Part G, section \(section)",
            if: .characteristic(.deviceName, of: .genericAccess)
        ) { peripheral throws(Ending) in
            let handle = try place.handle(peripheral)
            let number = "0x\(handle.text(digits: 4, radix: 16))"
            try peripheral.readName("before")
            let refusal = try peripheral.refusal(of: procedure(handle), "a request for handle \(number)")
            try peripheral.expect(
                refusal == error, "a request for handle \(number) is refused with \(error)",
                seen: refusal.map { "\($0)" } ?? "it was granted")
            try peripheral.readName("after")
        }
    }
}

extension Examiner {
    fileprivate mutating func readName(_ when: String) throws(Ending) {
        let name = try characteristic(.deviceName, of: .genericAccess)
        guard let error = try refusal(of: .read(handle: name.valueHandle), "a read of 2A00") else { return }
        throw .inconclusive("a read of 2A00, which is right, was refused \(when) the wrong request: \(error)")
    }
}
