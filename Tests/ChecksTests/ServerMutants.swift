import VirtualWorld

// Servers with one fault in discovery, reading, caching or notifications.
extension Peripheral {
    static let readingMutants = [
        full.but(
            "includes_characteristics", "lists characteristics as included services", "GATT/SR/GAD/BV-03-C",
            by: [.init(.received(0x08), at: 5, "02 28", becomes: "03 28")]),
        full.but(
            "begins_at_the_first", "lists the first characteristic when asked for the second",
            "GATT/SR/GAD/BV-05-C", by: [.init(.received(0x08), at: 1, "04 00", becomes: "01 00")]),
        full.but(
            "unlikely_battery", "answers a read of its battery with 0x0E", "GATT/SR/GAR/BV-01-C",
            by: [.init(.att(0x0B), at: 0, "0B 57", becomes: "01 0A 00 00 0E")]),
        full.but(
            "another_by_type", "returns another name for Read By Type", "GATT/SR/GAR/BV-03-C",
            by: [.init(.att(0x09), at: 1, ".. 03 00 4C", becomes: ".. 03 00 4D")]),
        book.but(
            "skips_an_octet", "treats an offset of 1 in a value as 2", "GATT/SR/GAR/BV-04-C",
            by: [.init(.received(0x0C), at: 1, "30 00 01 00", becomes: "30 00 02 00")]),
        full.but(
            "swapped_octets", "swaps two octets in Read Multiple", "GATT/SR/GAR/BV-05-C",
            by: [.init(.att(0x0F), at: 1, "41 03", becomes: "03 41")]),
        full.but(
            "unlikely_configuration", "answers a read of its configurations with 0x0E", "GATT/SR/GAR/BV-06-C",
            by: [.init(.att(0x0B), at: 0, "0B 00 00", becomes: "01 0A 00 00 0E")]),
        book.but(
            "skips_in_a_descriptor", "treats an offset of 1 in a descriptor as 2", "GATT/SR/GAR/BV-07-C",
            by: [.init(.received(0x0C), at: 1, "31 00 01 00", becomes: "31 00 02 00")]),
        full.but(
            "another_of_several", "returns another name in Read Multiple Variable", "GATT/SR/GAR/BV-09-C",
            by: [.init(.att(0x21), at: 3, "4C", becomes: "4D")]),
        book.but(
            "format_of_nothing", "has a presentation format with a reserved format", "GATT/SR/GPA/BV-12-C",
            by: [says("00 00 00 27", instead: "06 00 00 27")]),
        book.but(
            "aggregate_of_nothing", "lists a handle in 2905 that is not a 2904", "GATT/SR/GPA/BV-11-C",
            by: [says("41 00 43 00", instead: "41 00 42 00")]),
    ]

    static let declarationPairMutants = [
        annex.but(
            "includes_another", "includes a service with another UUID than it is declared with",
            "discovery/included_services",
            by: [.init(.att(0x09), at: 1, "08 .. .. .. .. .. .. 0A 18", becomes: ".. .. .. .. .. .. .. 0F 18")]),
        annex.but(
            "includes_an_attribute", "includes the handle after the declaration of a service",
            "discovery/included_services", by: [.init(.received(0x04), at: 1, "31 01 31 01", becomes: "32 01 32 01")]),
        mutant(
            "secret_properties", "has Extended Properties that it does not declare", "discovery/extended_properties",
            characteristic("2A56", "01", "read", descriptors: #"[{"uuid": "2900", "value": 1}]"#)),
        mutant(
            "empty_promise", "declares Extended Properties that it does not have", "discovery/extended_properties",
            characteristic("2A56", "01", "read", "extended_properties")),
        mutant(
            "short_properties", "has Extended Properties of one octet", "discovery/extended_properties",
            characteristic(
                "2A56", "01", "read", "extended_properties", descriptors: #"[{"uuid": "2900", "value": "01"}]"#)),
        mutant(
            "broadcasts_unasked", "declares Broadcast without a Server Characteristic Configuration",
            "discovery/broadcast_configuration", characteristic("2A56", "01", "read", "broadcast")),
        Peripheral(
            name: "two_secondary_informations", about: "includes two Device Information Services",
            services: [
                #"""
                {"service": "custom", "uuid": "1815", "includes": ["one", "two"], "characteristics": []}
                """#, secondInformation("one"), secondInformation("two"),
            ], advertise: "{}", caughtBy: "DIS/SR/SGGIT/SER/BV-02-C"),
    ]

    private static func mutant(_ name: String, _ about: String, _ id: String, _ characteristic: String) -> Peripheral {
        Peripheral(
            name: name, about: about, services: [custom("automation", "1815", [characteristic])], advertise: "{}",
            caughtBy: id)
    }

    /// Sets the handle of Error Responses to 0.
    private static func namesNobody(_ request: String, _ error: String) -> Mutation.Change {
        .init(.att(0x01), at: 1, "\(request) .. .. \(error)", becomes: ".. 00 00 ..")
    }

    static let readErrorMutants: [Peripheral] =
        [
            book.but(
                "unauthorized_nobody", "reports handle 0 when authorization is missing", "GATT/SR/GAR/BI-03-C",
                by: [namesNobody("0A", "08")]),
            book.but(
                "unauthenticated_nobody", "reports handle 0 when authentication is missing", "GATT/SR/GAR/BI-04-C",
                by: [namesNobody("0A", "05")]),
            full.but(
                "unlikely_type", "rejects Read By Type of an unknown type with 0x0E", "GATT/SR/GAR/BI-07-C",
                by: [.init(.att(0x01), at: 1, "08 01 00 0A", becomes: ".. .. .. 0E")]),
            book.but(
                "unlikely_end", "rejects Read Blob past the end of a descriptor with 0x0E",
                "GATT/SR/GAR/BV-08-C", by: [.init(.att(0x01), at: 1, "0C 31 00 07", becomes: ".. .. .. 0E")]),
        ]
        + [
            (full, "06", "08", "02"), (full, "08", "08", "01"), (book, "09", "08", "08"), (book, "10", "08", "05"),
            (full, "12", "0C", "02"), (full, "13", "0C", "07"), (full, "14", "0C", "01"), (book, "15", "0C", "08"),
            (book, "16", "0C", "05"), (full, "18", "0E", "02"), (full, "19", "0E", "01"), (book, "20", "0E", "08"),
            (book, "21", "0E", "05"), (full, "36", "20", "02"), (full, "38", "20", "01"), (book, "40", "20", "08"),
            (book, "42", "20", "05"),
        ].map { base, number, request, error in
            base.but(
                "unlikely_\(request)_\(error)", "rejects request 0x\(request) with 0x0E instead of 0x\(error)",
                "GATT/SR/GAR/BI-\(number)-C", by: [answers("0E", to: request, instead: error)])
        }

    static let notificationMutants = [
        full.but(
            "notifies_another", "notifies its values as those of handle 1", "GATT/SR/GAN/BV-01-C",
            by: [.init(.att(0x1B), at: 1, ".. ..", becomes: "01 00")]),
        thermometer.but(
            "indicates_another", "indicates its values as those of handle 1", "GATT/SR/GAI/BV-01-C",
            by: [.init(.att(0x1D), at: 1, ".. ..", becomes: "01 00")]),
        thermometer.but(
            "impatient", "indicates again after 5 s without a confirmation", "gatt/one_indication_at_a_time",
            script: #"""
                {"when": {"event": "indicated", "of": "strap/health_thermometer", "nth": 1, "after": "5 s"}, "do": "raw",
                 "of": "strap", "channel": "att", "octets": "1d1200006c0100ff"}
                """#),
        thermometer.but(
            "never_gives_up", "keeps indicating after a confirmation timeout of 30 s", "GATT/SR/GAT/BV-01-C",
            script: #"{"when": "start", "do": "silence", "of": "strap/health_thermometer"}"#,
            #"""
            {"when": {"event": "subscribed", "of": "strap/health_thermometer", "nth": 1, "after": "1 s"}, "do": "raw",
             "of": "strap", "channel": "att", "octets": "1d1200006c0100ff"}
            """#),
    ]

    /// An indication of Service Changed, whose value has handle 8, some seconds after a connection.
    private static func change(after seconds: Int) -> String {
        #"""
        {"when": {"event": "connected", "of": "strap", "after": "\#(seconds) s"}, "do": "raw", "of": "strap",
         "channel": "att", "octets": "1d08000100ffff"}
        """#
    }

    static let cachingMutants = [
        full.but(
            "change_unasked", "indicates Service Changed to a client that has not subscribed", "GATT/SR/GAS/BV-01-C",
            script: change(after: 1), change(after: 2), change(after: 3)),
        full.but(
            "another_change", "indicates Service Changed for unchanged handles", "GATT/SR/GAS/BV-01-C",
            by: [.init(.att(0x1D), at: 3, ".. .. .. ..", becomes: "01 00 02 00")]),
        full.but(
            "another_hash", "has a wrong Database Hash", "GATT/SR/GAS/BV-02-C",
            by: [.init(.att(0x09), at: 1, "12 .. .. .. ..", becomes: "12 .. .. 5A A5")]),
        full.but(
            "keeps_reserved_bits", "keeps reserved bits of Client Supported Features", "GATT/SR/GAS/BV-03-C",
            by: [says("F9", instead: "01")]),
        full.but(
            "remembers_strangers", "keeps the Client Supported Features of an unbonded client",
            "gatt/supported_features_are_forgotten", by: [says("01", instead: "00")]),
        full.but(
            "takes_back", "lets clients clear their supported features", "gatt/supported_features_stay",
            by: [.init(.att(0x01), at: 0, "01 12 .. .. 13", becomes: "13")]),
        full.but(
            "unlikely_when_unaware", "answers a change-unaware client with 0x0E", "GATT/SR/GAS/BV-05-C",
            by: [answers("0E", to: "0A", instead: "12")]),
        book.but(
            "obeys_when_unaware", "writes what a change-unaware client commands", "GATT/SR/GAS/BV-05-C",
            by: [.init(.received(0x52), at: 0, "52", becomes: "12")]),
        full.but(
            "hash_by_its_handle", "answers a change-unaware client's read of the Database Hash by its handle",
            "GATT/SR/GAS/BV-05-C", by: [.init(.att(0x01), at: 0, "01 0A 0D 00 12", becomes: "0B 00")]),
        full.but(
            "finds_when_unaware", "answers a change-unaware client's Read By Type within some handles",
            "GATT/SR/GAS/BV-05-C", by: [.init(.att(0x01), at: 0, "01 08 03 00 12", becomes: "09 03 03 00 4C")]),
        full.but(
            "unlikely_several_unaware", "answers a change-unaware client's Read Multiple Variable with 0x0E",
            "GATT/SR/GAS/BV-08-C", by: [answers("0E", to: "20", instead: "12")]),
        full.but(
            "hash_is_no_news", "ignores that a client has read the Database Hash", "GATT/SR/GAS/BV-06-C",
            by: [.init(.received(0x08), at: 5, "2A 2B", becomes: "00 2A")]),
        full.but(
            "deaf_to_confirmations", "ignores confirmations", "GATT/SR/GAS/BV-06-C",
            by: [.init(.received(0x1E), at: 0, "1E", becomes: "")]),
        full.but(
            "needs_no_confirmation", "answers a client that has not confirmed Service Changed", "GATT/SR/GAS/BV-06-C",
            by: [.init(.att(0x01), at: 0, "01 0A 03 00 12", becomes: "0B 4C")]),
        book.but(
            "writes_out_of_sync", "executes writes that were prepared before a change", "GATT/SR/GAW/BI-41-C",
            by: [.init(.att(0x01), at: 0, "01 18 .. .. 12", becomes: "19")]),
    ]
}
