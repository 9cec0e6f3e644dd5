import Documents

extension Tables {
    static let device = Shape.object([
        .init("id", .id, required: true, "What things and messages call it."),
        .init("name", .text, "What it calls itself; its id if it is left out."),
        .init("role", .name(Device.Role.allCases.map(\.rawValue)), "A peripheral, unless it says otherwise."),
        .init("address", .address, "By its place in the list if it is left out."),
        .init("distance", .distance, "To the client; 1 m if it is left out."),
        .init("connections", .integer(1...16), "So many at once; 1 if it is left out."),
        .init("advertise", .object(advertising), "What it sends while it waits for a connection."),
        .init("link", .object(link), "The connection that it prefers."),
        .init("security", .object(security), "How it pairs; not at all if it is left out."),
        .init("services", .list(.definition("service")), "What it has."),
    ])

    private static let payload: [Shape.Field] = [
        .init("services", .list(.uuid), "The services that the packet lists; if it is left out, those of its sensors."),
        .init(
            "service_data",
            .list(
                .object([
                    .init("uuid", .uuid, required: true, "The service."),
                    .init("octets", .octets, required: true, "What belongs to it."),
                ])), "AD type 0x16 or 0x21."),
        .init(
            "manufacturer_data",
            .list(
                .object([
                    .init("company", .integer(0...65535), required: true, "The company's assigned number."),
                    .init("octets", .octets, required: true, "What it says."),
                ])), "AD type 0xFF."),
        .init("appearance", .integer(0...65535), "The category; 833 is a heart rate belt."),
        .init("tx_power", .integer(-127...20), "In dBm."),
    ]

    private static let advertising =
        payload + [
            .init("interval", .duration, "From event to event, 20 ms to 10.24 s; 100 ms if it is left out."),
            .init("fast", .object(phase), "At first, instead of interval."),
            .init("slow", .object(phase), "Then, instead of interval."),
            .init("scan_response", .object(payload), "What is sent when a scanner asks."),
            .init("connectable", .boolean, "Whether a connection can be made; true if it is left out."),
        ]

    private static let phase: [Shape.Field] = [
        .init("interval", .duration, required: true, "From event to event."),
        .init("for", .duration, "How long; for ever if it is left out."),
    ]

    private static let link: [Shape.Field] = [
        .init("interval", .duration, "From connection event to connection event, 7.5 ms to 4 s."),
        .init("latency", .integer(0...499), "So many events may be slept through."),
        .init("timeout", .duration, "The supervision timeout, 100 ms to 32 s."),
        .init("mtu", .integer(23...517), "The largest that it takes, in octets."),
    ]

    private static let security: [Shape.Field] = [
        .init(
            "io", .name(Security.IO.allCases.map(\.rawValue) + ["none"]),
            "What a person can do with it; no_input_no_output, or none for short."),
        .init("passkey", .integer(0...999_999), "Always the same."),
        .init("bonding", .boolean, "Whether it keeps keys; true if it is left out."),
        .init("secure_connections", .boolean, "Whether it can these; true if it is left out."),
        .init("bonds", .integer(0...255), "So many at once."),
    ]
}
