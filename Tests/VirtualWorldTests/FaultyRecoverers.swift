import ATT
import Bluetooth
import Characteristics
import Collector
import GATT
import HCI
import LEHost
import Octets
import Services

// Clients that do something wrong.
extension FaultyClient {
    /// One that asks for something else than it should.
    private static func asks(
        _ name: String, _ about: String, _ source: String? = nil, caughtBy: [String],
        _ commands: @escaping @Sendable (Host.Command, View) -> [Operation]
    ) -> FaultyClient {
        FaultyClient(name: name, about: about, source: source, caughtBy: caughtBy, commands: commands)
    }

    /// One that shows something else than it should.
    private static func shows(
        _ name: String, _ about: String, _ source: String? = nil, caughtBy: [String],
        _ shows: @escaping @Sendable (SensorCollector.Content, View) -> [SensorCollector.Content]
    ) -> FaultyClient {
        FaultyClient(name: name, about: about, source: source, caughtBy: caughtBy, shows: shows)
    }

    /// One that is set up wrongly.
    private static func isSet(
        _ name: String, _ about: String, _ source: String? = nil, caughtBy: [String],
        _ sets: @escaping @Sendable (inout SensorCollector.Settings) -> Void
    ) -> FaultyClient {
        FaultyClient(name: name, about: about, source: source, caughtBy: caughtBy, sets: sets)
    }

    /// PMD Control Point.  Polar BLE SDK, technical documentation of the Measurement Data service.
    private static let polarControlPoint = UUID("FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8")
    /// PMD Data, and the streams among Lubdub's own characteristics.
    private static let streams = [
        "FB005C82-02E7-F387-1CAD-8ACD2D8DF0C8", "6C750201-6264-4562-A000-4C7562647562",
        "6C750301-6264-4562-A000-4C7562647562", "6C750401-6264-4562-A000-4C7562647562",
    ].compactMap { UUID($0) }

    /// What was wanted of a server.
    private static func procedure(_ command: Host.Command) -> Procedure? {
        if case .procedure(_, let procedure, _) = command { procedure } else { nil }
    }

    static let all = decoders + misbehaving

    private static let misbehaving = finders + subscribers + returners + displays + pairers + initiators

    private static let finders = [
        isSet(
            "by_name", "searches for a name instead of the service",
            caughtBy: [
                "collector/finding/by_service finds", "collector/finding/by_service not_the_other",
                "collector/finding/nearest nearest",
            ]
        ) {
            $0.choice = .name("Lubdub HRM")
        },
        isSet(
            "nearest", "connects to the strongest strap, not to the named one",
            caughtBy: ["clients/named starts", "clients/named not_the_other"]
        ) { $0.choice = .strongest },
        FaultyClient(
            name: "weakest", about: "connects to the weakest strap",
            caughtBy: ["collector/finding/nearest not_far", "recovery/nearest_leaves not_far"],
            reports: { report in
                var report = report
                report.rssi = -100 - report.rssi
                return report
            }),
        FaultyClient(
            name: "second_best", about: "connects to the second strongest of three straps",
            caughtBy: ["collector/finding/nearest not_mid", "recovery/nearest_leaves nearest"],
            reports: { report in
                var report = report
                report.rssi = -abs(report.rssi + 58)
                return report
            }),
        FaultyClient(
            name: "nothing_else", about: "ignores straps with additional services",
            source: "SmartSpin2k#273", caughtBy: ["clients/other_services starts", "formats/more_services returns"],
            reports: { $0.data.containsUUID(0x1818) || $0.data.containsUUID(0x1809) ? nil : $0 }),
        asks(
            "goes_on_scanning", "scans while connected",
            caughtBy: ["collector/finding/stops_scanning no_more"]
        ) { command, _ in
            guard case .discoverEverything? = procedure(command) else { return [.asks(command)] }
            let parameters = ScanParameters(isActive: false, interval: 0x60, window: 0x30)
            return [.asks(.scan(parameters, filterDuplicates: true)), .asks(command)]
        },
        isSet(
            "no_information", "does not read Device Information",
            caughtBy: [
                "collector/heart_rate/discovers information", "collector/heart_rate/discovers model",
                "collector/heart_rate/discovers firmware", "collector/thermometer/discovers information",
                "collector/thermometer/discovers manufacturer", "collector/thermometer/discovers model",
            ]
        ) { $0.readsDeviceInformation = false },
        asks(
            "short_strings", "reads only the beginning of a string", "esp32-snippets#997",
            caughtBy: ["formats/long_strings asks_for_the_rest"]
        ) { command, _ in
            guard case .procedure(let id, .readLong(let handle), let number) = command else { return [.asks(command)] }
            return [.asks(.procedure(id, .read(handle: handle), id: number))]
        },
        asks(
            "reads_nothing", "reads no values",
            caughtBy: [
                "collector/heart_rate/discovers location", "collector/heart_rate/discovers worn",
                "collector/streams/fitness asks", "collector/thermometer/discovers type",
                "collector/thermometer/discovers interval", "formats/two_batteries battery", "running location",
            ]
        ) { command, _ in
            switch procedure(command) {
            case .read?, .readLong?: [.supposes(.value([]))]
            default: [.asks(command)]
            }
        },
        asks(
            "discovers_nothing", "does not discover attributes",
            caughtBy: ["collector/heart_rate/discovers service", "collector/thermometer/discovers service"]
        ) { command, _ in
            guard case .discoverEverything? = procedure(command) else { return [.asks(command)] }
            return [.supposes(.services([]))]
        },
    ]

    private static let subscribers = [
        asks(
            "polls", "polls values instead of subscribing",
            caughtBy: ["clients/subscribes does_not_poll", "collector/heart_rate/listens no_polling"]
        ) { command, view in
            guard case .procedure(let id, .configure(let handle, _), let number) = command,
                view.uuid(at: handle) == .heartRateMeasurement, let value = view.handle(of: .heartRateMeasurement)
            else { return [.asks(command)] }
            return [.asks(command), .asks(.procedure(id, .read(handle: value), id: number &+ 0x8000_0000))]
        },
        asks(
            "mute", "never subscribes",
            caughtBy: [
                "resting subscribes",
                "clients/subscribes subscribes",
                "collector/heart_rate/discovers measurement", "collector/heart_rate/discovers configuration",
                "collector/thermometer/discovers intermediate",
                "collector/thermometer/discovers intermediate_configuration", "errors/discovery_refused returns",
                "errors/discovery_refused shows", "errors/read_refused shows", "errors/subscribing_refused returns",
                "errors/subscribing_refused shows", "recovery/away_while_connecting returns",
                "recovery/away_while_connecting shows", "recovery/away_while_discovering returns",
                "recovery/away_while_discovering shows", "recovery/away_while_subscribing returns",
                "recovery/away_while_subscribing shows", "recovery/held returns", "recovery/held shows",
                "recovery/stalls shows",
            ]
        ) { command, _ in
            guard case .configure? = procedure(command) else { return [.asks(command)] }
            return [.supposes(.written)]
        },
        asks(
            "notifies_all", "requests notifications of indicated values", "gattlib#149",
            caughtBy: [
                "collector/thermometer/discovers measurement", "collector/thermometer/discovers configuration",
                "collector/thermometer/discovers interval_configuration", "collector/thermometer/reserved_type stays",
            ]
        ) { command, _ in
            guard case .procedure(let id, .configure(let handle, .indication), let number) = command else {
                return [.asks(command)]
            }
            return [.asks(.procedure(id, .configure(handle: handle, .notification), id: number))]
        },
        asks(
            "confirms_nothing", "confirms no indications",
            caughtBy: [
                "collector/thermometer/float tenths_shown", "collector/thermometer/interval confirms",
                "collector/thermometer/measures confirms", "collector/thermometer/stored confirms",
                "pulse_oximeter confirms",
                "recovery/away_while_indicating confirms", "recovery/services_change stays",
            ]
        ) { command, _ in
            guard case .discoverEverything? = procedure(command) else { return [.asks(command)] }
            return [.asks(.confirmIndications(false)), .asks(command)]
        },
        asks(
            "never_resets", "does not write the control point",
            caughtBy: ["collector/heart_rate/resets_energy finds", "collector/heart_rate/resets_energy begins_anew"]
        ) { command, view in
            guard case .write(let handle, _)? = procedure(command), view.uuid(at: handle) == .heartRateControlPoint
            else { return [.asks(command)] }
            return [.supposes(.written)]
        },
        asks(
            "no_control_point_configuration", "writes to Polar's control point without subscribing to it",
            "polar-ble-sdk#360",
            caughtBy: ["collector/streams/pmd draws"]
        ) { command, view in
            guard case .configure(let handle, _)? = procedure(command), view.uuid(at: handle) == Self.polarControlPoint
            else { return [.asks(command)] }
            return [.supposes(.written)]
        },
        asks(
            "knows_all_straps", "discovers only services, and assumes its former handles and subscriptions",
            caughtBy: ["recovery/stalls ends"]
        ) { command, _ in
            switch command {
            case .procedure(let id, .discoverEverything, let number):
                let asked = Host.Command.procedure(id, .discoverPrimaryServices, id: number &+ 0x8000_0000)
                return [.asks(asked), .supposes(.services([usualStrap]))]
            case .procedure(_, .configure, _): return [.supposes(.written)]
            default: return [.asks(command)]
            }
        },
        FaultyClient(
            name: "loses_frames", about: "loses some values of fast streams",
            caughtBy: ["collector/streams/ecg no_gap", "collector/streams/pmd no_gap", "formats/ecg_doubled no_gap"],
            values: { octets, uuid, view in
                Self.streams.contains(uuid) && view.values % 20 < 4
                    ? [] : [.hears(octets)]
            }),
        FaultyClient(
            name: "deaf_to_streams", about: "ignores fast streams",
            caughtBy: ["collector/streams/ecg draws", "collector/streams/feed shows", "formats/ecg_doubled draws"],
            values: { octets, uuid, _ in
                Self.streams.contains(uuid) ? [] : [.hears(octets)]
            }),
    ]

    private static let usualStrap = DiscoveredService(
        uuid: .heartRate, range: HandleRange(14, 17),
        characteristics: [
            DiscoveredCharacteristic(
                uuid: .heartRateMeasurement, range: HandleRange(15, 17), properties: .notify, valueHandle: 16,
                descriptors: [AttributeType(17, .clientCharacteristicConfiguration)])
        ])

    private static let returners = [
        isSet(
            "never_returns", "does not reconnect", "WebBluetoothCG/web-bluetooth#220",
            caughtBy: ["recovery/away_while_indicating returns"]
        ) {
            $0.reconnects = false
        },
        asks(
            "believes_in_subscription", "does not subscribe again after a reconnection",
            "WebBluetoothCG/web-bluetooth#220; flutter_reactive_ble#384",
            caughtBy: [
                "clients/comes_back returns", "clients/comes_back shows", "collector/thermometer/stored returns",
                "errors/never_confirmed confirms",
                "formats/mtu_changes returns", "formats/mtu_changes shows", "recovery/again_and_again returns",
                "recovery/another_address returns", "recovery/another_address shows", "recovery/another_format returns",
                "recovery/away_long returns", "recovery/away_long shows", "recovery/away_while_indicating returns",
                "recovery/disconnects returns", "recovery/disconnects shows", "recovery/nearest_leaves switches",
                "recovery/power_off returns", "recovery/power_off shows", "recovery/taken returns",
                "recovery/taken shows", "recovery/walk_away_and_back returns", "recovery/walk_away_and_back shows",
            ]
        ) { command, view in
            guard case .configure? = procedure(command), view.connections > 1 else { return [.asks(command)] }
            return [.supposes(.written)]
        },
        asks(
            "believes_in_handles", "keeps the handles of the first discovery permanently", "bluez#191",
            caughtBy: [
                "clients/handles_moved returns", "clients/handles_moved shows",
                "recovery/handles_moved returns", "recovery/handles_moved shows",
                "recovery/handles_moved_silently returns", "recovery/handles_moved_silently shows",
            ]
        ) { command, view in
            guard case .discoverEverything? = procedure(command), !view.services.isEmpty else {
                return [.asks(command)]
            }
            return [.supposes(.services(view.services))]
        },
        asks(
            "asks_at_the_old", "repeats reads at old handles",
            caughtBy: ["recovery/handles_moved not_at_the_old"]
        ) { command, view in
            guard case .procedure(let id, .configure(let handle, _), let number) = command,
                let old = view.handle(of: .heartRateMeasurement), handle != old + 1, handle > old
            else { return [.asks(command)] }
            return [.asks(command), .asks(.procedure(id, .read(handle: old), id: number &+ 0x8000_0000))]
        },
        FaultyClient(
            name: "restless", about: "reconnects at times without a reason",
            caughtBy: [
                "collector/heart_rate/reserved_location stays", "errors/late_and_out_of_order stays",
                "errors/rate_peaks stays", "formats/two_batteries stays", "recovery/away_long no_ghost",
                "recovery/away_short stays", "recovery/lossy_air stays", "recovery/lossy_air beats",
                "recovery/silence stays",
            ],
            values: { octets, _, view in view.values % 12 == 0 ? [.leaves] : [.hears(octets)] }),
        asks(
            "no_pause", "stops when notifications stop", "VRCOSC#101", caughtBy: ["clients/silence shows"]
        ) { command, view in
            // The built-in client asks a silent device whether everything is where it was.
            guard case .discoverEverything? = procedure(command), view.values > 0 else { return [.asks(command)] }
            return [.ends]
        },
        FaultyClient(
            name: "short_lived", about: "stops after nine values",
            caughtBy: ["errors/rate_peaks shows", "recovery/silence shows"],
            values: { octets, _, view in view.values == 9 ? [.ends] : [.hears(octets)] }),
    ]

    private static let displays = [
        FaultyClient(
            name: "redraws", about: "prints the last heart rate again every 1.5 s, connected or not",
            source: "heart-of-frogg#3", caughtBy: ["clients/comes_back no_ghost"], repeats: .milliseconds(1500)),
        shows(
            "frozen", "never clears the last heart rate", "PineTimeSD#7",
            caughtBy: [
                "clients/comes_back clears", "clients/silence clears",
                "recovery/away_long clears", "recovery/disconnects clears", "recovery/power_off clears",
                "recovery/silence clears", "recovery/walk_away_and_back clears",
            ]
        ) { content, _ in
            switch content {
            case .cleared, .state(.disconnected): []
            case .value(let value) where value.isExpired: []
            default: [content]
            }
        },
        shows(
            "once", "shows the heart rate from before the absence when it is connected again, and then no more",
            caughtBy: [
                "formats/mtu_changes shows", "recovery/another_address shows", "recovery/away_long shows",
                "recovery/disconnects shows", "recovery/flapping shows", "recovery/power_off shows",
                "recovery/taken shows", "recovery/walk_away_and_back shows",
            ]
        ) { content, view in
            guard let former = view.formerHeartRate else { return [content] }
            switch content {
            case .state(.connected): return [content, former]
            case .heartRate: return []
            default: return [content]
            }
        },
        shows(
            "one_more_listener", "adds one more listener with each connection", "bleak#2002",
            caughtBy: ["clients/comes_back once", "recovery/again_and_again once"]
        ) { content, view in
            guard case .heartRate = content else { return [content] }
            return Array(repeating: content, count: max(1, view.connections))
        },
        shows(
            "shows_twice", "prints each value twice",
            caughtBy: ["collector/heart_rate/listens once", "collector/streams/feed all"]
        ) { content, _ in
            switch content {
            case .heartRate: [content, content]
            case .value(let value) where value.isMeasurement: [content, content]
            default: [content]
            }
        },
        shows(
            "blank", "prints no values",
            caughtBy: ["collector/streams/fitness steps", "collector/streams/fitness temperature"]
        ) { content, _ in
            switch content {
            case .heartRate, .value, .ecg: []
            default: [content]
            }
        },
        shows("one_more", "prints one heart rate too many", caughtBy: ["collector/heart_rate/reserved_location shows"])
        {
            content, _ in
            guard case .heartRate(var measurement) = content else { return [content] }
            measurement.bpm &+= 1
            return [.heartRate(measurement)]
        },
    ]
}

extension [UInt8] {
    fileprivate func containsUUID(_ number: UInt16) -> Bool {
        zip(self, dropFirst()).contains { $0 == UInt8(truncatingIfNeeded: number) && $1 == UInt8(number >> 8) }
    }
}
