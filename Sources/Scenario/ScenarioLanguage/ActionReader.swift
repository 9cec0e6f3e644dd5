import Basics
import Bluetooth
import Devices
import Documents
import GATT
import ScenarioModel
import SecurityManager
import Services

/// Reads actions from checked documents.
struct ActionReader {
    let names: Names
    let curves: CurveReader

    /// The rates of `burst`, in Hz.
    private static let burstRates = 0.001...4000.0

    /// The action of a rule; nil after noting a problem.
    func action(_ cursor: Cursor) -> Action? {
        guard let kind: Action.Kind = cursor["do"].choice() else { return nil }
        let row = kind.row
        guard let entity = entity(row, cursor) else { return nil }
        return row.read(self, cursor, entity).map { Action($0, of: entity) }
    }

    private func entity(_ row: ActionRow, _ cursor: Cursor) -> EntityReference? {
        if let of = cursor["of"] {
            let target = row.orWith.flatMap { cursor[$0.argument] == nil ? nil : $0.target } ?? row.target
            return names.entity(of, target)
        }
        guard let entity = implied(row.target) else {
            if !row.needsEntity {  // otherwise the grammar has noted the missing key
                let ids = names.devices.map(\.id).filter { !$0.isEmpty }.joined(separator: ", ")
                cursor.note(
                    .missingKey, "\"of\" is required: the scenario has several devices",
                    help: ids.isEmpty ? nil : "add \"of\" with one of \(ids)")
            }
            return nil
        }
        return entity
    }

    /// The target of an action without `of`.
    private func implied(_ target: Target) -> EntityReference? {
        switch target {
        case .device, .sender, .served, .anything: names.onlyDevice()
        case .client: .client
        case .value, .rule, .service, .user: nil
        }
    }

    func burstRate(_ cursor: Cursor) -> Double? {
        guard let hertz = cursor.string.flatMap({ Units.quantity($0, unit: "Hz") }) else { return nil }
        if Self.burstRates.contains(hertz) { return hertz }
        cursor.note(.outOfRange, "expected 0.001 Hz to 4000 Hz, found \(cursor.node.kind)")
        return nil
    }

    /// Exchange MTU is of no attribute.
    func attError(_ entity: EntityReference, _ cursor: Cursor) -> Action.Operation? {
        let request: Action.Request? = cursor["on"].choice()
        if case .mtu = request, entity.device.map(EntityReference.device) != entity {
            (cursor["of"] ?? cursor).note(
                .wrongEntity, "\"mtu\" is a request to the device, not to one of its attributes",
                help: "name the device in \"of\"")
        }
        return cursor["error"]?.code.map { .attError(on: request, error: $0) }
    }

    func raw(_ cursor: Cursor) -> Action.Operation? {
        guard let text = cursor["octets"], let octets = text.string.flatMap(Value.octets) else { return nil }
        let maximum = cursor["channel"] == nil ? LanguageLimits.value : LanguageLimits.pdu
        return text.fits(octets.count, maximum) ? .raw(octets: octets, channel: cursor["channel"].choice()) : nil
    }

    /// Only a central connects, and only to a peripheral.
    func connect(_ central: EntityReference, _ cursor: Cursor) -> Action.Operation? {
        guard let to = cursor["to"], let peripheral = names.entity(to, .device) else { return nil }
        func isFit(_ entity: EntityReference, _ cursor: Cursor, _ role: Device.Role) -> Bool {
            guard let device = entity.device, names.devices[device].role != role else { return true }
            cursor.note(.wrongEntity, "expected a device that is a \(role), found \(cursor.node.kind)")
            return false
        }
        let areFit = [isFit(central, cursor["of"] ?? cursor, .central), isFit(peripheral, to, .peripheral)]
        return areFit == [true, true] ? .connect(to: peripheral) : nil
    }

    func notify(_ entity: EntityReference, _ cursor: Cursor) -> Action.Operation? {
        if cursor["value"] != nil, !canSay(entity, cursor) { return nil }
        return .notify(times: cursor["times"]?.integer ?? 1, value: cursor["value"].flatMap { value($0, entity) })
    }

    func changeServices(_ entity: EntityReference, _ cursor: Cursor) -> Action.Operation? {
        guard case .device(let device) = entity else { return nil }
        let (added, removed) = (cursor["add"]?.items ?? [], cursor["remove"]?.items ?? [])
        if added.isEmpty, removed.isEmpty, !cursor.node.hasUnknown {
            cursor.note(.missingKey, "nothing changes: name a service in \"add\" or \"remove\"")
        }
        let add = added.compactMap { names.service(defined: $0, of: device) }
        let remove = removed.compactMap { item -> Int? in
            guard case .service(device, let service)? = names.entity(item, .service(of: device)) else { return nil }
            if add.contains(service) { item.note(.conflict, "\(item.node.kind) is in \"add\" too: delete one") }
            return service
        }
        return .changeServices(add: add, remove: remove, announce: cursor["announce"]?.bool ?? true)
    }

    /// What a device sends wrong while it pairs.
    func alteration(_ cursor: Cursor, _ entity: EntityReference) -> PairingAlteration? {
        guard pairs(entity, cursor), let step: PairingStep = cursor["at"].choice() else { return nil }
        let contents = ["octets", "mask", "echo"].compactMap { cursor[$0] }
        if contents.count > 1 {
            contents[1].note(.conflict, "\"octets\", \"mask\" and \"echo\" exclude each other: delete one")
        }
        if let echo = cursor["echo"], echo.bool == true, step != .confirm {
            echo.note(.conflict, "only the confirm value can be returned", help: "write \"at\": \"confirm\"")
        }
        let offset = cursor["from"]?.integer ?? 1
        if let octets = cursor.octets("octets") { return PairingAlteration(at: step, .octets(octets, offset: offset)) }
        if let mask = cursor.octets("mask") { return PairingAlteration(at: step, .mask(mask, offset: offset)) }
        return PairingAlteration(at: step, cursor["echo"]?.bool == true ? .echo : .inverted)
    }

    func hasPrivacy(_ entity: EntityReference, _ cursor: Cursor) -> Bool {
        if entity.device.map({ names.devices[$0].hasPrivacy }) == true { return true }
        (cursor["of"] ?? cursor).note(.wrongEntity, "expected a device with \"privacy\" in its \"security\"")
        return false
    }

    func changeAddress(_ cursor: Cursor, of entity: EntityReference) -> Action.Operation? {
        if entity.device.map({ names.devices[$0].hasPrivacy }) == true {
            (cursor["of"] ?? cursor).note(
                .wrongEntity, "a device with \"privacy\" hides this address: use rotate_address")
        }
        guard let to = cursor["to"] else { return .changeAddress(to: nil) }
        guard let address = to.string.flatMap({ DeviceAddress($0) }) else { return nil }
        if names.devices.contains(where: { $0.address == address }) {
            to.note(.duplicateAddress, "a device already has the address \(address)")
        }
        return .changeAddress(to: address)
    }

    /// A reason that a host may give; the grammar has noted unknown names.
    func reason(_ cursor: Cursor) -> Code? {
        if case .number(let number) = cursor.code,
            !HCIStatus.disconnectReasons.contains(HCIStatus(rawValue: number))
        {
            let all = HCIStatus.disconnectReasons.map { "\($0.rawValue) (\($0))" }.joined(separator: ", ")
            cursor.note(.outOfRange, "a host cannot disconnect for this reason; use one of \(all)")
        }
        return cursor.code
    }

    /// Whether a device pairs, after noting that it does not.
    func pairs(_ entity: EntityReference, _ cursor: Cursor) -> Bool {
        guard let device = entity.device, names.devices[device].security == nil else { return true }
        (cursor["of"] ?? cursor).note(
            .wrongEntity, "\(names.devices[device].id.quoted) does not pair: add \"security\" to the device")
        return false
    }

    func hasLead(_ entity: EntityReference, _ cursor: Cursor) -> Bool {
        let services = entity.device.map { names.devices[$0].services } ?? []
        let isThere =
            switch entity {
            case .service(_, let index), .value(_, let index, _):
                services[index].description.name == ServiceDescription.ecg.name
            default: services.contains { $0.description.name == ServiceDescription.ecg.name }
            }
        if isThere { return true }
        (cursor["of"] ?? cursor).note(.wrongEntity, "expected a target with an ECG service")
        return false
    }

    func canSet(_ entity: EntityReference, _ cursor: Cursor) -> Bool {
        guard let (_, value) = names.value(entity), !value.description.isSettable else { return true }
        (cursor["of"] ?? cursor).note(.wrongEntity, "this value is derived from others and cannot be set")
        return false
    }

    private func canSay(_ entity: EntityReference, _ cursor: Cursor) -> Bool {
        guard let (_, value) = names.value(entity), value.isCarried || !value.description.isEncodable else {
            return true
        }
        cursor["value"]?.note(.wrongEntity, "this target cannot be notified with another value: leave \"value\" out")
        return false
    }

    /// A value of the type and in the range of its target.
    func value(_ cursor: Cursor, _ entity: EntityReference) -> Value? {
        guard let (_, described) = names.value(entity) else { return nil }
        if case .custom(let format) = described.description.content {
            return CustomReader(services: ServiceReader(curves: curves)).value(cursor, as: format)
        }
        guard let value = curves.value(cursor, in: described.description.range) else { return nil }
        let choices = described.description.words
        let isText = described.description.isText
        switch value {
        case .curve where isText:
            cursor.note(.wrongType, "expected a string, found \(cursor.node.kind)")
        case .text(let text) where isText:
            guard let choices else {
                _ = cursor.fits(text.utf8.count, LanguageLimits.value)
                break
            }
            guard !choices.contains(text) else { break }
            let names = Array(choices)
            cursor.noteUnknownName(names, meant: closestMatch(to: text, in: names))
        case .text:
            cursor.note(.wrongType, "expected a number, true, false or a curve, found \(cursor.node.kind)")
        default: break
        }
        return value
    }
}
