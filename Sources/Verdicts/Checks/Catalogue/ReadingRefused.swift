import ATT
import Bluetooth
import GATT
import Octets

// What a server does not let anybody read, whatever its services are.  Core 6.0, Vol 3, Part F, section 3.4.4, and
// Part G, section 4.8.
extension Check {
    /// A way to read.
    private enum Way: Sendable {
        case whole, byType, blob, multiple, multipleVariable

        var words: String {
            switch self {
            case .whole: "Read"
            case .byType: "Read By Type"
            case .blob: "Read Blob"
            case .multiple: "Read Multiple"
            case .multipleVariable: "Read Multiple Variable"
            }
        }

        /// In Core 6.0, Vol 3, Part G.
        var section: String {
            switch self {
            case .whole: "4.8.1"
            case .byType: "4.8.2"
            case .blob: "4.8.3"
            case .multiple: "4.8.4"
            case .multipleVariable: "4.8.5"
            }
        }

        /// Of a value with this handle and type; where several are read, behind another that may be.
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

    private static let named = Claim.characteristic(.deviceName, of: .genericAccess)
    private static let unauthorized = TargetAttribute.guardedFromReading(.insufficientAuthorization)
    private static let unauthenticated = TargetAttribute.guardedFromReading(.insufficientAuthentication)

    static let readingRefused =
        [
            ("BI-01-C", .whole, .readNotPermitted, .unreadable), ("BI-02-C", .whole, .invalidHandle, .nobody),
            ("BI-03-C", .whole, .insufficientAuthorization, unauthorized),
            ("BI-04-C", .whole, .insufficientAuthentication, unauthenticated),
            ("BI-06-C", .byType, .readNotPermitted, .unreadable),
            ("BI-09-C", .byType, .insufficientAuthorization, unauthorized),
            ("BI-10-C", .byType, .insufficientAuthentication, unauthenticated),
            ("BI-12-C", .blob, .readNotPermitted, .unreadable), ("BI-14-C", .blob, .invalidHandle, .nobody),
            ("BI-15-C", .blob, .insufficientAuthorization, unauthorized),
            ("BI-16-C", .blob, .insufficientAuthentication, unauthenticated),
            ("BI-18-C", .multiple, .readNotPermitted, .unreadable), ("BI-19-C", .multiple, .invalidHandle, .nobody),
            ("BI-20-C", .multiple, .insufficientAuthorization, unauthorized),
            ("BI-21-C", .multiple, .insufficientAuthentication, unauthenticated),
            ("BI-36-C", .multipleVariable, .readNotPermitted, .unreadable),
            ("BI-38-C", .multipleVariable, .invalidHandle, .nobody),
            ("BI-40-C", .multipleVariable, .insufficientAuthorization, unauthorized),
            ("BI-42-C", .multipleVariable, .insufficientAuthentication, unauthenticated),
        ].map(refusing) + [
            Check(
                "GATT/SR/GAR/BI-07-C", "Read By Type of a type that nothing has: \(ATTError.attributeNotFound)",
                "Core 6.0, Vol 3, Part F, section 3.4.4.1", if: named
            ) { peripheral throws(CheckExit) in
                try peripheral.readName("before")
                try peripheral.expectRefused(
                    .readByTypeRequest(.all, type: unknownType), with: [.attributeNotFound], at: 1,
                    "Read By Type of \(unknownType)")
                try peripheral.readName("after")
            },
            Check(
                "GATT/SR/GAR/BI-08-C", "Read By Type within handles that are no range: \(ATTError.invalidHandle)",
                "Core 6.0, Vol 3, Part F, section 3.4.4.1", if: named
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
                "GATT/SR/GAR/BI-13-C", "Read Blob from behind the end of a value: \(ATTError.invalidOffset)",
                "Core 6.0, Vol 3, Part F, section 3.4.4.5", if: named
            ) { peripheral throws(CheckExit) in
                try peripheral.readName("before")
                let handle = try peripheral.nameHandle
                try peripheral.expectNoOffset(behind: try peripheral.read(handle, "2A00"), of: handle, "2A00")
                try peripheral.readName("after")
            },
            Check(
                "GATT/SR/GAR/BV-08-C", "Read Blob from behind the end of a descriptor: \(ATTError.invalidOffset)",
                "Core 6.0, Vol 3, Part F, section 3.4.4.5", if: named
            ) { peripheral throws(CheckExit) in
                let all = peripheral.services.flatMap(\.characteristics).flatMap(\.descriptors)
                guard let descriptor = all.first(where: { $0.type != .clientCharacteristicConfiguration }) else {
                    throw .skipped("not claimed: it has no descriptors but configurations")
                }
                let words = "descriptor \(descriptor.type)"
                try peripheral.readName("before")
                let value = try peripheral.read(descriptor.handle, words)
                try peripheral.expectNoOffset(behind: value, of: descriptor.handle, words)
                try peripheral.readName("after")
            },
        ]

    /// A UUID that nobody has given to anything.
    private static let unknownType = UUID(octets: Array(0x10...0x1F)) ?? UUID(0)

    private static func refusing(_ number: String, _ way: Way, _ error: ATTError, _ place: TargetAttribute) -> Check {
        Check(
            "GATT/SR/GAR/\(number)", "\(way.words) of \(place.words): \(error)",
            "Core 6.0, Vol 3, Part G, section \(way.section)", if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            let (handle, type) = try place.find(in: &peripheral)
            let words = "\(way.words) of \(place.words), \(handle.inHex),"
            let request = way.request(handle, type, after: try peripheral.nameHandle)
            if way != .whole, try peripheral.refusal(of: request, words)?.error == .requestNotSupported {
                throw Examiner.unsupported(way.words)
            }
            try peripheral.expectRefused(request, with: [error], at: handle, words)
            try peripheral.readName("after")
        }
    }
}

extension Examiner {
    /// Fails unless Read Blob from behind the end is refused; who has a value that is not long may say so instead.
    fileprivate mutating func expectNoOffset(
        behind value: [UInt8], of handle: UInt16, _ name: String
    ) throws(CheckExit) {
        let words = "Read Blob of \(name) from \(value.count + 1), where it has \(value.count) octets,"
        let request = PDU.readBlobRequest(handle: handle, offset: UInt16(clamping: value.count + 1))
        guard try refusal(of: request, words)?.error != .requestNotSupported else {
            throw Self.unsupported("Read Blob")
        }
        let isShort = value.count < mtu
        try expectRefused(
            request, with: isShort ? [.invalidOffset, .attributeNotLong] : [.invalidOffset], at: handle, words)
    }
}
