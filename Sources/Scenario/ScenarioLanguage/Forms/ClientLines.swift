import Basics
import Devices
package import Documents
import Services

/// The lines of a client: the keys that the contract of clients defines, and their values.
package enum ClientLines {
    /// The values of `state`.
    package static let stateNames = ["scanning", "connecting", "connected", "subscribed", "disconnected"]

    /// The keys that do not belong to one characteristic.
    package static let states: [Shape.Field] = [
        .init("state", .name(stateNames), "The client's state has changed."),
        .init(
            "heart_rate",
            .any([
                .object([
                    required("bpm", whole, "Beats per minute."),
                    required(
                        "contact", .any([.boolean, .null]), "Skin contact; null if the device does not detect it."),
                    .init("energy_kj", whole, "Energy expended since the last reset."),
                    .init("rr_ms", .list(.number(0...64000)), "RR intervals, the oldest first."),
                ]), .null,
            ]), "A measurement; null: the last one is out of date."),
        .init(
            "statistic",
            .object([
                required("name", .name(Statistic.Name.allCases.map(\.rawValue)), "Which one."),
                required(
                    "value", .number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude),
                    "In beats per minute."),
            ]), "A statistic of the heart rates."),
        advertised,
        .init("error", .text, "What keeps the client from showing the device."),
        .init("pairing", .name(["started"]), "Pairing has started."),
        .init(
            "passkey",
            .any([
                .object([required("displayed", whole, "To enter on the device.")]),
                .object([required("requested", .boolean, "The device displays it.")]),
                .object([required("compared", whole, "To compare with the device's.")]),
            ]), "For the user, during pairing."),
        .init(
            "paired",
            .object([
                required("bonded", .boolean, "Whether keys are kept."),
                required("authenticated", .boolean, "Whether a person in the middle is excluded."),
            ]), "Pairing is complete."),
        .init(
            "characteristic",
            .object([
                required("service", .text, "Its UUID."), required("uuid", .text, "The characteristic's UUID."),
                .init("descriptor", .text, "The descriptor's UUID."),
                required("handle", .integer(1...65535), "The attribute's handle."),
                required("octets", .text, "Hexadecimal, separated by spaces."),
            ]), "A value of a device of which the client knows nothing."),
    ]

    /// The keys of what an app makes of values; the built-in client prints none of them.
    static let results: [Shape.Field] = [
        .init(
            "goal",
            .object([
                required("name", .text, "Which one: `steps`."), .init("target", .anyNumber, "What is to be reached."),
                required("reached", .boolean, "Whether it is."),
            ]), "A goal, when it is set or reached."),
        .init("badge", .text, "Something that the app has given the user, such as `10000_steps`."),
        .init(
            "total",
            .object([
                required("name", .text, "Of which values, and since when: `steps_this_month`."),
                required("value", .anyNumber, "The sum."),
            ]), "A sum of the app."),
        .init("calories", .anyNumber, "Energy expended, in kcal."),
        .init("distance", .anyNumber, "The distance covered, in metres."),
    ]

    /// The key of what a device broadcasts.
    package static let advertised = Shape.Field(
        "advertised",
        .object([
            .init("heart_rate", .any([whole, .null]), "Beats per minute; null if the device has none."),
            .init("contact", .boolean, "Skin contact."),
            .init("battery", .integer(0...255), "The level in percent."),
            .init("temperature", .number(-1000...1000), "In degrees Celsius."),
            .init("humidity", .number(0...1000), "In percent."),
        ]), "Values in the advertising data of a device to which the client is not connected: those that it has.")

    /// The keys of a device that was found, which `scan` always prints.
    package static func device(isRequired: Bool) -> [Shape.Field] {
        [
            .init(
                "found",
                .object([
                    required("name", .any([.text, .null]), "The name that it advertises."),
                    required("services", .list(.text), "The UUIDs of the services that it advertises."),
                    required("rssi", .any([.integer(-128...127), .null]), "Signal strength in dBm."),
                ]), required: isRequired, "A device that advertises."),
            .init("peer", .text, required: isRequired, "The device's address, and whether it is public or random."),
        ]
    }

    /// The keys of characteristics' values, but for `heart_rate`.
    package static let values: [Shape.Field] = {
        var known = Set(states.map(\.key))
        return uses.filter { known.insert($0.key).inserted }.map {
            .init($0.key, .anything, "A value of the device, such as \($0.example?.json ?? ""); null: out of date.")
        }
    }()

    private static let whole = Shape.integer(0...Int.max)

    private static func required(_ key: String, _ shape: Shape, _ about: String) -> Shape.Field {
        .init(key, shape, required: true, about)
    }

    static let characteristics = ServiceRegistry.all.flatMap(\.characteristics)
    static let uses = characteristics.map(\.client).filter { $0.example != nil }
}
