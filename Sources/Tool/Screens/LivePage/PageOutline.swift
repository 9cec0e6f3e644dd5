import Basics
import CommandSupport
import Devices
import Documents
import ScenarioLanguage
import ScenarioModel

/// The unchanging part of a page: the devices that it shows, their values, and the actions that can be played.
struct PageOutline: Sendable {
    /// A number of a device that the page shows, or a truth value, which is 0 or 1.
    struct Reading: Sendable {
        let entity: EntityReference
        /// The index of the device among those of the page.
        let device: Int
        let path: String
        let description: ValueDescription
    }

    /// The most values that a page shows.
    static let maximumReadings = 500

    /// The indices in the scenario of the devices that the page shows.
    let devices: [Int]
    let readings: [Reading]
    /// A JSON object on one line.
    let json: String
}

/// Makes the outline of a page in steps: each is short, whatever the number of devices, so that the devices that play are not
/// held up.
struct PageOutlineWork {
    /// How many devices are compared with a text in a step.
    static let comparisonsPerStep = 200
    /// How many kinds of actions are tried in a step.
    static let kindsPerStep = 8

    private enum Phase {
        /// Looks for the devices that match, from this one on.
        case matching(Int)
        /// Describes the device at this place on the page; the offers of kinds from this one on are missing.
        case describing(Int, kind: Int)
        case describingClient(kind: Int)
        case done
    }

    /// The kinds of actions that a page offers. Values, and the end of all actions, have separate controls.
    private static let kinds = Action.Kind.allCases.filter { $0 != .set && $0 != .clear }

    private let scenario: Scenario
    private let selection: Selection
    private let reader: InstructionReader
    private var phase: Phase
    private var devices: [Int] = []
    private var matches = 0
    private var readings: [PageOutline.Reading] = []
    private var hidden = 0  // readings for which the page has no room
    private var rates: [(key: String, node: Node)] = []
    private var offers: [(device: Int?, offer: ActionOffer)] = []

    init(_ scenario: Scenario, _ selection: Selection, _ reader: InstructionReader) {
        (self.scenario, self.selection, self.reader) = (scenario, selection, reader)
        phase = .matching(0)
        guard selection.text.isEmpty else { return }
        matches = scenario.devices.count
        devices = Array(scenario.devices.indices.dropFirst(selection.first).prefix(Selection.devicesPerPage))
        phase = .describing(0, kind: 0)
    }

    /// Does a part of the work; true when all is done. `isPlayable`: whether the radio plays an action.
    mutating func step(_ isPlayable: (Action) -> Bool) -> Bool {
        switch phase {
        case .matching(let first): match(from: first)
        case .describing(let place, let kind): describe(place, from: kind, isPlayable)
        case .describingClient(let kind):
            phase = offer(from: kind, on: nil, isPlayable).map { .describingClient(kind: $0) } ?? .done
        case .done: break
        }
        if case .done = phase { return true }
        return false
    }

    private mutating func match(from first: Int) {
        let end = min(first + Self.comparisonsPerStep, scenario.devices.count)
        for index in first..<end where matches(scenario.devices[index]) {
            if matches >= selection.first, devices.count < Selection.devicesPerPage { devices.append(index) }
            matches += 1
        }
        phase = end < scenario.devices.count ? .matching(end) : .describing(0, kind: 0)
    }

    private func matches(_ device: Device) -> Bool {
        "\(device.id)\n\(device.name)\n\(device.address)".lowercased().contains(selection.text)
    }

    private mutating func describe(_ place: Int, from kind: Int, _ isPlayable: (Action) -> Bool) {
        guard place < devices.count else {
            phase = .describingClient(kind: 0)
            return
        }
        if kind == 0 { addReadings(of: place) }
        let next = offer(from: kind, on: place, isPlayable)
        phase = next.map { .describing(place, kind: $0) } ?? .describing(place + 1, kind: 0)
    }

    /// Adds some offers on a device at a place, or on the client; returns the kind that is next, or nil if there is none.
    private mutating func offer(from kind: Int, on place: Int?, _ isPlayable: (Action) -> Bool) -> Int? {
        let end = min(kind + Self.kindsPerStep, Self.kinds.count)
        for kind in Self.kinds[kind..<end] {
            let offer = scenario.offer(kind, on: place.map { devices[$0] }, reader: reader, where: isPlayable)
            if let offer { offers.append((place, offer)) }
        }
        return end < Self.kinds.count ? end : nil
    }

    private mutating func addReadings(of place: Int) {
        let device = devices[place]
        for (index, service) in scenario.devices[device].services.enumerated() {
            for (number, value) in service.values.enumerated() where value.description.range != nil {
                guard readings.count < PageOutline.maximumReadings else {
                    hidden += 1
                    continue
                }
                let entity = EntityReference.value(device: device, service: index, value: number)
                guard let path = scenario.path(of: entity) else { continue }
                readings.append(.init(entity: entity, device: place, path: path, description: value.description))
            }
            guard rates.count < PageOutline.maximumReadings,
                let rate = service.description.rate(in: service.configured.configuration),
                let main = service.mainValue,
                let path = scenario.path(of: .value(device: device, service: index, value: main))
            else { continue }
            rates.append((path, Node(integerLiteral: rate)))
        }
    }

    // MARK: Result

    /// The outline, after the last step.
    func outline(version: String) -> PageOutline {
        PageOutline(devices: devices, readings: readings, json: json(version: version))
    }

    private func json(version: String) -> String {
        Node.object([
            ("version", Node(.string(version))), ("scenario", Node(.string(scenario.name))),
            ("total", Node(integerLiteral: scenario.devices.count)), ("matches", Node(integerLiteral: matches)),
            ("find", Node(.string(selection.text))), ("page", Node(integerLiteral: selection.page)),
            ("per_page", Node(integerLiteral: Selection.devicesPerPage)), ("hidden", Node(integerLiteral: hidden)),
            ("devices", Node(.array(devices.map { Self.node(scenario.devices[$0]) }))),
            ("readings", Node(.array(readings.map(Self.node)))), ("rates", .object(rates)),
            ("actions", .object(actions)), ("offers", Node(.array(offers.map(Self.node)))),
        ]).json
    }

    /// What the kinds of the offers do.
    private var actions: [(key: String, node: Node)] {
        var known: Set<Action.Kind> = []
        return offers.map(\.offer).filter { known.insert($0.kind).inserted }.map { offer in
            let about: [(key: String, node: Node)] = [
                ("about", Node(.string(offer.about))), ("lasts", Node(.bool(offer.lasts))),
            ]
            return (offer.kind.rawValue, .object(about))
        }
    }

    private static func node(_ item: (device: Int?, offer: ActionOffer)) -> Node {
        .object([
            ("device", item.device.map { Node(integerLiteral: $0) } ?? Node(.null)), ("line", item.offer.line),
        ])
    }

    private static func node(_ device: Device) -> Node {
        .object([
            ("id", Node(.string(device.id))), ("name", Node(.string(device.name))),
            ("address", Node(.string("\(device.address)"))), ("role", Node(.string(device.role.rawValue))),
            ("distance", Node(floatLiteral: device.distance)),
        ])
    }

    private static func node(_ reading: PageOutline.Reading) -> Node {
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
