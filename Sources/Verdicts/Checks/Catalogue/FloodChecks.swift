import ATT
import Bluetooth
import GATT
import Octets
import Simulation

// More than a server can take at once, between two good requests.
extension Check {
    private static let named = Claim.characteristic(.deviceName, of: .genericAccess)

    static let floods = [
        requests(
            2, "robustness/two_requests_at_once", "of two requests at once the first is answered, and neither wrongly"),
        requests(
            100, "robustness/flood_of_requests", "a hundred requests at once end nothing but perhaps the connection"),
        Check(
            "robustness/flood_of_commands", "three hundred commands to a handle that is nobody's are not answered",
            "Core 6.0, Vol 3, Part F, sections 3.3 and 3.4.5.3", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            let handle = try TargetAttribute.nobody.find(in: &peripheral).handle
            try peripheral.survive("three hundred commands") { peripheral throws(CheckExit) in
                let octets = PDU.writeCommand(handle: handle, value: Array(repeating: 0x41, count: 20)).octets
                peripheral.answered = []
                for _ in 0..<30 {
                    for _ in 0..<10 { try peripheral.send(octets) }
                    peripheral.wait(.milliseconds(60))
                }
                peripheral.wait(.seconds(2))
                let answer = peripheral.answered.first
                try peripheral.expect(answer == nil, "no answer to a Write Command", seen: answer?.hex ?? "")
            }
        },
        Check(
            "robustness/subscribing_again_and_again", "who changes its mind a hundred times has what it said last",
            "Core 6.0, Vol 3, Part G, section 3.3.3.3", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.anyConfiguration()
            try peripheral.survive("a hundred changes of a configuration") { peripheral throws(CheckExit) in
                let before = try peripheral.read(handle, "a configuration")
                for _ in 0..<50 {
                    for octets: [UInt8] in [[1, 0], [2, 0], [0, 0]] {
                        let request = Procedure.write(handle: handle, value: octets)
                        _ = try peripheral.refusal(of: request, "a write of \(octets.hex) to a configuration")
                    }
                }
                let after = try peripheral.read(handle, "a configuration")
                try peripheral.expect(after == before, "the configuration is \(before.hex)", seen: after.hex)
            }
        },
    ]

    private static func requests(_ count: Int, _ id: String, _ title: String) -> Check {
        Check(id, title, "Core 6.0, Vol 3, Part F, section 3.3.2", weight: .robustness, if: named) {
            peripheral throws(CheckExit) in
            try peripheral.survive("\(count) requests at once") { peripheral throws(CheckExit) in
                try peripheral.flood(requests: count)
            }
        }
    }
}

extension Examiner {
    /// Reads one value so many times without waiting for the answers; those that come have to be right.
    fileprivate mutating func flood(requests count: Int) throws(CheckExit) {
        let (handle, octets) = try shortSteadyValue()
        let right = PDU.readResponse(octets).octets
        answered = []
        for _ in 0..<count { try send(PDU.readRequest(handle: handle).octets) }
        _ = wait(atMost: Self.answerTime) { $0.answered.count >= count || $0.connection == nil }
        guard connection != nil else { return }
        try expect(!answered.isEmpty, "an answer to the first of \(count) requests", seen: "none within 30 s")
        try expect(answered.count <= count, "\(count) answers at most", seen: "\(answered.count)")
        for answer in answered where answer != right {
            guard case .errorResponse(0x0A, handle, _)? = try? PDU(answer[...]) else {
                throw failure(expected: "\(right.hex), or a refusal", seen: answer.hex)
            }
        }
    }

    /// A value that fits into one PDU and stays what it is, of the peripheral's own services if they have one.
    private mutating func shortSteadyValue() throws(CheckExit) -> (handle: UInt16, octets: [UInt8]) {
        let all = try readable()
        let services = services.filter { $0.uuid != .genericAccess && $0.uuid != .genericAttribute }
        let own = services.flatMap(\.characteristics).filter(all.contains)
        for value in own + all {
            guard let octets = try steady(value.valueHandle), octets.count < mtu else { continue }
            return (value.valueHandle, octets)
        }
        throw .skipped("not claimed: no value fits into one PDU and stays what it is")
    }
}
