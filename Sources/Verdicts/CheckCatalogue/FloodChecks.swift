import ATT
import Bluetooth
import Checks
import GATT
import Octets
import Simulation

// More traffic than a server can process at once, between two valid requests.
extension Check {
    static let floods = [
        requests(
            2, "robustness/two_requests_at_once", "the server answers the first of two simultaneous requests correctly"),
        requests(
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

    private static func requests(_ count: Int, _ id: String, _ title: String) -> Check {
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
            guard case .errorResponse(0x0A, handle, _)? = try? PDU(answer[...]) else {
                throw failure(expected: "\(right.text), or an Error Response", seen: answer.text)
            }
        }
    }

    /// A value that fits into one PDU and does not change, preferably not of GAP or GATT.
    private mutating func shortStableValue() throws(CheckExit) -> (handle: UInt16, octets: [UInt8]) {
        let all = try readable()
        let services = services.filter { $0.uuid != .genericAccess && $0.uuid != .genericAttribute }
        let own = services.flatMap(\.characteristics).filter(all.contains)
        for value in own + all {
            guard let octets = try stableValue(value.valueHandle), octets.count < mtu else { continue }
            return (value.valueHandle, octets)
        }
        throw .skipped("not applicable: no stable value fits into one PDU")
    }
}
