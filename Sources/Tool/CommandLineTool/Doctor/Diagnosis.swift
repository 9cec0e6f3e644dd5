import Basics
import CommandSupport
import Glibc

/// The findings from a machine's facts.
package struct Diagnosis: Sendable {
    let facts: MachineFacts
    let wanted: WantedRadio
    private(set) var findings: [Finding] = []

    /// The findings are in order of dependency: fixing an early one may fix later ones.
    package init(_ facts: MachineFacts, for wanted: WantedRadio = .virtual) {
        (self.facts, self.wanted) = (facts, wanted)
        lookAtKernel()
        lookAtSwitches()
        lookAtAdapters()
        lookForWantedAdapters()
        for name in facts.kernel.interfaces { lookAtState(of: name) }
        lookAtBus()
        lookAtProgram()
        lookAtDaemon()
        lookAtConfiguration()
        lookAtPorts()
    }

    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// The code of the first problem with one of these subjects.
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
                        .notLoaded, "kernel", "Linux \(kernel.release) has a Bluetooth module that is not loaded",
                        fix: facts.command(.load(module: "bluetooth")))
                    : withoutBluetooth(kernel.release))
            return
        }
        switch kernel.socketError {
        case nil: add(.ok("kernel", "Linux \(kernel.release) has Bluetooth"))
        case EAFNOSUPPORT?:
            add(
                .hint(
                    .otherNamespace, "kernel",
                    "Linux \(kernel.release) has Bluetooth, but not in this container's network namespace",
                    advice: "the host's bluetoothd works, too; to run one here: --network=host"))
        case let code?:
            let reason = unsafe String(cString: strerror(code))
            add(
                .hint(
                    .socketsForbidden, "kernel",
                    "Linux \(kernel.release) has Bluetooth, but refuses its sockets to this program: \(reason)",
                    advice: "bluetoothd has its own sockets; check the container's system call filter (seccomp)"))
        }
        if !kernel.makesAdapters {
            add(
                .hint(
                    .noVirtualAdapters, "vhci", "/dev/vhci is missing, which virtual adapters for tests need",
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
                ? "then boot that kernel" : "boot a kernel with CONFIG_BT; a container uses the host's kernel")
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
            // A laptop's switch may disconnect the adapter from its bus.
            guard problem(of: ["rfkill"]) == nil else { return }
            add(
                .problem(
                    .noAdapter, "adapter", "the kernel has no Bluetooth adapter",
                    advice: "plug in a USB adapter for Bluetooth 4.0 or later; dmesg | grep -i bluetooth may show why"))
            return
        }
        add(.ok("adapter", "the kernel has \(kernel.interfaces.joined(separator: ", "))"))
        if !facts.means.administersNetwork {
            add(
                .hint(
                    .noCapability, "capability", "this program lacks CAP_NET_ADMIN, which --radio hci:0 needs",
                    fix: facts.command(.administerNetwork)))
        }
    }

    private mutating func lookAtSwitches() {
        for blocked in facts.switches {
            if blocked.isHardBlocked {
                add(
                    .problem(
                        .hardBlocked, "rfkill", "\(blocked.name) is switched off by hardware",
                        advice: "use the laptop's switch or key, or its BIOS"))
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
        case .open: add(.ok("bus", "the D-Bus system bus accepts connections"))
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
                    .noBus, "bus", "DBUS_SYSTEM_BUS_ADDRESS is \(address.quoted), but doctor only checks unix:path=",
                    fix: "unset DBUS_SYSTEM_BUS_ADDRESS"))
        }
    }

    private mutating func lookAtProgram() {
        if let program = facts.program {
            add(
                .ok(
                    "bluez", "\(program)\(facts.version.map { " is of BlueZ \($0)" } ?? " does not report its version")"
                ))
        } else if case .answering = facts.daemon {
            add(.ok("bluez", "bluetoothd is not at a usual path, but answers"))
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
                    .daemonStopped, "bluetoothd", "bluetoothd is not running",
                    fix: facts.command(.start(service: "bluetooth"))))
        case .silent:
            add(
                .problem(
                    .daemonSilent, "bluetoothd", "bluetoothd does not answer",
                    fix: facts.command(.restart(service: "bluetooth"))))
        case .forbidden: add(forbidden)
        case .answering(let adapters):
            add(.ok("bluetoothd", "bluetoothd answers"))
            for name in facts.kernel.interfaces
            where !adapters.contains(where: { $0.name == name }) && problem(of: [name]) == nil {
                add(
                    .problem(
                        .adapterUnknown, name, "bluetoothd does not know \(name)",
                        fix: facts.command(.restart(service: "bluetooth")),
                        advice: "or end the program that uses it"))
            }
            for adapter in adapters where problem(of: [adapter.name]) == nil { look(at: adapter) }
        }
    }

    /// The finding for a forbidden call: join a group if the policy names one.
    private var forbidden: Finding {
        let found = "the D-Bus policy does not allow this user to call bluetoothd"
        guard let group = facts.means.allowedGroups.first(where: { !facts.means.groups.contains($0) }) else {
            return .problem(.callsForbidden, "policy", found, fix: facts.command(.allow))
        }
        return .problem(
            .callsForbidden, "policy", "\(found), only the group \(group)",
            fix: facts.command(.join(group: group)), advice: "then log out and in again")
    }
}
