extension Catches {
    private static let special = "collector/pulse_oximeter/special_values"

    /// Those of clients that misread a pulse oximeter.
    static let oximeters: [(client: String, by: [String])] = [
        (
            "sfloat_without_exponent",
            [
                "pulse_oximeter each", "pulse_oximeter spot_checks", "\(special) tenths_shown",
                "\(special) tens_shown",
            ]
        ),
        (
            "big_endian_sfloat", ["pulse_oximeter fast_pulse", "\(special) whole_shown"]
        ),
        (
            "no_amplitude", ["pulse_oximeter amplitude", "\(special) all_shown"]
        ),
        (
            "no_sensor_status", ["pulse_oximeter off_finger", "pulse_oximeter on_finger", "\(special) all_shown"]
        ),
        (
            "reserved_bits_of_oximeter", ["\(special) reserved_shown"]
        ),
        (
            "sfloat_without_specials", ["\(special) nothing"]
        ),
        (
            "sfloat_nan_crashes", ["\(special) good_shown"]
        ),
        (
            "sfloat_nan_leaves", ["\(special) stays"]
        ),
    ]
}
