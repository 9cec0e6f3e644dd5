import ATT
import Bluetooth
import GATT
import L2CAP
import LEHost
import Octets
import Simulation
import Spelling

// What is said octet by octet, so that it may be wrong.
extension Examiner {
    /// Each request has so long to be answered.  Core 6.0, Vol 3, Part F, section 3.3.3.
    static let answerTime = Requester.transactionTimeout

    /// Sends octets as one PDU of ATT, whatever they are.
    mutating func send(_ octets: [UInt8]) throws(CheckExit) {
        try need(.packets)
        command(.sendRaw(.attribute, octets))
    }

    /// Sends octets, and waits for a PDU that answers them: nil when none comes in time, or the connection ends.
    mutating func answer(
        to octets: [UInt8], within duration: Duration = answerTime
    ) throws(CheckExit) -> [UInt8]? {
        answered = []
        try send(octets)
        _ = wait(atMost: duration) { !$0.answered.isEmpty || $0.connection == nil }
        return answered.first
    }

    /// Asks, and fails unless something comes back that can be read.
    mutating func answer(to request: PDU, _ words: String) throws(CheckExit) -> PDU {
        guard let octets = try answer(to: request.octets) else {
            guard connection == nil else { throw failure(expected: "an answer to \(words) within 30 s", seen: "none") }
            throw hungUp(instead: words)
        }
        do throws(Malformed) { return try PDU(octets[...]) } catch {
            throw failure(expected: "a well-formed answer to \(words)", seen: "\(octets.hex): \(error)")
        }
    }

    /// With what error, and naming what handle, a request is refused; nil when it is not.
    mutating func refusal(of request: PDU, _ words: String) throws(CheckExit) -> (error: ATTError, handle: UInt16)? {
        guard case .errorResponse(_, let handle, let error) = try answer(to: request, words) else { return nil }
        return (error, handle)
    }

    /// Fails unless a request is refused with one of these errors, and for this handle.
    mutating func expectRefused(
        _ request: PDU, with errors: [ATTError], at handle: UInt16, _ words: String
    ) throws(CheckExit) {
        let answer = try answer(to: request, words)
        let names = errors.map(\.description).joined(separator: " or ")
        guard case .errorResponse(let opcode, let named, let error) = answer else {
            throw failure(expected: "\(words) is refused with \(names)", seen: answer.octets.hex)
        }
        try expect(errors.contains(error), "\(words) is refused with \(names)", seen: "\(error)")
        try expect(
            opcode == request.opcode.rawValue && named == handle,
            "an Error Response for opcode \(request.opcode.rawValue.inHex) and handle \(handle.inHex)",
            seen: "opcode \(opcode.inHex), handle \(named.inHex)")
    }

    /// That a server does not have a request that it need not have.
    static func unsupported(_ words: String) -> CheckExit {
        .skipped("not claimed: \(words) is refused with \(ATTError.requestNotSupported)")
    }

    // MARK: Right requests around wrong ones

    /// Asks for the Device Name, which every server has: inconclusive when it is refused.
    mutating func readName(_ when: String) throws(CheckExit) {
        let handle = try nameHandle
        guard let error = try refusal(of: .read(handle: handle), "a read of 2A00") else { return }
        throw .inconclusive("a read of 2A00, which is right, was refused \(when) the wrong request: \(error)")
    }

    /// Where the Device Name is.
    var nameHandle: UInt16 {
        get throws(CheckExit) { try characteristic(.deviceName, of: .genericAccess).valueHandle }
    }

    /// Fails unless the server still answers after something wrong; it may have hung up, and be back.
    mutating func expectAlive(after words: String) throws(CheckExit) {
        if connection == nil {
            forgetReports()
            do throws(CheckExit) {
                try hear()
                try connect()
            } catch {
                throw failure(expected: "it can be connected to again after \(words)", seen: "\(error.words)")
            }
        }
        let handle = try nameHandle
        let answer = try answer(to: .readRequest(handle: handle), "a read of 2A00 after \(words)")
        guard case .readResponse = answer else {
            throw failure(expected: "the value of 2A00 after \(words)", seen: answer.octets.hex)
        }
    }

    /// Does something wrong between two good reads.
    mutating func survive(
        _ words: String, _ wrong: (inout Examiner) throws(CheckExit) -> Void
    ) throws(CheckExit) {
        try readName("before")
        try wrong(&self)
        try expectAlive(after: words)
    }

    /// Fails when anything is said to octets that must not be answered.
    mutating func expectSilence(after octets: [UInt8], _ words: String) throws(CheckExit) {
        let answer = try answer(to: octets, within: .seconds(2))
        try expect(answer == nil, "no answer to \(words), \(octets.hex)", seen: answer?.hex ?? "")
    }
}

extension PDU {
    /// As it is sent, opcode and all.
    var octets: [UInt8] {
        var pool = PacketPool()
        let packet = pool.take(self)
        return pool.octets(of: packet)
    }
}

extension UInt16 {
    /// `0x002A`
    var inHex: String { "0x\(text(digits: 4, radix: 16))" }
}

extension UInt8 {
    /// `0x2A`
    var inHex: String { "0x\(text(digits: 2, radix: 16))" }
}
