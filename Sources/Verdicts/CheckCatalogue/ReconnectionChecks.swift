import Basics
import Bluetooth
import Characteristics
import Checks
import GATT
import LEHost
import Services

// A peripheral can be used again after a disconnection, and keeps nothing for a client that is not bonded.
extension Check {
    private static let hasMeasurement = Prerequisite.characteristic(.heartRateMeasurement, of: .heartRate)

    static let reconnection = [
        Check(
            "reconnection/advertises_again", "the peripheral advertises again after a disconnection",
            "Heart Rate Profile 1.0, section 5.1.1", scope: .freshConnection
        ) { peripheral throws(CheckExit) in try peripheral.expectReturn() },
        Check(
            "reconnection/advertises_after_loss", "the peripheral advertises again after link loss",
            "Heart Rate Profile 1.0, section 5.1.3", scope: .freshConnection, weight: .recommended, if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            try peripheral.skipIfAbsent()
            try peripheral.loseLink(for: .seconds(2))
            peripheral.forgetReports()
            do throws(CheckExit) { try peripheral.findAdvertiser() } catch {
                throw peripheral.failure(
                    expected: "\(peripheral.peer) advertises again", seen: "no advertising for 21 s")
            }
        },
        Check(
            "reconnection/sends_again", "a strap that has sent measurements sends them after a reconnection, too",
            "Heart Rate Service 1.0, section 3.1", scope: .freshConnection, if: hasMeasurement
        ) { peripheral throws(CheckExit) in try peripheral.expectMeasurementsAgain() },
        Check(
            "reconnection/configuration_is_cleared",
            "the configuration of an unbonded client is 0x0000 after it reconnects", gatt("3.3.3.3"),
            scope: .freshConnection, recording: .values(for: .seconds(10))
        ) { peripheral throws(CheckExit) in try peripheral.expectConfigurationsCleared() }.withoutBond(),
        Check(
            "reconnection/nothing_is_replayed", "no measurement from before the reconnection is sent",
            "Heart Rate Service 1.0, section 3.4", scope: .freshConnection, recording: .values(for: .seconds(10)),
            if: hasMeasurement
        ) { peripheral throws(CheckExit) in
            guard peripheral.scenarioValue(of: .heartRate) != nil else { return try peripheral.expectNoReplay() }
            let handle = try peripheral.subscribe(to: .heartRate).valueHandle
            try peripheral.setValue(of: .heartRate, to: 150, "set the heart rate")
            let time = peripheral.patience(.seconds(10), of: .heartRate)
            guard try peripheral.next(of: handle, within: time, where: { $0.heartRate?.bpm == 150 }) != nil
            else { throw .inconclusive("no measurement of 150 bpm within \(time.formatted)") }
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
}

extension Examiner {
    /// Subscribes to everything, reconnects, and fails if a configuration is not 0, or if a value arrives.
    fileprivate mutating func expectConfigurationsCleared() throws(CheckExit) {
        try require(.absenceOfBond)
        let accepted = Set(try subscribeToAllThatAccept().compactMap(\.configurationHandle))
        guard !accepted.isEmpty else { throw .notApplicable("no characteristic can be notified or indicated") }
        // A peripheral may act on a configuration only when it has a value to send.
        _ = wait(atMost: .seconds(10)) { !$0.receivedValues.isEmpty || $0.connection == nil }
        guard connection != nil else { throw disconnected(during: "a wait for notifications") }
        disconnect()
        try connect()
        let period = recording.map { Recording.patience(after: $0.values) }
        try stayConnected(for: min(.seconds(5), period ?? .seconds(5)))
        let early = receivedValues.first
        try expect(
            early == nil, "no value before the client subscribes again",
            seen: early.map { "\($0.description), of handle \($0.handle.inHex)" } ?? "")
        for value in characteristics {
            guard let handle = value.configurationHandle, accepted.contains(handle) else { continue }
            let octets = try read(handle, "the configuration of \(value.uuid.name)")
            try expect(octets == [0, 0], "the configuration of \(value.uuid.name) is 00 00", seen: octets.text)
        }
    }

    /// Fails if the peripheral does not advertise again, although somebody uses it.
    ///
    /// A sensor that nobody uses may sleep, and only a heart-rate sensor should advertise whenever it is not connected.
    fileprivate mutating func expectReturn() throws(CheckExit) {
        let name = advertisedName
        let isStrap = find(.heartRateMeasurement, of: .heartRate) != nil
        let heart = isStrap ? try measurementOfHeart() : nil
        if let heart { noteUse(heart) }
        guard connection != nil else { throw disconnected(during: "a wait for notifications") }
        disconnect()
        if isFoundAgain() { return }
        let absence = "no advertising for \(Self.returnTime.formatted) after the disconnection"
        noteAbsence("\(peer) did not advertise again after a disconnection: see reconnection/advertises_again")
        if let why = possibleMove(of: name) { throw .inconclusive("\(absence); \(why)") }
        guard isStrap else {
            throw .inconclusive("\(absence), which other sensors may do: wake it, and run the checks again")
        }
        guard let heart else {
            throw .inconclusive("\(absence), and no heart rate before: wear it, and run the checks again")
        }
        throw failure(
            expected: "\(peer) advertises again, since somebody wears it: \(heart.heartRateText)",
            seen: "\(absence) (if its button must be pressed for that, press it meanwhile)", evidence: heart.octets)
    }

    /// A measurement that shows that somebody wears the sensor; nil if none comes soon.
    private mutating func measurementOfHeart() throws(CheckExit) -> ReceivedValue? {
        // Other checks judge a refusal.
        guard let handle = try? subscribe(to: .heartRate).valueHandle else { return nil }
        return try next(of: handle, within: patience(.seconds(5), of: .heartRate), where: \.isOfHeart)
    }

    /// Fails if a strap that has measured a heart sends nothing more once it was disconnected.
    ///
    /// A strap that was taken off meanwhile may be silent, too.  So the time between is short, and any measurement counts.
    fileprivate mutating func expectMeasurementsAgain() throws(CheckExit) {
        let begin = now
        let handle = try subscribe(to: .heartRate).valueHandle
        let soon = patience(.seconds(10), of: .heartRate)
        let heart = try next(of: handle, within: soon, where: \.isOfHeart)
        if let heart { noteUse(heart) }
        // Later, somebody may have taken it off.
        let earlier = knowledge.lastUse.flatMap { $0.instant.duration(to: begin) < .seconds(60) ? $0 : nil }
        guard latest(of: handle) == nil || heart != nil, let before = heart ?? earlier else {
            throw .notApplicable("no heart rate within \(soon.formatted): nobody seems to wear the sensor")
        }
        // Some sensors need a while before their first measurement.
        let usual = heart.map { begin.duration(to: $0.instant) } ?? .zero
        let time = max(patience(.seconds(30), of: .heartRate), usual * 3)
        noteSilence()
        for _ in 1...2 {
            disconnect()
            _ = isFoundAgain()
            try connect()
            let handle = try subscribe(to: .heartRate).valueHandle
            if try next(of: handle, within: time) != nil { return }
        }
        throw failure(
            expected: "Heart Rate Measurements after each reconnection, as before: \(before.heartRateText)",
            seen: "none within \(time.formatted) of the subscription, in two connections", evidence: before.octets)
    }
}
