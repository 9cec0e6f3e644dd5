import ATT
import Basics
import Bluetooth
import Checks
import Devices
import GATT
import LEHost
import Services

/// A characteristic that a service notifies or indicates, with how a finding describes its values.
struct SubscribableValue: Sendable {
    let uuid: UUID
    let service: UUID
    let configuration: ClientConfiguration
    let text: @Sendable (Examiner.ReceivedValue) -> String

    init(
        _ uuid: UUID, of service: UUID, _ configuration: ClientConfiguration = .notification,
        text: @escaping @Sendable (Examiner.ReceivedValue) -> String = { $0.description }
    ) { (self.uuid, self.service, self.configuration, self.text) = (uuid, service, configuration, text) }

    var exists: Prerequisite { .characteristic(uuid, of: service) }
}

extension Check {
    /// The value is sent only while a client is subscribed to it; the client is subscribed to `other` all the time.
    static func delivered(
        _ id: String, _ value: SubscribableValue, _ requirement: String, within duration: Duration = .seconds(60),
        with other: SubscribableValue? = nil
    ) -> Check {
        let verb = value.configuration == .indication ? "indicated" : "notified"
        return Check(
            id, "\(value.uuid.name) is \(verb) only while a client is subscribed", requirement,
            recording: .first(value.uuid, of: value.service, within: duration), if: value.exists
        ) { peripheral throws(CheckExit) in
            let handle = try peripheral.characteristic(value.uuid, of: value.service).valueHandle
            let duration = peripheral.patience(duration, of: value.service)
            var recording = peripheral.recording(ofFirst: handle, within: duration)
            if recording == nil { recording = try peripheral.recordFirst(of: value, with: other, within: duration) }
            if recording?.values(of: handle).isEmpty != false, peripheral.isReal {
                throw .inconclusive(
                    "no \(value.uuid.name) within \(duration.formatted) of the subscription (use the sensor, such as by "
                        + "wearing it, and run the check again)")
            }
            try peripheral.expect(
                recording?.values(of: handle).isEmpty == false,
                "\(value.uuid.name) within \(duration.formatted) of the subscription", seen: "none")
            try peripheral.require(.unwantedValues)
            let late = recording?.late?.first { $0.handle == handle }
            try peripheral.expect(
                late == nil, "no \(value.uuid.name) after its configuration was set to 0x0000",
                seen: late.map(value.text) ?? "")
        }
    }

    /// Each value is right; `expected` describes what a wrong one should be, and is nil for a right one.
    static func each(
        _ value: SubscribableValue, for duration: Duration = .seconds(20), _ id: String, _ title: String,
        _ requirement: String, weight: Weight = .required,
        expected: @escaping @Sendable (Examiner.ReceivedValue) -> String?
    ) -> Check {
        Check(id, title, requirement, weight: weight, recording: .values(for: duration), if: value.exists) {
            peripheral throws(CheckExit) in
            for received in try peripheral.receive(value, for: duration) {
                guard let expected = expected(received) else { continue }
                throw peripheral.failure(
                    expected: expected, seen: value.text(received), evidence: received.octets)
            }
        }
    }

    /// The value follows one of the scenario, by its name or as the main value of a service.
    static func follows(
        _ id: String, _ value: SubscribableValue, _ title: String, _ requirement: String, named name: String? = nil,
        of service: ServiceDescription, _ quantity: String, to numbers: [Double], _ unit: String,
        within duration: Duration = .seconds(60), tolerance: Double,
        in number: @escaping @Sendable (Examiner.ReceivedValue) -> Double?
    ) -> Check {
        Check(id, title, requirement, if: value.exists, .control("set the \(quantity)")) {
            peripheral throws(CheckExit) in
            let handle = try peripheral.subscribe(to: value).valueHandle
            let duration = peripheral.patience(duration, of: value.service)
            for wanted in numbers {
                try peripheral.setValue(named: name, of: service, to: wanted, "set the \(quantity)")
                let received = try peripheral.next(of: handle, within: duration) { received in
                    number(received).map { abs($0 - wanted) <= tolerance } ?? false
                }
                try peripheral.expect(
                    received != nil,
                    "a measurement of \(wanted) \(unit) within \(duration.formatted) of the \(quantity) changing to it",
                    seen: peripheral.latest(of: handle).map(value.text) ?? "none")
            }
        }
    }
}

extension Examiner {
    /// Subscribes to a value; an Error Response is a fail.
    mutating func subscribe(to value: SubscribableValue) throws(CheckExit) -> DiscoveredCharacteristic {
        let found = try characteristic(value.uuid, of: value.service)
        try subscribe(value.configuration, to: found)
        return found
    }

    /// Fails unless a value is notified with these octets in time.
    mutating func expectNotified(
        _ octets: [UInt8], of value: DiscoveredCharacteristic, in service: UUID, after event: String
    ) throws(CheckExit) {
        let time = patience(.seconds(60), of: service)
        let received = try next(of: value.valueHandle, within: time) { $0.octets == octets }
        try expect(
            received != nil, "a notification of \(octets.text) within \(time.formatted) of \(event)",
            seen: latest(of: value.valueHandle)?.octets.text ?? "none")
    }

    /// The recorded values, or, after a subscription, all during `duration`; inconclusive if there are none.
    mutating func receive(_ value: SubscribableValue, for duration: Duration) throws(CheckExit) -> [ReceivedValue] {
        try Array(receiveParts(value, for: duration).joined())
    }

    /// The same, connection by connection, without those in which no value arrived.
    mutating func receiveParts(
        _ value: SubscribableValue, for duration: Duration
    ) throws(CheckExit) -> [[ReceivedValue]] {
        let handle = try characteristic(value.uuid, of: value.service).valueHandle
        let duration = patience(duration, of: value.service)
        var parts = recording(of: [handle], for: duration)?.parts.map { $0.filter { $0.handle == handle } }
        if parts == nil { parts = [try receivedValues(of: subscribe(to: value).valueHandle, for: duration)] }
        let received = parts?.filter { !$0.isEmpty } ?? []
        guard !received.isEmpty else { throw .inconclusive("no \(value.uuid.name) within \(duration.formatted)") }
        return received
    }

    /// Subscribes until the first value, then cancels the subscription; keeps the one to `other`.
    fileprivate mutating func recordFirst(
        of value: SubscribableValue, with other: SubscribableValue?, within duration: Duration
    ) throws(CheckExit) -> Recording {
        if let other { _ = try subscribe(to: other) }
        let (begin, found) = (now, try subscribe(to: value))
        guard try next(of: found.valueHandle, within: duration) != nil else { return Recording() }
        return try endOwnRecording(of: [found], since: begin)
    }
}

// Notifications and indications.  Core 6.0, Vol 3, Part F, sections 3.3.3 and 3.4.7, and Part G, sections 4.10
// and 4.11.
extension Check {
    static let notifications = [
        fitting(
            "gatt/values_fit_default_mtu", "without an MTU exchange, values have at most 20 octets", nil),
        fitting("gatt/values_fit_small_mtu", "values fit into the MTU of a client that receives 32 octets", 32),
        delivering("GATT/SR/GAN/BV-01-C", .notify, "notified", "4.10.1"),
        delivering("GATT/SR/GAI/BV-01-C", .indicate, "indicated", "4.11.1"),
        Check(
            "gatt/one_indication_at_a_time", "the server sends no indication before the previous one is confirmed",
            att("3.3.2"), scope: .freshConnection, recording: .usual
        ) { peripheral throws(CheckExit) in
            let first = try peripheral.withholdConfirmation()
            // The server may end the connection after 30 s.
            let passed = first.instant.duration(to: peripheral.now)
            let second = try peripheral.value(1, within: max(.seconds(1), .seconds(25) - passed))
            try peripheral.expect(
                second == nil, "no indication while that of \(first.instant) s is unconfirmed",
                seen: second.map { "\($0.octets.text) of handle \($0.handle.inHex) at \($0.instant) s" } ?? "")
        },
        Check(
            "GATT/SR/GAT/BV-01-C", "the server sends nothing after an indication was unconfirmed for 30 s",
            att("3.3.3"), scope: .freshConnection, recording: .usual
        ) { peripheral throws(CheckExit) in
            let first = try peripheral.withholdConfirmation()
            _ = peripheral.wait(atMost: .seconds(31)) { $0.connection == nil }
            guard peripheral.connection != nil else { return }
            peripheral.receivedValues = []
            let name = try peripheral.nameHandle
            let answer = try peripheral.answer(to: PDU.readRequest(handle: name).octets, within: .seconds(10))
            try peripheral.expect(
                answer == nil && peripheral.receivedValues.isEmpty,
                "no more PDUs: the indication of \(first.instant) s was not confirmed within \(Recording.usualDuration.formatted)",
                seen: (answer ?? peripheral.receivedValues.first?.octets ?? []).text)
        },
    ]

    /// Values fit into an MTU that is smaller than the server's own; nil: no MTU is exchanged, so that it is 23.  Skipped if
    /// the peripheral exchanges the MTU, since the examiner receives as much as the peripheral offers.
    private static func fitting(_ id: String, _ title: String, _ offered: UInt16?) -> Check {
        Check(
            id, title, "Core 6.0, Vol 3, Part F, sections 3.2.8, 3.4.7.1 and 3.4.7.2", scope: .freshLink,
            recording: .usual
        ) { peripheral throws(CheckExit) in
            try peripheral.expectRecorded("notified or indicated") { _ in true }
            let patience = peripheral.recording.map { Recording.patience(after: $0.values) * 2 } ?? .seconds(10)
            let mtu = try offered.map { size throws(CheckExit) in try peripheral.offer(mtu: size) } ?? 23
            try peripheral.discover()
            _ = try peripheral.subscribeToAllThatAccept()
            guard try peripheral.value(0, within: Recording.usualDuration) != nil else {
                throw .notApplicable("nothing is notified or indicated within \(Recording.usualDuration.formatted)")
            }
            peripheral.wait(min(patience, .seconds(10)))
            guard !peripheral.latestLink.hasPeerExchangedMTU else {
                throw .notApplicable("the peripheral has exchanged an MTU of \(peripheral.mtu)")
            }
            for received in peripheral.receivedValues {
                try peripheral.expect(
                    received.octets.count <= mtu - 3, "a value of at most \(mtu - 3) octets, for the MTU of \(mtu)",
                    seen: "\(received.octets.count) octets of handle \(received.handle.inHex): \(received.octets.text)")
            }
        }
    }

    private static func delivering(
        _ id: String, _ property: CharacteristicProperties, _ word: String, _ section: String
    ) -> Check {
        Check(
            id, "only values with a subscription are \(word)", gatt(section), recording: .usual
        ) { peripheral throws(CheckExit) in try peripheral.expectDelivered(property, word) }
    }
}

extension Examiner {
    /// The characteristics with a property; skips the check if there are none.
    func characteristics(
        declaredWith property: CharacteristicProperties
    ) throws(CheckExit) -> [DiscoveredCharacteristic] {
        let values = characteristics.filter { $0.properties.contains(property) }
        guard !values.isEmpty else { throw .notApplicable("no characteristic is declared with \(property.names)") }
        return values
    }

    /// Subscribes to every characteristic with a property; skips the check if there is none.
    fileprivate mutating func subscribeToAll(
        _ property: CharacteristicProperties
    ) throws(CheckExit) -> [DiscoveredCharacteristic] {
        let values = try characteristics(declaredWith: property)
        for value in values { try subscribe(property == .notify ? .notification : .indication, to: value) }
        return values
    }

    /// Skips the check if there is a recording of the usual duration without such a value.
    fileprivate func expectRecorded(_ word: String, _ isSuch: (ReceivedValue) -> Bool) throws(CheckExit) {
        guard let recording, recording.duration >= Recording.usualDuration, !recording.values.contains(where: isSuch)
        else { return }
        throw .notApplicable("nothing is \(word) within \(Recording.usualDuration.formatted)")
    }

    /// Exchanges the MTU; returns the new one.
    fileprivate mutating func offer(mtu: UInt16) throws(CheckExit) -> Int {
        switch try answer(to: PDU.exchangeMTURequest(clientReceives: mtu), "Exchange MTU with \(mtu)") {
        case .exchangeMTUResponse(let serverReceives): return max(23, Int(min(mtu, serverReceives)))
        case let answer: throw .notApplicable("Exchange MTU is answered with \(answer.octets.text)")
        }
    }

    /// A value of any characteristic, counted from 0 in this connection; nil if it does not arrive in time.
    fileprivate mutating func value(_ number: Int, within duration: Duration) throws(CheckExit) -> ReceivedValue? {
        _ = wait(atMost: duration) { $0.receivedValues.count > number || $0.connection == nil }
        if receivedValues.count > number { return receivedValues[number] }
        guard connection != nil else { throw disconnected(during: "a wait for notifications") }
        return nil
    }

    /// Fails unless every value that arrives is subscribed to and fits, and none arrives after the client unsubscribes.
    fileprivate mutating func expectDelivered(_ property: CharacteristicProperties, _ word: String) throws(CheckExit) {
        let handles = try characteristics(declaredWith: property).map(\.valueHandle)
        let subscribed = self.recording?.subscribed ?? []
        try expectRecorded(word) { handles.contains($0.handle) || !subscribed.contains($0.handle) }
        var recording = recording(of: handles, for: Recording.usualDuration)
        if recording == nil { recording = try recordAll(property, word) }
        guard let recording else { return }
        for received in recording.values {
            try expect(
                recording.subscribed.contains(received.handle), "only values with a subscription are \(word)",
                seen: "\(received.octets.text) of handle \(received.handle.inHex)")
            try expect(
                received.octets.count <= recording.mtu - 3, "a value of at most \(recording.mtu - 3) octets",
                seen: received.octets.text)
        }
        try require(.unwantedValues)
        let late = recording.late?.first
        try expect(
            late == nil, "nothing is \(word) after the client unsubscribed",
            seen: late.map { "\($0.octets.text) of handle \($0.handle.inHex)" } ?? "")
    }

    /// Subscribes to all characteristics with a property until 10 s after the first value; skips the check if there is none.
    private mutating func recordAll(
        _ property: CharacteristicProperties, _ word: String
    ) throws(CheckExit) -> Recording {
        let (begin, values) = (now, try subscribeToAll(property))
        guard try value(0, within: Recording.usualDuration) != nil else {
            throw .notApplicable("nothing is \(word) within \(Recording.usualDuration.formatted)")
        }
        try stayConnected(for: .seconds(10))
        return try endOwnRecording(of: values, since: begin)
    }

    /// Subscribes to all indications and confirms none; returns the first, or skips the check if there is none.
    mutating func withholdConfirmation() throws(CheckExit) -> ReceivedValue {
        try require(.unconfirmedIndications)
        let handles = characteristics.filter { $0.properties.contains(.indicate) }.map(\.valueHandle)
        if recording(of: handles, for: Recording.usualDuration) != nil {
            try expectRecorded("indicated") { handles.contains($0.handle) }
        }
        try inject(.confirmIndications(false))
        _ = try subscribeToAll(.indicate)
        guard let first = try value(0, within: Recording.usualDuration) else {
            throw .notApplicable("nothing is indicated within \(Recording.usualDuration.formatted)")
        }
        return first
    }
}
