import Basics
import CommandSupport
import Drivers

extension Diagnosis {
    mutating func lookForWantedAdapters() {
        let names = facts.kernel.interfaces
        guard let first = names.first else { return }
        for name in wanted.adapters where !names.contains(name) {
            let other = WantedRadio(name: wanted.name, adapters: [first])
            problem(
                .noSuchAdapter, name, "the kernel has no \(name)", fix: .run("lubdub doctor --radio \(other.option)"),
                advice: "an adapter that USB has reset may have another number than before")
        }
    }

    /// Reports what the kernel alone knows about an adapter.
    mutating func lookAtState(of name: String) {
        let usb = facts.kernel.usb[name]
        switch facts.kernel.states[name]?.use {
        case .taken:
            let user = facts.kernel.users[name]
            problem(
                .adapterTaken, name,
                "\(user.map { "lubdub (process \($0))" } ?? "another program") has \(name) to itself",
                fix: user.map { .end(process: $0) }, advice: user == nil ? "end that program" : nil)
        case .notSetUp:
            problem(
                .adapterNotSetUp, name, "the kernel could not set up \(name)", fix: usb.map { .setUp($0) },
                advice: "the reason is in the kernel's log: sudo dmesg | grep -i -e bluetooth -e firmware")
        case .free where facts.kernel.states[name]?.supportsLowEnergy == false:
            problem(
                .noLowEnergy, name, "\(name) does not support Bluetooth LE",
                advice: "plug in another USB adapter, for Bluetooth 4.0 or later")
        case .free, nil:
            guard let usb, usb.isSuspended, wanted.name == WantedRadio.adapters else { return }
            hint(
                .adapterSuspended, name, "USB may suspend \(name), which resets some adapters", fix: .keepAwake(usb),
                advice: "until it is plugged in again")
        }
    }

    mutating func look(at adapter: MachineFacts.Adapter) {
        let name = adapter.name
        guard isPeripheral(adapter) else {
            problem(
                .noPeripheral, name, "\(name) cannot be a peripheral",
                advice: "plug in another USB adapter, for Bluetooth 4.0 or later")
            return
        }
        guard let free = adapter.freeAdvertisements, free > 0 else {
            problem(
                .advertisementsUsed, name, "\(name) has no free advertisement", fix: .restart(service: "bluetooth"),
                advice: "or end the program that advertises")
            return
        }
        let known = "\(adapter.address ?? "no address"), peripheral, \(free.counted("advertisement")) free"
        guard adapter.isPowered else {
            let isBlocked = self.isBlocked(name)
            hint(
                .switchedOff, name, "\(name) is switched off: \(known)",
                fix: isBlocked ? nil : .run("bluetoothctl power on"),
                advice: isBlocked ? nil : "serve also switches it on, and off again when it ends")
            return
        }
        ok(name, "\(name): \(known)")
    }

    private func isPeripheral(_ adapter: MachineFacts.Adapter) -> Bool {
        adapter.servesAttributes && adapter.freeAdvertisements != nil
            && (adapter.roles.isEmpty || adapter.roles.contains { $0.hasSuffix("peripheral") })
    }

    mutating func lookAtConfiguration() {
        guard facts.program != nil else { return }
        let configuration = facts.configuration
        if configuration?["General", "ControllerMode"] == "bredr" {
            problem(
                .classicOnly, "configuration", "\(facts.configurationPath) disables Low Energy",
                fix: .configure("ControllerMode = dual"))
        }
        if let version = facts.version, version < DaemonVersion(5, 77), !facts.isExperimental,
            configuration?["General", "Experimental"] != "true"
        {
            hint(
                .intervalsIgnored, "intervals", "BlueZ \(version) ignores the advertising interval of scenarios",
                fix: .configure("Experimental = true"))
        }
        if let configuration, configuration["General", "DeviceID"] != "false" {
            hint(
                .secondInformation, "information",
                "bluetoothd adds its own Device Information service (180A) to the scenario's",
                fix: .configure("DeviceID = false"))
        }
    }

    mutating func lookAtPorts() {
        let first = customaryPorts.lowerBound
        switch facts.freePort {
        case first?: ok("port", "port \(first) of 127.0.0.1 is free")
        case let port?:
            hint(
                .portTaken, "port", "port \(first) of 127.0.0.1 is in use; serve would use \(port)",
                fix: .run("ss -ltnp 'sport = :\(first)'"), advice: "that shows which program uses it")
        case nil:
            problem(
                .portsTaken, "port", "ports \(first) to \(customaryPorts.upperBound) of 127.0.0.1 are in use",
                fix: .run("lubdub serve scenarios/resting.json --controller tcp:127.0.0.1:0"))
        }
    }
}
