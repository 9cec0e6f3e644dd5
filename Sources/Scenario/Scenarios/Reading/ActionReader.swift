import Bluetooth
import Documents
import GATT
import Services

/// Makes actions of checked trees.
struct ActionReader {
    let names: Names
    let curves: CurveReader

    /// What a rule does; nil where a problem has been noted.
    func action(_ cursor: Cursor) -> Action? {
        guard let kind: Action.Kind = cursor["do"].choice() else { return nil }
        guard cursor["of"] == nil else {
            guard let entity = cursor["of"].flatMap({ names.entity($0, target(of: kind, cursor)) }) else { return nil }
            return operation(kind, entity, cursor).map { Action($0, of: entity) }
        }
        guard let entity = implied(kind) else {
            if Tables.needsEntity(kind) { return nil }  // that it is missing has been noted
            cursor.note(.missingKey, "\"of\" is missing: with several devices it must be said which one")
            return nil
        }
        return operation(kind, entity, cursor).map { Action($0, of: entity) }
    }

    /// A PDU is sent by a device, and a value is one of a part.
    private func target(of kind: Action.Kind, _ cursor: Cursor) -> Target {
        kind == .raw && cursor["channel"] != nil ? .device : Tables.target(of: kind)
    }

    private func operation(_ kind: Action.Kind, _ of: EntityReference, _ cursor: Cursor) -> Action.Operation? {
        switch kind {
        case .linkLoss: .linkLoss
        case .silence: .silence
        case .stopAdvertising: .stopAdvertising
        case .stall: .stall
        case .drop: .drop
        case .duplicate: .duplicate
        case .powerOff: .powerOff
        case .unconfirmed: .unconfirmed
        case .clear: .clear
        case .leadOff: hasLead(of, cursor) ? .leadOff : nil
        case .disconnect: .disconnect(reason: cursor["reason"].flatMap(reason))
        case .set: canSet(of, cursor) ? cursor["to"].flatMap { value($0, of) }.map { .set(to: $0) } : nil
        case .notify: notify(of, cursor)
        case .distance, .rssi, .loss, .drift, .delay, .skipTime, .burst: quantity(kind, cursor)
        case .mtu, .reorder, .truncate, .lengthen, .raw, .attError: onTheAir(kind, cursor)
        case .moveHandles:
            cursor["by"]?.integer.map { .moveHandles(by: $0, announce: cursor["announce"]?.bool ?? true) }
        case .changeServices: changeServices(of, cursor)
        case .changeAddress: changeAddress(cursor)
        case .connect: connect(of, cursor)
        case .forgetBond: .notPlayed(kind)
        }
    }

    /// What is measured by a number with a unit.
    private func quantity(_ kind: Action.Kind, _ cursor: Cursor) -> Action.Operation? {
        switch kind {
        case .distance:
            (cursor["to"]?.string.flatMap { Units.quantity($0, unit: "m") })
                .map { .distance(to: $0, over: cursor["over"]?.duration ?? .zero) }
        case .rssi: cursor["to"].flatMap { curves.value($0, in: Tables.rssi) }.map { .rssi(to: $0) }
        case .loss: cursor["rate"]?.number.map { .loss(rate: $0) }
        case .drift: cursor["ppm"]?.number.map { .drift(ppm: $0) }
        case .delay: cursor["by"]?.duration.map { .delay(by: $0) }
        case .skipTime: cursor["by"]?.duration.map { .skipTime(by: $0) }
        case .burst: cursor["rate"].flatMap(burstRate).map { .burst(rate: $0) }
        default: nil
        }
    }

    private func burstRate(_ cursor: Cursor) -> Double? {
        guard let hertz = cursor.string.flatMap({ Units.quantity($0, unit: "Hz") }) else { return nil }
        if Tables.burstRates.contains(hertz) { return hertz }
        cursor.note(.outOfRange, "expected 0.001 Hz to 4000 Hz, found \(cursor.node.kind)")
        return nil
    }

    /// What changes the octets on the air.
    private func onTheAir(_ kind: Action.Kind, _ cursor: Cursor) -> Action.Operation? {
        func octets(_ key: String) -> [UInt8]? { cursor[key]?.string.flatMap(Units.octets) }
        return switch kind {
        case .mtu: cursor["to"]?.integer.map { .mtu(to: $0) }
        case .reorder: .reorder(span: cursor["span"]?.integer ?? 2)
        case .truncate: cursor["to"]?.integer.map { .truncate(to: $0) }
        case .lengthen: octets("with").map { .lengthen(with: $0) }
        case .raw: raw(cursor)
        case .attError: cursor["error"]?.code.map { .attError(on: cursor["on"].choice(), error: $0) }
        default: nil
        }
    }

    private func raw(_ cursor: Cursor) -> Action.Operation? {
        guard let text = cursor["octets"], let octets = text.string.flatMap(Units.octets) else { return nil }
        let most = cursor["channel"] == nil ? Cursor.longestValue : Tables.longestPDU
        return text.fits(octets.count, most) ? .raw(octets: octets, channel: cursor["channel"].choice()) : nil
    }

    /// A central connects, and to a peripheral only.
    private func connect(_ central: EntityReference, _ cursor: Cursor) -> Action.Operation? {
        guard let to = cursor["to"], let peripheral = names.entity(to, .device) else { return nil }
        func isFit(_ entity: EntityReference, _ cursor: Cursor, _ role: Device.Role) -> Bool {
            guard let device = entity.device, names.devices[device].role != role else { return true }
            cursor.note(.wrongEntity, "expected a device that is a \(role), found \(cursor.node.kind)")
            return false
        }
        let areFit = [isFit(central, cursor["of"] ?? cursor, .central), isFit(peripheral, to, .peripheral)]
        return areFit == [true, true] ? .connect(to: peripheral) : nil
    }

    private func notify(_ entity: EntityReference, _ cursor: Cursor) -> Action.Operation? {
        if cursor["value"] != nil, !canSay(entity, cursor) { return nil }
        return .notify(times: cursor["times"]?.integer ?? 1, value: cursor["value"].flatMap { value($0, entity) })
    }

    private func changeServices(_ entity: EntityReference, _ cursor: Cursor) -> Action.Operation? {
        guard case .device(let device) = entity else { return nil }
        let (added, removed) = (cursor["add"]?.items ?? [], cursor["remove"]?.items ?? [])
        if added.isEmpty, removed.isEmpty {
            cursor.note(.missingKey, "nothing is changed: \"add\" or \"remove\" has to name a service")
        }
        let add = added.compactMap { names.service(defined: $0, of: device) }
        let remove = removed.compactMap { item -> Int? in
            guard case .service(device, let service)? = names.entity(item, .service(of: device)) else { return nil }
            if add.contains(service) { item.note(.conflict, "\(item.node.kind) stands in \"add\" too") }
            return service
        }
        return .changeServices(add: add, remove: remove, announce: cursor["announce"]?.bool ?? true)
    }

    private func changeAddress(_ cursor: Cursor) -> Action.Operation? {
        guard let to = cursor["to"] else { return .changeAddress(to: nil) }
        guard let address = to.string.flatMap({ DeviceAddress($0) }) else { return nil }
        if names.devices.contains(where: { $0.address == address }) {
            to.note(.duplicateAddress, "a device has the address \(address)")
        }
        return .changeAddress(to: address)
    }

    /// What a host may give as a reason; of a name that is none, the problem has been noted.
    private func reason(_ cursor: Cursor) -> Code? {
        if case .number(let number) = cursor.code,
            !HCIStatus.disconnectReasons.contains(HCIStatus(rawValue: number))
        {
            let all = HCIStatus.disconnectReasons.map { "\($0.rawValue) (\($0))" }.joined(separator: ", ")
            cursor.note(.outOfRange, "no host can disconnect for this reason, only for \(all)")
        }
        return cursor.code
    }

    private func hasLead(_ entity: EntityReference, _ cursor: Cursor) -> Bool {
        let services = entity.device.map { names.devices[$0].services } ?? []
        let isThere =
            switch entity {
            case .service(_, let index), .part(_, let index, _): services[index].description.name == ServiceDescription.ecg.name
            default: services.contains { $0.description.name == ServiceDescription.ecg.name }
            }
        if isThere { return true }
        (cursor["of"] ?? cursor).note(.wrongEntity, "this has no electrocardiogram whose lead could come off")
        return false
    }

    private func implied(_ kind: Action.Kind) -> EntityReference? {
        switch Tables.target(of: kind) {
        case .device, .sender, .served: names.onlyDevice()
        case .client: .client
        case .anything where kind == .leadOff: names.onlyDevice()
        case .part, .rule, .service, .anything: nil
        }
    }

    private func canSet(_ entity: EntityReference, _ cursor: Cursor) -> Bool {
        guard let (_, value) = names.value(entity), !value.description.isSettable else { return true }
        (cursor["of"] ?? cursor).note(.wrongEntity, "this follows from other values, and cannot be set")
        return false
    }

    private func canSay(_ entity: EntityReference, _ cursor: Cursor) -> Bool {
        guard let (_, value) = names.value(entity), value.isCarried || !value.description.isEncodable else {
            return true
        }
        cursor["value"]?.note(.wrongEntity, "this is no value of its own that a number could be said of")
        return false
    }

    /// A value for a part, of the type and in the range of that part.
    private func value(_ cursor: Cursor, _ entity: EntityReference) -> Value? {
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
                _ = cursor.fits(text.utf8.count, Cursor.longestValue)
                break
            }
            guard !choices.contains(text) else { break }
            cursor.note(.unknownName, "\(cursor.node.kind) is none of \(choices.joined(separator: ", "))")
        case .text:
            cursor.note(.wrongType, "expected a number, true, false or a curve, found \(cursor.node.kind)")
        default: break
        }
        return value
    }
}
