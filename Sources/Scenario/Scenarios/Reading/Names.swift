import Documents
import Spelling

/// What the paths of a scenario name.
struct Names {
    let devices: [Device]
    private var things: [String: Thing] = ["client": .client]
    private var paths: [String] = ["client"]  // in the order in which they are suggested

    /// Of these devices, and of rules with these ids, in the order of the script.
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
            for (place, part) in service.parts.enumerated() where !part.name.isEmpty {
                add("\(prefix)\(service.id)/\(part.name)", .part(device: index, service: number, part: place))
            }
        }
    }

    /// The first thing with a path has it.
    private mutating func add(_ path: String, _ thing: Thing) {
        guard things[path] == nil else { return }
        things[path] = thing
        paths.append(path)
    }

    /// What a path names, if that is of the sort that is asked for; else a problem is noted.
    func thing(_ cursor: Cursor, _ target: Target) -> Thing? {
        guard let path = cursor.string, Forms.thing.accepts(path) else { return nil }
        guard let thing = things[path] else {
            let hint = suggestion(for: path, among: paths)
            cursor.note(.unknownThing, "there is no \(path.quoted)\(needsDevice(path) ?? hint)")
            return nil
        }
        return fitted(thing, target, cursor)
    }

    /// Which service of a device a definition is, by its name.
    func service(defined cursor: Cursor, of device: Int) -> Int? {
        guard !cursor.isLogFull, let kind: Service.Kind = cursor["service"].choice() else { return nil }
        let name = cursor["id"]?.string ?? kind.rawValue
        guard case .service(device, let service)? = things["\(devices[device].id)/\(name)"] else {
            cursor.note(.unknownThing, "this device will not have a service \(name.quoted)")
            return nil
        }
        return service
    }

    /// What carries a part that has no characteristic of its own.
    func carrier(of thing: Thing) -> Event.Carrier? {
        guard case .part(let device, let index, let part) = thing else { return nil }
        let service = devices[device].services[index]
        guard Tables.isCarried(service.parts[part], in: service.kind) else { return nil }
        return mainPart(service).map { main in
            Event.Carrier(
                part: .part(device: device, service: index, part: main),
                key: service.parts[part].key(in: service.kind))
        }
    }

    /// A part and its service; nil for what is none.
    func part(_ thing: Thing) -> (service: Service, part: Part)? {
        guard case .part(let device, let index, let part) = thing else { return nil }
        let service = devices[device].services[index]
        return (service, service.parts[part])
    }

    /// The device that is meant when none is named.
    func onlyDevice() -> Thing? { devices.count == 1 ? .device(0) : nil }

    private func fitted(_ thing: Thing, _ target: Target, _ cursor: Cursor) -> Thing? {
        func wrong(_ expected: String) -> Thing? {
            cursor.note(.wrongThing, "expected \(expected), found \(cursor.node.kind), which is \(sort(thing))")
            return nil
        }
        switch (target, thing) {
        case (.device, .device), (.rule, .rule), (.client, .client): return thing
        case (.service(let owner), .service(let device, _)) where device == owner: return thing
        case (.service(let owner), _): return wrong("a service of \(devices[owner].id.quoted)")
        case (.anything, .rule): return wrong("a device, service or part")
        case (.served, .device), (.served, .service), (.served, .part): return thing
        case (.served, _): return wrong("a device, service or part")
        case (.anything, _), (.sender, .device): return thing
        case (.sender, .service(let device, let service)):
            let parts = devices[device].services[service].parts
            guard parts.contains(where: { !$0.properties.isDisjoint(with: .sent) }) else {
                let properties = Part.Properties.sent.words(" or ")
                cursor.note(.missingProperty, "\(cursor.node.kind) has no part that can \(properties)")
                return nil
            }
            return thing
        case (.sender, .part): return fitted(thing, .part(.sent), cursor)
        case (.sender, _): return wrong("a device, service or part")
        case (.part(let properties), .service(let device, let service)):
            guard let part = mainPart(devices[device].services[service]) else {
                return wrong("one of its parts")
            }
            return fitted(.part(device: device, service: service, part: part), .part(properties), cursor)
        case (.part(let properties), .part(let device, let service, let index)):
            let part = devices[device].services[service].parts[index]
            guard properties.isEmpty || !properties.isDisjoint(with: part.properties) else {
                cursor.note(
                    .missingProperty,
                    "\(cursor.node.kind) can not \(properties.words(" or ")), only \(part.properties.words(", "))")
                return nil
            }
            return thing
        case (.device, _): return wrong("a device")
        case (.part, _): return wrong("a part of a service")
        case (.rule, _): return wrong("the id of a rule")
        case (.client, _): return wrong("\"client\"")
        }
    }

    private func mainPart(_ service: Service) -> Int? {
        service.parts.firstIndex { $0.role == .value } ?? (service.parts.count == 1 ? 0 : nil)
    }

    private func sort(_ thing: Thing) -> String {
        switch thing {
        case .device: "a device"
        case .service: "a service"
        case .part: "a part of a service"
        case .client: "the client"
        case .rule: "a rule"
        }
    }

    /// What to say when only the device's name is missing.
    private func needsDevice(_ path: String) -> String? {
        let first = path.split(separator: "/").first.map(String.init) ?? ""
        guard devices.count > 1, devices.contains(where: { $0.services.contains { $0.id == first } }) else {
            return nil
        }
        return ": with several devices, a path begins with one of \(devices.map(\.id).joined(separator: ", "))"
    }
}

extension Part.Properties {
    /// Of what a server sends without being asked.
    fileprivate static let sent: Part.Properties = [.notify, .indicate]

    /// `be read or be notified`.
    func words(_ separator: String) -> String {
        let all: [(Part.Properties, String)] = [
            (.read, "be read"), (.write, "be written"), (.notify, "be notified"), (.indicate, "be indicated"),
        ]
        return all.filter { contains($0.0) }.map(\.1).joined(separator: separator)
    }
}
