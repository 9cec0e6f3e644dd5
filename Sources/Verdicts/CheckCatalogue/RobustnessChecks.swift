import ATT
import Basics
import Bluetooth
import Checks
import GATT

// Requests that a server must reject or survive, between valid ones.
extension Check {
    /// Does something invalid between two reads of Device Name.
    static func refusing(_ id: String, _ title: String, _ requirement: String, _ invalid: @escaping Body) -> Check {
        Check(id, title, requirement, if: .deviceName) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            try invalid(&peripheral)
            try peripheral.readName("after")
        }
    }

    /// The server survives something invalid.
    static func surviving(
        _ description: String, _ id: String, _ title: String, _ requirement: String, _ invalid: @escaping Body
    ) -> Check {
        Check(id, title, requirement, weight: .robustness, if: .deviceName) { peripheral throws(CheckExit) in
            try peripheral.expectSurvives(description, invalid)
        }
    }
}

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
            "a request that is too long is answered as without the surplus, or rejected with \(ATTError.invalidPDU)",
            att("3.4.1.1")
        ) { peripheral throws(CheckExit) in
            for request in fixed {
                let right = try peripheral.answer(to: request.octets)
                try peripheral.expectMalformed(request.octets + [0], or: right)
            }
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
            let mtu = peripheral.mtu  // 23, unless the peripheral has exchanged it
            try peripheral.expect(
                10...mtu ~= found.count, "a Find Information Response of 10 to \(mtu) octets", seen: found.text)
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
    /// Fails unless the server rejects a malformed request, as invalid or as unsupported, or gives another right answer.
    fileprivate mutating func expectMalformed(_ octets: [UInt8], or right: [UInt8]? = nil) throws(CheckExit) {
        let answer = try answer(to: octets)
        if connection == nil { throw disconnectedFailure(instead: octets.text) }
        if let answer, answer == right { return }
        guard let answer, case .errorResponse(octets[0], _, let error)? = try? PDU(answer[...]),
            [.invalidPDU, .requestNotSupported].contains(error)
        else {
            throw failure(
                expected: "\(ATTError.invalidPDU) for the malformed PDU \(octets.text)",
                seen: answer?.text ?? "no answer within 30 s")
        }
    }
}

// Procedures that a client does not finish, each between two valid requests.
extension Check {
    static let halfOpen = [
        Check(
            "robustness/prepared_and_left", "the server drops prepared writes when the connection ends",
            att("3.4.6.1"), weight: .robustness, if: .deviceName
        ) { peripheral throws(CheckExit) in
            let (handle, before) = try peripheral.preparable()
            try peripheral.expectSurvives("a prepared write that is never executed") { peripheral throws(CheckExit) in
                let octets: [UInt8] = before.first.map { [$0].farAway } ?? [0x01]
                let request = PDU.prepareWriteRequest(handle: handle, offset: 0, value: octets)
                let answer = try peripheral.answer(to: request, "Prepare Write")
                try peripheral.expect(
                    answer == .prepareWriteResponse(handle: handle, offset: 0, value: octets),
                    "a Prepare Write Response that repeats the request", seen: answer.octets.text)
                peripheral.disconnect()
                try peripheral.connect()
                _ = try peripheral.answer(to: .executeWriteRequest(write: true), "Execute Write")
                let after = try peripheral.read(handle, "handle \(handle.inHex)")
                try peripheral.expectIgnored(
                    "handle \(handle.inHex)", before, seen: after, ifWritten: after.agrees(with: octets))
            }
        },
        Check(
            "robustness/full_queue", "a full prepare queue is reported with \(ATTError.prepareQueueFull)",
            att("3.4.6.1"), weight: .robustness, if: .deviceName
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.preparable().handle
            try peripheral.expectSurvives("a full prepare queue") { peripheral throws(CheckExit) in
                try peripheral.fillQueue(handle)
            }
        },
        surviving(
            "invalid flags in Execute Write", "robustness/execute_flags",
            "Execute Write with reserved flags is rejected or executed", att("3.4.6.3")
        ) { peripheral throws(CheckExit) in
            guard let octets = try peripheral.answer(to: [0x18, 0x02]) else {
                throw peripheral.failure(expected: "an answer to 18 02 within 30 s", seen: "none")
            }
            try peripheral.expect(
                octets == [0x19] || octets.count == 5 && octets.starts(with: [0x01, 0x18]),
                "19, Execute Write Response, or an Error Response to 18 02", seen: octets.text)
        },
        Check(
            "robustness/requests_beside_an_indication",
            "the server answers requests while an indication is unconfirmed",
            att("3.3.2"), weight: .robustness, if: .deviceName
        ) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            let indication = try peripheral.withholdConfirmation()
            // The server may end the connection after 30 s, and each read takes several seconds on a slow link.
            let limit = indication.instant.advanced(by: .seconds(20))
            guard peripheral.now < limit else {
                throw .notApplicable("on this link, subscribing takes longer than an indication may wait")
            }
            while peripheral.now < limit {
                try peripheral.expectResponsive(after: "an unconfirmed indication")
                peripheral.wait(.seconds(2))
            }
        },
        surviving(
            "a disconnection before the answer", "robustness/gone_while_it_waits",
            "a client that disconnects mid-request can reconnect", att("3.3.2")
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.nameHandle
            try peripheral.send(PDU.readRequest(handle: handle).octets)
            peripheral.disconnect()
        },
    ]
}

extension Examiner {
    /// Prepares writes until the queue is full, at most 4096.
    fileprivate mutating func fillQueue(_ handle: UInt16) throws(CheckExit) {
        let request = PDU.prepareWriteRequest(handle: handle, offset: 0, value: [0x41])
        for number in 1...4096 {
            let description = "Prepare Write number \(number)"
            guard let error = try refusal(of: request, description)?.error else { continue }
            try expect(
                error == .prepareQueueFull, "\(ATTError.prepareQueueFull) for \(description)", seen: "\(error)")
            break
        }
        let cancel = try cancelPreparedWrites()
        try expect(cancel == .executeWriteResponse, "19, Execute Write Response", seen: cancel.octets.text)
        let error = try refusal(of: request, "Prepare Write after the queue was cancelled")?.error
        try expect(error == nil, "room in the queue after it was cancelled", seen: error?.description ?? "")
    }
}

// More traffic than a server can process at once, between two valid requests.
extension Check {
    static let floods = [
        simultaneous(
            2, "robustness/two_requests_at_once", "the server answers the first of two simultaneous requests correctly"),
        simultaneous(
            100, "robustness/flood_of_requests", "the server survives a hundred simultaneous requests"),
        surviving(
            "three hundred commands", "robustness/flood_of_commands",
            "the server does not answer three hundred commands to an unused handle",
            "Core 6.0, Vol 3, Part F, sections 3.3 and 3.4.5.3"
        ) { peripheral throws(CheckExit) in
            let handle = try TargetAttribute.unused.find(in: &peripheral).handle
            let octets = PDU.writeCommand(handle: handle, value: Array(repeating: 0x41, count: 20)).octets
            peripheral.answered = []
            for _ in 0..<30 {
                for _ in 0..<10 { try peripheral.send(octets) }
                peripheral.wait(.milliseconds(60))
            }
            peripheral.wait(.seconds(2))
            let answer = peripheral.answered.first
            try peripheral.expect(answer == nil, "no answer to a Write Command", seen: answer?.text ?? "")
        },
        Check(
            "robustness/subscribing_again_and_again", "after many rapid configuration writes, the last one applies",
            gatt("3.3.3.3"), weight: .robustness, if: .deviceName
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.anyConfiguration()
            try peripheral.expectSurvives("150 configuration writes") { peripheral throws(CheckExit) in
                let before = try peripheral.read(handle, "a configuration")
                for octets: [UInt8] in Array(repeating: [[1, 0], [2, 0], [0, 0]], count: 50).joined() {
                    let request = Procedure.write(handle: handle, value: octets)
                    _ = try peripheral.refusal(of: request, "a write of \(octets.text) to a configuration")
                }
                let after = try peripheral.read(handle, "a configuration")
                try peripheral.expect(
                    after == before, "the configuration is \(before.text), as written last", seen: after.text)
            }
        },
    ]

    private static func simultaneous(_ count: Int, _ id: String, _ title: String) -> Check {
        surviving("\(count) simultaneous requests", id, title, att("3.3.2")) {
            peripheral throws(CheckExit) in try peripheral.flood(requests: count)
        }
    }
}

extension Examiner {
    /// Sends `count` read requests without waiting; the answers that come must be right.
    fileprivate mutating func flood(requests count: Int) throws(CheckExit) {
        let (handle, octets) = try shortStableValue()
        let right = PDU.readResponse(octets).octets
        answered = []
        for _ in 0..<count { try send(PDU.readRequest(handle: handle).octets) }
        _ = wait(atMost: Self.answerTime) { $0.answered.count >= count || $0.connection == nil }
        guard connection != nil else { return }
        try expect(!answered.isEmpty, "an answer to the first of \(count) requests within 30 s", seen: "none")
        try expect(answered.count <= count, "at most \(count) answers", seen: "\(answered.count)")
        for answer in answered where answer != right {
            if case .errorResponse(0x0A, handle, _)? = try? PDU(answer[...]) { continue }
            guard try stableValue(handle) == octets else {
                throw .notApplicable("no value that fits into one PDU stays the same")
            }
            throw failure(expected: "\(right.text), or an Error Response", seen: answer.text)
        }
    }

    /// A value that fits into one PDU and does not change, preferably not of GAP or GATT.
    private mutating func shortStableValue() throws(CheckExit) -> (handle: UInt16, octets: [UInt8]) {
        let all = try characteristics(declaredWith: .read)
        let services = services.filter { $0.uuid != .genericAccess && $0.uuid != .genericAttribute }
        let own = services.flatMap(\.characteristics).filter(all.contains)
        for value in own + all {
            guard let octets = try stableValue(value.valueHandle), octets.count < mtu else { continue }
            return (value.valueHandle, octets)
        }
        throw .notApplicable("no stable value fits into one PDU")
    }
}
