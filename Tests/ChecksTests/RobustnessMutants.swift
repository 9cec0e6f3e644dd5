import VirtualWorld

// Servers that differ from a correct one in what they make of what nobody should send.
extension Peripheral {
    static let malformedMutants = [
        full.but(
            "unlikely_unknown", "refuses opcode 0x3F, which nobody knows, with 0x0E", "GATT/SR/UNS/BI-01-C",
            by: [answers("0E", to: "3F", instead: "06")]),
        full.but(
            "answers_commands", "refuses a command that nobody knows, in place of saying nothing",
            "GATT/SR/UNS/BI-02-C", by: [.init(.received(0x7F), at: 0, "7F", becomes: "3F")]),
        full.but(
            "unlikely_malformed", "refuses what is too short or too long with 0x0E", "robustness/too_short",
            by: [answers("0E", to: "..", instead: "04")]),
        full.but(
            "overlooks_surplus", "reads a handle with an octet behind it", "robustness/too_long",
            by: [.init(.received(0x0A), at: 0, "0A .. .. 00", becomes: "0A .. ..")]),
        full.but(
            "silent_about_24", "does not answer opcode 0x24, which no request has", "robustness/unknown_requests",
            by: [.init(.att(0x01), at: 0, "01 24 .. .. ..", becomes: "")]),
        full.but(
            "reads_by_command", "answers a read as a command", "robustness/commands_are_not_answered",
            by: [.init(.received(0x4A), at: 0, "4A", becomes: "0A")]),
        full.but(
            "answers_responses", "refuses a Write Response, in place of saying nothing",
            "robustness/responses_are_not_answered", by: [.init(.received(0x13), at: 0, "13", becomes: "3F")]),
        full.but(
            "takes_no_mtu_for_any", "takes an MTU of 0 for 247", "robustness/small_mtu",
            by: [.init(.received(0x02), at: 1, "00 00", becomes: "F7 00")]),
        full.but(
            "unlikely_range", "refuses Find Information within no range with 0x0E", "robustness/no_ranges",
            by: [answers("0E", to: "04", instead: "01")]),
        full.but(
            "unlikely_group", "refuses a search for groups of what makes none with 0x0E", "robustness/no_grouping",
            by: [answers("0E", to: "10", instead: "10")]),
    ]

    static let halfOpenMutants = [
        book.but(
            "writes_at_once", "writes what is prepared without waiting", "robustness/prepared_and_left",
            by: [.init(.received(0x16), at: 0, "16 .. .. 00 00", becomes: "12 @1 @2")]),
        book.but(
            "unlikely_queue", "refuses what it has no room for with 0x0E", "robustness/full_queue",
            by: [answers("0E", to: "16", instead: "09")]),
        full.but(
            "any_flag_executes", "takes flags of 2 for 1", "robustness/execute_flags",
            by: [.init(.received(0x18), at: 0, "18 02", becomes: "18 01")]),
        thermometer.but(
            "waits_for_confirmation", "answers nothing while an indication is not confirmed",
            "robustness/requests_beside_an_indication",
            script: #"""
                {"when": {"event": "indicated", "of": "strap/health_thermometer", "nth": 1}, "do": "stall", "of": "strap",
                 "for": "60 s"}
                """#),
        full.but(
            "stuck_after_a_client", "answers nobody any more once a client has gone",
            "robustness/gone_while_it_waits",
            script: #"{"when": {"event": "disconnected", "of": "strap"}, "do": "stall", "of": "strap"}"#),
    ]

    static let floodMutants = [
        full.but(
            "chokes_on_two", "answers the first of two requests at once, and nothing more",
            "robustness/two_requests_at_once", script: stall(afterReads: 3)),
        full.but(
            "chokes_on_many", "answers thirty requests at once, and nothing more", "robustness/flood_of_requests",
            script: stall(afterReads: 30)),
        full.but(
            "takes_commands_for_requests", "answers Write Commands", "robustness/flood_of_commands",
            by: [.init(.received(0x52), at: 0, "52", becomes: "12")]),
        full.but(
            "never_lets_go", "keeps a configuration that is cleared", "robustness/subscribing_again_and_again",
            by: [takes("02 00", for: "00 00")]),
    ]

    private static func stall(afterReads count: Int) -> String {
        #"""
        {"when": {"event": "read", "of": "strap/heart_rate/location", "nth": \#(count)}, "do": "stall", "of": "strap"}
        """#
    }
}
