import VirtualWorld

// Servers that handle invalid requests wrongly.
extension Peripheral {
    static let malformedMutants = [
        full.but(
            "unlikely_unknown", "rejects the unknown opcode 0x3F with 0x0E", "GATT/SR/UNS/BI-01-C",
            by: [answers("0E", to: "3F", instead: "06")]),
        full.but(
            "answers_commands", "answers an unknown command with an error",
            "GATT/SR/UNS/BI-02-C", by: [.init(.received(0x7F), at: 0, "7F", becomes: "3F")]),
        full.but(
            "unlikely_malformed", "rejects malformed requests with 0x0E", "robustness/too_short",
            by: [answers("0E", to: "..", instead: "04")]),
        full.but(
            "reads_surplus", "answers a read request with an extra octet with another value", "robustness/too_long",
            by: [.init(.received(0x0A), at: 0, "0A 03 00 00", becomes: "0A 05 00")]),
        full.but(
            "silent_about_24", "does not answer the unknown opcode 0x24", "robustness/unknown_requests",
            by: [.init(.att(0x01), at: 0, "01 24 .. .. ..", becomes: "")]),
        full.but(
            "reads_by_command", "answers a read request with the command flag", "robustness/commands_are_not_answered",
            by: [.init(.received(0x4A), at: 0, "4A", becomes: "0A")]),
        full.but(
            "answers_responses", "answers a Write Response with an error",
            "robustness/responses_are_not_answered", by: [.init(.received(0x13), at: 0, "13", becomes: "3F")]),
        full.but(
            "takes_no_mtu_for_any", "treats an MTU of 0 as 247", "robustness/small_mtu",
            by: [.init(.received(0x02), at: 1, "00 00", becomes: "F7 00")]),
        full.but(
            "unlikely_range", "rejects Find Information with an invalid range with 0x0E", "robustness/no_ranges",
            by: [answers("0E", to: "04", instead: "01")]),
        full.but(
            "unlikely_group", "rejects an unsupported group type with 0x0E", "robustness/no_grouping",
            by: [answers("0E", to: "10", instead: "10")]),
    ]

    static let halfOpenMutants = [
        book.but(
            "writes_at_once", "executes prepared writes at once", "robustness/prepared_and_left",
            by: [.init(.received(0x16), at: 0, "16 .. .. 00 00", becomes: "12 @1 @2")]),
        book.but(
            "unlikely_queue", "reports a full prepare queue with 0x0E", "robustness/full_queue",
            by: [answers("0E", to: "16", instead: "09")]),
        full.but(
            "writes_for_any_flag", "answers Execute Write flags of 2 with a Write Response", "robustness/execute_flags",
            by: [.init(.att(0x01), at: 0, "01 18 .. .. ..", becomes: "13")]),
        thermometer.but(
            "waits_for_confirmation", "answers nothing while an indication is unconfirmed",
            "robustness/requests_beside_an_indication",
            script: #"""
                {"when": {"event": "indicated", "of": "strap/health_thermometer", "nth": 1}, "do": "stall", "of": "strap",
                 "for": "60 s"}
                """#),
        full.but(
            "stuck_after_a_client", "stops answering after the first client has disconnected",
            "robustness/gone_while_it_waits",
            script: #"{"when": {"event": "disconnected", "of": "strap"}, "do": "stall", "of": "strap"}"#),
    ]

    static let floodMutants = [
        full.but(
            "chokes_on_two", "answers the first of two simultaneous requests, then nothing",
            "robustness/two_requests_at_once", script: stall(afterReads: 3)),
        full.but(
            "chokes_on_many", "answers thirty simultaneous requests, then nothing", "robustness/flood_of_requests",
            script: stall(afterReads: 30)),
        full.but(
            "takes_commands_for_requests", "answers Write Commands", "robustness/flood_of_commands",
            by: [.init(.received(0x52), at: 0, "52", becomes: "12")]),
        full.but(
            "never_lets_go", "keeps a configuration that a client clears", "robustness/subscribing_again_and_again",
            by: [takes("02 00", for: "00 00")]),
    ]

    private static func stall(afterReads count: Int) -> String {
        #"""
        {"when": {"event": "read", "of": "strap/heart_rate/location", "nth": \#(count)}, "do": "stall", "of": "strap"}
        """#
    }
}
