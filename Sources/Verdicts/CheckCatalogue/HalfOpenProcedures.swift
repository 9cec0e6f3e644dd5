import ATT
import Bluetooth
import Checks
import GATT
import Octets
import Simulation

// Procedures that a client does not finish, each between two valid requests.
extension Check {
    static let halfOpen = [
        Check(
            "robustness/prepared_and_left", "the server drops prepared writes when the connection ends",
            att("3.4.6.1"), weight: .robustness, if: .deviceName
        ) { peripheral throws(CheckExit) in
            let (handle, before) = try peripheral.preparable()
            try peripheral.expectSurvives("a prepared write that is never executed") { peripheral throws(CheckExit) in
                let octets: [UInt8] = before.first.map { [$0 ^ 0x01] } ?? [0x01]
                let request = PDU.prepareWriteRequest(handle: handle, offset: 0, value: octets)
                let answer = try peripheral.answer(to: request, "Prepare Write")
                try peripheral.expect(
                    answer == .prepareWriteResponse(handle: handle, offset: 0, value: octets),
                    "a Prepare Write Response that repeats the request", seen: answer.octets.text)
                peripheral.disconnect()
                try peripheral.connect()
                _ = try peripheral.answer(to: .executeWriteRequest(write: true), "Execute Write")
                let after = try peripheral.read(handle, "handle \(handle.inHex)")
                try peripheral.expect(
                    after == before, "handle \(handle.inHex) keeps \(before.text)", seen: after.text)
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
            "Execute Write with invalid flags is rejected with \(ATTError.invalidPDU)", att("3.4.6.3")
        ) { peripheral throws(CheckExit) in
            guard let octets = try peripheral.answer(to: [0x18, 0x02]) else {
                throw peripheral.failure(expected: "an answer to 18 02 within 30 s", seen: "none")
            }
            try peripheral.expect(
                octets.count == 5 && octets.starts(with: [0x01, 0x18]), "an Error Response to 18 02",
                seen: octets.text)
        },
        Check(
            "robustness/requests_beside_an_indication",
            "the server answers requests while an indication is unconfirmed",
            att("3.3.2"), weight: .robustness, if: .deviceName
        ) { peripheral throws(CheckExit) in
            try peripheral.readName("before")
            _ = try peripheral.withholdConfirmation()
            for _ in 0..<10 {
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
        let cancel = try answer(to: .executeWriteRequest(write: false), "a cancelling Execute Write")
        try expect(cancel == .executeWriteResponse, "19, Execute Write Response", seen: cancel.octets.text)
        let error = try refusal(of: request, "Prepare Write after the queue was cancelled")?.error
        try expect(error == nil, "room in the queue after it was cancelled", seen: error?.description ?? "")
    }
}
