import Scenarios
import Sensors
import Services
import VirtualWorld

/// What keys do to the devices of a scenario: a machine without a terminal.
struct KeyControl: Sendable {
    /// What is to be done for a key.
    enum Command: Hashable, Sendable {
        /// An action of the script, under a name.
        case act(Action, as: String)
        /// What was done under a name to a thing ends.
        case giveBack(EntityReference, of: String)
        case say(String)
        case help
        case quit
    }

    /// A device as keys see it.
    struct Target: Hashable, Sendable {
        var device: EntityReference
        var heartRate: EntityReference?
        var contact: EntityReference?
        var battery: EntityReference?
        var bpm: Int?
        var isTouching = true
        /// What keys did to it and still lasts.
        var lasting: Set<String> = []
    }

    /// What is done by one press and given back by the next.
    enum Toggle: Character, CaseIterable {
        case contact = "c"
        case battery = "b"
        case silence = "s"
        case away = "o"

        var name: String { "key \(rawValue)" }

        /// To what of a device it is done; nil when the device has no such thing.
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
            case .contact: "nobody there knows of contact"
            case .battery: "nobody there has a battery"
            case .silence, .away: "nobody is there"
            }
        }
    }

    /// What `?` tells.
    static let help = [
        "up, down     one beat a minute more or less; ten with shift",
        "c            no contact with the skin, and back",
        "b            battery low, and back",
        "s            silence: connected, and nothing notified; and back",
        "o            out of range, without a word; and back",
        "d            disconnect",
        "1 to 9, 0    keys act on this device; on all",
        "q            end",
    ]

    private static let lowBattery = 5.0  // per cent
    private static let rates = 0...65535

    /// On which device keys act; nil for all.
    private(set) var chosen: Int?

    /// What a key does, with the devices as they are now.
    mutating func press(_ key: Key, _ targets: [Target]) -> [Command] {
        switch key {
        case .up: return change(by: 1, "key up", targets)
        case .down: return change(by: -1, "key down", targets)
        case .shiftUp: return change(by: 10, "key shift_up", targets)
        case .shiftDown: return change(by: -10, "key shift_down", targets)
        case .character("?"): return [.help]
        case .character("q"): return [.quit]
        case .character("d"):
            return among(targets).map { .act(Action(.disconnect(reason: nil), of: $0.device), as: "key d") }
        case .character(let character):
            if let toggle = Toggle(rawValue: character) { return turn(toggle, targets) }
            if let digit = character.wholeNumberValue { return choose(digit, targets.count) }
            return []
        }
    }

    private func among(_ targets: [Target]) -> [Target] {
        guard let chosen else { return targets }
        return targets.indices.contains(chosen) ? [targets[chosen]] : []
    }

    private mutating func choose(_ digit: Int, _ count: Int) -> [Command] {
        guard digit <= count else { return [.say("there is no device \(digit), only \(count)")] }
        chosen = digit == 0 ? nil : digit - 1
        return []
    }

    private func change(by step: Int, _ name: String, _ targets: [Target]) -> [Command] {
        let rated = among(targets).compactMap { target in
            target.heartRate.flatMap { entity in target.bpm.map { (entity, $0) } }
        }
        guard !rated.isEmpty else { return [.say("nobody there has a heart rate now")] }
        return rated.compactMap { entity, bpm in
            let wanted = max(Self.rates.lowerBound, min(Self.rates.upperBound, bpm + step))
            return wanted == bpm ? nil : .act(Action(.set(to: .curve(.constant(Double(wanted)))), of: entity), as: name)
        }
    }

    /// Gives back what all have taken; else those take it who have not.
    private func turn(_ toggle: Toggle, _ targets: [Target]) -> [Command] {
        let able = among(targets).compactMap { target in toggle.entity(of: target).map { ($0, target) } }
        guard !able.isEmpty else { return [.say(toggle.lack)] }
        let rest = able.filter { !$0.1.lasting.contains(toggle.name) }
        guard !rest.isEmpty else { return able.map { .giveBack($0.0, of: toggle.name) } }
        return rest.map { .act(toggle.action(on: $0.0, of: $0.1), as: toggle.name) }
    }
}

extension World {
    /// The scenario's devices as keys see them now.
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
