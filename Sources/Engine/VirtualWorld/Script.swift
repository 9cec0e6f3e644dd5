import Basics
import Bluetooth
import Devices
import ScenarioLanguage
import ScenarioModel

// The script and its actions.
extension World {
    /// Passes observed events to the script and performs its outputs, until there are no more of either.
    mutating func runScript() {
        while !script.isIdle { followScript() }
    }

    /// Not inlined, since almost every event has nothing for the script.
    @inline(never) private mutating func followScript() {
        script.digest(at: now)
        while let output = script.takeOutput() { perform(output) }
    }

    private mutating func perform(_ output: ScriptRunner.Output) {
        switch output {
        case .begin(let rule):
            note(.began, rule)
            begin(script.runner.rule(rule).action)
        case .resume(let rule, let begun): begin(script.runner.rule(rule).action, begun: begun)
        case .end(let rule):
            note(.ended, rule)
            end(script.runner.rule(rule).action)
        case .lapse(let rule): note(.ended, rule)
        case .runaway(let rule): script.runaways.append(rule)
        case .wake(let due): wakeScript(at: due)
        }
    }

    /// Begins an action; `begun` is the earlier beginning of one that resumes.
    private mutating func begin(_ action: Action, begun: Instant? = nil) {
        if action.kind.lasts {
            if let node = action.entity?.device { nodes[node].conditions.begin(action) }
            if action.entity == .client { clients.lasting.begin(action) }
        }
        play(action, begun: begun, isOn: true)
    }

    /// Ends an action, if it lasts.
    private mutating func end(_ action: Action) {
        guard action.kind.lasts else { return }
        if let node = action.entity?.device { nodes[node].conditions.end(action) }
        if action.entity == .client { clients.lasting.end(action) }
        play(action, begun: nil, isOn: false)
    }

    private mutating func play(_ action: Action, begun: Instant?, isOn: Bool) {
        guard let entity = action.entity else { return }
        play(ActionPhase(operation: action.operation, entity: entity, begun: begun, isOn: isOn))
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
        guard !script.runner.isFromOutside(rule) else { return noteFromOutside(event, script.runner.rule(rule)) }
        let name = name(of: rule)
        var record = EventRecord(event, of: name, at: now)
        record.rule = name
        journal.append(record)
        reportToObserver(ObservedEvent(event, of: .rule(rule)))
    }

    /// The name of a rule in logs: its id, or `rule N`.
    package func name(of rule: Int) -> String { script.runner.rule(rule).id ?? "rule \(rule + 1)" }

    /// The indices of the rules that were stopped because they triggered themselves without end at one instant.
    package var runaways: [Int] { _read { yield script.runaways } }

    /// The warning about a rule of `runaways`.
    package func runawayWarning(for rule: Int) -> String {
        "\(name(of: rule)) of the script triggers itself endlessly at one instant, and was cut off: add a delay"
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
