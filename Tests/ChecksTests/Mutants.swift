import VirtualWorld

// Peripherals that differ from a correct one in one thing, each with the check that is named for it.
extension Peripheral {
    /// A mutant of the full peripheral, by what its host does wrong.
    static func host(
        _ name: String, _ about: String, _ id: String, _ changes: Mutation.Change...
    ) -> Peripheral {
        Peripheral(name: name, about: about, mutation: Mutation(changes), caughtBy: id)
    }

    /// A mutant of the full peripheral, by its script.
    static func script(_ name: String, _ about: String, _ id: String, _ rules: String...) -> Peripheral {
        Peripheral(name: name, about: about, script: rules, caughtBy: id)
    }

    /// Of a declaration of a characteristic: other properties.
    static func declares(_ properties: String, for uuid: String, instead right: String) -> Mutation.Change {
        .init(.att(0x09), "\(right) .. .. \(uuid.suffix(2)) \(uuid.prefix(2))", becomes: "\(properties) .. .. .. ..")
    }

    /// Of an error response.
    static func answers(_ error: String, to request: String, instead right: String) -> Mutation.Change {
        .init(.att(0x01), at: 1, "\(request) .. .. \(right)", becomes: ".. .. .. \(error)")
    }

    /// Of a notification's value, as it begins.
    static func notifies(_ sent: String, instead right: String) -> Mutation.Change {
        .init(.att(0x1B), at: 3, right, becomes: sent)
    }

    /// Of the answer to a read, as it begins.
    static func says(_ sent: String, instead right: String) -> Mutation.Change {
        .init(.att(0x0B), at: 1, right, becomes: sent)
    }

    static let mutants: [Peripheral] =
        declarationMutants + measurementMutants + controlMutants + informationMutants + batteryMutants
        + advertisingMutants + serverMutants + reconnectionMutants + thermometerMutants + vendorMutants
        + readingMutants + readErrorMutants + writingMutants + writeErrorMutants + notifyingMutants
        + cachingMutants + malformedMutants + halfOpenMutants + floodMutants

    private static let declarationMutants = [
        Peripheral(
            name: "no_heart_rate", about: "advertises 180D, and does not have it", services: [battery, information],
            caughtBy: "HRS/SEN/SGGIT/SER/BV-01-C"),
        Peripheral(
            name: "two_heart_rates", about: "has the Heart Rate Service twice",
            services: [heartRate, custom("again", "180D", [characteristic("2A37", "0048", "notify")]), battery],
            caughtBy: "HRS/SEN/SGGIT/SER/BV-01-C"),
        host(
            "readable_measurement", "declares 2A37 with Read too", "HRS/SEN/SGGIT/CHA/BV-01-C",
            declares("12", for: "2A37", instead: "10")),
        host(
            "notified_location", "declares 2A38 with Notify too", "HRS/SEN/SGGIT/CHA/BV-02-C",
            declares("12", for: "2A38", instead: "02")),
        host(
            "commanded_control_point", "declares 2A39 with Write Without Response too", "HRS/SEN/SGGIT/CHA/BV-03-C",
            declares("0C", for: "2A39", instead: "08")),
        Peripheral(
            name: "energy_without_control_point", about: "sends Energy Expended, and has no 2A39",
            services: [plainHeartRate], mutation: Mutation([notifies("08 .. 05 00", instead: "00 ..")]),
            caughtBy: "heart_rate/energy_needs_control_point"),
    ]

    private static let measurementMutants = [
        host(
            "forgotten_configuration", "reads a configuration of 1 as 0", "HRS/SEN/CON/BV-01-C",
            says("00 00", instead: "01 00")),
        script(
            "mute", "takes the subscription, and never notifies", "HRS/SEN/CN/BV-01-C",
            #"{"when": "start", "do": "silence", "of": "strap/heart_rate"}"#),
        script(
            "goes_on", "notifies after its configuration was cleared", "HRS/SEN/CN/BV-01-C",
            #"""
            {"when": {"event": "unsubscribed", "of": "heart_rate", "after": "3 s"}, "do": "raw", "of": "strap",
             "channel": "att", "octets": "1b10000648"}
            """#),
        host(
            "no_energy", "never sends Energy Expended", "HRS/SEN/CN/BV-02-C",
            notifies("16 ..", instead: "1E .. .. .."), notifies("06 ..", instead: "0E .. .. ..")),
        host(
            "newest_interval_first", "sends the newest RR-Interval first", "HRS/SEN/CN/BV-03-C",
            notifies("16 @1 @4 @5 @2 @3", instead: "16 .. .. .. .. .."),
            notifies("1E @1 @2 @3 @6 @7 @4 @5", instead: "1E .. .. .. .. .. .. ..")),
        Peripheral(
            name: "one_octet", about: "says a heart rate above 255 as 255",
            services: [#"{"service": "heart_rate", "value": 72, "format": "uint8"}"#],
            caughtBy: "HRS/SEN/CN/BV-04-C"),
        host(
            "always_on_skin", "always says that it touches the skin", "HRS/SEN/CN/BV-05-C",
            notifies("06", instead: "04"), notifies("0E", instead: "0C"), notifies("16", instead: "14"),
            notifies("1E", instead: "1C")),
        host(
            "reserved_flags", "sets the reserved bits of the flags", "heart_rate/flags_explain_octets",
            notifies("F6", instead: "16"), notifies("FE", instead: "1E")),
        script(
            "surplus_octet", "sends an octet that no flag explains", "heart_rate/flags_explain_octets",
            #"{"when": "start", "do": "lengthen", "of": "strap/heart_rate", "with": "ff"}"#),
        script(
            "cut_measurement", "sends only the flags and the heart rate", "heart_rate/flags_explain_octets",
            #"{"when": "start", "do": "truncate", "of": "strap/heart_rate", "to": 2}"#),
        host(
            "unsteady_contact_support", "takes back in some measurements that it can tell the contact",
            "heart_rate/contact_support_is_static", notifies("18", instead: "1E")),
        host(
            "low_octet_only", "says 256 bpm as 0, its low octet", "heart_rate/two_octet_edge",
            notifies("16 00", instead: "17 00 01"), notifies("1E 00", instead: "1F 00 01"),
            notifies("06 00", instead: "07 00 01"), notifies("0E 00", instead: "0F 00 01")),
        Peripheral(
            name: "always_two_octets", about: "takes two octets for what fits into one",
            services: [#"{"service": "heart_rate", "value": 72, "format": "uint16"}"#],
            caughtBy: "heart_rate/one_octet_up_to_255"),
        script(
            "moving_location", "changes where it is worn", "heart_rate/location_is_static",
            #"{"when": "5 s", "do": "set", "of": "strap/heart_rate/location", "to": "wrist"}"#),
    ]

    private static let controlMutants = [
        host(
            "reserved_location", "says that it is worn at place 9", "HRS/SEN/CR/BV-01-C", says("09", instead: "06")),
        host(
            "never_reset", "takes the reset, and goes on from the old energy", "HRS/SEN/CW/BV-01-C",
            notifies("1E .. E8 03", instead: "1E .. .. ..")),
        host(
            "another_refusal", "refuses reserved commands with 0x0E", "HRS/SEN/CW/BI-01-C",
            answers("0E", to: "12", instead: "80")),
        host(
            "takes_any_command", "accepts reserved commands", "HRS/SEN/CW/BI-01-C",
            .init(.att(0x01), at: 0, "01 12 .. .. 80", becomes: "13")),
        host(
            "takes_any_length", "accepts a command of two octets", "heart_rate/control_point_length",
            .init(.att(0x01), at: 0, "01 12 .. .. 0D", becomes: "13")),
    ]

    private static let informationMutants =
        [
            Peripheral(
                name: "no_information", about: "advertises 180A, and does not have it", services: [heartRate],
                advertise: #"{"services": ["180D", "180A"]}"#, caughtBy: "DIS/SR/SGGIT/SER/BV-01-C"),
            Peripheral(
                name: "two_informations", about: "has the Device Information Service twice",
                services: [heartRate, information, custom("again", "180A", [characteristic("2A29", "4c", "read")])],
                caughtBy: "DIS/SR/SGGIT/SER/BV-01-C"),
            host(
                "model_in_latin_1", "has a model number that is no UTF-8", "DIS/SR/SGGIT/CHA/BV-02-C",
                says("53 FC", instead: "53 74")),
        ]
        + zip(
            ["2A29", "2A24", "2A25", "2A27", "2A26", "2A28", "2A23", "2A2A", "2A50", "2BFF"],
            ["01", "02", "03", "04", "05", "06", "07", "08", "09", "10"]
        ).map { uuid, number in
            host(
                "writable_\(uuid)", "declares \(uuid) with Write too", "DIS/SR/SGGIT/CHA/BV-\(number)-C",
                declares("0A", for: uuid, instead: "02"))
        }

    private static let batteryMutants = [
        Peripheral(
            name: "no_battery", about: "advertises 180F, and does not have it", services: [heartRate],
            advertise: #"{"services": ["180D", "180F"]}"#, caughtBy: "BAS/SR/SGGIT/SER/BV-01-C"),
        Peripheral(
            name: "writable_battery", about: "lets clients write a level that is only read",
            services: [heartRate, custom("cell", "180F", [characteristic("2A19", "57", "read", "write")])],
            caughtBy: "BAS/SR/SGGIT/CHA/BV-01-C"),
        host(
            "indicated_battery", "declares 2A19 with Indicate too", "BAS/SR/SGGIT/CHA/BV-13-C",
            declares("32", for: "2A19", instead: "12")),
        host(
            "overfull_battery", "has 200 %", "battery/level_is_a_percentage", says("C8", instead: "57")),
        Peripheral(
            name: "forgotten_battery_configuration", about: "without a heart rate: reads a configuration of 1 as 0",
            services: [battery], advertise: "{}", mutation: Mutation([says("00 00", instead: "01 00")]),
            caughtBy: "BAS/SR/CON/BV-01-C"),
        script(
            "mute_battery", "never tells a change of its level", "BAS/SR/CN/BV-01-C",
            #"{"when": "start", "do": "silence", "of": "strap/battery"}"#),
        Peripheral(
            name: "two_left_batteries", about: "describes two batteries alike",
            services: [heartRate, battery("left", place: 1), battery("right", place: 1)],
            caughtBy: "BAS/SR/DES/BV-01-C"),
        Peripheral(
            name: "undescribed_batteries", about: "does not say which of two batteries is which",
            services: [
                heartRate, battery("left", place: 1), custom("right", "180F", [characteristic("2A19", "57", "read")]),
            ], caughtBy: "BAS/SR/DES/BV-01-C"),
    ]

    private static let advertisingMutants = [
        Peripheral(
            name: "unlisted_service", about: "does not advertise 180D", advertise: #"{"services": ["180A"]}"#,
            caughtBy: "HRP/SEN/HRF/BV-01-C"),
        host(
            "nameless", "sends its name under a type that nobody knows", "HRP/SEN/HRF/BV-02-C",
            .init(.advertisingData, "09 4C 75", becomes: "EE 4C 75"),
            .init(.scanResponse, "09 4C 75", becomes: "EE 4C 75")),
        host(
            "endless_structure", "has an AD structure that is longer than its packet", "advertising/well_formed",
            .init(.advertisingData, at: 0, "02 01 06", becomes: "FF 01 06")),
        host(
            "flags_twice", "has the AD type Flags twice", "advertising/no_type_twice",
            .init(.advertisingData, "03 19 41 03", becomes: "02 01 06")),
        host(
            "no_flags", "leaves the AD type Flags out", "advertising/discoverable",
            .init(.advertisingData, at: 0, "02 01 06", becomes: "")),
        host(
            "not_discoverable", "invites everyone to connect, and says that nobody should find it",
            "advertising/discoverable", .init(.advertisingData, at: 0, "02 01 06", becomes: "02 01 04")),
        host(
            "limited_and_general", "is limited and general discoverable at once", "advertising/flags",
            .init(.advertisingData, at: 0, "02 01 06", becomes: "02 01 07")),
        Peripheral(
            name: "service_for_show", about: "advertises a thermometer that it does not have",
            advertise: #"{"services": ["180D", "1809"]}"#, caughtBy: "advertising/services_are_there"),
        host(
            "another_name", "advertises another name than its own", "advertising/name_fits",
            .init(.advertisingData, "09 4C 75", becomes: "09 4D 75"),
            .init(.scanResponse, "09 4C 75", becomes: "09 4D 75")),
        host(
            "another_appearance", "has another appearance than it advertises", "advertising/appearance_fits",
            says("40 03", instead: "41 03")),
    ]

    private static let serverMutants = [
        host(
            "answers_otherwise", "answers an exchange of MTUs with a Write Response", "GATT/SR/GAC/BV-01-C",
            .init(.att(0x03), at: 0, "03 .. ..", becomes: "13")),
        host(
            "unlikely_list", "ends the list of services with 0x0E", "GATT/SR/GAD/BV-01-C",
            answers("0E", to: "10", instead: "0A")),
        host(
            "endless_service", "finds each service with handles to the last", "GATT/SR/GAD/BV-02-C",
            .init(.att(0x07), at: 3, ".. ..", becomes: "FF FF")),
        host(
            "unlikely_characteristics", "ends the list of characteristics with 0x0E", "GATT/SR/GAD/BV-04-C",
            answers("0E", to: "08", instead: "0A")),
        host(
            "hidden_configuration", "lists a descriptor of another type in place of 2902", "GATT/SR/GAD/BV-06-C",
            .init(.att(0x05), "02 29", becomes: "09 29")),
        host(
            "unlikely_read", "refuses what must not be read with 0x0E", "GATT/SR/GAR/BI-01-C",
            answers("0E", to: "0A", instead: "02")),
        host(
            "reads_anything", "answers a read of what must not be read", "GATT/SR/GAR/BI-01-C",
            .init(.att(0x01), at: 0, "01 0A .. .. 02", becomes: "0B 00")),
        host(
            "unlikely_handle", "refuses a read of a handle that is nobody's with 0x0E", "GATT/SR/GAR/BI-02-C",
            answers("0E", to: "0A", instead: "01")),
        host(
            "writes_nowhere", "accepts a write to a handle that is nobody's", "GATT/SR/GAW/BI-02-C",
            .init(.att(0x01), at: 0, "01 12 .. .. 01", becomes: "13")),
        host(
            "writes_anything", "accepts a write to what must not be written", "GATT/SR/GAW/BI-03-C",
            .init(.att(0x01), at: 0, "01 12 .. .. 03", becomes: "13")),
    ]

    private static let reconnectionMutants = [
        script(
            "gone_for_good", "does not advertise any more after its first connection",
            "reconnection/advertises_again",
            #"{"when": {"event": "disconnected", "of": "strap"}, "do": "stop_advertising", "of": "strap"}"#),
        script(
            "gone_when_lost", "does not advertise any more after it has lost its client",
            "reconnection/advertises_after_loss",
            #"""
            {"when": {"event": "disconnected", "of": "strap", "reason": "connection_timeout"},
             "do": "stop_advertising", "of": "strap"}
            """#),
        script(
            "notifies_unasked", "notifies a client that comes back before it asks",
            "reconnection/configuration_is_cleared",
            #"""
            {"when": {"event": "connected", "of": "strap", "nth": 2, "after": "4 s"}, "do": "raw", "of": "strap",
             "channel": "att", "octets": "1b10000648"}
            """#),
        host(
            "kept_configuration", "keeps the configuration of who was there", "reconnection/configuration_is_cleared",
            says("01 00", instead: "00 00")),
        script(
            "replays", "sends a client that comes back what it missed", "reconnection/nothing_is_replayed",
            #"""
            {"when": {"event": "subscribed", "of": "heart_rate", "nth": 2}, "do": "raw", "of": "heart_rate",
             "octets": "0696"}
            """#),
    ]
}
