import CommandSupport
import Glibc
import Spelling

/// The judgement of facts; nothing is asked of the machine here.
package struct Diagnosis: Sendable {
    let facts: MachineFacts
    private(set) var findings: [Finding] = []

    /// In the order in which things stand on each other: what is mended first may mend what comes later.
    package init(_ facts: MachineFacts) {
        self.facts = facts
        lookAtKernel()
        lookAtSwitches()
        lookAtAdapters()
        lookAtBus()
        lookAtProgram()
        lookAtDaemon()
        lookAtConfiguration()
        lookAtPorts()
    }

    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// The code of the first problem of these subjects.
    func problem(of subjects: [String]) -> MachineCode? {
        findings.first { $0.level == .problem && subjects.contains($0.subject) }?.code
    }

    // MARK: The kernel

    private mutating func lookAtKernel() {
        let kernel = facts.kernel
        guard kernel.hasBluetooth else {
            add(
                kernel.hasModule
                    ? .problem(
                        .notLoaded, "kernel", "Linux \(kernel.release) has Bluetooth, but not loaded",
                        fix: facts.command(.load(module: "bluetooth")))
                    : withoutBluetooth(kernel.release))
            return
        }
        switch kernel.socketError {
        case nil: add(.ok("kernel", "Linux \(kernel.release) has Bluetooth"))
        case EAFNOSUPPORT?:
            add(
                .hint(
                    .otherNamespace, "kernel", "Linux \(kernel.release) has Bluetooth, but not for this container",
                    advice: "the bluetoothd outside serves, too; to run one here: --network=host"))
        case let code?:
            let reason = unsafe String(cString: strerror(code))
            add(
                .hint(
                    .socketsForbidden, "kernel",
                    "Linux \(kernel.release) has Bluetooth, but no sockets of it for this program: \(reason)",
                    advice: "bluetoothd has its own; look at the container's filter of system calls (seccomp)"))
        }
        if !kernel.makesAdapters {
            add(
                .hint(
                    .noVirtualAdapters, "vhci", "there is no /dev/vhci, which virtual adapters for tests need",
                    fix: kernel.hasAdapterMaker ? facts.command(.load(module: "hci_vhci")) : nil))
        }
    }

    private func withoutBluetooth(_ release: String) -> Finding {
        let isCloud = release.contains("-cloud-")
        return .problem(
            .noBluetooth, "kernel", "Linux \(release) has no Bluetooth",
            fix: isCloud && facts.means.installer == .apt
                ? facts.command(.install(package: "linux-image-amd64")) : nil,
            advice: isCloud
                ? "then boot that kernel" : "boot a kernel with CONFIG_BT; in a container, that is the host's")
    }

    private mutating func lookAtAdapters() {
        let kernel = facts.kernel
        for adapter in kernel.driverless {
            add(
                .problem(
                    .noDriver, "usb", "the USB adapter \(adapter) has no driver",
                    fix: facts.command(.load(module: "btusb"))))
        }
        guard kernel.hasBluetooth, kernel.driverless.isEmpty else { return }
        if kernel.interfaces.isEmpty {
            // A laptop's own switch takes the adapter off its bus.
            guard problem(of: ["rfkill"]) == nil else { return }
            add(
                .problem(
                    .noAdapter, "adapter", "the kernel has no Bluetooth adapter",
                    advice: "plug in a USB adapter for Bluetooth 4.0 or later; dmesg | grep -i bluetooth may say more"))
        } else {
            add(.ok("adapter", "the kernel has \(kernel.interfaces.joined(separator: ", "))"))
        }
    }

    private mutating func lookAtSwitches() {
        for blocked in facts.switches {
            if blocked.isHardBlocked {
                add(
                    .problem(
                        .hardBlocked, "rfkill", "\(blocked.name) is switched off by hardware",
                        advice: "look for the laptop's own switch or key, or in its BIOS"))
            } else if blocked.isSoftBlocked {
                add(
                    .problem(
                        .softBlocked, "rfkill", "\(blocked.name) is blocked by software",
                        fix: facts.command(.unblock(blocked))))
            } else {
                add(.ok("rfkill", "\(blocked.name) is not blocked"))
            }
        }
    }

    // MARK: D-Bus

    private mutating func lookAtBus() {
        let inContainer = "in a container, share the host's /run/dbus/system_bus_socket"
        switch facts.bus {
        case .open: add(.ok("bus", "D-Bus's system bus lets us in"))
        case .unreachable(let why) where facts.hasBusDaemon:
            add(.problem(.noBus, "bus", why, fix: facts.command(.start(service: "dbus")), advice: inContainer))
        case .unreachable(let why):
            add(
                .problem(
                    .noBus, "bus", "\(why); D-Bus is not installed", fix: facts.command(.install(package: "dbus")),
                    advice: inContainer))
        case .refused(let why):
            add(.problem(.busRefuses, "bus", why, fix: facts.command(.restart(service: "dbus")), advice: inContainer))
        case .unasked(let address):
            add(
                .problem(
                    .noBus, "bus", "DBUS_SYSTEM_BUS_ADDRESS is \(address.quoted), and only unix:path= is asked",
                    fix: "unset DBUS_SYSTEM_BUS_ADDRESS"))
        }
    }

    private mutating func lookAtProgram() {
        if let program = facts.program {
            add(.ok("bluez", "\(program)\(facts.version.map { " is of BlueZ \($0)" } ?? " does not tell its version")"))
        } else if case .answering = facts.daemon {
            add(.ok("bluez", "bluetoothd is at no usual place, but answers"))
        } else {
            add(
                .problem(
                    .noDaemon, "bluez", "BlueZ's bluetoothd is not installed",
                    fix: facts.command(.install(package: "bluez"))))
        }
    }

    private mutating func lookAtDaemon() {
        switch facts.daemon {
        case .unasked: break
        case .absent where facts.program == nil: break
        case .absent:
            add(
                .problem(
                    .daemonStopped, "bluetoothd", "bluetoothd does not run",
                    fix: facts.command(.start(service: "bluetooth"))))
        case .silent:
            add(
                .problem(
                    .daemonSilent, "bluetoothd", "bluetoothd does not answer",
                    fix: facts.command(.restart(service: "bluetooth"))))
        case .forbidden: add(forbidden)
        case .answering(let adapters):
            add(.ok("bluetoothd", "bluetoothd answers"))
            for name in facts.kernel.interfaces where !adapters.contains(where: { $0.name == name }) {
                add(
                    .problem(
                        .adapterUnknown, name, "bluetoothd does not know \(name)",
                        fix: facts.command(.restart(service: "bluetooth")),
                        advice: "or end the program that has taken it"))
            }
            for adapter in adapters { look(at: adapter) }
        }
    }

    /// By way of a group if this system has one for it.
    private var forbidden: Finding {
        let found = "D-Bus's policy does not let this user speak to bluetoothd"
        guard let group = facts.means.allowedGroups.first(where: { !facts.means.groups.contains($0) }) else {
            return .problem(.callsForbidden, "policy", found, fix: facts.command(.allow))
        }
        return .problem(
            .callsForbidden, "policy", "\(found), but the group \(group)",
            fix: facts.command(.join(group: group)), advice: "then log out and in again")
    }
}
