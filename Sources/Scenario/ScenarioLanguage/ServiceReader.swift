import Basics
import Bluetooth
import Devices
import Documents
import ScenarioModel
import Services

/// Makes services of checked trees, by the fields of their descriptions.
struct ServiceReader {
    let curves: CurveReader

    /// The services of a device whose handles begin with those of `handles`, and then those that rules add.
    func services(_ cursors: [Cursor], after handles: HandleReader, changedBy rules: [Cursor]) -> [Service] {
        var services: [(service: Service, cursor: Cursor)] = []
        var places: [String: Int] = [:]
        var handles = handles
        let added = rules.flatMap { $0["add"]?.items ?? [] }
        let includes = IncludeReader(cursors + added)
        for cursor in cursors {
            guard let service = service(cursor, includes) else { continue }
            if let first = places.updateValue(services.count, forKey: service.id),
                !cursor.node.hasUnknown, !services[first].cursor.node.hasUnknown
            {
                let other = services[first].cursor
                (cursor["id"] ?? cursor["service"] ?? cursor).note(
                    .duplicateID, "this device has another service \(service.id.quoted)",
                    help: cursor["id"] == nil
                        ? "delete this one, or add an id to it: \"id\": \(freeID(service.id, in: cursors).quoted)"
                        : "give each its own \"id\"",
                    related: [RelatedPlace(other["id"] ?? other["service"] ?? other, "the first is here")])
            }
            handles.add(service, cursor)
            services.append((service, cursor))
        }
        for cursor in added {
            guard var service = service(cursor, includes) else { continue }
            service.isThereFromStart = false
            if let place = places[service.id] {
                let areKnown = !cursor.node.hasUnknown && !services[place].cursor.node.hasUnknown
                guard areKnown, !services[place].service.isDefined(as: service) else { continue }
                let text = "this device has another service \(service.id.quoted), which is defined otherwise"
                (cursor["id"] ?? cursor).note(.duplicateID, text)
            } else {
                places[service.id] = services.count
                handles.add(service, cursor)
                services.append((service, cursor))
            }
        }
        for cursor in rules.compactMap({ $0["by"] }) { handles.move(cursor) }
        includes.noteDeviations(of: services)
        return services.map(\.service)
    }

    /// The first of `battery_2`, `battery_3` … that no service has.
    private func freeID(_ id: String, in cursors: [Cursor]) -> String {
        let taken = Set(cursors.compactMap { ($0["id"] ?? $0["service"])?.string })
        return (2...taken.count + 2).lazy.map { "\(id)_\($0)" }.first { !taken.contains($0) } ?? id
    }

    private func service(_ cursor: Cursor, _ includes: IncludeReader) -> Service? {
        guard !cursor.isLogFull, let word = cursor["service"]?.string else { return nil }
        let id = cursor["id"]?.string ?? word
        if word == Tables.custom {
            var service = CustomReader(services: self, service: id).custom(cursor)
            service.declaration.includes = includes.places(cursor["includes"])
            return Service(id: id, service)
        }
        guard let fields = ServiceRegistry.service(named: word)?.fields else { return nil }
        var configuration = ServiceConfiguration()
        for field in fields { read(field, cursor, into: &configuration) }
        guard let description = ServiceRegistry.service(named: word, configuration) else { return nil }
        switch cursor.node.hasUnknown ? nil : description.problem(in: configuration) {
        case .missing(let text): cursor.note(.missingKey, text)
        case .conflict(let key, let text): (cursor[key] ?? cursor).note(.conflict, text)
        case nil: break
        }
        var service = ConfiguredService(description, configuration)
        if let permissions = cursor["permissions"] {
            service.declaration.security = CustomReader(services: self, service: id).security(permissions)
        }
        return Service(id: id, service)
    }

    // MARK: Fields

    private func read(_ field: FieldDescription, _ cursor: Cursor, into configuration: inout ServiceConfiguration) {
        guard let cursor = cursor[field.name] else { return }
        guard case .object(let fields) = field.form else {
            return configuration.set(field.key, to: value(cursor, of: field.form))
        }
        for field in fields { read(field, cursor, into: &configuration) }
    }

    private func value(_ cursor: Cursor, of form: FieldDescription.Form) -> FieldValue? {
        switch form {
        case .curve(let range), .truth(let range): curves.curve(cursor, in: range).map(FieldValue.curve)
        case .duration(let range): within(cursor, range).map(FieldValue.duration)
        case .timeOfDay: cursor.string.flatMap(Units.timeOfDay).map(FieldValue.duration)
        case .flag: cursor.bool.map(FieldValue.flag)
        case .derivedOrCurve(let range):
            cursor.bool.map(FieldValue.flag) ?? curves.curve(cursor, in: range).map(FieldValue.curve)
        case .whole: cursor.integer.map(FieldValue.whole)
        case .number: cursor.number.map(FieldValue.number)
        case .rate(let range): rate(cursor, range).map(FieldValue.whole)
        case .word: cursor.string.map(FieldValue.word)
        case .text(let most): cursor.text(atMost: most).map(FieldValue.word)
        case .object: nil
        }
    }

    /// A rate in whole Hz; a wrong form has been noted already.
    private func rate(_ cursor: Cursor, _ range: ClosedRange<Int>) -> Int? {
        guard let text = cursor.string, Forms.rate.accepts(text), let hertz = Units.quantity(text, unit: "Hz") else {
            return nil
        }
        guard let whole = Int(exactly: hertz), range.contains(whole) else {
            let (least, most) = (range.lowerBound, range.upperBound)
            cursor.note(
                .outOfRange, "expected a whole number from \(least) Hz to \(most) Hz, found \(cursor.node.kind)")
            return nil
        }
        return whole
    }
}

/// The rules that change attributes, by device: they add services and use handles.
struct AttributeChanges {
    private var rules: [String: [Cursor]] = [:]

    /// The rules of a script; those without a target belong to `onlyDevice`.
    init(_ rules: [Cursor], onlyDevice: Cursor?) {
        for rule in rules where !rule.isLogFull {
            guard let kind: Action.Kind = rule["do"].choice(), kind == .changeServices || kind == .moveHandles,
                let id = rule["of"]?.string ?? onlyDevice?["id"]?.string
            else { continue }
            self.rules[id, default: []].append(rule)
        }
    }

    /// The rules of a device, in the order of the script.
    func of(_ device: String) -> [Cursor] { rules[device] ?? [] }
}
