import VirtualWorld

// Peripherals that differ from a correct one in one fault, each with the check that must find it.
extension Peripheral {
    /// A mutant of the full peripheral, whose host changes packets.
    static func host(
        _ name: String, _ about: String, _ id: String, _ changes: Mutation.Change...
    ) -> Peripheral {
        Peripheral(name: name, about: about, mutation: Mutation(changes), caughtBy: id)
    }

    /// A mutant of the full peripheral, with a script.
    static func script(_ name: String, _ about: String, _ id: String, _ rules: String...) -> Peripheral {
        Peripheral(name: name, about: about, script: rules, caughtBy: id)
    }

    /// Changes the properties in a characteristic declaration.
    static func declares(_ properties: String, for uuid: String, instead right: String) -> Mutation.Change {
        .init(.att(0x09), "\(right) .. .. \(uuid.suffix(2)) \(uuid.prefix(2))", becomes: "\(properties) .. .. .. ..")
    }

    /// Changes the code of an Error Response.
    static func answers(_ error: String, to request: String, instead right: String) -> Mutation.Change {
        .init(.att(0x01), at: 1, "\(request) .. .. \(right)", becomes: ".. .. .. \(error)")
    }

    /// Changes the beginning of a notified value.
    static func notifies(_ sent: String, instead right: String) -> Mutation.Change {
        .init(.att(0x1B), at: 3, right, becomes: sent)
    }

    /// Changes the beginning of a Read Response.
    static func says(_ sent: String, instead right: String) -> Mutation.Change {
        .init(.att(0x0B), at: 1, right, becomes: sent)
    }

    static let mutants: [Peripheral] =
        declarationMutants + measurementMutants + controlMutants + informationMutants + batteryMutants
        + advertisingMutants + advertisedMutants + serverMutants + reconnectionMutants + thermometerMutants
        + oximeterMutants
        + runningMutants + vendorMutants
        + declarationPairMutants + readingMutants + readErrorMutants + writingMutants + writeErrorMutants
        + notificationMutants
        + cachingMutants + malformedMutants + halfOpenMutants + floodMutants + accessMutants + plausibilityMutants
        + sizeMutants + pairingMutants + passkeyMutants + outOfBandMutants + keyMutants + bondMutants

    private static let declarationMutants = [
        Peripheral(
            name: "no_heart_rate", about: "advertises 180D, but does not have it", services: [battery, information],
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
            name: "energy_without_control_point", about: "sends Energy Expended without a Heart Rate Control Point",
            services: [plainHeartRate], mutation: Mutation([notifies("08 .. 05 00", instead: "00 ..")]),
            caughtBy: "heart_rate/energy_needs_control_point"),
    ]

    private static let measurementMutants = [
        host(
            "forgotten_configuration", "reads back 0 for a configuration of 1", "HRS/SEN/CON/BV-01-C",
            says("00 00", instead: "01 00")),
        script(
            "mute", "accepts a subscription, but never notifies", "HRS/SEN/CN/BV-01-C",
            #"{"when": "start", "do": "silence", "of": "strap/heart_rate"}"#),
        script(
            "goes_on", "notifies after the client unsubscribed", "HRS/SEN/CN/BV-01-C",
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
        host(
            "one_octet", "sends the low octet of 300 bpm, as one octet", "HRS/SEN/CN/BV-04-C",
            notifies("16 2C", instead: "17 2C 01"), notifies("1E 2C", instead: "1F 2C 01"),
            notifies("06 2C", instead: "07 2C 01"), notifies("0E 2C", instead: "0F 2C 01")),
        host(
            "always_on_skin", "always reports skin contact", "HRS/SEN/CN/BV-05-C",
            notifies("06", instead: "04"), notifies("0E", instead: "0C"), notifies("16", instead: "14"),
            notifies("1E", instead: "1C")),
        host(
            "reserved_flags", "sets reserved flags", "heart_rate/flags_explain_octets",
            notifies("F6", instead: "16"), notifies("FE", instead: "1E")),
        script(
            "surplus_octet", "sends an extra octet", "heart_rate/flags_explain_octets",
            #"{"when": "start", "do": "lengthen", "of": "strap/heart_rate", "with": "ff"}"#),
        script(
            "cut_measurement", "omits the fields that its flags announce", "heart_rate/flags_explain_octets",
            #"{"when": "start", "do": "truncate", "of": "strap/heart_rate", "to": 2}"#),
        host(
            "unsteady_contact_support", "clears the Sensor Contact Supported flag in some measurements",
            "heart_rate/contact_support_is_static", notifies("18", instead: "1E")),
        host(
            "low_octet_only", "sends 256 bpm as 0, its low octet", "heart_rate/two_octet_edge",
            notifies("16 00", instead: "17 00 01"), notifies("1E 00", instead: "1F 00 01"),
            notifies("06 00", instead: "07 00 01"), notifies("0E 00", instead: "0F 00 01")),
        Peripheral(
            name: "always_two_octets", about: "uses the uint16 format for values up to 255",
            services: [#"{"service": "heart_rate", "value": 72, "format": "uint16"}"#],
            caughtBy: "heart_rate/one_octet_up_to_255"),
        script(
            "moving_location", "changes its Body Sensor Location", "heart_rate/location_is_static",
            #"{"when": "5 s", "do": "set", "of": "strap/heart_rate/location", "to": "wrist"}"#),
    ]

    private static let controlMutants = [
        host(
            "reserved_location", "has the reserved Body Sensor Location 9", "HRS/SEN/CR/BV-01-C",
            says("09", instead: "06")),
        host(
            "never_reset", "accepts the reset, but keeps Energy Expended", "HRS/SEN/CW/BV-01-C",
            notifies("1E .. E8 03", instead: "1E .. .. ..")),
        host(
            "another_refusal", "rejects reserved values with 0x0E", "HRS/SEN/CW/BI-01-C",
            answers("0E", to: "12", instead: "80")),
        host(
            "takes_any_command", "accepts reserved values", "HRS/SEN/CW/BI-01-C",
            .init(.att(0x01), at: 0, "01 12 .. .. 80", becomes: "13")),
        host(
            "takes_any_length", "accepts a value of two octets", "heart_rate/control_point_length",
            .init(.att(0x01), at: 0, "01 12 .. .. 0D", becomes: "13")),
    ]

    private static let informationMutants =
        [
            Peripheral(
                name: "no_information", about: "advertises 180A, but does not have it", services: [heartRate],
                advertise: #"{"services": ["180D", "180A"]}"#, caughtBy: "DIS/SR/SGGIT/SER/BV-01-C"),
            Peripheral(
                name: "two_informations", about: "has the Device Information Service twice",
                services: [heartRate, information, custom("again", "180A", [characteristic("2A29", "4c", "read")])],
                caughtBy: "DIS/SR/SGGIT/SER/BV-01-C"),
            host(
                "model_in_latin_1", "has a model number that is not UTF-8", "DIS/SR/SGGIT/CHA/BV-02-C",
                says("53 FC", instead: "53 74")),
            host(
                "vendor_of_nobody", "has a PnP ID with the Vendor ID Source 3", "DIS/SR/SGGIT/CHA/BV-09-C",
                says("03 FF FF", instead: "01 FF FF")),
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
            name: "no_battery", about: "advertises 180F, but does not have it", services: [heartRate],
            advertise: #"{"services": ["180D", "180F"]}"#, caughtBy: "BAS/SR/SGGIT/SER/BV-01-C"),
        Peripheral(
            name: "battery_without_level", about: "has a Battery Service with a Battery Level Status only",
            services: [heartRate, custom("cell", "180F", [characteristic("2BED", "000100", "read")])],
            caughtBy: "battery/has_a_level"),
        Peripheral(
            name: "writable_battery", about: "declares a read-only Battery Level with Write too",
            services: [heartRate, custom("cell", "180F", [characteristic("2A19", "57", "read", "write")])],
            caughtBy: "BAS/SR/SGGIT/CHA/BV-01-C"),
        host(
            "indicated_battery", "declares 2A19 with Indicate too", "BAS/SR/SGGIT/CHA/BV-13-C",
            declares("32", for: "2A19", instead: "12")),
        host(
            "overfull_battery", "reports 200 %", "battery/level_is_a_percentage", says("C8", instead: "57")),
        Peripheral(
            name: "forgotten_battery_configuration",
            about: "without a heart rate, reads back 0 for a configuration of 1",
            services: [battery], advertise: "{}", mutation: Mutation([says("00 00", instead: "01 00")]),
            caughtBy: "BAS/SR/CON/BV-01-C"),
        script(
            "mute_battery", "never notifies a change of its level", "BAS/SR/CN/BV-01-C",
            #"{"when": "start", "do": "silence", "of": "strap/battery"}"#),
        Peripheral(
            name: "two_left_batteries", about: "gives two batteries the same description",
            services: [heartRate, battery("left", place: 1), battery("right", place: 1)],
            caughtBy: "BAS/SR/DES/BV-01-C"),
        Peripheral(
            name: "undescribed_batteries", about: "gives two batteries no description",
            services: [
                heartRate, battery("left", place: 1), custom("right", "180F", [characteristic("2A19", "57", "read")]),
            ], caughtBy: "BAS/SR/DES/BV-01-C"),
    ]

    private static let advertisingMutants = [
        Peripheral(
            name: "unlisted_service", about: "does not advertise 180D", advertise: #"{"services": ["180A"]}"#,
            caughtBy: "HRP/SEN/HRF/BV-01-C"),
        host(
            "nameless", "advertises its name with an unknown AD type", "HRP/SEN/HRF/BV-02-C",
            .init(.advertisingData, "09 4C 75", becomes: "EE 4C 75"),
            .init(.scanResponse, "09 4C 75", becomes: "EE 4C 75")),
        host(
            "endless_structure", "has an AD structure longer than its packet", "advertising/well_formed",
            .init(.advertisingData, at: 0, "02 01 06", becomes: "FF 01 06")),
        host(
            "flags_twice", "has the AD type Flags twice", "advertising/no_type_twice",
            .init(.advertisingData, "03 19 41 03", becomes: "02 01 06")),
        host(
            "no_flags", "omits the AD type Flags", "advertising/discoverable",
            .init(.advertisingData, at: 0, "02 01 06", becomes: "")),
        host(
            "not_discoverable", "is connectable, but sets no discoverable flag",
            "advertising/discoverable", .init(.advertisingData, at: 0, "02 01 06", becomes: "02 01 04")),
        host(
            "limited_and_general", "sets both discoverable flags", "advertising/flags",
            .init(.advertisingData, at: 0, "02 01 06", becomes: "02 01 07")),
        Peripheral(
            name: "service_for_show", about: "advertises a thermometer that it does not have",
            advertise: #"{"services": ["180D", "1809"]}"#, caughtBy: "advertising/services_are_there"),
        host(
            "another_name", "advertises a name other than its Device Name", "advertising/name_fits",
            .init(.advertisingData, "09 4C 75", becomes: "09 4D 75"),
            .init(.scanResponse, "09 4C 75", becomes: "09 4D 75")),
        host(
            "another_appearance", "advertises an appearance other than its Appearance", "advertising/appearance_fits",
            says("40 03", instead: "41 03")),
    ]

    private static let serverMutants = [
        host(
            "receives_ten", "answers Exchange MTU with 10", "GATT/SR/GAC/BV-01-C",
            .init(.att(0x03), at: 1, ".. ..", becomes: "0A 00")),
        host(
            "answers_otherwise", "answers Exchange MTU with a Write Response", "GATT/SR/GAC/BV-01-C",
            .init(.att(0x03), at: 0, "03 .. ..", becomes: "13")),
        host(
            "unlikely_list", "ends the list of services with 0x0E", "GATT/SR/GAD/BV-01-C",
            answers("0E", to: "10", instead: "0A")),
        host(
            "endless_service", "reports 0xFFFF as the end of each service found by UUID", "GATT/SR/GAD/BV-02-C",
            .init(.att(0x07), at: 3, ".. ..", becomes: "FF FF")),
        host(
            "unlikely_characteristics", "ends the list of characteristics with 0x0E", "GATT/SR/GAD/BV-04-C",
            answers("0E", to: "08", instead: "0A")),
        host(
            "hidden_configuration", "lists a descriptor of another type instead of 2902", "GATT/SR/GAD/BV-06-C",
            .init(.att(0x05), "02 29", becomes: "09 29")),
        host(
            "unlikely_read", "rejects a read of a value without Read with 0x0E", "GATT/SR/GAR/BI-01-C",
            answers("0E", to: "0A", instead: "02")),
        host(
            "reads_anything", "answers a read of a value without Read", "GATT/SR/GAR/BI-01-C",
            .init(.att(0x01), at: 0, "01 0A .. .. 02", becomes: "0B 00")),
        host(
            "unlikely_handle", "rejects a read of an unused handle with 0x0E", "GATT/SR/GAR/BI-02-C",
            answers("0E", to: "0A", instead: "01")),
        host(
            "writes_nowhere", "accepts a write to an unused handle", "GATT/SR/GAW/BI-02-C",
            .init(.att(0x01), at: 0, "01 12 .. .. 01", becomes: "13")),
        host(
            "writes_anything", "accepts a write to a value without Write", "GATT/SR/GAW/BI-03-C",
            .init(.att(0x01), at: 0, "01 12 .. .. 03", becomes: "13")),
    ]

    private static let reconnectionMutants = [
        script(
            "gone_for_good", "stops advertising after its first connection",
            "reconnection/advertises_again",
            #"{"when": {"event": "disconnected", "of": "strap"}, "do": "stop_advertising", "of": "strap"}"#),
        script(
            "gone_when_lost", "stops advertising after link loss",
            "reconnection/advertises_after_loss",
            #"""
            {"when": {"event": "disconnected", "of": "strap", "reason": "connection_timeout"},
             "do": "stop_advertising", "of": "strap"}
            """#),
        script(
            "silent_after_all", "sends nothing more after its first connection", "reconnection/sends_again",
            #"{"when": {"event": "disconnected", "of": "strap"}, "do": "silence", "of": "strap/heart_rate"}"#),
        script(
            "notifies_unasked", "notifies a reconnected client before it subscribes",
            "reconnection/configuration_is_cleared",
            #"""
            {"when": {"event": "connected", "of": "strap", "nth": 2, "after": "4 s"}, "do": "raw", "of": "strap",
             "channel": "att", "octets": "1b10000648"}
            """#),
        host(
            "kept_configuration", "keeps the configuration of an unbonded client",
            "reconnection/configuration_is_cleared",
            says("01 00", instead: "00 00")),
        Peripheral(
            name: "kept_battery_configuration", about: "keeps a configuration of its battery",
            services: [battery], advertise: "{}", mutation: Mutation([says("01 00", instead: "00 00")]),
            caughtBy: "reconnection/configuration_is_cleared"),
        script(
            "replays", "sends missed measurements to a reconnected client", "reconnection/nothing_is_replayed",
            #"""
            {"when": {"event": "subscribed", "of": "heart_rate", "nth": 2}, "do": "raw", "of": "heart_rate",
             "octets": "0696"}
            """#),
    ]
}
