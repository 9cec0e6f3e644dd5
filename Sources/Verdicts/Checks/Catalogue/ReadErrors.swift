import ATT
import Bluetooth
import GATT
import Octets

// Reads that a server must reject, whatever its services.  Core 6.0, Vol 3, Part F, section 3.4.4, and
// Part G, section 4.8.
extension Check {
    /// A read procedure, by the name of its request.
    private enum ReadMethod: String {
        case whole = "Read"
        case byType = "Read By Type"
        case blob = "Read Blob"
        case multiple = "Read Multiple"
        case multipleVariable = "Read Multiple Variable"

        /// The section in Core 6.0, Vol 3, Part G.
        var section: String {
            switch self {
            case .whole: "4.8.1"
            case .byType: "4.8.2"
            case .blob: "4.8.3"
            case .multiple: "4.8.4"
            case .multipleVariable: "4.8.5"
            }
        }

        /// Reads the value with this handle and type, after the readable value `other` in a request for several.
        func request(_ handle: UInt16, _ type: UUID, after other: UInt16) -> PDU {
            switch self {
            case .whole: .readRequest(handle: handle)
            case .byType: .readByTypeRequest(HandleRange(handle, handle), type: type)
            case .blob: .readBlobRequest(handle: handle, offset: 0)
            case .multiple: .readMultipleRequest([other, handle])
            case .multipleVariable: .readMultipleVariableRequest([other, handle])
            }
        }
    }

    private static let requiringAuthorization = TargetAttribute.guardedFromReading(.insufficientAuthorization)
    private static let requiringAuthentication = TargetAttribute.guardedFromReading(.insufficientAuthentication)

    static let readErrors =
        [
            ("BI-01-C", .whole, .readNotPermitted, .unreadable), ("BI-02-C", .whole, .invalidHandle, .unused),
            ("BI-03-C", .whole, .insufficientAuthorization, requiringAuthorization),
            ("BI-04-C", .whole, .insufficientAuthentication, requiringAuthentication),
            ("BI-06-C", .byType, .readNotPermitted, .unreadable),
            ("BI-09-C", .byType, .insufficientAuthorization, requiringAuthorization),
            ("BI-10-C", .byType, .insufficientAuthentication, requiringAuthentication),
            ("BI-12-C", .blob, .readNotPermitted, .unreadable), ("BI-14-C", .blob, .invalidHandle, .unused),
            ("BI-15-C", .blob, .insufficientAuthorization, requiringAuthorization),
            ("BI-16-C", .blob, .insufficientAuthentication, requiringAuthentication),
            ("BI-18-C", .multiple, .readNotPermitted, .unreadable), ("BI-19-C", .multiple, .invalidHandle, .unused),
            ("BI-20-C", .multiple, .insufficientAuthorization, requiringAuthorization),
            ("BI-21-C", .multiple, .insufficientAuthentication, requiringAuthentication),
            ("BI-36-C", .multipleVariable, .readNotPermitted, .unreadable),
            ("BI-38-C", .multipleVariable, .invalidHandle, .unused),
            ("BI-40-C", .multipleVariable, .insufficientAuthorization, requiringAuthorization),
            ("BI-42-C", .multipleVariable, .insufficientAuthentication, requiringAuthentication),
        ].map(rejecting) + [
            Check(
                "GATT/SR/GAR/BI-07-C", "Read By Type of an unknown type is rejected with \(ATTError.attributeNotFound)",
                "Core 6.0, Vol 3, Part F, section 3.4.4.1", if: .deviceName
            ) { peripheral throws(CheckExit) in
                try peripheral.readName("before")
                try peripheral.expectRefused(
                    .readByTypeRequest(.all, type: unknownType), with: [.attributeNotFound], at: 1,
                    "Read By Type of \(unknownType)")
                try peripheral.readName("after")
            },
            Check(
                "GATT/SR/GAR/BI-08-C",
                "Read By Type with an invalid handle range is rejected with \(ATTError.invalidHandle)",
                "Core 6.0, Vol 3, Part F, section 3.4.4.1", if: .deviceName
            ) { peripheral throws(CheckExit) in
                try peripheral.readName("before")
                for range in [HandleRange(0, 0xFFFF), HandleRange(3, 2)] {
                    try peripheral.expectRefused(
                        .readByTypeRequest(range, type: .deviceName), with: [.invalidHandle], at: range.first,
                        "Read By Type within \(range)")
                }
                try peripheral.readName("after")
            },
            Check(
                "GATT/SR/GAR/BI-13-C", "Read Blob past the end of a value is rejected with \(ATTError.invalidOffset)",
                "Core 6.0, Vol 3, Part F, section 3.4.4.5", if: .deviceName
            ) { peripheral throws(CheckExit) in
                try peripheral.readName("before")
                let handle = try peripheral.nameHandle
                try peripheral.expectInvalidOffset(
                    past: try peripheral.read(handle, "Device Name"), of: handle, "Device Name")
                try peripheral.readName("after")
            },
            Check(
                "GATT/SR/GAR/BV-08-C",
                "Read Blob past the end of a descriptor is rejected with \(ATTError.invalidOffset)",
                "Core 6.0, Vol 3, Part F, section 3.4.4.5", if: .deviceName
            ) { peripheral throws(CheckExit) in
                let all = peripheral.services.flatMap(\.characteristics).flatMap(\.descriptors)
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

    private static func rejecting(
        _ number: String, _ method: ReadMethod, _ error: ATTError, _ target: TargetAttribute
    ) -> Check {
        Check(
            "GATT/SR/GAR/\(number)", "\(method.rawValue) of \(target.description) is rejected with \(error)",
            "Core 6.0, Vol 3, Part G, section \(method.section)", if: .deviceName
        ) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            let (handle, type) = try target.find(in: &peripheral)
            let description = "\(method.rawValue) of \(target.description), \(handle.inHex)"
            let request = method.request(handle, type, after: try peripheral.nameHandle)
            if method != .whole, try peripheral.refusal(of: request, description)?.error == .requestNotSupported {
                throw Examiner.unsupported(method.rawValue)
            }
            try peripheral.expectRefused(request, with: [error], at: handle, description)
            try peripheral.readName("after")
        }
    }
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
