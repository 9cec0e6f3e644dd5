import Bluetooth
import Characteristics
import Checks
import GATT
import LEHost
import Services
import Simulation

// A peripheral keeps nothing for a client that is not bonded.
extension Check {
    private static let hasMeasurement = Prerequisite.characteristic(.heartRateMeasurement, of: .heartRate)

    static let reconnection = [
        advertising(
            "reconnection/advertises_again", "the peripheral advertises again after a disconnection", "5.1.1"
        ) { $0.disconnect() },
        advertising(
            "reconnection/advertises_after_loss", "the peripheral advertises again after link loss", "5.1.2"
        ) { peripheral throws(CheckExit) in try peripheral.loseLink(for: .seconds(8)) },
        Check(
            "reconnection/configuration_is_cleared",
            "the configuration of an unbonded client is 0x0000 after it reconnects", gatt("3.3.3.3"), if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            try peripheral.require(.absenceOfBond)
            _ = try peripheral.firstMeasurement()
            peripheral.disconnect()
            try peripheral.connect()
            let value = try peripheral.characteristic(.heartRateMeasurement, of: .heartRate)
            let early = try peripheral.receivedValues(of: value.valueHandle, for: .seconds(5)).first
            try peripheral.expect(
                early == nil, "no notification before the client subscribes again",
                seen: early?.heartRateText ?? "")
            guard let handle = value.configurationHandle else { return }
            let octets = try peripheral.read(handle, "the configuration of Heart Rate Measurement")
            try peripheral.expect(
                octets == [0, 0], "the configuration of Heart Rate Measurement is 00 00", seen: octets.text)
        },
        Check(
            "reconnection/nothing_is_replayed", "no measurement from before the reconnection is sent",
            "Heart Rate Service 1.0, section 3.4", if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.subscribe(to: .heartRate).valueHandle
            try peripheral.setValue(of: .heartRate, to: 150, "set the heart rate")
            guard try peripheral.next(of: handle, within: .seconds(10), where: { $0.heartRate?.bpm == 150 }) != nil
            else { throw .inconclusive("no measurement of 150 bpm within 10 s") }
            try peripheral.loseLink(for: .seconds(8))
            try peripheral.setValue(of: .heartRate, to: 60, "set the heart rate")
            peripheral.wait(.seconds(3))
            try peripheral.connect()
            let received = try peripheral.receive(.heartRate, for: .seconds(5))
            if let old = received.first(where: { $0.heartRate?.bpm == 150 }) {
                throw peripheral.failure(
                    expected: "only measurements of 60 bpm, the heart rate since before the connection",
                    seen: old.heartRateText)
            }
        },
    ]

    private static func advertising(
        _ id: String, _ title: String, _ section: String, after end: @escaping Body
    ) -> Check {
        Check(id, title, "Heart Rate Profile 1.0, section \(section)") { peripheral throws(CheckExit) in
            try end(&peripheral)
            peripheral.forgetReports()
            do throws(CheckExit) { try peripheral.findAdvertiser() } catch {
                throw peripheral.failure(
                    expected: "\(peripheral.peer) advertises again", seen: "no advertising for 21 s")
            }
        }
    }
}
