import Bluetooth
import Characteristics
import GATT
import LEHost
import Scenarios
import Services
import Simulation

// What is left of a client that was there before and is not bonded: nothing.
extension Check {
    private static let measured = Claim.characteristic(.heartRateMeasurement, of: .heartRate)

    static let reconnection = [
        Check(
            "reconnection/advertises_again", "it advertises again after a connection has ended",
            "Heart Rate Profile 1.0, section 5.1.1"
        ) { peripheral throws(CheckExit) in
            peripheral.disconnect()
            try peripheral.hearAgain()
        },
        Check(
            "reconnection/advertises_after_loss", "it advertises again after it has lost its client",
            "Heart Rate Profile 1.0, section 5.1.2"
        ) { peripheral throws(CheckExit) in
            try peripheral.loseLink(for: .seconds(8))
            try peripheral.hearAgain()
        },
        Check(
            "reconnection/configuration_is_cleared", "a client without a bond finds its configuration at 0x0000 again",
            "Core 6.0, Vol 3, Part G, section 3.3.3.3", if: measured
        ) { peripheral throws(CheckExit) in
            try peripheral.need(.absenceOfBond)
            _ = try peripheral.firstMeasurement()
            peripheral.disconnect()
            try peripheral.connect()
            let value = try peripheral.characteristic(.heartRateMeasurement, of: .heartRate)
            let unasked = try peripheral.notices(of: value.valueHandle, for: .seconds(5)).first
            try peripheral.expect(
                unasked == nil, "no notification before the new connection asks for one",
                seen: unasked.map { HeardMeasurement($0).words } ?? "")
            guard let handle = value.configurationHandle else { return }
            let octets = try peripheral.read(handle, "the configuration of 2A37")
            try peripheral.expect(octets == [0, 0], "the configuration of 2A37 is 00 00", seen: octets.hex)
        },
        Check(
            "reconnection/nothing_is_replayed", "no measurement from while the client was away",
            "Heart Rate Service 1.0, section 3.4", if: measured
        ) { peripheral throws(CheckExit) in
            let before = try peripheral.subscribeToHeart()
            try peripheral.provoke(of: .heartRate, to: 150, "set the heart rate")
            guard
                try peripheral.nextMeasurement(of: before, within: .seconds(10), where: { $0.value?.bpm == 150 }) != nil
            else { throw .inconclusive("no measurement of 150 bpm came within 10 s") }
            try peripheral.loseLink(for: .seconds(8))
            try peripheral.provoke(of: .heartRate, to: 60, "set the heart rate")
            peripheral.wait(.seconds(3))
            try peripheral.connect()
            let heard = try peripheral.listenToHeart(for: .seconds(5))
            if let old = heard.first(where: { $0.value?.bpm == 150 }) {
                throw peripheral.failure(
                    expected: "only measurements of 60 bpm, which has been the heart rate since before the connection",
                    seen: old.words)
            }
        },
    ]
}

extension Examiner {
    /// Fails unless the peripheral is heard again.
    fileprivate mutating func hearAgain() throws(CheckExit) {
        forgetReports()
        do throws(CheckExit) { try hear() } catch {
            throw failure(expected: "\(peer) advertises again", seen: "nothing for 21 s")
        }
    }
}
