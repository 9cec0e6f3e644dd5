import Basics
import Bluetooth
import Checks
import Devices
import ScenarioLanguage
import Services

/// Words that a scenario does not have, but that people look for: those of clients' lines, of the specifications, and of
/// people who describe a bad day.
enum OtherWords {
    /// What a client under test prints.
    static func ofLines(_ word: String) -> [String] {
        ClientLines.words(word).flatMap { meaning in
            let place = meaning.owner.map { "member of \($0.quoted) in a client's line" } ?? "key of a client's line"
            let about = meaning.about.isEmpty ? "A part of the value." : meaning.about
            return ["\(word) (\(place)): \(about)"]
                + ["  in: the \"line\" of an event \"said\"; Documentation/testing-your-client.md has all keys"]
                + (meaning.example.map { ["  example: \($0)"] } ?? [])
        }
    }

    /// A term, by its name, its abbreviation or its UUID, and the words of scenarios that belong to it.
    static func term(_ word: String) -> [String] {
        let spelled = word.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 }
        guard let term = terms.first(where: { $0.names.contains(String(spelled)) }) else {
            return attribute(word.lowercased())
        }
        return ["\(word): \(term.about)", "  see: \(term.words.joined(separator: ", "))"]
    }

    /// A service or a characteristic, by its UUID.
    private static func attribute(_ word: String) -> [String] {
        guard let uuid = UUID(word.uppercased()) ?? UUID(word) else { return [] }
        let services = ServiceRegistry.all.filter { $0.uuid == uuid }
        let owners = ServiceRegistry.all.filter { $0.characteristics.contains { $0.uuid == uuid } }
        let words = (services + owners).map(\.name).reduce(into: [String]()) { all, name in
            if !all.contains(name) { all.append(name) }
        }
        let characteristic = owners.first?.characteristics.first { $0.uuid == uuid }
        guard let title = services.first?.uuid.name ?? characteristic?.title else { return [] }
        let sort = services.isEmpty ? "characteristic" : "service"
        return ["\(word) (\(sort)): \(title).", "  see: \(words.joined(separator: ", "))"]
    }

    private static let terms: [(names: [String], about: String, words: [String])] = [
        (
            ["2902", "cccd", "ccc", "ccd", "client_characteristic_configuration"],
            "Client Characteristic Configuration, the descriptor by which a client subscribes. Each characteristic that can be notified or indicated has one by itself.",
            ["subscribed", "unsubscribed", "notify", "indicate", "descriptors"]
        ),
        (
            ["2900", "characteristic_extended_properties", "extended_properties"],
            "Characteristic Extended Properties, a descriptor: reliable writes and a writable description.",
            ["descriptors", "properties"]
        ),
        (
            ["2901", "characteristic_user_description", "user_description", "cud"],
            "Characteristic User Description, a descriptor with a text for people.", ["descriptors"]
        ),
        (
            ["2903", "sccd", "server_characteristic_configuration"],
            "Server Characteristic Configuration, the descriptor by which a client starts broadcasts.", ["descriptors"]
        ),
        (
            ["2904", "cpf", "characteristic_presentation_format", "presentation_format"],
            "Characteristic Presentation Format, a descriptor: the format, the exponent and the unit of a number.",
            ["descriptors"]
        ),
        (
            [
                "connection_parameters", "interval", "connection_interval", "supervision_timeout", "latency",
            ],
            "The parameters of a connection: its interval, latency and supervision timeout. A device requests those of its \"link\".",
            ["link", "link.interval", "link.latency", "link.timeout"]
        ),
        (
            ["reboot", "power_cycle", "reset"],
            "A device that restarts loses its connections and, if it keeps no bonds, its keys; its attributes may move.",
            ["restart", "forget_bond", "move_handles", "change_address"]
        ),
        (
            ["advertising_data", "advertisement", "scan_response", "scan_response_data", "ad", "adv"],
            "What a device sends while it advertises: the name, services, appearance, data of services and manufacturers.",
            ["advertise", "advertise.services", "advertise.service_data", "advertise.manufacturer_data", "advertising"]
        ),
        (
            ["mtu_exchange", "exchange_mtu", "att_mtu"], "The largest packet of ATT, which both devices agree on.",
            ["mtu", "link.mtu"]
        ),
    ]

    /// The words of scenarios that terms refer to.
    static var references: [String] { terms.flatMap(\.words) }
}
