import Bluetooth
import Characteristics
import EventLog
import LEHost
import Peripheral
import Scenarios
import Sensors
import Simulation
import Timeline

// The script: what its rules do to the devices.
extension World {
    /// Tells the script what has happened, and does what it wants, until nothing more comes of it.
    mutating func followScript() {
        while !happenings.isEmpty || !scriptOutbox.isEmpty {
            let told = happenings
            happenings.removeAll(keepingCapacity: true)
            for happening in told {
                guard script.waits(for: happening.event) else { continue }
                let said = ScriptRunner.Happening(
                    happening.event, of: happening.thing, code: happening.code, value: datum(of: happening))
                script.happened(said, at: now, into: &scriptOutbox)
            }
            let wanted = scriptOutbox
            scriptOutbox.removeAll(keepingCapacity: true)
            for output in wanted { perform(output) }
        }
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

    /// What lasts began now, or at `begun`, if it comes back.
    private mutating func begin(_ action: Action, begun: Instant? = nil) {
        switch action {
        case .set(let thing, let value):
            guard let (node, part) = place(of: thing), case .curve(let curve) = value else { return }
            _ = set(part, of: node, to: Signal(curve, seed: seed(of: part, node)), begun: begun)
        case .disconnect(let thing, let code):
            guard let node = thing.device else { return }
            let reason = code.flatMap(HCIStatus.init) ?? .remoteUserTerminated
            for connection in nodes[node].connections { command(.disconnect(connection.id, reason: reason), of: node) }
        case .notify(let thing, let times, let value):
            guard let (node, part) = place(of: thing) else { return }
            for _ in 0..<times { notify(part, of: node, octets: value.flatMap { octets(of: part, $0) }) }
        case .silence(let thing): silence(thing, true)
        case .clear, .notPlayed: break  // the runner ends what is cleared; what is not played is refused by the reader
        }
    }

    /// Gives back what it took, if it lasted.
    private mutating func end(_ action: Action) {
        switch action {
        case .set(let thing, _):
            guard let (node, part) = place(of: thing) else { return }
            _ = set(part, of: node, to: nil)
        case .silence(let thing): silence(thing, false)
        case .disconnect, .notify, .clear, .notPlayed: break
        }
    }

    /// Notifies nothing of a thing, or no longer keeps it silent; another thing that it belongs to may still be.
    private mutating func silence(_ thing: Thing, _ isOn: Bool) {
        guard let node = thing.device, nodes.indices.contains(node) else { return }
        nodes[node].silences.removeAll { $0 == thing }
        if isOn { nodes[node].silences.append(thing) }
        nodes[node].keepSilent(nodes[node].silences.flatMap(handles), at: now)
    }

    /// Of the values that a thing of a device is sent with.
    private func handles(of thing: Thing) -> [UInt16] {
        switch thing {
        case .device(let device): names.handles(of: device)
        case .service(let device, let service): names.handles(of: device, service)
        case .part: place(of: thing).flatMap { nodes[$0.node].device.handle(of: $0.part) }.map { [$0] } ?? []
        case .client, .rule: []
        }
    }

    /// The node and the part that a thing of a device stands for; a service stands for its value.
    func place(of thing: Thing) -> (node: Int, part: Peripheral.Part)? {
        let (device, index, place): (Int, Int, Int?)
        switch thing {
        case .service(let number, let service): (device, index, place) = (number, service, nil)
        case .part(let number, let service, let part): (device, index, place) = (number, service, part)
        case .device, .client, .rule: return nil
        }
        let service = scenario.devices[device].services[index]
        let named = place.map { service.parts[$0] } ?? service.parts.first { $0.role == .value }
        guard let part = named.flatMap({ Peripheral.Part($0, of: service, at: index) }) else { return nil }
        return (device, part)
    }

    private func octets(of part: Peripheral.Part, _ value: Value) -> [UInt8]? {
        guard case .curve(let curve) = value else { return nil }
        var signal = Signal(curve)
        guard let number = signal.value(atNanoseconds: 0) else { return nil }
        switch part.quantity {
        case .heartRate: return HeartRateMeasurement(bpm: UInt16(max(0, min(65535, number)))).octets
        case .battery: return [UInt8(max(0, min(255, number)))]
        default: return nil
        }
    }

    private mutating func note(_ event: EventName, _ rule: Int) {
        guard !script.isFromOutside(rule) else { return noteFromOutside(event, script.rule(rule)) }
        let name = name(of: rule)
        var record = EventRecord(event, of: name, at: now)
        record.rule = name
        journal.append(record)
    }

    func name(of rule: Int) -> String { script.rule(rule).id ?? "rule \(rule + 1)" }

    private func datum(of happening: Happening) -> Datum? {
        guard let octets = happening.octets else { return nil }
        if let measurement = try? HeartRateMeasurement(octets: octets) { return .number(Double(measurement.bpm)) }
        return octets.count == 1 ? .number(Double(octets[0])) : nil
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
