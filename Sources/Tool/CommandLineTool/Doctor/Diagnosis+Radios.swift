import CommandSupport

extension Diagnosis {
    /// Whether each radio works, those with the fewest requirements first.
    func radios() -> [RadioVerdict] {
        [virtual, outside, bluez(wanted.adapters), adapters(wanted.adapters)]
    }

    private var virtual: RadioVerdict {
        let serving =
            facts.freePort.map { "serve offers it at tcp:127.0.0.1:\($0)" }
            ?? "serve requires --controller: no default port is free"
        return RadioVerdict(radio: "virtual", works: true, says: "run and demo need no radio; \(serving)")
    }

    private var outside: RadioVerdict {
        RadioVerdict(
            radio: "hci:tcp, hci:unix", works: true,
            says: "any controller that uses H4 over a stream: lubdub controller, Bumble, rootcanal")
    }

    /// Adapters without bluetoothd.
    private func adapters(_ wanted: [String]) -> RadioVerdict {
        func no(_ reason: String) -> RadioVerdict {
            RadioVerdict(radio: WantedRadio.adapters, works: false, says: reason)
        }
        let unusable: [MachineCode] = [.adapterUnknown, .adapterTaken, .adapterNotSetUp, .noLowEnergy]
        let names = facts.kernel.interfaces
        guard !names.isEmpty else { return no(reason(problem(of: ["kernel", "usb", "rfkill", "adapter"]))) }
        for code in [MachineCode.otherNamespace, .socketsForbidden, .noCapability]
        where findings.contains(where: { $0.code == code }) {
            return no(reason(code))
        }
        let usable = names.filter { name in
            !isBlocked(name) && !findings.contains { $0.subject == name && $0.code.map(unusable.contains) ?? false }
        }
        if let missing = wanted.first(where: { !usable.contains($0) }) {
            return no("\(missing) cannot be used: \(reason(problem(of: [missing, "rfkill", "adapter"])))")
        }
        guard !usable.isEmpty else { return no(reason(problem(of: ["rfkill"] + names))) }
        return RadioVerdict(
            radio: WantedRadio.adapters, works: true,
            says: "\(usable.joined(separator: ", ")) without bluetoothd: all faults but loss")
    }

    private func bluez(_ wanted: [String]) -> RadioVerdict {
        func no(_ reason: String) -> RadioVerdict { RadioVerdict(radio: "bluez", works: false, says: reason) }
        guard case .answering(let adapters) = facts.daemon else {
            return no(reason(problem(of: ["kernel", "usb", "adapter", "bus", "bluez", "bluetoothd", "policy"])))
        }
        if let code = problem(of: ["configuration"]) { return no(reason(code)) }
        let usable = adapters.map(\.name).filter(isUsable)
        if let missing = wanted.first(where: { !usable.contains($0) }) {
            return no("\(missing) cannot be used: \(reason(problem(of: [missing, "rfkill", "adapter"])))")
        }
        guard !usable.isEmpty else {
            let subjects = ["kernel", "usb", "adapter", "rfkill"] + facts.kernel.interfaces + adapters.map(\.name)
            return no(reason(problem(of: subjects)))
        }
        return RadioVerdict(
            radio: "bluez", works: true,
            says: "serve, monitor, scan on \(usable.joined(separator: ", ")); no link loss, no packets below ATT")
    }

    private func reason(_ code: MachineCode?) -> String { code.map { "see \($0.rawValue)" } ?? "no adapter found" }

    private func isUsable(_ name: String) -> Bool {
        problem(of: [name]) == nil && !isBlocked(name)
    }

    func isBlocked(_ name: String) -> Bool {
        facts.switches.contains { $0.name == name && ($0.isSoftBlocked || $0.isHardBlocked) }
    }
}
