import ATT
import Bluetooth
import GATT
import Octets
import Simulation

// Requests that no specification allows, each between two good ones.  Core 6.0, Vol 3, Part F, sections 3.3 and 3.4.1.1.
extension Check {
    private static let named = Claim.characteristic(.deviceName, of: .genericAccess)

    static let malformed = [
        Check(
            "robustness/too_short", "a request whose parameters are cut off: \(ATTError.invalidPDU)",
            "Core 6.0, Vol 3, Part F, section 3.4.1.1", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.survive("requests that are too short") { peripheral throws(CheckExit) in
                for octets in requests.map({ Array($0.octets.dropLast()) }) {
                    try peripheral.expectMalformed(octets)
                }
                for request in requests { try peripheral.expectMalformed([request.opcode.rawValue]) }
            }
        },
        Check(
            "robustness/too_long", "a request with octets behind its parameters: \(ATTError.invalidPDU)",
            "Core 6.0, Vol 3, Part F, section 3.4.1.1", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.survive("requests that are too long") { peripheral throws(CheckExit) in
                for octets in fixed.map({ $0.octets + [0] }) { try peripheral.expectMalformed(octets) }
            }
        },
        Check(
            "robustness/unknown_requests", "each opcode that no request has: \(ATTError.requestNotSupported)",
            "Core 6.0, Vol 3, Part F, section 3.3", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.survive("requests that there are not") { peripheral throws(CheckExit) in
                // Methods have six bits; those that the specification has are sent by both sides.
                for opcode in UInt8(0x24)...0x3F { try peripheral.expectUnknown([opcode, 0x01, 0x00]) }
            }
        },
        Check(
            "robustness/commands_are_not_answered", "with bit 6 a request is a command, and nothing answers that",
            "Core 6.0, Vol 3, Part F, section 3.3.1", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.nameHandle
            try peripheral.survive("requests as commands") { peripheral throws(CheckExit) in
                for request in [PDU.readRequest(handle: handle), .exchangeMTURequest(clientReceives: 100)] {
                    var octets = request.octets
                    octets[0] |= 0x40
                    try peripheral.expectSilence(after: octets, "a request as a command")
                }
            }
        },
        Check(
            "robustness/responses_are_not_answered", "what only a server sends is not answered by one",
            "Core 6.0, Vol 3, Part F, section 3.3", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.survive("responses to nothing") { peripheral throws(CheckExit) in
                for octets: [UInt8] in [[0x0B, 0x41], [0x13], [0x01, 0x0A, 0x03, 0x00, 0x0A], [0x1E]] {
                    try peripheral.expectSilence(after: octets, "a PDU that answers nothing")
                }
            }
        },
        Check(
            "robustness/small_mtu", "an MTU below 23 counts as 23", "Core 6.0, Vol 3, Part F, section 3.4.2.1",
            scope: .link, weight: .robustness
        ) { peripheral throws(CheckExit) in
            let words = "an exchange of MTUs with 0"
            let answer = try peripheral.answer(to: PDU.exchangeMTURequest(clientReceives: 0), words)
            if case .errorResponse = answer { return }
            guard case .exchangeMTUResponse = answer else {
                throw peripheral.failure(expected: "\(words) is answered, or refused", seen: answer.octets.hex)
            }
            let list = PDU.findInformationRequest(.all).octets
            let found = try peripheral.answer(to: list) ?? []
            try peripheral.expect(
                10...23 ~= found.count, "a list of attributes in a PDU of 10 to 23 octets", seen: found.hex)
        },
        Check(
            "robustness/no_ranges", "a search within handles that are no range: \(ATTError.invalidHandle)",
            "Core 6.0, Vol 3, Part F, sections 3.4.3.1, 3.4.3.3 and 3.4.4.9", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.survive("searches within no range") { peripheral throws(CheckExit) in
                for range in [HandleRange(0, 0xFFFF), HandleRange(5, 4), HandleRange(0, 0)] {
                    for search: PDU in [
                        .findInformationRequest(range), .readByGroupTypeRequest(range, type: .primaryService),
                        .findByTypeValueRequest(range, type: 0x2800, value: [0x00, 0x18]),
                    ] {
                        try peripheral.expectRefused(
                            search, with: [.invalidHandle], at: range.first, "a search within \(range)")
                    }
                }
            }
        },
        Check(
            "robustness/no_grouping", "a search for groups of what makes none: \(ATTError.unsupportedGroupType)",
            "Core 6.0, Vol 3, Part F, section 3.4.4.9", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.survive("a search for groups of 2A00") { peripheral throws(CheckExit) in
                try peripheral.expectRefused(
                    .readByGroupTypeRequest(.all, type: .deviceName), with: [.unsupportedGroupType], at: 1,
                    "a search for groups of 2A00")
            }
        },
    ]

    /// One of each kind, without a value behind the parameters that it needs.
    private static let requests: [PDU] =
        fixed + [
            .findByTypeValueRequest(.all, type: 0x2800, value: []),
            .prepareWriteRequest(handle: 3, offset: 0, value: []), .writeRequest(handle: 3, value: []),
            .readMultipleRequest([3, 5]), .readMultipleVariableRequest([3, 5]),
        ]

    /// Those that have one length only.
    private static let fixed: [PDU] = [
        .findInformationRequest(.all), .readByTypeRequest(.all, type: .deviceName), .readRequest(handle: 3),
        .readBlobRequest(handle: 3, offset: 0), .readByGroupTypeRequest(.all, type: .primaryService),
        .executeWriteRequest(write: false),
    ]
}

extension Examiner {
    /// Fails unless a request that cannot be read is refused as that, or as one that the server does not have.
    fileprivate mutating func expectMalformed(_ octets: [UInt8]) throws(CheckExit) {
        let answer = try answer(to: octets)
        if connection == nil { throw hungUp(instead: octets.hex) }
        guard let answer, case .errorResponse(octets[0], _, let error)? = try? PDU(answer[...]),
            [.invalidPDU, .requestNotSupported].contains(error)
        else {
            throw failure(
                expected: "\(octets.hex), which is no PDU, is refused with \(ATTError.invalidPDU)",
                seen: answer?.hex ?? "no answer within 30 s")
        }
    }
}
