import Documents
import ScenarioModel

extension Action.Kind {
    /// The row of an action on the Bluetooth service of the client's system.
    var systemRow: ActionRow {
        switch self {
        case .daemonAway:
            ActionRow(
                .system, of: .client, example: ["of": "client", "for": "3 s"],
                "bluetoothd ends: `org.bluez` leaves the bus, and links, scans, subscriptions and agents end. When it is back, it has the objects of the adapter and of devices that were connected, with the same paths.",
                [
                    .init(
                        "abrupt", .boolean, standard: false, example: true,
                        "Whether it is killed, so that no signals announce that its objects are removed.")
                ]
            ) { _, cursor, _ in .system(.daemonAway(isAbrupt: cursor["abrupt"]?.bool ?? false)) }
        case .adapterOff:
            ActionRow(
                .system, of: .client, example: ["of": "client", "for": "5 s"],
                "The adapter is switched off, as another program or a key of the machine does it. Links and scans end; nothing scans again by itself."
            ) { _, _, _ in .system(.adapterOff) }
        case .adapterUnplugged:
            ActionRow(
                .system, of: .client, example: ["of": "client", "for": "5 s"],
                "The adapter is pulled out: the objects of the adapter and of all devices are removed. When it is back, it is switched on, and has the same path."
            ) { _, _, _ in .system(.adapterUnplugged) }
        case .discoveryStuck:
            ActionRow(
                .system, of: .client, example: ["of": "client", "for": "10 s"],
                "StartDiscovery and StopDiscovery fail with InProgress. Scans go on as they are."
            ) { _, _, _ in .system(.discoveryStuck) }
        case .deviceGone:
            ActionRow(
                .system, of: .device, lasts: false, example: ["of": "strap"],
                "The device's object is removed, as another program does it, or bluetoothd some time after a scan. A scan finds the device again."
            ) { _, _, _ in .system(.deviceGone) }
        case .connectAborts:
            ActionRow(
                .system, of: .device, example: ["of": "strap", "times": 2, "for": "1 min"],
                "Connect fails with `le-connection-abort-by-local`, after the link was made and has ended at once.",
                [.init("times", .positive, standard: .words("all"), "How many connections fail, the first ones.")]
            ) { _, cursor, _ in .system(.connectAborts(times: cursor["times"]?.integer)) }
        case .servicesResolved:
            ActionRow(
                .system, of: .device, example: ["of": "strap", "at": "late", "by": "5 s", "for": "30 s"],
                "For connections that are made meanwhile, ServicesResolved becomes true at another time than when all attributes have objects.",
                [
                    .init(
                        "at", .choice(Action.Resolution.self), required: true,
                        "With the connection, later than usual, or never."),
                    .init("by", .duration, standard: "5 s", "How much later; only with `late`."),
                ]
            ) { reader, cursor, _ in reader.resolution(cursor).map { .system($0) } }
        case .staleAttributes:
            ActionRow(
                .system, of: .device, example: ["of": "strap", "for": "30 s"],
                "bluetoothd does not notice that the device's attributes have changed: it keeps their objects and handles until a program removes the device."
            ) { _, _, _ in .system(.staleAttributes) }
        case .otherScan:
            ActionRow(
                .system, of: .client, example: ["of": "client", "for": "20 s"],
                "Another program of the machine scans."
            ) { _, _, _ in .system(.otherScan) }
        case .otherConnection:
            ActionRow(
                .system, of: .device, lasts: false, example: ["of": "strap"],
                "Another program of the machine connects to the device, which therefore does not advertise. The connection is one for all programs."
            ) { _, _, _ in .system(.otherConnection) }
        case .lateReplies:
            ActionRow(
                .system, of: .client, example: ["of": "client", "by": "2 s", "for": "20 s"],
                "bluetoothd replies to each call later. Its signals are in time.",
                [.init("by", .duration, required: true, "The delay.")]
            ) { _, cursor, _ in cursor["by"]?.duration.map { .system(.lateReplies(by: $0)) } }
        default:
            ActionRow(
                .system, of: .client, example: ["of": "client", "for": "3 s"],
                "The message bus ends, and bluetoothd with it: all connections close. When both are back, programs can connect to the bus at the same socket."
            ) { _, _, _ in .system(.busAway) }
        }
    }
}

extension ActionReader {
    /// When the services of a device are resolved.
    func resolution(_ cursor: Cursor) -> Action.SystemFault? {
        guard let resolution: Action.Resolution = cursor["at"].choice() else { return nil }
        if let by = cursor["by"], resolution != .late {
            by.note(.conflict, "only a late resolution has a delay: delete \"by\"", help: "or write \"at\": \"late\"")
        }
        return .servicesResolved(resolution, by: cursor["by"]?.duration ?? .seconds(5))
    }
}
