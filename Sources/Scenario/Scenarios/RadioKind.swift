public import EventLog

/// How the devices of a scenario reach a client, and what can therefore be played.
public enum RadioKind: Hashable, Sendable {
    /// By the embedded radio, to the built-in client.
    case rehearsal
    /// By the embedded radio, to clients outside.
    case virtual
    /// By controllers outside, one for each device.
    case controllers
    /// By the machine's own Bluetooth, in the hands of bluetoothd.
    case bluetoothd

    /// Why an action cannot be played; nil when it can.
    ///
    /// | action | rehearsal | virtual | controllers | bluetoothd |
    /// |---|---|---|---|---|
    /// | `link_loss` `distance` `rssi` `loss` `power_off` | yes | yes | – | – |
    /// | `connect` | yes | yes | – | – |
    /// | `unconfirmed` | yes | – | – | – |
    /// | `change_address` `mtu` `stall` `raw` with `channel` `change_services` `move_handles` | yes | yes | yes | – |
    /// | `att_error` | yes | yes | yes | on `read` and `write` |
    /// | `disconnect` | yes | yes | yes | for 0x13, whatever it says |
    /// | `forget_bond` | – | – | – | – |
    /// | all others | yes | yes | yes | yes |
    public func unsupportedReason(_ action: Action) -> String? {
        switch action.operation {
        case .notPlayed: "this version does not play it yet"
        case .linkLoss, .distance, .rssi, .loss:
            isVirtual ? nil : "a real antenna cannot be taken out of the air without a word"
        case .powerOff: isVirtual ? nil : "the client's controller is not ours"
        case .connect: isVirtual ? nil : "a second central needs the embedded radio"
        case .unconfirmed: self == .rehearsal ? nil : "only the built-in client can be told so"
        case .changeAddress, .mtu, .stall, .raw(_, channel: .some), .moveHandles, .changeServices:
            self == .bluetoothd ? "bluetoothd has that to itself" : nil
        case .attError(let request, _):
            self != .bluetoothd || request == .read || request == .write
                ? nil : "bluetoothd asks only about reading and writing: name one in \"on\""
        case .silence, .stopAdvertising, .disconnect, .delay, .drop, .duplicate, .reorder, .truncate, .lengthen, .raw,
            .notify, .set, .drift, .burst, .leadOff, .skipTime, .clear:
            nil
        }
    }

    /// Why nobody hears of such an event; nil when somebody does.
    ///
    /// | event | rehearsal | virtual | controllers | bluetoothd |
    /// |---|---|---|---|---|
    /// | `scanning` `scanning_stopped` `connecting` `delivered` | yes | yes | – | – |
    /// | `discovering` `discovered` `mtu` `refused` | yes | yes | yes | – |
    /// | all others | yes | yes | yes | yes |
    public func unobservableReason(_ event: Event.Kind) -> String? {
        switch event {
        case .scanning, .scanningStopped, .connecting:
            isVirtual ? nil : "the client's controller is not ours, and tells nobody"
        case .delivered: isVirtual ? nil : "the client's controller is not ours, and what left is all that is known"
        case .discovering, .discovered, .mtu, .refused:
            self == .bluetoothd ? "bluetoothd has that to itself" : nil
        default: nil
        }
    }

    /// What is known of a value that a client gets.
    public var arrival: Event.Kind { unobservableReason(.delivered) == nil ? .delivered : .notified }

    private var isVirtual: Bool { self == .rehearsal || self == .virtual }
}

extension Scenario {
    /// The places of the rules that cannot be played on a radio, and why.
    public func unplayed(on radio: RadioKind) -> [(rule: Int, why: String)] {
        script.enumerated().compactMap { rule, it in radio.unsupportedReason(it.action).map { (rule, $0) } }
    }

    /// Without what a radio cannot play: such rules never fire, and nothing that waits for them does.
    public func limited(to radio: RadioKind) -> Scenario {
        var limited = self
        for (rule, _) in unplayed(on: radio) { limited.script[rule].chance = 0 }
        return limited
    }

    /// What waits for a value to be delivered waits for what a radio tells of that.
    public func heard(by radio: RadioKind) -> Scenario {
        guard radio.arrival != .delivered else { return self }
        var heard = self
        func replace(_ event: inout Event) { if event.kind == .delivered { event.kind = radio.arrival } }
        func replace(_ moment: inout Moment) {
            guard case .event(var event) = moment else { return }
            replace(&event)
            moment = .event(event)
        }
        for index in heard.script.indices {
            replace(&heard.script[index].when)
            if case .at(var moment)? = heard.script[index].end {
                replace(&moment)
                heard.script[index].end = .at(moment)
            }
        }
        for index in heard.expectations.indices {
            replace(&heard.expectations[index].since)
            if var until = heard.expectations[index].until {
                replace(&until)
                heard.expectations[index].until = until
            }
            heard.expectations[index].question.replaceEvents(replace)
        }
        return heard
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
        case .delay(var first, var last, let percentile, let most):
            replace(&first)
            replace(&last)
            self = .delay(from: first, to: last, percentile: percentile, most: most)
        }
    }
}
