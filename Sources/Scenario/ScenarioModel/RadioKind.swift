/// How the devices of a scenario reach a client.
package enum RadioKind: String, CaseIterable, Hashable, Sendable {
    /// Virtual controllers, to the built-in client.
    case rehearsal
    /// Virtual controllers, to external clients.
    case virtual
    /// External controllers, one for each device.
    case controllers
    /// The machine's Bluetooth, through bluetoothd.
    case bluetoothd

    package var name: String {
        switch self {
        case .rehearsal: "built-in client"
        case .virtual: "virtual radio"
        case .controllers: "`hci`"
        case .bluetoothd: "`bluez`"
        }
    }

    /// Why an event cannot be observed; nil if it can.
    ///
    /// | event | rehearsal | virtual | controllers | bluetoothd |
    /// |---|---|---|---|---|
    /// | `scanning` `scanning_stopped` `connecting` `delivered` | yes | yes | – | – |
    /// | `discovering` `discovered` `mtu` `refused` | yes | yes | yes | – |
    /// | `encrypted` `encryption_failed` `paired` `pairing_failed` `bond_lost` | yes | yes | yes | – |
    /// | all others | yes | yes | yes | yes |
    package func unobservableReason(for event: Event.Kind) -> String? {
        switch event {
        case .scanning, .scanningStopped, .connecting, .delivered:
            self == .rehearsal || self == .virtual ? nil : "only the client's controller knows this"
        case .discovering, .discovered, .mtu, .refused, .encrypted, .encryptionFailed, .paired, .pairingFailed,
            .bondLost:
            self == .bluetoothd ? "bluetoothd does not report this" : nil
        default: nil
        }
    }

    /// The event that shows best that a client got a value.
    package var arrival: Event.Kind { unobservableReason(for: .delivered) == nil ? .delivered : .notified }
}

extension Scenario {
    /// The scenario with `delivered` replaced by the radio's `arrival`.
    package func observed(by radio: RadioKind) -> Scenario {
        guard radio.arrival != .delivered else { return self }
        var scenario = self
        func replace(_ event: inout Event) { if event.kind == .delivered { event.kind = radio.arrival } }
        func replace(_ moment: inout Moment) {
            guard case .event(var event) = moment else { return }
            replace(&event)
            moment = .event(event)
        }
        for index in scenario.script.indices {
            replace(&scenario.script[index].when)
            if case .at(var moment)? = scenario.script[index].end {
                replace(&moment)
                scenario.script[index].end = .at(moment)
            }
        }
        for index in scenario.expectations.indices {
            replace(&scenario.expectations[index].since)
            if var until = scenario.expectations[index].until {
                replace(&until)
                scenario.expectations[index].until = until
            }
            scenario.expectations[index].question.replaceEvents(replace)
        }
        return scenario
    }
}

extension Expectation.Question {
    fileprivate mutating func replaceEvents(_ replace: (inout Event) -> Void) {
        switch self {
        case .seen(var event, let within):
            replace(&event)
            self = .seen(event, within: within)
        case .never(var event):
            replace(&event)
            self = .never(event)
        case .count(var event, let limits):
            replace(&event)
            self = .count(event, limits)
        case .order(var events):
            for index in events.indices { replace(&events[index]) }
            self = .order(events)
        case .rate(var event, let length, let limits):
            replace(&event)
            self = .rate(event, per: length, limits)
        case .delay(var first, var last, let percentile, let maximum):
            replace(&first)
            replace(&last)
            self = .delay(from: first, to: last, percentile: percentile, maximum: maximum)
        }
    }
}
