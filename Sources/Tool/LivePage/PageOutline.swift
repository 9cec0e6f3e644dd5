import Documents
import ScenarioLanguage
import ScenarioReference
import Scenarios
import ServiceFramework
import TextFormatting

/// The unchanging part of a page: the devices, their values, and the actions that can be played.
struct PageOutline: Sendable {
    /// A number of a device that the page shows, or a truth value, which is 0 or 1.
    struct Reading: Sendable {
        let entity: EntityReference
        let device: Int
        let path: String
        let description: ValueDescription
    }

    let readings: [Reading]
    /// A JSON object on one line.
    let json: String

    /// The outline of a scenario; `isPlayable`: whether the radio plays an action.
    init(_ scenario: Scenario, version: String, isPlayable: (Action) -> Bool) {
        let readings = scenario.devices.indices.flatMap { Self.readings(of: $0, in: scenario) }
        self.readings = readings
        // Values, and the end of all actions, have separate controls.
        let offers = scenario.actionOffers(where: isPlayable).filter { $0.kind != .set && $0.kind != .clear }
        var kinds: [Action.Kind] = []
        for offer in offers where !kinds.contains(offer.kind) { kinds.append(offer.kind) }
        json =
            Node.object([
                ("version", Node(.string(version))), ("scenario", Node(.string(scenario.name))),
                ("devices", Node(.array(scenario.devices.map(Self.node)))),
                ("readings", Node(.array(readings.map(Self.node)))),
                ("rates", .object(scenario.devices.indices.flatMap { Self.rates(of: $0, in: scenario) })),
                (
                    "actions",
                    .object(
                        kinds.compactMap { kind in
                            guard let offer = offers.first(where: { $0.kind == kind }) else { return nil }
                            return (
                                kind.rawValue,
                                .object([("about", Node(.string(offer.about))), ("lasts", Node(.bool(offer.lasts)))])
                            )
                        })
                ),
                (
                    "offers",
                    Node(
                        .array(
                            offers.map { offer in
                                .object([
                                    ("device", offer.device.map { Node(integerLiteral: $0) } ?? Node(.null)),
                                    ("line", offer.line),
                                ])
                            }))
                ),
            ]).json
    }

    private static func readings(of device: Int, in scenario: Scenario) -> [Reading] {
        scenario.devices[device].services.enumerated().flatMap { service, defined in
            defined.values.enumerated().compactMap { place, value in
                let entity = EntityReference.value(device: device, service: service, value: place)
                guard value.description.range != nil, let path = scenario.path(of: entity) else { return nil }
                return Reading(entity: entity, device: device, path: path, description: value.description)
            }
        }
    }

    /// The samples per second of the streams of a device, by path.
    private static func rates(of device: Int, in scenario: Scenario) -> [(key: String, node: Node)] {
        scenario.devices[device].services.enumerated().compactMap { index, service in
            guard let rate = service.description.rate(in: service.configured.configuration),
                let place = service.mainValue,
                let path = scenario.path(of: .value(device: device, service: index, value: place))
            else { return nil }
            return (path, Node(integerLiteral: rate))
        }
    }

    private static func node(_ device: Device) -> Node {
        .object([
            ("id", Node(.string(device.id))), ("name", Node(.string(device.name))),
            ("address", Node(.string("\(device.address)"))), ("role", Node(.string(device.role.rawValue))),
            ("distance", Node(floatLiteral: device.distance)),
        ])
    }

    private static func node(_ reading: Reading) -> Node {
        let description = reading.description
        var members: [(String, Node)] = [
            ("device", Node(integerLiteral: reading.device)), ("of", Node(.string(reading.path))),
            ("label", Node(.string(description.label))), ("unit", Node(.string(description.unit))),
            ("truth", Node(.bool(!description.isNumber))), ("settable", Node(.bool(description.isSettable))),
        ]
        if let range = description.range {
            members += [("min", Node(floatLiteral: range.lowerBound)), ("max", Node(floatLiteral: range.upperBound))]
        }
        return .object(members)
    }
}
