extension Catches {
    /// Those of clients that find, subscribe, return or show wrongly.
    static let misbehaving: [(client: String, by: [String])] = [
        (
            "by_name",
            [
                "collector/finding/by_service finds", "collector/finding/by_service not_the_other",
                "collector/finding/nearest nearest",
            ]
        ),
        (
            "nearest", ["clients/named starts", "clients/named not_the_other"]
        ),
        ("never_connects", ["clients/subscribes starts", "resting subscribes"]),
        ("weakest", ["collector/finding/nearest not_far", "recovery/nearest_leaves not_far"]),
        ("believes_127", ["collector/finding/strength_unknown not_far", "collector/finding/strength_unknown nearest"]),
        ("refuses_parameters", ["errors/parameters_refused stays"]),
        ("second_best", ["collector/finding/nearest not_mid", "recovery/nearest_leaves nearest"]),
        ("nothing_else", ["clients/other_services starts", "formats/more_services returns"]),
        (
            "goes_on_scanning", ["collector/finding/stops_scanning no_more"]
        ),
        (
            "no_information",
            [
                "collector/heart_rate/discovers information", "collector/heart_rate/discovers model",
                "collector/heart_rate/discovers firmware", "collector/thermometer/discovers information",
                "collector/thermometer/discovers manufacturer", "collector/thermometer/discovers model",
            ]
        ),
        (
            "short_strings", ["formats/long_strings asks_for_the_rest"]
        ),
        (
            "reads_nothing",
            [
                "collector/heart_rate/discovers location", "collector/heart_rate/discovers worn",
                "collector/streams/fitness asks", "collector/thermometer/discovers type",
                "collector/thermometer/discovers interval", "formats/two_batteries battery", "running location",
            ]
        ),
        (
            "discovers_nothing", ["collector/heart_rate/discovers service", "collector/thermometer/discovers service"]
        ),
        (
            "polls", ["clients/subscribes does_not_poll", "collector/heart_rate/listens no_polling"]
        ),
        (
            "mute",
            [
                "resting subscribes",
                "clients/subscribes subscribes",
                "collector/heart_rate/discovers measurement", "collector/heart_rate/discovers configuration",
                "collector/thermometer/discovers intermediate",
                "collector/thermometer/discovers intermediate_configuration", "errors/discovery_refused returns",
                "errors/discovery_refused shows", "errors/read_refused shows", "errors/subscribing_refused returns",
                "errors/mtu_refused shows", "errors/mtu_ignored shows", "errors/mtu_ends_link shows",
                "errors/parameters_refused shows", "errors/early_value shows",
                "errors/subscribing_refused shows", "recovery/away_while_connecting returns",
                "recovery/away_while_connecting shows", "recovery/away_while_discovering returns",
                "recovery/away_while_discovering shows", "recovery/away_while_subscribing returns",
                "recovery/away_while_subscribing shows", "recovery/held returns", "recovery/held shows",
                "recovery/stalls shows",
            ]
        ),
        (
            "notifies_all",
            [
                "collector/thermometer/discovers measurement", "collector/thermometer/discovers configuration",
                "collector/thermometer/discovers interval_configuration", "collector/thermometer/reserved_type stays",
            ]
        ),
        (
            "confirms_nothing",
            [
                "collector/thermometer/float tenths_shown", "collector/thermometer/interval confirms",
                "collector/thermometer/measures confirms", "collector/thermometer/stored confirms",
                "pulse_oximeter confirms",
                "recovery/away_while_indicating confirms", "recovery/services_change stays",
            ]
        ),
        (
            "never_resets",
            ["collector/heart_rate/resets_energy finds", "collector/heart_rate/resets_energy begins_anew"]
        ),
        (
            "no_control_point_configuration", ["collector/streams/pmd draws", "collector/streams/pmd listens_first"]
        ),
        (
            "knows_all_straps", ["recovery/stalls ends"]
        ),
        (
            "loses_frames",
            ["collector/streams/ecg no_gap", "collector/streams/pmd no_gap", "formats/ecg_doubled no_gap"]
        ),
        (
            "deaf_to_streams",
            ["collector/streams/ecg draws", "collector/streams/feed shows", "formats/ecg_doubled draws"]
        ),
        (
            "never_returns", ["recovery/away_while_indicating returns"]
        ),
        (
            "believes_in_subscription",
            [
                "clients/comes_back returns", "clients/comes_back shows", "collector/thermometer/stored returns",
                "recovery/restarts returns", "recovery/restarts shows",
                "errors/never_confirmed confirms",
                "formats/mtu_changes returns", "formats/mtu_changes shows", "recovery/again_and_again returns",
                "recovery/another_address returns", "recovery/another_address shows", "recovery/another_format returns",
                "recovery/away_long returns", "recovery/away_long shows", "recovery/away_while_indicating returns",
                "recovery/disconnects returns", "recovery/disconnects shows", "recovery/nearest_leaves switches",
                "recovery/power_off returns", "recovery/power_off shows", "recovery/taken returns",
                "recovery/taken shows", "recovery/walk_away_and_back returns", "recovery/walk_away_and_back shows",
            ]
        ),
        (
            "believes_in_handles",
            [
                "clients/handles_moved returns", "clients/handles_moved shows",
                "recovery/handles_moved returns", "recovery/handles_moved shows",
                "recovery/handles_moved_silently returns", "recovery/handles_moved_silently shows",
            ]
        ),
        (
            "asks_at_the_old", ["recovery/handles_moved not_at_the_old"]
        ),
        (
            "restless",
            [
                "collector/heart_rate/reserved_location stays", "errors/late_and_out_of_order stays",
                "errors/rate_peaks stays", "formats/two_batteries stays", "recovery/away_long no_ghost",
                "recovery/away_short stays", "recovery/lossy_air stays", "recovery/lossy_air beats",
                "recovery/silence stays",
            ]
        ),
        (
            "no_pause", ["clients/silence shows"]
        ),
        ("short_lived", ["errors/rate_peaks shows", "recovery/silence shows"]),
        ("redraws", ["clients/comes_back no_ghost"]),
        (
            "frozen",
            [
                "clients/comes_back clears", "clients/silence clears",
                "recovery/away_long clears", "recovery/disconnects clears", "recovery/power_off clears",
                "recovery/silence clears", "recovery/walk_away_and_back clears",
            ]
        ),
        (
            "once",
            [
                "formats/mtu_changes shows", "recovery/another_address shows", "recovery/away_long shows",
                "recovery/disconnects shows", "recovery/flapping shows", "recovery/power_off shows",
                "recovery/taken shows", "recovery/walk_away_and_back shows",
            ]
        ),
        (
            "one_more_listener", ["clients/comes_back once", "recovery/again_and_again once"]
        ),
        (
            "shows_twice", ["collector/heart_rate/listens once", "collector/streams/feed all"]
        ),
        (
            "blank", ["collector/streams/fitness steps", "collector/streams/fitness temperature"]
        ),
        ("draws_twice", ["formats/ecg_doubled each_once"]),
        ("draws_back", ["collector/streams/ecg each_once", "collector/streams/pmd each_once", "ecg_500hz each_once"]),
        ("invents_losses", ["collector/streams/ecg each_once", "collector/streams/ecg no_gap"]),
        ("denies_losses", ["formats/ecg_lost each_once", "formats/ecg_lost counts"]),
        (
            "stops_drawing",
            ["collector/streams/ecg each_once", "formats/ecg_lost draws", "measurements_500hz each_once"]
        ),
        ("one_more", ["collector/heart_rate/reserved_location shows"]),
    ]
}
