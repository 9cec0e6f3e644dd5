import Bluetooth
import Checks
import GATT
import LEHost
import ServiceFramework
import Services
import Simulation

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
            id, "\(value.uuid.name) is \(verb) only while a client is subscribed", requirement, if: value.exists
        ) { peripheral throws(CheckExit) in
            if let other { _ = try peripheral.subscribe(to: other) }
            let found = try peripheral.subscribe(to: value)
            let first = try peripheral.next(of: found.valueHandle, within: duration)
            try peripheral.expect(
                first != nil, "\(value.uuid.name) within \(duration.formatted) of the subscription", seen: "none")
            try peripheral.require(.unwantedValues)
            try peripheral.subscribe([], to: found)
            peripheral.wait(.seconds(1))  // values in flight
            let late = try peripheral.receivedValues(of: found.valueHandle, for: max(.seconds(5), duration / 3)).first
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
        Check(id, title, requirement, weight: weight, if: value.exists) { peripheral throws(CheckExit) in
            for received in try peripheral.receive(value, for: duration) {
                guard let expected = expected(received) else { continue }
                throw peripheral.failure(expected: expected, seen: value.text(received))
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
        Check(id, title, requirement, if: value.exists) { peripheral throws(CheckExit) in
            let handle = try peripheral.subscribe(to: value).valueHandle
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

    /// Subscribes and returns all values during `duration`; inconclusive if there are none.
    mutating func receive(_ value: SubscribableValue, for duration: Duration) throws(CheckExit) -> [ReceivedValue] {
        let received = try receivedValues(of: subscribe(to: value).valueHandle, for: duration)
        guard !received.isEmpty else { throw .inconclusive("no \(value.uuid.name) within \(duration.formatted)") }
        return received
    }
}
