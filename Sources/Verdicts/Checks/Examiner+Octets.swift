package import ATT
import Basics
package import Bluetooth
import GATT
import L2CAP
import LEHost

// Single PDUs, which may be invalid.
extension Examiner {
    /// The ATT transaction timeout.  Core 6.0, Vol 3, Part F, section 3.3.3.
    package static let answerTime = Requester.transactionTimeout

    /// Sends any octets as one ATT PDU; inconclusive if they are longer than the MTU, which is not the server's fault.
    package mutating func send(_ octets: [UInt8]) throws(CheckExit) {
        try require(.packets)
        guard octets.count <= mtu else {
            throw .inconclusive("a request of \(octets.count) octets does not fit into the MTU of \(mtu)")
        }
        try inject(.sendRaw(.attribute, octets))
    }

    /// Sends octets and waits for the answer; nil if none arrives in time or the connection ends.
    package mutating func answer(
        to octets: [UInt8], within duration: Duration = answerTime
    ) throws(CheckExit) -> [UInt8]? {
        answered = []
        try send(octets)
        _ = wait(atMost: duration) { !$0.answered.isEmpty || $0.connection == nil }
        return answered.first
    }

    /// The same for a request that servers reject without asking an application.  If the answer is overdue, another
    /// request follows: a server that answers that one has ignored the first, because it handles one request at a time.
    /// Core 6.0, Vol 3, Part F, section 3.3.2.
    package mutating func promptAnswer(to octets: [UInt8]) throws(CheckExit) -> [UInt8]? {
        isIgnored = false
        if let answer = try answer(to: octets, within: Self.usualAnswerTime) { return answer }
        guard connection != nil else { return nil }
        sharedScope = nil
        try send(Self.probe.octets)
        _ = wait(atMost: Self.answerTime - Self.usualAnswerTime) { !$0.answered.isEmpty || $0.connection == nil }
        guard let first = answered.first else { return nil }
        isIgnored = first.first == 0x05 || first.starts(with: [0x01, Self.probe.opcode.rawValue])
        guard !isIgnored else { return nil }
        // The answer to the probe must not be taken for that to a later request.
        _ = wait(atMost: Self.answerTime) { $0.answered.count > 1 || $0.connection == nil }
        return first
    }

    /// A request that every server answers.
    private static let probe = PDU.findInformationRequest(HandleRange(1, 1))
    /// Longer than servers take.
    private static let usualAnswerTime = Duration.seconds(2)

    /// What a finding reports instead of an answer.
    package var missingAnswer: String {
        isIgnored
            ? "none within \(Self.usualAnswerTime.formatted), although the peripheral answered the next request"
            : "none"
    }

    /// Sends a request; fails unless a well-formed answer arrives.
    package mutating func answer(
        to request: PDU, _ description: String, isPrompt: Bool = false
    ) throws(CheckExit) -> PDU {
        guard let octets = try isPrompt ? promptAnswer(to: request.octets) : answer(to: request.octets) else {
            guard connection == nil else {
                throw failure(expected: "an answer to \(description) within 30 s", seen: missingAnswer)
            }
            throw disconnectedFailure(instead: description)
        }
        do throws(Malformed) { return try PDU(octets[...]) } catch {
            throw failure(expected: "a well-formed answer to \(description)", seen: "\(octets.text): \(error)")
        }
    }

    /// The error and handle of an Error Response; nil for any other answer.
    ///
    /// `isPrompt`: servers reject the request without asking an application.
    package mutating func refusal(
        of request: PDU, _ description: String, isPrompt: Bool = false
    ) throws(CheckExit) -> (error: ATTError, handle: UInt16)? {
        let answer = try answer(to: request, description, isPrompt: isPrompt)
        guard case .errorResponse(_, let handle, let error) = answer else { return nil }
        return (error, handle)
    }

    /// Fails unless the server rejects a request with one of these errors, for this handle.
    package mutating func expectRefused(
        _ request: PDU, with errors: [ATTError], at handle: UInt16, _ description: String
    ) throws(CheckExit) {
        let answer = try answer(to: request, description)
        let names = errors.map(\.description).joined(separator: " or ")
        guard case .errorResponse(let opcode, let named, let error) = answer else {
            throw failure(expected: "\(names) for \(description)", seen: answer.octets.text)
        }
        try expect(errors.contains(error), "\(names) for \(description)", seen: "\(error)")
        try expect(
            opcode == request.opcode.rawValue && named == handle,
            "an Error Response for opcode \(request.opcode.rawValue.inHex) and handle \(handle.inHex)",
            seen: "opcode \(opcode.inHex), handle \(named.inHex)")
    }

    /// Skips a check of an optional request that the server does not support.
    package static func unsupported(_ description: String) -> CheckExit {
        .notApplicable("the peripheral does not support \(description)")
    }

    // MARK: Valid requests around invalid ones

    /// Reads the Device Name, which every server has; inconclusive if the server rejects that.
    package mutating func readName(_ when: String) throws(CheckExit) {
        let handle = try nameHandle
        guard let error = try refusal(of: .read(handle: handle), "a read of Device Name") else { return }
        throw .inconclusive("the peripheral refused a read of Device Name \(when) the invalid request: \(error)")
    }

    package var nameHandle: UInt16 {
        get throws(CheckExit) { try characteristic(.deviceName, of: .genericAccess).valueHandle }
    }

    /// Fails unless the server still answers after something invalid, if necessary on a new connection.
    package mutating func expectResponsive(after description: String) throws(CheckExit) {
        if connection == nil {
            try skipIfAbsent()
            forgetReports()
            do throws(CheckExit) {
                try findAdvertiser()
                try connect()
            } catch {
                throw failure(expected: "a new connection after \(description)", seen: "\(error.description)")
            }
        }
        let handle = try nameHandle
        let answer = try answer(to: .readRequest(handle: handle), "a read of Device Name after \(description)")
        guard case .readResponse = answer else {
            throw failure(expected: "the Device Name after \(description)", seen: answer.octets.text)
        }
    }

    /// Does something invalid between two valid reads.
    package mutating func expectSurvives(
        _ description: String, _ invalid: (inout Examiner) throws(CheckExit) -> Void
    ) throws(CheckExit) {
        try readName("before")
        try invalid(&self)
        try expectResponsive(after: description)
    }

    /// Fails if the server answers octets that it must ignore.
    package mutating func expectSilence(after octets: [UInt8], _ description: String) throws(CheckExit) {
        let answer = try answer(to: octets, within: .seconds(2))
        try expect(answer == nil, "no answer to \(description), \(octets.text)", seen: answer?.text ?? "")
    }
}

extension PDU {
    /// The encoded PDU with its opcode.
    package var octets: [UInt8] {
        var pool = PacketPool()
        let packet = pool.take(self)
        return pool.octets(of: packet)
    }
}

extension UInt16 {
    /// `0x002A`
    package var inHex: String { "0x\(zeroPadded(to: 4, radix: 16))" }
}

extension UInt8 {
    /// `0x2A`
    package var inHex: String { "0x\(zeroPadded(to: 2, radix: 16))" }
}
