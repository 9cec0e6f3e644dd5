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
    public func whyNot(_ action: Action) -> String? {
        switch action.deed {
        case .notPlayed: "this version does not play it yet"
        case .linkLoss, .distance, .rssi, .loss:
            isVirtual ? nil : "a real antenna cannot be taken out of the air without a word"
        case .powerOff: isVirtual ? nil : "the client's controller is not ours"
        case .connect: isVirtual ? nil : "a second central needs the embedded radio"
        case .unconfirmed: self == .rehearsal ? nil : "only the built-in client can be told so"
        case .changeAddress, .mtu, .stall, .raw(_, channel: .some), .moveHandles:
            self == .bluetoothd ? "bluetoothd has that to itself" : nil
        case .attError(let request, _):
            self != .bluetoothd || request == .read || request == .write
                ? nil : "bluetoothd asks only about reading and writing: name one in \"on\""
        case .silence, .stopAdvertising, .disconnect, .delay, .drop, .duplicate, .reorder, .truncate, .lengthen, .raw,
            .notify, .set, .drift, .burst, .leadOff, .skipTime, .clear:
            nil
        }
    }

    private var isVirtual: Bool { self == .rehearsal || self == .virtual }
}

extension Scenario {
    /// The places of the rules that cannot be played on a radio, and why.
    public func unplayed(on radio: RadioKind) -> [(rule: Int, why: String)] {
        script.enumerated().compactMap { rule, it in radio.whyNot(it.action).map { (rule, $0) } }
    }

    /// Without what a radio cannot play: such rules never fire, and nothing that waits for them does.
    public func limited(to radio: RadioKind) -> Scenario {
        var limited = self
        for (rule, _) in unplayed(on: radio) { limited.script[rule].chance = 0 }
        return limited
    }
}
