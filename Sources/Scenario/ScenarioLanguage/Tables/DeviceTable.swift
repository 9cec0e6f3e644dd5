import Documents
import Scenarios
import SecurityManager

extension Tables {
    static let device = Shape.object([
        .init("id", .id, required: true, "Its name in paths and messages."),
        .init("name", .text, "Its device name; the id by default."),
        .init("role", .name(Device.Role.allCases.map(\.rawValue)), "Peripheral by default."),
        .init("address", .address, "The address; by default from its position in the list."),
        .init("distance", .distance, "Distance to the client; 1 m by default."),
        .init("connections", .integer(1...16), "Maximum number of connections; 1 by default."),
        .init(
            "short_writes", .name(["accepted", "rejected"]),
            "Writes of fewer octets than a value of fixed length has: accepted by default, as the specification demands, or "
                + "rejected with 0x0D, as some stacks do."),
        .init("advertise", .object(advertising), "The advertising data and parameters."),
        .init("link", .object(link), "The preferred connection parameters, and the MTU."),
        .init("security", .object(security), "The pairing parameters; no pairing by default."),
        .init("services", .list(.definition("service")), "The services."),
    ])

    private static let payload: [Shape.Field] = [
        .init("services", .list(.uuid), "The advertised services; those of its sensors by default."),
        .init(
            "service_data",
            .list(
                .object([
                    .init("uuid", .uuid, required: true, "The service."),
                    .init("octets", .octets, required: true, "The data."),
                ])), "AD type 0x16 or 0x21."),
        .init(
            "manufacturer_data",
            .list(
                .object([
                    .init("company", .integer(0...65535), required: true, "The company's assigned number."),
                    .init("octets", .octets, required: true, "The data."),
                ])), "AD type 0xFF."),
        .init("appearance", .integer(0...65535), "The appearance value; 833 is a heart rate belt."),
        .init("tx_power", .integer(-127...20), "In dBm."),
    ]

    private static let advertising =
        payload + [
            .init("interval", .duration, "Advertising interval, 20 ms to 10.24 s; 100 ms by default."),
            .init("fast", .object(phase), "The first phase, instead of interval."),
            .init("slow", .object(phase), "The second phase, instead of interval."),
            .init("scan_response", .object(payload), "The scan response data."),
            .init("connectable", .boolean, "Whether the device accepts connections; true by default."),
        ]

    private static let phase: [Shape.Field] = [
        .init("interval", .duration, required: true, "Advertising interval."),
        .init("for", .duration, "Duration of the phase; unlimited by default."),
    ]

    private static let link: [Shape.Field] = [
        .init("interval", .duration, "Connection interval, 7.5 ms to 4 s."),
        .init("latency", .integer(0...499), "Peripheral latency: connection events that the device may skip."),
        .init("timeout", .duration, "The supervision timeout, 100 ms to 32 s."),
        .init("mtu", .integer(23...517), "The largest ATT MTU, in octets."),
    ]

    private static let preference = Shape.any([.boolean, .name(SecuritySettings.Preference.allCases.map(\.rawValue))])

    private static let security: [Shape.Field] = [
        .init(
            "io", .name(IOCapability.words.map(\.word)),
            "IO capability; no_input_no_output (or none) by default."),
        .init("passkey", .integer(0...999_999), "A fixed passkey."),
        .init("bonding", .boolean, "Whether it stores keys; true by default."),
        .init(
            "secure_connections", preference,
            "Whether it uses LE Secure Connections: preferred (or true) by default, off (or false), or required."),
        .init(
            "mitm", preference,
            "Whether pairing authenticates the peer: off (or false) by default, preferred, or required (or true)."),
        .init("key_size", .integer(7...16), "The maximum size of an encryption key, in octets; 16 by default."),
        .init("min_key_size", .integer(7...16), "The minimum size of an encryption key, in octets; 7 by default."),
        .init(
            "bonds", .integer(0...255),
            "Maximum number of bonds; a further one replaces the oldest. 255 by default."),
        .init("bonded", .boolean, "Whether it has a bond with the client of a run from the start; false by default."),
        .init(
            "oob", .boolean,
            "Whether it exchanges data out of band, with the client of a run and with check; false by default."),
        .init("signing_key", .boolean, "Whether it distributes a key for signed data (CSRK); false by default."),
        .init(
            "privacy", .any([.boolean, .duration]),
            "Whether it uses resolvable private addresses, false by default; a duration, 1 s to 1 h, is how long it uses each: 15 min with true."
        ),
    ]
}
