import Bluetooth
import GATT

// Device Information Service 1.2: what it has can be read, and nothing else.
extension Check {
    static let deviceInformation =
        [
            Check(
                "DIS/SR/SGGIT/SER/BV-01-C", "the Device Information Service is there, once, as a primary service",
                "Device Information Service 1.2, section 2", if: .service(.deviceInformation)
            ) { peripheral throws(CheckExit) in try peripheral.expectOne(.deviceInformation) }
        ]
        + [
            ("BV-01-C", 0x2A29, Form.text), ("BV-02-C", 0x2A24, .text), ("BV-03-C", 0x2A25, .text),
            ("BV-04-C", 0x2A27, .text), ("BV-05-C", 0x2A26, .text), ("BV-06-C", 0x2A28, .text),
            ("BV-07-C", 0x2A23, .octets(8)), ("BV-08-C", 0x2A2A, .any), ("BV-09-C", 0x2A50, .octets(7)),
            ("BV-10-C", 0x2BFF, .any),
        ].map { number, uuid, form in string("DIS/SR/SGGIT/CHA/\(number)", UUID(uuid), form) } + [
            Check(
                "DIS/SR/SGGIT/SER/BV-02-C", "the Device Information Service is there as a secondary service",
                "Device Information Service 1.2, section 2", unasked: .secondary),
            Check(
                "DIS/SR/SGGIT/SDP/BV-01-C", "the service has an SDP record",
                "Device Information Service 1.2, section 4", unasked: .classic),
        ]

    /// What a value of the service consists of.
    private enum Form: Sendable {
        case text, octets(Int), any

        func whyWrong(_ octets: [UInt8]) -> String? {
            switch self {
            case .text: String(validating: octets, as: UTF8.self) == nil ? "UTF-8" : nil
            case .octets(let count): octets.count == count ? nil : "\(count) octets"
            case .any: nil
            }
        }
    }

    private static func string(_ id: String, _ uuid: UUID, _ form: Form) -> Check {
        Check(
            id, "\(uuid) is declared with Read only, and can be read", "Device Information Service 1.2, section 3",
            if: .characteristic(uuid, of: .deviceInformation)
        ) { peripheral throws(CheckExit) in
            try peripheral.expectDeclared(uuid, of: .deviceInformation, with: .read)
            let value = try peripheral.characteristic(uuid, of: .deviceInformation)
            let octets = try peripheral.read(value.valueHandle, "\(uuid)")
            if let expected = form.whyWrong(octets) {
                throw peripheral.failure(expected: "\(uuid) is \(expected)", seen: octets.hex)
            }
        }
    }
}
