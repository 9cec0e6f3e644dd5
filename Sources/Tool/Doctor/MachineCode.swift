import CommandSupport

/// The codes of what `doctor` finds, in one table: a code keeps its meaning for ever, as those of documents do.
package enum MachineCode: String, CaseIterable, Sendable {
    case noBluetooth = "LD0201"
    case notLoaded = "LD0202"
    case otherNamespace = "LD0203"
    case socketsForbidden = "LD0204"
    case noAdapter = "LD0205"
    case noDriver = "LD0206"
    case softBlocked = "LD0207"
    case hardBlocked = "LD0208"
    case noBus = "LD0209"
    case busRefuses = "LD0210"
    case noDaemon = "LD0211"
    case daemonStopped = "LD0212"
    case callsForbidden = "LD0213"
    case daemonSilent = "LD0214"
    case adapterUnknown = "LD0215"
    case switchedOff = "LD0216"
    case noPeripheral = "LD0217"
    case advertisementsUsed = "LD0218"
    case classicOnly = "LD0219"
    case intervalsIgnored = "LD0220"
    case secondInformation = "LD0221"
    case noVirtualAdapters = "LD0222"
    case portTaken = "LD0223"
    case portsTaken = "LD0224"

    /// One paragraph for people: what is missing, and what follows.
    package var explanation: String {
        switch self {
        case .noBluetooth:
            "The kernel was built without Bluetooth, as kernels for clouds and many containers' hosts are. A container has the kernel of its host. Boot a kernel with CONFIG_BT; the virtual radio needs none."
        case .notLoaded:
            "The kernel's Bluetooth is a module that is not loaded. It is loaded with the driver of an adapter when one is plugged in; modprobe loads it by hand."
        case .otherNamespace:
            "The kernel has Bluetooth, but for programs in its first network namespace only, and this one runs in another: in a container. A bluetoothd outside is reached all the same, if the container shares its system bus; one inside needs the network of the host."
        case .socketsForbidden:
            "The kernel has Bluetooth, but a filter of system calls or a security module forbids its sockets to this program. bluetoothd has sockets of its own: only --radio hci:socket would need them here."
        case .noAdapter:
            "The kernel has no Bluetooth adapter: none is plugged in, the firmware of one is missing, a switch of the laptop takes it off its bus, or it belongs to the host of this virtual machine."
        case .noDriver:
            "A USB adapter is plugged in that no driver uses. btusb is the driver of them all."
        case .softBlocked:
            "Software has switched the adapter's radio off: a key of the laptop, airplane mode, or a power manager. rfkill switches it on again."
        case .hardBlocked:
            "A switch or the firmware of the laptop has switched the adapter's radio off. No software can switch it on: look for a switch or a key with an antenna or an aeroplane, or in the BIOS."
        case .noBus:
            "bluetoothd is reached over D-Bus's system bus, and nobody listens at its address: D-Bus is not installed or not started, or this is a container without its socket, /run/dbus/system_bus_socket."
        case .busRefuses:
            "Somebody listens at the address of the system bus, but does not say hello in time, or does not know this user. In a container the user's number must be the same as outside."
        case .noDaemon:
            "BlueZ's bluetoothd, which has the radio under Linux, is not installed at any usual place."
        case .daemonStopped:
            "bluetoothd is installed, but nobody has the name org.bluez on the system bus. Its service starts only where the kernel has Bluetooth."
        case .callsForbidden:
            "The system bus does not let this user speak to org.bluez. The policy of some systems allows that to members of a group, others' to whoever is logged in at the machine itself and not over ssh."
        case .daemonSilent:
            "Somebody has the name org.bluez, but does not answer in time or not as bluetoothd does. A restart helps when it hangs."
        case .adapterUnknown:
            "The kernel has the adapter and bluetoothd does not know it: another program has taken it for itself (a user channel), it is being set up, or its setup has failed: dmesg says so."
        case .switchedOff:
            "The adapter is switched off. `lubdub serve --radio bluez` switches it on, and off again at its end."
        case .noPeripheral:
            "The adapter cannot be a peripheral. Adapters before Bluetooth 4.0 have no Low Energy at all."
        case .advertisementsUsed:
            "All advertisements that the adapter can send at a time are in use by other programs. They end with their programs, or when bluetoothd is restarted."
        case .classicOnly:
            "bluetoothd's configuration switches Low Energy off: ControllerMode = bredr."
        case .intervalsIgnored:
            "Before BlueZ 5.77 bluetoothd heeds the interval of an advertisement only with its experimental interfaces; without them the kernel advertises every 1.28 s, and a phone takes longer to find the strap."
        case .secondInformation:
            "bluetoothd has a Device Information service of its own, with a PnP ID. Beside a scenario's there are two of them, and some apps look at the first one only. DeviceID = false takes bluetoothd's away."
        case .noVirtualAdapters:
            "Without /dev/vhci no program can make virtual adapters, as BlueZ's btvirt does for tests. Nothing else needs it."
        case .portTaken:
            "Another program, perhaps another lubdub, listens at the customary port of virtual controllers. serve takes the next free one, and prints it."
        case .portsTaken:
            "All ports that serve tries by itself are in use. It can be told another, or 0 for any that is free."
        }
    }
}
