import Basics
import Devices
import Documents
import GATT
import ScenarioModel
import Services

/// Resolves the paths of a scenario.
struct Names {
    let devices: [Device]
    private let gaps: Gaps
    private var entities: [String: EntityReference] = ["client": .client]
    private(set) var paths: [String] = ["client"]  // in the order of suggestions
    /// The services with a value that is notified or indicated.
    private var senders: Set<EntityReference> = []
    /// The names of advertised fields that rules add to devices.
    var fieldsOfRules: Set<String> = []

    /// The names of devices, and of rules with these ids in the order of the script.
    init(devices: [Device], rules: [String?], gaps: Gaps = Gaps()) {
        (self.devices, self.gaps) = (devices, gaps)
        for (index, device) in devices.enumerated() { add(device.id, .device(index)) }
        for case (let index, let id?) in rules.enumerated() { add(id, .rule(index)) }
        for (index, device) in devices.enumerated() {
            for prefix in devices.count == 1 ? ["\(device.id)/", ""] : ["\(device.id)/"] {
                addServices(of: device, index, prefix)
            }
        }
    }

    private mutating func addServices(of device: Device, _ index: Int, _ prefix: String) {
        for (number, service) in device.services.enumerated() {
            add(prefix + service.id, .service(device: index, service: number))
            if service.values.contains(where: { !$0.properties.isDisjoint(with: .sent) }) {
                senders.insert(.service(device: index, service: number))
            }
            for (place, value) in service.values.enumerated() where !value.name.isEmpty {
                add("\(prefix)\(service.id)/\(value.name)", .value(device: index, service: number, value: place))
            }
        }
    }

    /// Adds a path, unless it is in use.
    private mutating func add(_ path: String, _ entity: EntityReference) {
        guard entities[path] == nil else { return }
        entities[path] = entity
        paths.append(path)
    }

    /// The entity of a path; nil after noting that there is none, or not a suitable one.
    func entity(_ cursor: Cursor, _ target: Target) -> EntityReference? {
        guard let path = cursor.string, Forms.entity.accepts(path) else { return nil }
        guard let entity = entities[path] else {
            // A help looks at all paths: of many problems, only those that are listed have one.
            guard cursor.lists(.unknownEntity) else {
                if !gaps.mayHide(path) { cursor.note(.unknownEntity, "") }
                return nil
            }
            cursor.count(steps: paths.count)
            let help = if case .rule = target { ruleHelp(for: path) } else { help(for: path, target) }
            if let help {
                let message = if case .rule = target { "no rule has the id" } else { "unknown path" }
                // If the thing that many paths refer to is misspelt, that is one problem.
                cursor.note(
                    .unknownEntity, "\(message) \(path.quoted)", help: help, mergedBy: unknownPart(of: path))
            }
            return nil
        }
        return fitted(entity, target, cursor)
    }

    func service(defined cursor: Cursor, of device: Int) -> Int? {
        guard !cursor.isLogFull, let word = cursor["service"]?.string, Tables.hasService(named: word) else {
            return nil
        }
        let name = cursor["id"]?.string ?? word
        guard case .service(device, let service)? = entities["\(devices[device].id)/\(name)"] else {
            if !gaps.mayHide("\(devices[device].id)/\(name)") {
                cursor.note(.unknownEntity, "the device has no service \(name.quoted)")
            }
            return nil
        }
        return service
    }

    /// The characteristic value that includes a value; nil for one with its own characteristic.
    func carrier(of entity: EntityReference) -> Event.Carrier? {
        guard case .value(let device, let index, let place) = entity else { return nil }
        let service = devices[device].services[index]
        let value = service.values[place]
        return service.carrier(of: place).map { carrier in
            Event.Carrier(
                value: .value(device: device, service: index, value: carrier),
                key: value.description.key ?? value.name)
        }
    }

    /// A value and its service; nil for other entities.
    func value(_ entity: EntityReference) -> (service: Service, value: ServiceValue)? {
        guard case .value(let device, let index, let place) = entity else { return nil }
        let service = devices[device].services[index]
        return (service, service.values[place])
    }

    /// The name of a field that a device advertises; nil after noting that it has none.
    func advertised(_ cursor: Cursor, of entity: EntityReference) -> String? {
        guard let name = cursor.string, let device = entity.device else { return nil }
        let known = devices[device].advertising.fields.compactMap(\.name) + fieldsOfRules.sorted()
        if known.contains(name) { return name }
        if gaps.mayHide(devices[device].id) { return nil }
        let help =
            closestMatch(to: name, in: known).map { "did you mean \($0.quoted)?" }
            ?? (known.isEmpty
                ? "add a field with this \"id\" to its \"advertise\""
                : "its fields are \(known.joined(separator: ", "))")
        cursor.note(
            .unknownEntity, "\(devices[device].id.quoted) does not advertise \(name.abbreviated.quoted)", help: help)
        return nil
    }

    /// The device of actions without a target; nil if there are several.
    func onlyDevice() -> EntityReference? { devices.count == 1 ? .device(0) : nil }

    private func fitted(_ entity: EntityReference, _ target: Target, _ cursor: Cursor) -> EntityReference? {
        func wrong(_ expected: @autoclosure () -> String) -> EntityReference? {
            cursor.note(
                .wrongEntity, "expected \(expected()), found \(cursor.node.kind), \(sort(entity))",
                help: help(for: entity, in: target, cursor))
            return nil
        }
        switch (target, entity) {
        case (.device, .device), (.rule, .rule), (.client, .client), (.user, .device), (.user, .client): return entity
        case (.user, _): return wrong("a device or \"client\"")
        case (.service(let owner), .service(let device, _)) where device == owner: return entity
        case (.service(let owner), _): return wrong("a service of \(devices[owner].id.quoted)")
        case (.anything, .rule): return wrong("a device, service or value")
        case (.served, .device), (.served, .service), (.served, .value): return entity
        case (.served, _): return wrong("a device, service or value")
        case (.anything, _), (.sender, .device): return entity
        case (.sender, .service):
            guard senders.contains(entity) else {
                let properties = CharacteristicProperties.sent.words(" or ")
                cursor.note(.missingProperty, "\(cursor.node.kind) has no value that can \(properties)")
                return nil
            }
            return entity
        case (.sender, .value): return fitted(entity, .value(.sent), cursor)
        case (.sender, _): return wrong("a device, service or value")
        case (.value(let properties), .service(let device, let service)):
            guard let main = mainValue(devices[device].services[service]) else {
                let names = devices[device].services[service].values.map(\.name)
                return wrong("one of its values" + (names.count > 40 ? "" : " (\(names.joined(separator: ", ")))"))
            }
            return fitted(.value(device: device, service: service, value: main), .value(properties), cursor)
        case (.value(let properties), .value(let device, let service, let index)):
            let has = devices[device].services[service].values[index].properties
            guard properties.isEmpty || !properties.isDisjoint(with: has.withWrites) else {
                cursor.note(
                    .missingProperty,
                    "\(cursor.node.kind) cannot \(properties.words(" or ")), only \(has.withWrites.words(", "))")
                return nil
            }
            return entity
        case (.device, _): return wrong("a device")
        case (.value, _): return wrong("a value of a service")
        case (.rule, _): return wrong("the id of a rule")
        case (.client, _): return wrong("\"client\"")
        }
    }

    /// The entities that a path can mean that has another kind of entity.
    private func help(for entity: EntityReference, in target: Target, _ cursor: Cursor) -> String? {
        switch (target, entity) {
        case (.device, .service(let device, _)), (.device, .value(let device, _, _)):
            return "write the device, \(devices[device].id.quoted)"
        case (.client, .device): return "write \"client\"; to make a device disappear, use link_loss"
        case (.value(let properties), .device(let device)):
            cursor.count(steps: paths.count)
            let fit = paths.filter { path in
                guard path.hasPrefix("\(devices[device].id)/"), let entity = entities[path] else { return false }
                return hasOwnCharacteristic(entity, properties)
            }
            return fit.isEmpty || fit.count > 20 ? nil : "write one of its values: \(fit.joined(separator: ", "))"
        default: return nil
        }
    }

    /// Whether a value, or the main value of a service, has these properties, and is not a part of another value.
    private func hasOwnCharacteristic(_ entity: EntityReference, _ properties: CharacteristicProperties) -> Bool {
        switch entity {
        case .service(let device, let service):
            guard let main = mainValue(devices[device].services[service]) else { return false }
            return hasOwnCharacteristic(.value(device: device, service: service, value: main), properties)
        case .value:
            guard carrier(of: entity) == nil, let has = value(entity)?.value.properties.withWrites else { return false }
            return properties.isEmpty || !properties.isDisjoint(with: has)
        default: return false
        }
    }

    private func mainValue(_ service: Service) -> Int? {
        service.mainValue ?? (service.values.count == 1 ? 0 : nil)
    }

    private func sort(_ entity: EntityReference) -> String {
        switch entity {
        case .device: "a device"
        case .service: "a service"
        case .value: "a value of a service"
        case .client: "the client"
        case .rule: "a rule"
        }
    }

    /// Whether an action or event with a target can refer to a path of this kind.
    private func isSuitable(_ path: String, _ target: Target) -> Bool {
        switch (target, entities[path]) {
        case (.device, .device?), (.client, .client?), (.rule, .rule?), (.user, .device?), (.user, .client?): true
        case (.device, _), (.client, _), (.rule, _), (.user, _), (_, .rule?), (_, nil): false
        case (.value, let entity?): entity.device != nil && entity != entity.device.map(EntityReference.device)
        default: true
        }
    }

    /// The first words of a path that has no entity, up to the one that is unknown.
    private func unknownPart(of path: String) -> String {
        let words = path.split(separator: "/").map(String.init)
        return words.first.map { entities[$0] == nil ? $0 : words.prefix(2).joined(separator: "/") } ?? path
    }

    /// The help for a path that should be the id of a rule; nil if the rule probably could not be read.
    private func ruleHelp(for path: String) -> String? {
        let rules = paths.filter { if case .rule? = entities[$0] { true } else { false } }
        if let meant = closestMatch(to: path, in: rules) { return "did you mean \(meant.quoted)?" }
        if gaps.mayHide(path) { return nil }
        return rules.isEmpty || rules.count > 40
            ? "add \"id\": \(path.quoted) to the rule that is meant" : "the rules are \(rules.joined(separator: ", "))"
    }

    /// The help for a path to a value that its service does not have, but could; nil for other paths.
    private func helpForAbsentValue(_ path: String) -> String? {
        let words = path.split(separator: "/").map(String.init)
        guard words.count > 1, let key = words.last,
            case .service(let device, let index)? = entities[words.dropLast().joined(separator: "/")],
            devices[device].services[index].description.fields.contains(where: { $0.key == key })
        else { return nil }
        return "the service has no \(key.quoted): add \(key.quoted) to it"
    }

    /// The help for a path that has no entity; nil if it probably refers to something that could not be read.
    private func help(for path: String, _ target: Target) -> String? {
        let first = path.split(separator: "/").first.map(String.init) ?? ""
        let owners = devices.filter { $0.services.contains { $0.id == first } }.map(\.id)
        if devices.count > 1, !owners.isEmpty {
            let choices = owners.map { "\($0)/\(path)".quoted }.joined(separator: " or ")
            return gaps.areDevicesAmbiguous
                ? nil : "the scenario has several devices, so begin the path with one: \(choices)"
        }
        if let help = helpForAbsentValue(path) { return gaps.mayHide(path) ? nil : help }
        let fit = paths.filter { isSuitable($0, target) }
        if let meant = closestMatch(to: path, in: fit) ?? closestMatch(to: path, in: paths) {
            return "did you mean \(meant.quoted)?"
        }
        if gaps.mayHide(path) { return nil }
        let shown = fit.filter { $0 != "client" }
        return shown.isEmpty || shown.count > 40
            ? "no device, service, value or rule has this name"
            : "the paths are \(shown.joined(separator: ", "))"
    }
}

/// The parts of a scenario that could not be read: paths that refer to them have been reported already.
struct Gaps {
    private var areListsUnknown = false
    private(set) var areDevicesAmbiguous = false
    private var devices: Set<String> = []
    private var onlyDevice = false

    /// No gaps.
    init() {}

    /// The gaps of checked devices and rules; those of the lists themselves if they are unknown.
    init(devices cursors: [Cursor], rules: [Cursor], areListsUnknown: Bool) {
        let ids = cursors.map { $0["id"]?.string }
        let areIDsKnown = !ids.contains(nil) && !rules.contains { $0["id"]?.node.value == .unknown }
        areDevicesAmbiguous = Set(ids).count < ids.count
        let ruleIDs = rules.compactMap { $0["id"]?.string }
        // One of two equal ids is probably meant to be another, to which paths refer.
        let areIDsUnique = Set(ids + ruleIDs).count == ids.count + ruleIDs.count
        self.areListsUnknown =
            areListsUnknown || !areIDsKnown || !areIDsUnique || rules.contains { $0.node.value == .unknown }
        for (cursor, id) in zip(cursors, ids) where cursor.node.hasUnknown { devices.insert(id ?? "") }
        // Rules can add services.
        for rule in rules where rule["add"]?.node.hasUnknown == true {
            devices.formUnion((rule["of"]?.string).map { [$0] } ?? ids.compactMap(\.self))
        }
        onlyDevice = cursors.count == 1 && !devices.isEmpty
    }

    /// Whether a path that has no entity can refer to something that could not be read.
    func mayHide(_ path: String) -> Bool {
        areListsUnknown || onlyDevice || path.split(separator: "/").first.map { devices.contains(String($0)) } ?? false
    }
}

extension CharacteristicProperties {
    /// The properties of values that a server sends without a request.
    static let sent: CharacteristicProperties = [.notify, .indicate]

    /// The properties, with `write` if there are write commands.
    fileprivate var withWrites: CharacteristicProperties { contains(.writeWithoutResponse) ? union(.write) : self }

    /// `be read or be notified`.
    func words(_ separator: String) -> String {
        let all: [(CharacteristicProperties, String)] = [
            (.read, "be read"), (.write, "be written"), (.notify, "be notified"), (.indicate, "be indicated"),
        ]
        return all.filter { contains($0.0) }.map(\.1).joined(separator: separator)
    }
}
