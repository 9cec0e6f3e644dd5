import Bluetooth
import Documents
package import ScenarioModel
import SecurityManager

extension Action.Kind {
    /// The row that defines the action: the reader, the schema, `explain` and the documentation use it.
    package var row: ActionRow {
        switch self {
        case .linkLoss:
            ActionRow(
                .air, of: .device, example: ["of": "strap", "for": "8 s"],
                "The device neither sends nor receives. Its connections survive if this is shorter than the supervision timeout, except on a controller (`hci:`): it is reset, and if it keeps its connections nevertheless, they are disconnected."
            ) { _, _, _ in .linkLoss }
        case .distance:
            ActionRow(
                .air, of: .device,
                example: ["of": "strap", "to": "40 m", "over": "20 s", "for": "1 min"],
                "The device moves to this distance from the client. A controller (`hci:`) advertises with less power instead, as far as it lets.",
                [
                    .init("to", .distance, required: true, "The distance to the client."),
                    .init("over", .duration, standard: "0 s", "Duration of the move."),
                ]
            ) { _, cursor, _ in
                (cursor["to"]?.string.flatMap { Units.quantity($0, unit: "m") })
                    .map { .distance(to: $0, over: cursor["over"]?.duration ?? .zero) }
            }
        case .rssi:
            ActionRow(
                .air, of: .device,
                example: ["of": "strap", "to": -93, "for": "20 s"],
                "Both sides receive each other at this signal strength, at any distance and without fading. A controller (`hci:`) changes the power of its advertising instead, by as much as this differs from the strength at the device's distance.",
                [
                    .init(
                        "to",
                        .any([.number(Self.rssiRange.lowerBound...Self.unknownRSSI), .definition("curve")]),
                        required: true,
                        "Signal strength at the client, in dBm; 127: the controllers do not report it, and it is as the distance gives it."
                    )
                ]
            ) { reader, cursor, _ in
                guard cursor["to"]?.number != Self.unknownRSSI else { return .rssi(to: nil) }
                return cursor["to"].flatMap { reader.curves.value($0, in: Self.rssiRange) }.map { .rssi(to: $0) }
            }
        case .loss:
            ActionRow(
                .air, of: .device,
                example: ["of": "strap", "rate": 0.3, "for": "20 s"],
                "This share of the device's packets is lost, in addition to the losses of distance.",
                [.init("rate", .number(0...1), required: true, "The share of packets.")]
            ) { _, cursor, _ in cursor["rate"]?.number.map { .loss(rate: $0) } }
        case .powerOff:
            ActionRow(
                .air, of: .client, needsEntity: true,
                example: ["of": "client", "for": "5 s"],
                "The client's controllers report Hardware Error, lose all state and stop; when power returns they accept commands, as after a reset."
            ) { _, _, _ in .powerOff }
        case .stopAdvertising:
            ActionRow(
                .air, of: .device, example: ["of": "strap", "for": "30 s"],
                "The device does not advertise. Its connections go on."
            ) { _, _, _ in .stopAdvertising }
        case .changeAdvertising:
            ActionRow(
                .air, of: .device,
                example: [
                    "of": "strap",
                    "manufacturer_data": [["company": 107, "fields": [["id": "bpm", "of": "heart_rate"]]]],
                    "for": "10 s",
                ],
                "The device advertises other data: these keys replace those of its `advertise`. Its connections go on.",
                Tables.payload + [Tables.scanResponse]
            ) { reader, cursor, entity in reader.changeAdvertising(entity, cursor) }
        case .changeAddress:
            ActionRow(
                .air, of: .device, lasts: false,
                example: ["of": "strap", "to": "C0:FF:EE:00:00:99/random"],
                "The device advertises with a new address; connections keep the old one. On a controller (`hci:`), only random addresses can be set.",
                [.init("to", .address, standard: .words("a random static one"), "The new address.")]
            ) { reader, cursor, entity in reader.changeAddress(cursor, of: entity) }
        case .rotateAddress:
            ActionRow(
                .air, of: .device, lasts: false,
                example: ["of": "watch"],
                "A device with `privacy` takes its next resolvable private address; connections keep the old one."
            ) { reader, cursor, entity in reader.hasPrivacy(entity, cursor) ? .rotateAddress : nil }
        case .connect:
            ActionRow(
                .air, of: .device, lasts: false, needsEntity: true,
                example: ["of": "phone", "to": "strap"],
                "A device with `\"role\": \"central\"` connects to another device and stays connected until a `disconnect` of either.",
                [.init("to", .id, required: true, "The device to connect to.")]
            ) { reader, cursor, entity in reader.connect(entity, cursor) }
        case .disconnect:
            ActionRow(
                .air, of: .device, lasts: false,
                example: ["of": "strap", "reason": "remote_user_terminated_connection"],
                "The device ends its connections. BlueZ always sends reason 0x13.",
                [
                    .init(
                        "reason", .code(HCIStatus.disconnectReasons.compactMap(\.name)),
                        "A reason that a host may give: a number, or the specification's name.")
                ]
            ) { reader, cursor, _ in .disconnect(reason: cursor["reason"].flatMap(reader.reason)) }
        case .restart:
            ActionRow(
                .air, of: .device, lasts: false,
                example: ["of": "strap", "off": "3 s", "bonds": "lost"],
                "The device switches off without ending its connections, and on again. Then what it counts is zero and its curves begin anew, but its wall clock goes on.",
                [
                    .init("off", .duration, standard: "1 s", example: "3 s", "How long it is off."),
                    .init(
                        "bonds", .name(["kept", "lost"]), standard: "kept", example: "lost",
                        "Whether it still knows the clients that it has paired with."),
                    .init(
                        "subscriptions", .name(["kept", "lost"]), standard: "kept", example: "lost",
                        "Whether it still knows what bonded clients have subscribed to; those of others end with the connection."
                    ),
                ]
            ) { _, cursor, _ in
                .restart(
                    .init(
                        off: cursor["off"]?.duration ?? .seconds(1), losesBonds: cursor["bonds"]?.string == "lost",
                        losesSubscriptions: cursor["subscriptions"]?.string == "lost"))
            }
        case .silence:
            ActionRow(
                .values, of: .sender,
                example: ["of": "strap", "for": "8 s"],
                "Nothing is notified or indicated; suppressed values are lost. Connections, reads and writes go on."
            ) { _, _, _ in .silence }
        case .drop:
            ActionRow(
                .values, of: .sender, example: ["of": "strap/heart_rate", "for": "10 s", "chance": 0.5],
                "Notifications and indications are discarded."
            ) { _, _, _ in .valueFault(.drop) }
        case .duplicate:
            ActionRow(
                .values, of: .sender, example: ["of": "strap/heart_rate", "for": "10 s"],
                "Notifications and indications are sent twice."
            ) { _, _, _ in .valueFault(.duplicate) }
        case .delay:
            ActionRow(
                .values, of: .sender, example: ["of": "strap/heart_rate", "by": "700 ms", "for": "10 s"],
                "Notifications and indications are sent later.",
                [.init("by", .duration, required: true, "The delay.")]
            ) { _, cursor, _ in cursor["by"]?.duration.map { .valueFault(.delay(by: $0)) } }
        case .reorder:
            ActionRow(
                .values, of: .sender, example: ["of": "strap/heart_rate", "span": 3, "for": "20 s"],
                "Of several values in a row, the last is sent first.",
                [.init("span", .integer(2...255), standard: 2, "The number of values in a row.")]
            ) { _, cursor, _ in .valueFault(.reorder(span: cursor["span"]?.integer ?? 2)) }
        case .truncate:
            ActionRow(
                .values, of: .value(.sent), example: ["of": "strap/heart_rate", "to": 1, "for": "5 s"],
                "Only the first octets are sent.",
                [.init("to", .integer(0...512), required: true, "The number of octets.")]
            ) { _, cursor, _ in cursor["to"]?.integer.map { .valueFault(.truncate(to: $0)) } }
        case .lengthen:
            ActionRow(
                .values, of: .value(.sent), example: ["of": "strap/heart_rate", "with": "FF 00", "for": "5 s"],
                "Octets are added at the end, up to the MTU.",
                [.init("with", .octets, required: true, "The octets to add.")]
            ) { _, cursor, _ in cursor.octets("with").map { .valueFault(.lengthen(with: $0)) } }
        case .burst:
            ActionRow(
                .values, of: .value(.sent), example: ["of": "strap/heart_rate", "rate": "50 Hz", "for": "2 s"],
                "The value is sent at this rate, instead of its period.",
                [.init("rate", .rate, required: true, "Notifications per second.")]
            ) { reader, cursor, _ in cursor["rate"].flatMap(reader.burstRate).map { .burst(rate: $0) } }
        case .notify:
            ActionRow(
                .values, of: .value(.sent), lasts: false, needsEntity: true,
                example: ["of": "strap/heart_rate", "times": 3, "value": 300], "The value is sent now.",
                [
                    .init("times", .integer(1...100_000), standard: 1, "The number of notifications."),
                    .init("value", .definition("value"), "The value to send instead of the present one."),
                ]
            ) { reader, cursor, entity in reader.notify(entity, cursor) }
        case .raw:
            ActionRow(
                .values, of: .value(.sent), orWith: ("channel", .device), lasts: false, needsEntity: true,
                example: ["of": "strap", "octets": "FF 00", "channel": "att"],
                "These octets are sent as a value, or as a whole PDU on a channel.",
                [
                    .init("octets", .octets, required: true, "The value or, with \"channel\", the PDU."),
                    .init("channel", .choice(Action.Channel.self), "The channel of the PDU."),
                ]
            ) { reader, cursor, _ in reader.raw(cursor) }
        case .set:
            ActionRow(
                .values, of: .value([]), needsEntity: true,
                example: ["of": "strap/heart_rate", "to": 300, "for": "5 s"], "The value changes.",
                [.init("to", .definition("value"), required: true, "The new value.")]
            ) { reader, cursor, entity in
                reader.canSet(entity, cursor)
                    ? cursor["to"].flatMap { reader.value($0, entity) }.map { .set(to: $0) } : nil
            }
        case .leadOff:
            ActionRow(
                .values, of: .anything, example: ["of": "strap/ecg", "for": "3 s"], "An ECG electrode loses contact."
            ) { reader, cursor, entity in reader.hasLead(entity, cursor) ? .leadOff : nil }
        case .drift:
            ActionRow(
                .values, of: .device, example: ["of": "strap", "ppm": 200],
                "The clock of the device's sensors runs fast or slow; its connections keep time.",
                [
                    .init(
                        "ppm", .number(-1000...1000), required: true,
                        "Clock error in parts per million; positive is fast.")
                ]
            ) { _, cursor, _ in cursor["ppm"]?.number.map { .drift(ppm: $0) } }
        case .skipTime:
            ActionRow(
                .values, of: .device, lasts: false,
                example: ["of": "strap", "by": "12 h"], "The wall clock of the device's sensors jumps forward.",
                [
                    .init(
                        "by", .duration, required: true,
                        "Length of the jump; the clock ends 292 years after the start.")
                ]
            ) { _, cursor, _ in cursor["by"]?.duration.map { .skipTime(by: $0) } }
        case .stall:
            ActionRow(
                .server, of: .device,
                example: ["of": "strap", "for": "5 s"],
                "Requests get no response until this ends; up to 64 requests per client are queued.",
                [
                    .init(
                        "on", .choice(Action.Request.self), standard: .words("all"), example: "mtu",
                        "The requests that wait.")
                ]
            ) { _, cursor, _ in .stall(on: cursor["on"].choice()) }
        case .attError:
            ActionRow(
                .server, of: .served,
                example: ["of": "strap/heart_rate", "on": "subscribe", "error": "unlikely_error", "for": "10 s"],
                "Requests get an Error Response.",
                [
                    .init("on", .choice(Action.Request.self), standard: .words("all"), "The requests that fail."),
                    .init("error", .attError, required: true, "A number, or the specification's name."),
                ]
            ) { reader, cursor, entity in reader.attError(entity, cursor) }
        case .mtu:
            ActionRow(
                .server, of: .device,
                example: ["of": "strap", "to": 23], "The device accepts no larger ATT MTU in exchanges from now on.",
                [.init("to", .integer(23...517), required: true, "The largest MTU, in octets.")]
            ) { _, cursor, _ in cursor["to"]?.integer.map { .mtu(to: $0) } }
        case .moveHandles:
            ActionRow(
                .server, of: .device, lasts: false,
                example: ["of": "strap", "by": 16, "announce": false],
                "All attributes after the Generic Attribute service move to higher handles.",
                [
                    .init("by", .integer(1...65535), required: true, "The distance; fixed handles move too."),
                    Self.announce,
                ]
            ) { _, cursor, _ in
                cursor["by"]?.integer.map { .moveHandles(by: $0, announce: cursor["announce"]?.bool ?? true) }
            }
        case .changeServices:
            ActionRow(
                .server, of: .device, lasts: false,
                example: ["of": "strap", "add": [["service": "feed", "value": 7]], "remove": ["strap/battery"]],
                "Services are removed and added; the others keep their handles.",
                [
                    .init(
                        "add", .list(.definition("service")),
                        "Services to add; one with the id and the definition of an earlier one is that service."),
                    .init("remove", .list(.entity), "Services to remove, before others are added."),
                    Self.announce,
                ]
            ) { reader, cursor, entity in reader.changeServices(entity, cursor) }
        case .unconfirmed:
            ActionRow(
                .server, of: .client,
                example: ["of": "client", "for": "20 s"], "The built-in client does not confirm indications."
            ) { _, _, _ in .unconfirmed }
        case .clear:
            ActionRow(
                .server, of: .anything, lasts: false, needsEntity: true,
                example: ["of": "strap"], "All lasting actions on the target, and on its services and values, end."
            ) { _, _, _ in .clear }
        case .forgetBond:
            ActionRow(
                .pairing, of: .device, lasts: false,
                example: ["of": "watch", "side": "client"],
                "The device, the built-in client or both lose their keys. A client that loses them disconnects, as phones do when their user removes a device. bluetoothd disconnects the clients whose keys it removes: those that have paired, read or written in this run.",
                [.init("side", .choice(Action.Side.self), standard: "device", "Which side loses them.")]
            ) { reader, cursor, entity in
                reader.pairs(entity, cursor) ? .forgetBond(cursor["side"].choice() ?? .device) : nil
            }
        case .refusePairing:
            ActionRow(
                .pairing, of: .device,
                example: ["of": "watch", "reason": "pairing_not_supported", "for": "10 s"],
                "Each Pairing Request gets Pairing Failed.",
                [
                    .init(
                        "reason", .code(PairingFailedReason.names.map(\.name)), standard: "pairing_not_supported",
                        "A number, or the specification's name.")
                ]
            ) { _, cursor, _ in
                .refusePairing(reason: (cursor["reason"]?.code).map(PairingFailedReason.init) ?? .pairingNotSupported)
            }
        case .stallPairing:
            ActionRow(
                .pairing, of: .device,
                example: ["of": "watch", "at": "confirm", "by": "5 s"],
                "Each pairing stalls when the device comes to a step: it sends nothing more until the delay has passed or the action ends. With `encryption`, a reconnection stalls, too.",
                [
                    .init(
                        "at", .choice(PairingStep.self), required: true,
                        "The step that the device does not reach."),
                    .init("by", .duration, standard: .words("until the action ends"), "The delay."),
                ]
            ) { reader, cursor, entity in
                guard reader.pairs(entity, cursor), let step: PairingStep = cursor["at"].choice() else { return nil }
                return .stallPairing(at: step, by: cursor["by"]?.duration)
            }
        case .alterPairing:
            ActionRow(
                .pairing, of: .device,
                example: ["of": "watch", "at": "confirm", "from": 2, "for": "20 s"],
                "In each pairing the device sends wrong octets in one step: the last octet is inverted, if nothing else is chosen.",
                [
                    .init(
                        "at", .name(PairingStep.allCases.filter { $0 != .encryption }.map(\.rawValue)), required: true,
                        "The step. A change of the features determines the rest of pairing, as if the device had them."),
                    .init(
                        "from", .integer(1...64), standard: 1,
                        "The first octet that changes; the PDU's code is octet 0."),
                    .init("octets", .octets, example: "00 01", "The octets from there on."),
                    .init("mask", .octets, example: "0F", "The only bits that the octets from there on keep."),
                    .init(
                        "echo", .boolean, standard: false, example: true,
                        "Whether the device returns the client's confirm and random values, with LE legacy pairing; only with `confirm`."
                    ),
                ]
            ) { reader, cursor, entity in reader.alteration(cursor, entity).map { .alterPairing($0) } }
        case .wrongKey:
            ActionRow(
                .pairing, of: .device,
                example: ["of": "watch", "for": "20 s"],
                "The device encrypts with another key than its clients have, so that encryption fails."
            ) { reader, cursor, entity in reader.pairs(entity, cursor) ? .wrongKey : nil }
        case .requestSecurity:
            ActionRow(
                .pairing, of: .device, lasts: false,
                example: ["of": "watch"], "The device sends a Security Request to each client."
            ) { reader, cursor, entity in reader.pairs(entity, cursor) ? .requestSecurity : nil }
        case .daemonAway, .adapterOff, .adapterUnplugged, .discoveryStuck, .deviceGone, .connectAborts,
            .servicesResolved, .staleAttributes, .otherScan, .otherConnection, .lateReplies, .busAway:
            systemRow
        case .user:
            ActionRow(
                .pairing, of: .user, needsEntity: true,
                example: ["of": "watch", "answers": "wrong"],
                "When the device or the built-in client asks for a passkey or shows a number to compare, its user does this.",
                [
                    .init(
                        "answers", .choice(Action.Answer.self), required: true,
                        "Enters another passkey or declares equal numbers different, enters the passkey of the earlier pairing, cancels, or does nothing."
                    )
                ]
            ) { _, cursor, _ in cursor["answers"].choice().map { .user(answers: $0) } }
        }
    }

    /// The RSSI that HCI can report, in dBm.  Core 6.0, Vol 4, Part E, section 7.7.65.2.
    private static let rssiRange = -127.0...20.0
    /// The RSSI of HCI for a strength that is not available.
    private static let unknownRSSI = 127.0

    private static let announce = Shape.Field(
        "announce", .boolean, standard: true, example: false, "Whether clients get a Service Changed indication.")
}

extension PairingFailedReason {
    /// A code of a name that the grammar knows.
    fileprivate init(_ code: Code) {
        switch code {
        case .number(let number): self.init(rawValue: number)
        case .name(let name): self = PairingFailedReason(name: name) ?? .unspecifiedReason
        }
    }
}
