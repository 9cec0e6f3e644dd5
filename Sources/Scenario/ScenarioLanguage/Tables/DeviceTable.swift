import Characteristics
package import Documents
import ScenarioModel
import SecurityManager

extension Tables {
    static let device = Shape.object(deviceFields)

    package static let deviceFields: [Shape.Field] = [
        .init("id", .id, required: true, example: "strap", "Its name in paths and messages."),
        .init("name", .text, standard: .words("the id"), example: "Lubdub HRM", "Its device name."),
        .init(
            "role", .name(Device.Role.allCases.map(\.rawValue)), standard: "peripheral", example: "central",
            "Whether it advertises, or is a second central that a rule connects."),
        .init(
            "address", .address, standard: .words("one from its position in the list"),
            example: "C0:FF:EE:00:00:01/random", "The address; without /random, it is public."),
        .init("distance", .distance, standard: "1 m", example: "3 m", "Distance to the client."),
        .init("connections", .integer(1...16), standard: 1, example: 2, "Maximum number of connections."),
        .init(
            "short_writes", .name(["accepted", "rejected"]), example: "rejected",
            "Writes of fewer octets than a value of fixed length has: accepted by default, as the specification demands, or "
                + "rejected with 0x0D, as some stacks do."),
        .init(
            "early_values", .boolean, standard: false, example: true,
            "Whether a client that subscribes gets a value before the Write Response, as from some stacks."),
        .init(
            "generic_services", .boolean, standard: true, example: false,
            "Whether Generic Access and Generic Attribute come before the services; if not, the services contain them as "
                + "custom services, or the device has none."),
        .init(
            "advertise", .object(advertising), example: ["services": ["180D"], "appearance": 833],
            "The advertising data and parameters."),
        .init(
            "link", .object(link), example: ["interval": "30 ms", "latency": 4, "timeout": "4 s", "mtu": 247],
            "The preferred connection parameters, and the MTU."),
        .init(
            "security", .object(security), standard: .words("no pairing"),
            example: ["io": "display_only", "passkey": 123456, "mitm": "required"], "The pairing parameters."),
        .init(
            "services", .list(.definition("service")),
            example: [["service": "heart_rate", "value": 62], ["service": "battery", "value": 87]], "The services."),
    ]

    static let payload: [Shape.Field] = [
        .init(
            "services", .list(.uuid), standard: .words("those of its sensors"), example: ["180D", "180F"],
            "The advertised services; a UUID written with 128 bits is sent with 128 bits."),
        .init(
            "incomplete", .boolean, standard: false, example: true,
            "Whether the lists of services are declared to be incomplete: AD types 0x02 and 0x06, not 0x03 and 0x07."),
        .init(
            "service_data",
            .list(
                .object([
                    .init("uuid", .uuid, required: true, "The service."), dataOctets, dataFields,
                ])), example: [["uuid": "180F", "fields": [["of": "battery"]]]], "AD type 0x16 or 0x21."),
        .init(
            "manufacturer_data",
            .list(
                .object([
                    .init("company", .integer(0...65535), required: true, "The company's assigned number."),
                    dataOctets, dataFields,
                ])), example: [["company": 107, "fields": [["id": "bpm", "of": "heart_rate"]]]], "AD type 0xFF."),
        .init("appearance", .integer(0...65535), example: 833, "The appearance value; 833 is a heart rate belt."),
        .init("tx_power", .integer(-127...20), example: 4, "Transmit power in dBm."),
        .init(
            "octets", .octets, example: "02 01 06 03 03 0D 18",
            "The whole data as AD structures, instead of these keys, the flags and the name."),
    ]

    private static let advertising =
        payload + [
            .init(
                "interval", .duration, standard: "100 ms", example: "250 ms",
                "Advertising interval, 20 ms to 10.24 s."),
            .init(
                "fast", .object(phase), example: ["interval": "30 ms", "for": "30 s"],
                "The first phase, instead of interval."),
            .init("slow", .object(phase), example: ["interval": "1 s"], "The second phase, instead of interval."),
            scanResponse,
            .init(
                "connectable", .boolean, standard: true, example: false, "Whether the device accepts connections."),
            .init(
                "update", .duration, standard: "1 s", example: "500 ms",
                "How often the fields of the data get their present values, 100 ms to 1 h."),
            .init(
                "only_bonded", .boolean, standard: false, example: true,
                "Whether only bonded clients can connect, as soon as the device has a bond (filter accept list)."),
            .init(
                "directed", .boolean, standard: false, example: true,
                "Whether it advertises to the client of its last bond only, without data (ADV_DIRECT_IND)."),
        ]

    static let scanResponse = Shape.Field(
        "scan_response", .object(payload), example: ["services": ["180F"], "tx_power": 0], "The scan response data.")

    private static let dataOctets = Shape.Field(
        "octets", .octets, example: "63 00", "The data, if they never change.")
    private static let dataFields = Shape.Field(
        "fields", .list(.object(advertisedField)),
        example: [["id": "bpm", "of": "heart_rate"]],
        "The data as fields, one after the other, that follow values of the device and curves, instead of octets.")

    private static let advertisedField: [Shape.Field] = [
        .init(
            "id", .id, standard: .words("the last word of \"of\""), example: "bpm", "Its name in the event advertised."),
        .init("of", .entity, example: "heart_rate", "A number of a service of the device."),
        .init(
            "value", .definition("value"), example: 72,
            "Instead of \"of\": a number, a curve that begins with the scenario, or a text."),
        .init(
            "format", .name(ValueFormat.allCases.map(\.rawValue)), standard: .words("utf8 for a string, else uint8"),
            example: "uint16", "Encoding of the value; numbers are rounded to the nearest."),
        .init(
            "times", .number(-1_000_000...1_000_000), standard: 1, example: 100,
            "The number is sent multiplied by this: 100 for hundredths."),
    ]

    private static let phase: [Shape.Field] = [
        .init("interval", .duration, required: true, "Advertising interval."),
        .init("for", .duration, standard: .words("unlimited"), example: "30 s", "Duration of the phase."),
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
            "io", .name(IOCapability.words.map(\.word)), standard: .words("no_input_no_output (or none)"),
            "IO capability."),
        .init("passkey", .integer(0...999_999), "A fixed passkey."),
        .init("bonding", .boolean, standard: true, example: false, "Whether it stores keys."),
        .init(
            "secure_connections", preference, example: "required",
            "Whether it uses LE Secure Connections: preferred (or true) by default, off (or false), or required."),
        .init(
            "mitm", preference,
            "Whether pairing authenticates the peer: off (or false) by default, preferred, or required (or true)."),
        .init(
            "key_size", .integer(7...16), standard: 16, example: 10, "The maximum size of an encryption key, in octets."
        ),
        .init(
            "min_key_size", .integer(7...16), standard: 7, example: 16,
            "The minimum size of an encryption key, in octets."),
        .init(
            "bonds", .integer(0...255), standard: 255, example: 1,
            "Maximum number of bonds; a further one replaces the oldest."),
        .init(
            "bonded", .boolean, standard: false, example: true,
            "Whether it has a bond with the client of a run from the start."),
        .init(
            "oob", .boolean, standard: false, example: true,
            "Whether it exchanges data out of band, with the client of a run and with check."),
        .init(
            "signing_key", .boolean, standard: false, example: true,
            "Whether it distributes a key for signed data (CSRK)."),
        .init(
            "privacy", .any([.boolean, .duration]), example: "5 min",
            "Whether it uses resolvable private addresses, false by default; a duration, 1 s to 1 h, is how long it uses each: 15 min with true."
        ),
    ]
}
