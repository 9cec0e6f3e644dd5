import CommandSupport

extension Diagnosis {
    mutating func look(at adapter: MachineFacts.Adapter) {
        let name = adapter.name
        guard isPeripheral(adapter) else {
            add(
                .problem(
                    .noPeripheral, name, "\(name) cannot be a peripheral",
                    advice: "plug in another USB adapter, for Bluetooth 4.0 or later"))
            return
        }
        guard let free = adapter.freeAdvertisements, free > 0 else {
            add(
                .problem(
                    .advertisementsUsed, name, "\(name) has no free advertisement",
                    fix: facts.command(.restart(service: "bluetooth")),
                    advice: "or end the program that advertises"))
            return
        }
        let known = "\(adapter.address ?? "no address"), peripheral, \(free) advertisement\(free == 1 ? "" : "s") free"
        guard adapter.isPowered else {
            let isBlocked = facts.switches.contains { $0.name == name && ($0.isSoftBlocked || $0.isHardBlocked) }
            add(
                .hint(
                    .switchedOff, name, "\(name) is switched off: \(known)",
                    fix: isBlocked ? nil : "bluetoothctl power on",
                    advice: isBlocked ? nil : "serve also switches it on, and off again when it ends"))
            return
        }
        add(.ok(name, "\(name): \(known)"))
    }

    private func isPeripheral(_ adapter: MachineFacts.Adapter) -> Bool {
        adapter.servesAttributes && adapter.freeAdvertisements != nil
            && (adapter.roles.isEmpty || adapter.roles.contains { $0.hasSuffix("peripheral") })
    }

    mutating func lookAtConfiguration() {
        guard facts.program != nil else { return }
        let configuration = facts.configuration
        if configuration?["General", "ControllerMode"] == "bredr" {
            add(
                .problem(
                    .classicOnly, "configuration", "\(facts.configurationPath) disables Low Energy",
                    fix: facts.command(.configure("ControllerMode = dual"))))
        }
        if let version = facts.version, version < DaemonVersion(5, 77), !facts.isExperimental,
            configuration?["General", "Experimental"] != "true"
        {
            add(
                .hint(
                    .intervalsIgnored, "intervals", "BlueZ \(version) ignores the advertising interval of scenarios",
                    fix: facts.command(.configure("Experimental = true"))))
        }
        if let configuration, configuration["General", "DeviceID"] != "false" {
            add(
                .hint(
                    .secondInformation, "information",
                    "bluetoothd adds its own Device Information service (180A) to the scenario's",
                    fix: facts.command(.configure("DeviceID = false"))))
        }
    }

    mutating func lookAtPorts() {
        let first = customaryPorts.lowerBound
        switch facts.freePort {
        case first?: add(.ok("port", "port \(first) of 127.0.0.1 is free"))
        case let port?:
            add(
                .hint(
                    .portTaken, "port", "port \(first) of 127.0.0.1 is in use; serve would use \(port)",
                    fix: "ss -ltnp 'sport = :\(first)'", advice: "that shows which program uses it"))
        case nil:
            add(
                .problem(
                    .portsTaken, "port", "ports \(first) to \(customaryPorts.upperBound) of 127.0.0.1 are in use",
                    fix: "lubdub serve scenarios/resting.json --controller tcp:127.0.0.1:0"))
        }
    }
}
