import Documents
import GATT
import Scenarios
import ServiceFramework
import Services
import TextFormatting

/// Resolves the paths of a scenario.
struct Names {
    let devices: [Device]
    private var entities: [String: EntityReference] = ["client": .client]
    private var paths: [String] = ["client"]  // in the order of suggestions

    /// The names of devices, and of rules with these ids in the order of the script.
    init(devices: [Device], rules: [String?]) {
        self.devices = devices
        for case (let index, let id?) in rules.enumerated() { add(id, .rule(index)) }
        for (index, device) in devices.enumerated() { add(device.id, .device(index)) }
        for (index, device) in devices.enumerated() {
            for prefix in devices.count == 1 ? ["\(device.id)/", ""] : ["\(device.id)/"] {
                addServices(of: device, index, prefix)
            }
        }
    }

    private mutating func addServices(of device: Device, _ index: Int, _ prefix: String) {
        for (number, service) in device.services.enumerated() {
            add(prefix + service.id, .service(device: index, service: number))
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
            let hint = suggestion(for: path, among: paths)
            cursor.note(.unknownEntity, "unknown path \(path.quoted)\(needsDevice(path) ?? hint)")
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
            cursor.note(.unknownEntity, "the device has no service \(name.quoted)")
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

    /// The device of actions without a target; nil if there are several.
    func onlyDevice() -> EntityReference? { devices.count == 1 ? .device(0) : nil }

    private func fitted(_ entity: EntityReference, _ target: Target, _ cursor: Cursor) -> EntityReference? {
        func wrong(_ expected: String) -> EntityReference? {
            cursor.note(.wrongEntity, "expected \(expected), found \(cursor.node.kind), \(sort(entity))")
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
        case (.sender, .service(let device, let service)):
            let values = devices[device].services[service].values
            guard values.contains(where: { !$0.properties.isDisjoint(with: .sent) }) else {
                let properties = CharacteristicProperties.sent.words(" or ")
                cursor.note(.missingProperty, "\(cursor.node.kind) has no value that can \(properties)")
                return nil
            }
            return entity
        case (.sender, .value): return fitted(entity, .value(.sent), cursor)
        case (.sender, _): return wrong("a device, service or value")
        case (.value(let properties), .service(let device, let service)):
            guard let main = mainValue(devices[device].services[service]) else {
                let names = devices[device].services[service].values.map(\.name).joined(separator: ", ")
                return wrong("one of its values (\(names))")
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

    /// A hint if only the name of the device is missing.
    private func needsDevice(_ path: String) -> String? {
        let first = path.split(separator: "/").first.map(String.init) ?? ""
        guard devices.count > 1, devices.contains(where: { $0.services.contains { $0.id == first } }) else {
            return nil
        }
        return
            ": the scenario has several devices, so begin the path with one of \(devices.map(\.id).joined(separator: ", "))"
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
