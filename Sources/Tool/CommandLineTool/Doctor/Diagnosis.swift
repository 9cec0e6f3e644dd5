import Basics
import CommandSupport
import Glibc

/// The findings from a machine's facts.
struct Diagnosis: Sendable {
    let facts: MachineFacts
    let wanted: WantedRadio
    private(set) var findings: [DoctorFinding] = []

    /// The findings are in order of dependency: fixing an early one may fix later ones.
    init(_ facts: MachineFacts, for wanted: WantedRadio = .virtual) {
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

    mutating func ok(_ subject: String, _ found: String) {
        findings.append(DoctorFinding(subject: subject, level: .ok, code: nil, found: found, command: nil, advice: nil))
    }

    mutating func hint(
        _ code: MachineCode, _ subject: String, _ found: String, fix: MachineFacts.Fix? = nil, advice: String? = nil
    ) {
        add(.hint, code, subject, found, fix, advice)
    }

    mutating func problem(
        _ code: MachineCode, _ subject: String, _ found: String, fix: MachineFacts.Fix? = nil, advice: String? = nil
    ) {
        add(.problem, code, subject, found, fix, advice)
    }

    private mutating func add(
        _ level: DoctorFinding.Level, _ code: MachineCode, _ subject: String, _ found: String, _ fix: MachineFacts.Fix?,
        _ advice: String?
    ) {
        let command = fix.flatMap(facts.command)
        findings.append(
            DoctorFinding(subject: subject, level: level, code: code, found: found, command: command, advice: advice))
    }

    /// The code of the first problem with one of these subjects.
    func problem(of subjects: [String]) -> MachineCode? {
        findings.first { $0.level == .problem && subjects.contains($0.subject) }?.code
    }

    // MARK: The kernel

    private mutating func lookAtKernel() {
        let kernel = facts.kernel
        guard kernel.hasBluetooth else {
            if kernel.hasModule {
                problem(
                    .notLoaded, "kernel", "Linux \(kernel.release) has a Bluetooth module that is not loaded",
                    fix: .load(module: "bluetooth"))
            } else {
                lookAtKernelWithoutBluetooth(kernel.release)
            }
            return
        }
        switch kernel.socketError {
        case nil: ok("kernel", "Linux \(kernel.release) has Bluetooth")
        case EAFNOSUPPORT?:
            hint(
                .otherNamespace, "kernel",
                "Linux \(kernel.release) has Bluetooth, but not in this container's network namespace",
                advice: "the host's bluetoothd works, too; to run one here: --network=host")
        case let code?:
            let reason = unsafe String(cString: strerror(code))
            hint(
                .socketsForbidden, "kernel",
                "Linux \(kernel.release) has Bluetooth, but refuses its sockets to this program: \(reason)",
                advice: "bluetoothd has its own sockets; check the container's system call filter (seccomp)")
        }
        if !kernel.makesAdapters {
            hint(
                .noVirtualAdapters, "vhci", "/dev/vhci is missing, which virtual adapters for tests need",
                fix: kernel.hasAdapterMaker ? .load(module: "hci_vhci") : nil)
        }
    }

    private mutating func lookAtKernelWithoutBluetooth(_ release: String) {
        let isCloud = release.contains("-cloud-")
        problem(
            .noBluetooth, "kernel", "Linux \(release) has no Bluetooth",
            fix: isCloud && facts.means.installer == .apt ? .install(package: "linux-image-amd64") : nil,
            advice: isCloud
                ? "then boot that kernel" : "boot a kernel with CONFIG_BT; a container uses the host's kernel")
    }

    private mutating func lookAtAdapters() {
        let kernel = facts.kernel
        for adapter in kernel.driverless {
            problem(.noDriver, "usb", "the USB adapter \(adapter) has no driver", fix: .load(module: "btusb"))
        }
        guard kernel.hasBluetooth, kernel.driverless.isEmpty else { return }
        if kernel.interfaces.isEmpty {
            // A laptop's switch may disconnect the adapter from its bus.
            guard problem(of: ["rfkill"]) == nil else { return }
            problem(
                .noAdapter, "adapter", "the kernel has no Bluetooth adapter",
                advice: "plug in a USB adapter for Bluetooth 4.0 or later; dmesg | grep -i bluetooth may show why")
            return
        }
        ok("adapter", "the kernel has \(kernel.interfaces.joined(separator: ", "))")
        if !facts.means.administersNetwork {
            hint(
                .noCapability, "capability", "this program lacks CAP_NET_ADMIN, which --radio hci:0 needs",
                fix: .administerNetwork)
        }
    }

    private mutating func lookAtSwitches() {
        for blocked in facts.switches {
            if blocked.isHardBlocked {
                problem(
                    .hardBlocked, "rfkill", "\(blocked.name) is switched off by hardware",
                    advice: "use the laptop's switch or key, or its BIOS")
            } else if blocked.isSoftBlocked {
                problem(.softBlocked, "rfkill", "\(blocked.name) is blocked by software", fix: .unblock(blocked))
            } else {
                ok("rfkill", "\(blocked.name) is not blocked")
            }
        }
    }

    // MARK: D-Bus

    private mutating func lookAtBus() {
        let inContainer = "in a container, share the host's /run/dbus/system_bus_socket"
        switch facts.bus {
        case .open: ok("bus", "the D-Bus system bus accepts connections")
        case .unreachable(let why) where facts.hasBusDaemon:
            problem(.noBus, "bus", why, fix: .start(service: "dbus"), advice: inContainer)
        case .unreachable(let why):
            problem(
                .noBus, "bus", "\(why); D-Bus is not installed", fix: .install(package: "dbus"), advice: inContainer)
        case .refused(let why):
            problem(.busRefuses, "bus", why, fix: .restart(service: "dbus"), advice: inContainer)
        case .unasked(let address):
            problem(
                .noBus, "bus", "DBUS_SYSTEM_BUS_ADDRESS is \(address.quoted), but doctor only checks unix:path=",
                fix: .run("unset DBUS_SYSTEM_BUS_ADDRESS"))
        }
    }

    private mutating func lookAtProgram() {
        if let program = facts.program {
            ok("bluez", "\(program)\(facts.version.map { " is of BlueZ \($0)" } ?? " does not report its version")")
        } else if case .answering = facts.daemon {
            ok("bluez", "bluetoothd is not at a usual path, but answers")
        } else {
            problem(.noDaemon, "bluez", "BlueZ's bluetoothd is not installed", fix: .install(package: "bluez"))
        }
    }

    private mutating func lookAtDaemon() {
        switch facts.daemon {
        case .unasked: break
        case .absent where facts.program == nil: break
        case .absent:
            problem(.daemonStopped, "bluetoothd", "bluetoothd is not running", fix: .start(service: "bluetooth"))
        case .silent:
            problem(.daemonSilent, "bluetoothd", "bluetoothd does not answer", fix: .restart(service: "bluetooth"))
        case .forbidden: lookAtPolicy()
        case .answering(let adapters):
            ok("bluetoothd", "bluetoothd answers")
            for name in facts.kernel.interfaces
            where !adapters.contains(where: { $0.name == name }) && problem(of: [name]) == nil {
                problem(
                    .adapterUnknown, name, "bluetoothd does not know \(name)", fix: .restart(service: "bluetooth"),
                    advice: "or end the program that uses it")
            }
            for adapter in adapters where problem(of: [adapter.name]) == nil { look(at: adapter) }
        }
    }

    /// For a forbidden call: join a group if the policy names one.
    private mutating func lookAtPolicy() {
        let found = "the D-Bus policy does not allow this user to call bluetoothd"
        guard let group = facts.means.allowedGroups.first(where: { !facts.means.groups.contains($0) }) else {
            problem(.callsForbidden, "policy", found, fix: .allow)
            return
        }
        problem(
            .callsForbidden, "policy", "\(found), only the group \(group)", fix: .join(group: group),
            advice: "then log out and in again")
    }
}
