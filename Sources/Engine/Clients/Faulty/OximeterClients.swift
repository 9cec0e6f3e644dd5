import Bluetooth

// Clients that misread a pulse oximeter.
extension FaultyClient {
    private static func misreading(
        oximeter name: String, _ about: String,
        _ octets: @escaping @Sendable ([UInt8]) -> [Operation]
    ) -> FaultyClient {
        misreading([.plxContinuousMeasurement, .plxSpotCheckMeasurement], ofAtLeast: 5, name, about) { octets($0) }
    }

    /// Whether SpO2 is a special value: exponent 0, and a mantissa of 07FE to 0802.
    private static func hasNoNumber(_ octets: [UInt8]) -> Bool {
        (0x07FE...0x0802).contains(UInt16(octets[1]) | UInt16(octets[2]) << 8)
    }

    static let oximeters = [
        misreading(
            oximeter: "sfloat_without_exponent", "reads the mantissa of an SFLOAT only"
        ) { [.receive([$0[0], $0[1], $0[2] & 0x0F] + $0[3...])] },
        misreading(
            oximeter: "big_endian_sfloat", "reads an SFLOAT as big-endian"
        ) { [.receive([$0[0], $0[2], $0[1], $0[4], $0[3]] + $0[5...])] },
        misreading(
            oximeter: "no_amplitude", "ignores the Pulse Amplitude Index"
        ) { [.receive([$0[0] & ~0x10] + $0[1...])] },
        misreading(
            oximeter: "no_sensor_status", "ignores the Device and Sensor Status"
        ) { octets in
            octets[0] & 0x1B == 0x18 && octets.count == 12
                ? [.receive([octets[0] & ~0x08] + octets[1..<7] + octets[10...])]
                : [.receive([octets[0] & ~0x18] + octets[1...])]
        },
        misreading(
            oximeter: "reserved_bits_of_oximeter", "ignores measurements with reserved flags"
        ) { $0[0] & 0xE0 == 0 ? [.receive($0)] : [] },
        misreading(
            oximeter: "sfloat_without_specials", "reads special values as numbers"
        ) { [.receive(hasNoNumber($0) ? [$0[0], $0[1], $0[2] & 0x0F | 0xF0] + $0[3...] : $0)] },
        misreading(
            oximeter: "sfloat_nan_crashes", "crashes on NaN"
        ) { [hasNoNumber($0) ? .crash : .receive($0)] },
        misreading(
            oximeter: "sfloat_nan_leaves", "disconnects on NaN"
        ) { [hasNoNumber($0) ? .reconnect : .receive($0)] },
    ]
}
