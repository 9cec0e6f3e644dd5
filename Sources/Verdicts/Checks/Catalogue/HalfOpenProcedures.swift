import ATT
import Bluetooth
import GATT
import Octets
import Simulation

// Procedures that a client begins and does not end, each between two good requests.
extension Check {
    private static let named = Claim.characteristic(.deviceName, of: .genericAccess)

    static let halfOpen = [
        Check(
            "robustness/prepared_and_left", "what was prepared is gone with the connection, and not written",
            "Core 6.0, Vol 3, Part F, section 3.4.6.1", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            let (handle, before) = try peripheral.preparable()
            try peripheral.survive("a prepared write without an end") { peripheral throws(CheckExit) in
                let octets: [UInt8] = before.first.map { [$0 ^ 0x01] } ?? [0x01]
                let request = PDU.prepareWriteRequest(handle: handle, offset: 0, value: octets)
                let answer = try peripheral.answer(to: request, "a prepared write")
                try peripheral.expect(
                    answer == .prepareWriteResponse(handle: handle, offset: 0, value: octets),
                    "a prepared write is repeated", seen: answer.octets.hex)
                peripheral.disconnect()
                try peripheral.connect()
                _ = try peripheral.answer(to: .executeWriteRequest(write: true), "a write of what was prepared")
                let after = try peripheral.read(handle, "handle \(handle.inHex)")
                try peripheral.expect(
                    after == before, "handle \(handle.inHex) keeps \(before.hex)", seen: after.hex)
            }
        },
        Check(
            "robustness/full_queue", "who prepares more than there is room for: \(ATTError.prepareQueueFull)",
            "Core 6.0, Vol 3, Part F, section 3.4.6.1", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.preparable().handle
            try peripheral.survive("a full queue of prepared writes") { peripheral throws(CheckExit) in
                try peripheral.fillQueue(handle)
            }
        },
        Check(
            "robustness/execute_flags", "an Execute Write that neither writes nor cancels: \(ATTError.invalidPDU)",
            "Core 6.0, Vol 3, Part F, section 3.4.6.3", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.survive("flags of Execute Write that there are not") { peripheral throws(CheckExit) in
                guard let octets = try peripheral.answer(to: [0x18, 0x02]) else {
                    throw peripheral.failure(expected: "an answer to 18 02", seen: "none within 30 s")
                }
                try peripheral.expect(
                    octets.count == 5 && octets.starts(with: [0x01, 0x18]), "18 02 is refused", seen: octets.hex)
            }
        },
        Check(
            "robustness/requests_beside_an_indication", "requests are answered while an indication is not confirmed",
            "Core 6.0, Vol 3, Part F, section 3.3.2", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            _ = try peripheral.leaveUnconfirmed()
            for _ in 0..<10 {
                try peripheral.expectAlive(after: "an indication that is not confirmed")
                peripheral.wait(.seconds(2))
            }
        },
        Check(
            "robustness/gone_while_it_waits", "who goes away before the answer comes can come back",
            "Core 6.0, Vol 3, Part F, section 3.3.2", weight: .robustness, if: named
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.nameHandle
            try peripheral.survive("a client that went away before its answer") { peripheral throws(CheckExit) in
                try peripheral.send(PDU.readRequest(handle: handle).octets)
                peripheral.disconnect()
            }
        },
    ]
}

extension Examiner {
    /// Prepares until there is no more room; who always has room for more is asked for 4096 writes and no more.
    fileprivate mutating func fillQueue(_ handle: UInt16) throws(CheckExit) {
        let request = PDU.prepareWriteRequest(handle: handle, offset: 0, value: [0x41])
        for number in 1...4096 {
            let words = "prepared write \(number)"
            guard let error = try refusal(of: request, words)?.error else { continue }
            try expect(
                error == .prepareQueueFull, "\(words) is refused with \(ATTError.prepareQueueFull)", seen: "\(error)")
            break
        }
        let cancel = try answer(to: .executeWriteRequest(write: false), "a cancel of what was prepared")
        try expect(cancel == .executeWriteResponse, "a cancel is answered by 19", seen: cancel.octets.hex)
        let error = try refusal(of: request, "a prepared write after the cancel")?.error
        try expect(error == nil, "there is room again after a cancel", seen: error?.description ?? "")
    }
}
