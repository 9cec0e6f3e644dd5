import Basics
import Bluetooth
import Characteristics
import Checks
import GATT

// Device Information Service 1.2: every value can be read, and supports nothing else.
extension Check {
    static let deviceInformation =
        ServiceRequirement(
            .deviceInformation, "Device Information Service 1.2", ids: "DIS/SR", area: "device_information",
            canBeSecondary: true,
            characteristics: [
                row("BV-01-C", 0x2A29, utf8), row("BV-02-C", 0x2A24, utf8), row("BV-03-C", 0x2A25, utf8),
                row("BV-04-C", 0x2A27, utf8), row("BV-05-C", 0x2A26, utf8), row("BV-06-C", 0x2A28, utf8),
                row("BV-07-C", 0x2A23) { $0.count == 8 ? nil : "8 octets" }, row("BV-08-C", 0x2A2A),
                row("BV-09-C", 0x2A50, pnpID), row("BV-10-C", 0x2BFF),
            ]
        ).declarationChecks + [
            Check(
                "DIS/SR/SGGIT/SER/BV-02-C", "a Device Information Service that is a secondary service is the only one",
                "Device Information Service 1.2, section 2", if: .service(.deviceInformation)
            ) { peripheral throws(CheckExit) in
                let found = peripheral.services.filter { $0.uuid == .deviceInformation }
                guard found.contains(where: { !$0.isPrimary }) else {
                    throw .notApplicable("Device Information is a primary service")
                }
                try peripheral.expect(
                    found.count == 1, "one Device Information Service", seen: "\(found.count) of them")
            },
            Check(
                "DIS/SR/SGGIT/SDP/BV-01-C", "the service has an SDP record",
                "Device Information Service 1.2, section 4", limitation: .classic),
        ]

    private static func row(
        _ number: String, _ uuid: UInt16, _ expectedValue: @escaping @Sendable ([UInt8]) -> String? = { _ in nil }
    ) -> ServiceRequirement.Characteristic {
        .init(number, UUID(uuid), .read, "section 3", expectedValue: expectedValue)
    }

    @Sendable private static func pnpID(_ octets: [UInt8]) -> String? {
        (try? PnPID(octets: octets[...])) == nil ? "7 octets that begin with the Vendor ID Source 01 or 02" : nil
    }

    @Sendable private static func utf8(_ octets: [UInt8]) -> String? {
        String(validating: octets, as: UTF8.self) == nil ? "UTF-8" : nil
    }
}
