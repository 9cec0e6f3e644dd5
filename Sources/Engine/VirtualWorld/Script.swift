import Basics
import Bluetooth
import Characteristics
import Devices
import LEHost
import ScenarioLanguage
import ScenarioModel
import Services

// The script and its actions.
extension World {
    /// Passes observed events to the script and performs its outputs, until there are no more of either.
    mutating func runScript() {
        while !observedEvents.isEmpty || !scriptOutbox.isEmpty { followScript() }
    }

    /// Not inlined, since almost every event has nothing for the script.
    @inline(never) private mutating func followScript() {
        while let observed = observedEvents.takeFirst() {
            script.observe(observed, at: now, into: &scriptOutbox.added)
        }
        while let output = scriptOutbox.takeFirst() { perform(output) }
    }

    private mutating func perform(_ output: ScriptRunner.Output) {
        switch output {
        case .begin(let rule):
            note(.began, rule)
            begin(script.rule(rule).action)
        case .resume(let rule, let begun): begin(script.rule(rule).action, begun: begun)
        case .end(let rule):
            note(.ended, rule)
            end(script.rule(rule).action)
        case .lapse(let rule): note(.ended, rule)
        case .runaway(let rule): runaways.append(rule)
        case .wake(let due): wakeScript(at: due)
        }
    }

    /// Begins an action; `begun` is the earlier beginning of one that resumes.
    private mutating func begin(_ action: Action, begun: Instant? = nil) {
        if action.kind.lasts {
            if let node = action.entity?.device { nodes[node].conditions.begin(action) }
            if action.entity == .client { clientConditions.begin(action) }
        }
        apply(action, begun: begun, isOn: true)
    }

    /// Ends an action, if it lasts.
    private mutating func end(_ action: Action) {
        guard action.kind.lasts else { return }
        if let node = action.entity?.device { nodes[node].conditions.end(action) }
        if action.entity == .client { clientConditions.end(action) }
        apply(action, begun: nil, isOn: false)
    }

    /// Performs an action, or undoes it; `conditions` are up to date.
    private mutating func apply(_ action: Action, begun: Instant?, isOn: Bool) {
        guard let entity = action.entity else { return }
        switch action.operation {
        case .set(let value): set(entity, to: isOn ? value : nil, begun: begun)
        case .disconnect(let reason): disconnect(entity, reason)
        case .notify(let times, let value): notify(entity, times: times, value)
        case .silence: updateSilence(of: entity)
        case .skipTime(let duration):
            if let node = entity.device { skipTime(of: node, by: duration) }
        case .leadOff: updateLeads(of: entity)
        case .stall: stall(entity, isOn)
        case .attError: updateErrorInjection(of: entity)
        case .mtu: updateMTU(of: entity)
        case .raw(let octets, let channel): sendRaw(octets, channel, entity)
        case .connect(let target): connect(entity, to: target)
        case .unconfirmed: confirmIndications(!isOn)
        case .linkLoss where hostBackend == .radios: entity.device.map { resetController(of: $0) }
        case .linkLoss, .loss: entity.device.map { updateStation(of: $0) }
        case .distance(let metres, let duration):
            entity.device.map { move($0, to: isOn ? metres : nil, over: duration, begun: begun) }
        case .rssi(let value): entity.device.map { setStrength(of: $0, isOn ? value : nil, begun: begun) }
        case .powerOff: setPowerOfClients(isOn: !isOn)
        case .moveHandles(let distance, let announce): moveHandles(of: entity, by: distance, announce)
        case .changeServices(let add, let remove, let announce): changeServices(of: entity, remove, add, announce)
        case .valueFault: updateNotificationFaults(of: entity)
        case .burst(let rate): burst(entity, rate: isOn ? rate : nil, begun: begun)
        case .stopAdvertising: updateAdvertising(of: entity)
        case .changeAddress(let address): changeAddress(of: entity, to: address)
        case .rotateAddress: entity.device.map { command(.rotateAddress, of: $0) }
        case .drift: updateDrift(of: entity)
        case .forgetBond(let side): forgetBonds(of: entity, side)
        case .refusePairing, .stallPairing, .alterPairing, .wrongKey: updateSecurityFaults(of: entity)
        case .requestSecurity: requestSecurity(entity)
        case .user, .clear: break  // users look at the conditions; the script runner clears
        }
    }

    private mutating func set(_ entity: EntityReference, to value: Value?, begun: Instant?) {
        guard let (node, target) = place(of: entity) else { return }
        _ = set(target, of: node, to: value.map { input($0, for: target, node) }, begun: begun)
    }

    private mutating func disconnect(_ entity: EntityReference, _ code: Code?) {
        guard let node = entity.device else { return }
        let reason = code.flatMap(HCIStatus.init) ?? .remoteUserTerminated
        stopConnecting(node)
        for connection in nodes[node].connections { command(.disconnect(connection.id, reason: reason), of: node) }
    }

    /// Moves the wall clock of a device forward, and logs it if that stops the clock.
    private mutating func skipTime(of node: Int, by duration: Duration) {
        let hadStopped = nodes[node].device.clockHasStopped(at: now)
        nodes[node].device.skipTime(by: duration, at: now)
        if !hadStopped, nodes[node].device.clockHasStopped(at: now) { noteClock(of: node, duration) }
    }

    private mutating func notify(_ entity: EntityReference, times: Int, _ value: Value?) {
        guard let (node, target) = place(of: entity) else { return }
        let octets = value.flatMap { nodes[node].device.octets(of: target, for: input($0, for: target, node)) }
        if value != nil, octets == nil { return }
        for _ in 0..<times { notify(target, of: node, octets: octets) }
    }

    /// Updates the leads of a target's ECG services: off while `lead_off` applies to any entity that includes them.
    private mutating func updateLeads(of entity: EntityReference) {
        guard let node = entity.device else { return }
        let entities = nodes[node].conditions.entities(.leadOff)
        for service in scenario.devices[node].services.indices where entity.has(service) {
            let isOff = entities.contains { $0.has(service) }
            _ = nodes[node].device.setLead(ofService: service, isOff: isOff, at: now)
        }
    }

    /// Converts a script's value for a device.
    private func input(_ value: Value, for target: DeviceValue, _ node: Int) -> SensorInput {
        let description = scenario.devices[node].services[target.service].description.values[target.id.index]
            .description
        switch (value, description.content) {
        case (.curve(let curve), _): return .signal(Signal(curve, seed: seed(of: target, node)))
        case (.text, .custom(let format)): return .octets(value.octets(as: format) ?? [])
        case (.text(let text), _): return .octets(description.octets(of: text))
        }
    }

    /// Silences the values of a device that `silence` applies to, by their present handles.
    mutating func updateSilence(of entity: EntityReference) {
        guard let node = entity.device else { return }
        let handles = nodes[node].conditions.entities(.silence).flatMap(handles)
        nodes[node].device.keepSilent(handles, at: now)
        wakeDevice(node)
    }

    func handles(of entity: EntityReference) -> [UInt16] {
        switch entity {
        case .device(let device): names.handles(of: device)
        case .service(let device, let service): names.handles(of: device, service)
        case .value: place(of: entity).flatMap { nodes[$0.node].device.handle(of: $0.value) }.map { [$0] } ?? []
        case .client, .rule: []
        }
    }

    /// The node and the value of a reference; of a service, its main value.
    func place(of entity: EntityReference) -> (node: Int, value: DeviceValue)? {
        let (device, index, named): (Int, Int, Int?)
        switch entity {
        case .service(let number, let service): (device, index, named) = (number, service, nil)
        case .value(let number, let service, let value): (device, index, named) = (number, service, value)
        case .device, .client, .rule: return nil
        }
        let service = scenario.devices[device].services[index]
        return (named ?? service.mainValue).map { (device, DeviceValue(service: index, service.values[$0].id)) }
    }

    /// The reference to a value of a device; nil for one that scripts cannot name.
    func entity(of value: DeviceValue, _ node: Int) -> EntityReference? {
        scenario.devices[node].services[value.service].values.firstIndex { $0.id == value.id }.map {
            .value(device: node, service: value.service, value: $0)
        }
    }

    private mutating func note(_ event: EventName, _ rule: Int) {
        guard !script.isFromOutside(rule) else { return noteFromOutside(event, script.rule(rule)) }
        let name = name(of: rule)
        var record = EventRecord(event, of: name, at: now)
        record.rule = name
        journal.append(record)
        reportToObserver(ObservedEvent(event, of: .rule(rule)))
    }

    /// The name of a rule in logs: its id, or `rule N`.
    package func name(of rule: Int) -> String { script.rule(rule).id ?? "rule \(rule + 1)" }

    /// The warning about a rule of `runaways`.
    package func runawayWarning(for rule: Int) -> String {
        "\(name(of: rule)) of the script triggers itself endlessly at one instant, and was cut off: add a delay"
    }
}

extension EntityReference {
    /// Whether this is a service of its device, includes it or belongs to it.
    fileprivate func has(_ service: Int) -> Bool {
        switch self {
        case .service(_, let own), .value(_, let own, _): own == service
        default: true
        }
    }
}

extension HCIStatus {
    init?(_ code: Code) {
        switch code {
        case .number(let number): self.init(rawValue: number)
        case .name(let name): self.init(name: name)
        }
    }
}
