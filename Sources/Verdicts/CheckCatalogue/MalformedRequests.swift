import ATT
import Bluetooth
import Checks
import GATT
import Octets
import Simulation

// Invalid requests, each between two valid ones.  Core 6.0, Vol 3, Part F, sections 3.3 and 3.4.1.1.
extension Check {
    static let malformed = [
        surviving(
            "requests that are too short", "robustness/too_short",
            "a request that is too short is rejected with \(ATTError.invalidPDU)", att("3.4.1.1")
        ) { peripheral throws(CheckExit) in
            for octets in requests.map({ Array($0.octets.dropLast()) }) {
                try peripheral.expectMalformed(octets)
            }
            for request in requests { try peripheral.expectMalformed([request.opcode.rawValue]) }
        },
        surviving(
            "requests that are too long", "robustness/too_long",
            "a request that is too long is rejected with \(ATTError.invalidPDU)", att("3.4.1.1")
        ) { peripheral throws(CheckExit) in
            for octets in fixed.map({ $0.octets + [0] }) { try peripheral.expectMalformed(octets) }
        },
        surviving(
            "requests with unknown opcodes", "robustness/unknown_requests",
            "every unknown opcode is rejected with \(ATTError.requestNotSupported)", att("3.3")
        ) { peripheral throws(CheckExit) in
            // Methods have six bits; the specification uses those below 0x24.
            for opcode in UInt8(0x24)...0x3F { try peripheral.expectUnknown([opcode, 0x01, 0x00]) }
        },
        surviving(
            "requests with the command flag", "robustness/commands_are_not_answered",
            "the server does not answer a request with the command flag", att("3.3.1")
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.nameHandle
            for request in [PDU.readRequest(handle: handle), .exchangeMTURequest(clientReceives: 100)] {
                var octets = request.octets
                octets[0] |= 0x40
                try peripheral.expectSilence(after: octets, "a request with the command flag")
            }
        },
        surviving(
            "responses without a request", "robustness/responses_are_not_answered",
            "the server does not answer responses, indications or confirmations out of place", att("3.3")
        ) { peripheral throws(CheckExit) in
            for octets: [UInt8] in [[0x0B, 0x41], [0x13], [0x01, 0x0A, 0x03, 0x00, 0x0A], [0x1E]] {
                try peripheral.expectSilence(after: octets, "a response without a request")
            }
        },
        Check(
            "robustness/small_mtu", "the server treats an MTU below 23 as 23", att("3.4.2.1"),
            scope: .link, weight: .robustness
        ) { peripheral throws(CheckExit) in
            let description = "Exchange MTU with 0"
            let answer = try peripheral.answer(to: PDU.exchangeMTURequest(clientReceives: 0), description)
            if case .errorResponse = answer { return }
            guard case .exchangeMTUResponse = answer else {
                throw peripheral.failure(
                    expected: "a response or an Error Response to \(description)", seen: answer.octets.text)
            }
            let list = PDU.findInformationRequest(.all).octets
            let found = try peripheral.answer(to: list) ?? []
            try peripheral.expect(
                10...23 ~= found.count, "a Find Information Response of 10 to 23 octets", seen: found.text)
        },
        surviving(
            "searches with invalid handle ranges", "robustness/no_ranges",
            "a search with an invalid handle range is rejected with \(ATTError.invalidHandle)",
            "Core 6.0, Vol 3, Part F, sections 3.4.3.1, 3.4.3.3 and 3.4.4.9"
        ) { peripheral throws(CheckExit) in
            for range in [HandleRange(0, 0xFFFF), HandleRange(5, 4), HandleRange(0, 0)] {
                for search: PDU in [
                    .findInformationRequest(range), .readByGroupTypeRequest(range, type: .primaryService),
                    .findByTypeValueRequest(range, type: 0x2800, value: [0x00, 0x18]),
                ] {
                    try peripheral.expectRefused(
                        search, with: [.invalidHandle], at: range.first, "a search within \(range)")
                }
            }
        },
        surviving(
            "Read By Group Type of Device Name", "robustness/no_grouping",
            "grouping by a type without groups is rejected with \(ATTError.unsupportedGroupType)", att("3.4.4.9")
        ) { peripheral throws(CheckExit) in
            try peripheral.expectRefused(
                .readByGroupTypeRequest(.all, type: .deviceName), with: [.unsupportedGroupType], at: 1,
                "Read By Group Type of Device Name")
        },
    ]

    /// One of each kind, with an empty value.
    private static let requests: [PDU] =
        fixed + [
            .findByTypeValueRequest(.all, type: 0x2800, value: []),
            .prepareWriteRequest(handle: 3, offset: 0, value: []), .writeRequest(handle: 3, value: []),
            .readMultipleRequest([3, 5]), .readMultipleVariableRequest([3, 5]),
        ]

    private static let fixed: [PDU] = [
        .findInformationRequest(.all), .readByTypeRequest(.all, type: .deviceName), .readRequest(handle: 3),
        .readBlobRequest(handle: 3, offset: 0), .readByGroupTypeRequest(.all, type: .primaryService),
        .executeWriteRequest(write: false),
    ]
}

extension Examiner {
    /// Fails unless the server rejects a malformed request, as invalid or as unsupported.
    fileprivate mutating func expectMalformed(_ octets: [UInt8]) throws(CheckExit) {
        let answer = try answer(to: octets)
        if connection == nil { throw disconnectedFailure(instead: octets.text) }
        guard let answer, case .errorResponse(octets[0], _, let error)? = try? PDU(answer[...]),
            [.invalidPDU, .requestNotSupported].contains(error)
        else {
            throw failure(
                expected: "\(ATTError.invalidPDU) for the malformed PDU \(octets.text)",
                seen: answer?.text ?? "no answer within 30 s")
        }
    }
}
