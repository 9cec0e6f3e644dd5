import Bluetooth

// Clients that misread a pulse oximeter.
extension FaultyClient {
    private static func misreads(
        oximeter name: String, _ about: String, caughtBy: [String],
        _ octets: @escaping @Sendable ([UInt8]) -> [Operation]
    ) -> FaultyClient {
        FaultyClient(
            name: name, about: about, caughtBy: caughtBy,
            values: { value, uuid, _ in
                let isOximeter = uuid == .plxContinuousMeasurement || uuid == .plxSpotCheckMeasurement
                return isOximeter && value.count >= 5 ? octets(value) : [.hears(value)]
            })
    }

    private static let special = "collector/pulse_oximeter/special_values"

    /// Whether SpO2 is a special value: exponent 0, and a mantissa of 07FE to 0802.
    private static func hasNoNumber(_ octets: [UInt8]) -> Bool {
        (0x07FE...0x0802).contains(UInt16(octets[1]) | UInt16(octets[2]) << 8)
    }

    static let oximeters = [
        misreads(
            oximeter: "sfloat_without_exponent", "reads the mantissa of an SFLOAT only",
            caughtBy: [
                "pulse_oximeter each", "pulse_oximeter spot_checks", "\(special) tenths_shown",
                "\(special) tens_shown",
            ]
        ) { [.hears([$0[0], $0[1], $0[2] & 0x0F] + $0[3...])] },
        misreads(
            oximeter: "big_endian_sfloat", "reads an SFLOAT as big-endian",
            caughtBy: ["pulse_oximeter fast_pulse", "\(special) whole_shown"]
        ) { [.hears([$0[0], $0[2], $0[1], $0[4], $0[3]] + $0[5...])] },
        misreads(
            oximeter: "no_amplitude", "ignores the Pulse Amplitude Index",
            caughtBy: ["pulse_oximeter amplitude", "\(special) all_shown"]
        ) { [.hears([$0[0] & ~0x10] + $0[1...])] },
        misreads(
            oximeter: "no_sensor_status", "ignores the Device and Sensor Status",
            caughtBy: ["pulse_oximeter off_finger", "pulse_oximeter on_finger", "\(special) all_shown"]
        ) { octets in
            octets[0] & 0x1B == 0x18 && octets.count == 12
                ? [.hears([octets[0] & ~0x08] + octets[1..<7] + octets[10...])]
                : [.hears([octets[0] & ~0x18] + octets[1...])]
        },
        misreads(
            oximeter: "reserved_bits_of_oximeter", "ignores measurements with reserved flags",
            caughtBy: ["\(special) reserved_shown"]
        ) { $0[0] & 0xE0 == 0 ? [.hears($0)] : [] },
        misreads(
            oximeter: "sfloat_without_specials", "reads special values as numbers", caughtBy: ["\(special) nothing"]
        ) { [.hears(hasNoNumber($0) ? [$0[0], $0[1], $0[2] & 0x0F | 0xF0] + $0[3...] : $0)] },
        misreads(
            oximeter: "sfloat_nan_crashes", "crashes on NaN", caughtBy: ["\(special) good_shown"]
        ) { [hasNoNumber($0) ? .ends : .hears($0)] },
        misreads(
            oximeter: "sfloat_nan_leaves", "disconnects on NaN", caughtBy: ["\(special) stays"]
        ) { [hasNoNumber($0) ? .leaves : .hears($0)] },
    ]
}
