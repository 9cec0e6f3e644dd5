import Bluetooth
import Documents
import EventLog
import GATT

/// What an action or event may be about.
enum Target {
    /// A device.
    case device
    /// A part with one of these properties at least; with none: any part.
    case part(CharacteristicProperties)
    /// A device, or a service or part that is notified.
    case sender
    /// A device, or a service or part of it.
    case served
    /// A service of a device, counted from 0.
    case service(of: Int)
    /// A rule.
    case rule
    /// The client.
    case client
    /// Any thing that is no rule.
    case anything
}

extension Tables {
    /// A repeated moment comes at most so often, if it says how often.
    static let mostTimes = 1_000_000

    static let moment = Shape.any([
        .form(Forms.moment),
        .object([
            .init("at", .duration, required: true, "Since the start."),
            .init("every", .duration, "And then again, so much later each time."),
            .init("times", .integer(1...mostTimes), "In all; to the end if it is left out."),
        ]),
        event,
    ])

    static let event = Shape.any([
        .form(Forms.event),
        .kinds(
            key: "event",
            Event.Kind.allCases.map { kind in
                .init(
                    kind.rawValue,
                    [
                        .init("of", .entity, "To what; anything if it is left out."),
                        .init("nth", .positive, "Only this match."),
                        .init("every", .positive, "This match, the one as many later, and so on."),
                        .init("after", .duration, "So much later."),
                    ] + filters(of: kind))
            }),
    ])

    private static func code(_ names: [String]) -> Shape { .any([.integer(0...255), .name(names)]) }

    private static let reason = code(HCIStatus.allNames)
    private static let pairingReason = Shape.any([.integer(0...255), .form(Forms.specificationName)])
    private static let error = code(ATTError.allNames)

    private static func filters(of kind: Event.Kind) -> [Shape.Field] {
        switch kind {
        case .disconnected: [.init("reason", reason, "A number, or the specification's name.")]
        case .pairingFailed: [.init("reason", pairingReason, "A number, or the specification's name.")]
        case .mtu: [.init("value", .definition("matcher"), "The MTU, in octets.")]
        case .read, .written, .notified, .delivered, .indicated, .confirmed:
            [.init("value", .definition("matcher"), "What was carried.")]
        case .refused: [.init("error", error, "A number, or the specification's name.")]
        case .said: [.init("line", .definition("matcher"), required: true, "What the client said.")]
        case .exited: [.init("status", .integer(0...255), "With which it exited.")]
        default: []
        }
    }

    static func target(of kind: Event.Kind) -> Target {
        switch kind {
        case .advertising, .connecting, .connected, .disconnected, .encrypted, .paired, .pairingFailed, .mtu,
            .discovering, .discovered:
            .device
        case .subscribed, .unsubscribed, .delivered: .part([.notify, .indicate])
        case .read: .part(.read)
        case .written: .part(.write)
        case .notified: .part(.notify)
        case .indicated, .confirmed: .part(.indicate)
        case .saturated: .part([])
        case .refused: .anything
        case .began, .ended: .rule
        case .scanning, .scanningStopped, .said, .exited: .client
        }
    }

    static let rule = actions([
        .init("id", .id, "By which other rules and expectations name it."),
        .init("when", .definition("moment"), required: true, "It fires at each match."),
    ]) { needsEntity($0) }

    /// What a line of the control socket may do: what a rule does, at once, and without a name of its own; to `clear`
    /// nothing in particular is to clear everything.
    static let instruction = Grammar(
        root: actions([]) { needsEntity($0) && $0 != .clear }, definitions: definitions, everywhere: everywhere)

    /// What a line of the control socket may ask for.
    static let question = Grammar(
        root: .kinds(key: "ask", [.init("status", [])]), definitions: [], everywhere: everywhere)

    private static func actions(
        _ fields: [Shape.Field], needsEntity: (Action.Kind) -> Bool
    ) -> Shape {
        .kinds(
            key: "do",
            Action.Kind.allCases.map { kind in
                let end: [Shape.Field] =
                    kind.lasts
                    ? [.init("for", .duration, "How long."), .init("until", .definition("moment"), "To when.")] : []
                let common: [Shape.Field] = [
                    .init("of", .entity, required: needsEntity(kind), "To what it is done."),
                    .init("chance", .number(0...1), "How probable it is that a match counts; 1 if it is left out."),
                ]
                return .init(kind.rawValue, fields + common + end + arguments(of: kind))
            })
    }

    /// Whether it must say to what, even with one device.
    static func needsEntity(_ kind: Action.Kind) -> Bool {
        switch kind {
        case .set, .notify, .clear, .connect, .powerOff, .raw: true
        default: false
        }
    }

    /// What HCI can say of how loud something is, in dBm.  Core 6.0, Vol 4, Part E, section 7.7.65.2.
    static let rssi = -127.0...20.0

    /// How long a PDU may be that is sent as it is, in octets: what a packet has room for.
    static let longestPDU = 540

    /// How often something may be notified in a second.
    static let burstRates = 0.001...4000.0

    static func target(of kind: Action.Kind) -> Target {
        switch kind {
        case .linkLoss, .stopAdvertising, .stall, .disconnect, .distance, .rssi, .loss, .mtu, .changeServices,
            .moveHandles, .forgetBond, .changeAddress, .drift, .skipTime, .connect:
            .device
        case .set: .part([])
        case .notify, .truncate, .lengthen, .burst: .part([.notify, .indicate])
        case .powerOff, .unconfirmed: .client
        case .silence, .delay, .drop, .duplicate, .reorder: .sender
        case .attError: .served
        case .raw: .part([.notify, .indicate])
        case .leadOff, .clear: .anything
        }
    }

    static func arguments(of kind: Action.Kind) -> [Shape.Field] {
        let announce = Shape.Field(
            "announce", .boolean, "Whether clients are told by Service Changed, as they ought to be; true.")
        return switch kind {
        case .linkLoss, .silence, .stopAdvertising, .stall, .drop, .duplicate, .leadOff, .powerOff, .unconfirmed,
            .clear:
            []
        case .disconnect:
            [
                .init(
                    "reason", code(HCIStatus.disconnectReasons.compactMap(\.name)),
                    "One that a host may give: a number, or the specification's name.")
            ]
        case .distance:
            [
                .init("to", .distance, required: true, "To the client."),
                .init("over", .duration, "How long the way takes; none if it is left out."),
            ]
        case .rssi:
            [.init("to", .any([.number(rssi), .definition("curve")]), required: true, "In dBm, at the client.")]
        case .loss: [.init("rate", .number(0...1), required: true, "The share of packets.")]
        case .mtu: [.init("to", .integer(23...517), required: true, "The largest that it takes, in octets.")]
        case .attError:
            [
                .init("on", .name(["read", "write", "subscribe", "discover"]), "The requests; all if it is left out."),
                .init("error", error, required: true, "A number, or the specification's name."),
            ]
        case .delay: [.init("by", .duration, required: true, "So much later.")]
        case .reorder: [.init("span", .integer(2...255), "Among so many; 2 if it is left out.")]
        case .truncate: [.init("to", .integer(0...512), required: true, "In octets.")]
        case .lengthen: [.init("with", .octets, required: true, "What is put behind.")]
        case .raw:
            [
                .init("octets", .octets, required: true, "A value, or with channel a whole PDU."),
                .init("channel", .name(["att", "signalling", "smp"]), "Where a PDU is sent."),
            ]
        case .notify:
            [
                .init("times", .integer(1...100_000), "1 if it is left out."),
                .init("value", .definition("value"), "Instead of its own."),
            ]
        case .set: [.init("to", .definition("value"), required: true, "The value that it has then.")]
        case .changeServices:
            [
                .init(
                    "add", .list(.definition("service")),
                    "Those that come; one with the id and the definition of another is that one."),
                .init("remove", .list(.entity), "Those that go, before others come; the handles of the rest stay."),
                announce,
            ]
        case .moveHandles:
            [.init("by", .integer(1...65535), required: true, "How far; fixed handles move too."), announce]
        case .forgetBond: [.init("side", .name(["device", "client", "both"]), "Who forgets; the device.")]
        case .changeAddress: [.init("to", .address, "The new one; one by chance if it is left out.")]
        case .drift:
            [
                .init(
                    "ppm", .number(-1000...1000), required: true,
                    "By which the clock of its sensors is too fast; its links keep their time.")
            ]
        case .burst: [.init("rate", .rate, required: true, "Notifications in a second, in place of its period.")]
        case .skipTime:
            [
                .init(
                    "by", .duration, required: true,
                    "How far the sensors' clock goes on; it ends 292 years after the start.")
            ]
        case .connect: [.init("to", .id, required: true, "The device.")]
        }
    }
}
