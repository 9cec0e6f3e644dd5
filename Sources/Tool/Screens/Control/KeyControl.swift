import Basics
import Devices
import ScenarioModel
import Services
import VirtualWorld

/// Converts keys to commands for the devices of a scenario; independent of the terminal.
struct KeyControl: Sendable {
    /// The effect of a key.
    enum Command: Hashable, Sendable {
        /// Starts an action under a name.
        case act(Action, as: String)
        /// Ends the action on an entity that was started under a name.
        case giveBack(EntityReference, of: String)
        case say(String)
        case help
        case quit
    }

    /// The state of a device that keys depend on.
    struct Target: Hashable, Sendable {
        var device: EntityReference
        var heartRate: EntityReference?
        var contact: EntityReference?
        var battery: EntityReference?
        var bpm: Int?
        var isTouching = true
        /// The names of the keys whose actions still last.
        var lasting: Set<String> = []
    }

    /// Keys that start an action, and end it at the next press.
    enum Toggle: Character, CaseIterable {
        case contact = "c"
        case battery = "b"
        case silence = "s"
        case away = "o"

        var name: String { "key \(rawValue)" }

        /// The entity of a device that the key acts on; nil when the device has none.
        func entity(of target: Target) -> EntityReference? {
            switch self {
            case .contact: target.contact
            case .battery: target.battery
            case .silence, .away: target.device
            }
        }

        fileprivate func action(on entity: EntityReference, of target: Target) -> Action {
            switch self {
            case .contact: Action(.set(to: .curve(.constant(target.isTouching ? 0 : 1))), of: entity)
            case .battery: Action(.set(to: .curve(.constant(KeyControl.lowBattery))), of: entity)
            case .silence: Action(.silence, of: entity)
            case .away: Action(.linkLoss, of: entity)
            }
        }

        fileprivate var lack: String {
            switch self {
            case .contact: "no selected device reports skin contact"
            case .battery: "no selected device has a battery"
            case .silence, .away: "there is no device"
            }
        }
    }

    /// The lines for `?`.
    static var help: [String] {
        let width = KeyBinding.all.map(\.keys.count).max() ?? 0
        return KeyBinding.all.map { "\($0.keys.padded(to: width))  \($0.text)" }
    }

    private static let lowBattery = 5.0  // per cent
    private static let rates = 0...65535

    /// The selected device; nil for all.
    private(set) var chosen: Int?

    /// The commands for a key, given the state of the devices.
    mutating func press(_ key: Key, _ targets: [Target]) -> [Command] {
        switch KeyBinding.effect(of: key) {
        case nil: return []
        case .change(let step, let name): return change(by: step, name, targets)
        case .toggle(let toggle): return turn(toggle, targets)
        case .disconnect:
            return selected(targets).map { .act(Action(.disconnect(reason: nil), of: $0.device), as: "key d") }
        case .select(let number): return select(number, of: targets.count)
        case .selectAll:
            chosen = nil
            return []
        case .help: return [.help]
        case .quit: return [.quit]
        }
    }

    private func selected(_ targets: [Target]) -> [Target] {
        guard let chosen else { return targets }
        return targets.indices.contains(chosen) ? [targets[chosen]] : []
    }

    private mutating func select(_ number: Int, of count: Int) -> [Command] {
        guard number <= count else { return [.say("there is no device \(number): the scenario has \(count)")] }
        chosen = number - 1
        return []
    }

    private func change(by step: Int, _ name: String, _ targets: [Target]) -> [Command] {
        let rated = selected(targets).compactMap { target in
            target.heartRate.flatMap { entity in target.bpm.map { (entity, $0) } }
        }
        guard !rated.isEmpty else { return [.say("no selected device has a heart rate now")] }
        return rated.compactMap { entity, bpm in
            let wanted = max(Self.rates.lowerBound, min(Self.rates.upperBound, bpm + step))
            return wanted == bpm ? nil : .act(Action(.set(to: .curve(.constant(Double(wanted)))), of: entity), as: name)
        }
    }

    /// Ends the action when it lasts on all devices; else starts it on the others.
    private func turn(_ toggle: Toggle, _ targets: [Target]) -> [Command] {
        let able = selected(targets).compactMap { target in toggle.entity(of: target).map { ($0, target) } }
        guard !able.isEmpty else { return [.say(toggle.lack)] }
        let rest = able.filter { !$0.1.lasting.contains(toggle.name) }
        guard !rest.isEmpty else { return able.map { .giveBack($0.0, of: toggle.name) } }
        return rest.map { .act(toggle.action(on: $0.0, of: $0.1), as: toggle.name) }
    }
}

extension World {
    /// The state of the scenario's devices for `KeyControl`.
    var keyTargets: [KeyControl.Target] {
        zip(scenario.devices.indices, status.devices).map { index, device in
            var target = KeyControl.Target(device: .device(index))
            target.heartRate = scenario.value(of: .heartRate, device: index)
            target.contact =
                device.isTouching == nil ? nil : scenario.value(named: "contact", of: .heartRate, device: index)
            target.battery = scenario.value(of: .battery, device: index)
            (target.bpm, target.isTouching) = (device.bpm, device.isTouching ?? true)
            for toggle in KeyControl.Toggle.allCases {
                guard let entity = toggle.entity(of: target), lasts(toggle.name, of: entity) else { continue }
                target.lasting.insert(toggle.name)
            }
            return target
        }
    }
}
