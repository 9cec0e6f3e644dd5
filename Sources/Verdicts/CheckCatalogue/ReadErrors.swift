import ATT
import Bluetooth
import Checks
import GATT
import Octets

// Reads that a server must reject, whatever its services.  Core 6.0, Vol 3, Part F, section 3.4.4, and
// Part G, section 4.8.
extension Check {
    private static let requests = [
        AttributeRequest(
            name: "Read", section: "4.8.1", isOptional: false, numbers: ["BI-01", "BI-02", "BI-03", "BI-04"]
        ) { handle, _, _ in .readRequest(handle: handle) },
        AttributeRequest(
            name: "Read By Type", section: "4.8.2", numbers: ["BI-06", nil, "BI-09", "BI-10"]
        ) { handle, type, _ in .readByTypeRequest(HandleRange(handle, handle), type: type) },
        AttributeRequest(
            name: "Read Blob", section: "4.8.3", numbers: ["BI-12", "BI-14", "BI-15", "BI-16"]
        ) { handle, _, _ in .readBlobRequest(handle: handle, offset: 0) },
        AttributeRequest(
            name: "Read Multiple", section: "4.8.4", numbers: ["BI-18", "BI-19", "BI-20", "BI-21"]
        ) { handle, _, name in .readMultipleRequest([name, handle]) },
        AttributeRequest(
            name: "Read Multiple Variable", section: "4.8.5", numbers: ["BI-36", "BI-38", "BI-40", "BI-42"]
        ) { handle, _, name in .readMultipleVariableRequest([name, handle]) },
    ]

    private static let targets: [(TargetAttribute, ATTError)] = [
        (.unreadable, .readNotPermitted), (.unused, .invalidHandle),
        (.guardedFromReading(.insufficientAuthorization), .insufficientAuthorization),
        (.guardedFromReading(.insufficientAuthentication), .insufficientAuthentication),
    ]

    static let readErrors =
        requests.flatMap { $0.checks("GATT/SR/GAR", "of", targets) } + [
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
                    throw .skipped("not applicable: the peripheral has no descriptors other than configurations")
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
