/// How the devices of a scenario reach a client.
package enum RadioKind: String, CaseIterable, Hashable, Sendable {
    /// Virtual controllers, to the built-in client.
    case rehearsal
    /// Virtual controllers, to external clients.
    case virtual
    /// Virtual controllers, to programs of the Bluetooth service of a system that is played.
    case system
    /// External controllers, one for each device.
    case controllers
    /// The machine's Bluetooth, through bluetoothd.
    case bluetoothd

    package var name: String {
        switch self {
        case .rehearsal: "built-in client"
        case .virtual: "virtual radio"
        case .system: "played bluetoothd"
        case .controllers: "`hci`"
        case .bluetoothd: "`bluez`"
        }
    }

    /// Why an event cannot be observed; nil if it can.
    ///
    /// | event | rehearsal, virtual, system | controllers | bluetoothd |
    /// |---|---|---|---|
    /// | `scanning` `scanning_stopped` `connecting` `delivered` | yes | – | – |
    /// | `discovering` `discovered` `mtu` `parameters` `refused` | yes | yes | – |
    /// | `encrypted` `encryption_failed` `paired` `pairing_failed` `bond_lost` | yes | yes | – |
    /// | all others | yes | yes | yes |
    package func unobservableReason(for event: Event.Kind) -> String? {
        switch event {
        case .scanning, .scanningStopped, .connecting, .delivered:
            self == .controllers || self == .bluetoothd ? "only the client's controller knows this" : nil
        case .discovering, .discovered, .mtu, .parameters, .refused, .encrypted, .encryptionFailed, .paired,
            .pairingFailed, .bondLost:
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
        func observed(_ event: Event) -> Event {
            var event = event
            if event.kind == .delivered { event.kind = radio.arrival }
            return event
        }
        func moment(_ moment: Moment) -> Moment { moment.event.map { .event(observed($0)) } ?? moment }
        var scenario = self
        for index in script.indices {
            scenario.script[index].when = moment(script[index].when)
            for place in script[index].conditions.indices {
                scenario.script[index].conditions[place].event = observed(script[index].conditions[place].event)
            }
            if case .at(let end)? = script[index].end { scenario.script[index].end = .at(moment(end)) }
        }
        for (index, expectation) in expectations.enumerated() {
            scenario.expectations[index].since = moment(expectation.since)
            scenario.expectations[index].until = expectation.until.map(moment)
            scenario.expectations[index].question = expectation.question.replacingEvents(observed)
        }
        return scenario
    }
}

extension Expectation.Question {
    fileprivate func replacingEvents(_ new: (Event) -> Event) -> Self {
        switch self {
        case .seen(let event, let within): .seen(new(event), within: within)
        case .never(let event): .never(new(event))
        case .count(let event, let limits): .count(new(event), limits)
        case .order(let events): .order(events.map(new))
        case .rate(let event, let length, let limits): .rate(new(event), per: length, limits)
        case .delay(let first, let last, let percentile, let maximum):
            .delay(from: new(first), to: new(last), percentile: percentile, maximum: maximum)
        case .stream(let lines, let maximum): .stream(lines.arriving(by: new(lines.arrives).kind), maximum: maximum)
        }
    }
}
