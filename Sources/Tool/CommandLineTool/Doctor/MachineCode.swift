import CommandSupport

/// The codes of `doctor`'s findings; a code never changes its meaning.
enum MachineCode: String, CaseIterable, Sendable {
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
    case noCapability = "LD0225"
    case adapterTaken = "LD0226"
    case adapterNotSetUp = "LD0227"
    case noLowEnergy = "LD0228"
    case noSuchAdapter = "LD0229"
    case adapterSuspended = "LD0230"

    /// One paragraph: what is missing, and its consequence.
    var explanation: String {
        switch self {
        case .noBluetooth:
            "The kernel was built without Bluetooth, which is usual in the cloud. A container uses its host's kernel. Boot a kernel with CONFIG_BT; the virtual radio works without it."
        case .notLoaded:
            "The kernel's Bluetooth is a module that is not loaded. It is loaded with the driver of an adapter, or by modprobe."
        case .otherNamespace:
            "The kernel offers Bluetooth only in the host's network namespace, and this program runs in another one, usually a container. The host's bluetoothd can be used if the container shares its system bus; a bluetoothd in the container needs the host's network."
        case .socketsForbidden:
            "The kernel has Bluetooth, but a system call filter or a security module refuses its sockets to this program. bluetoothd has its own sockets; only --radio hci:0 needs them here."
        case .noAdapter:
            "The kernel has no Bluetooth adapter: none is plugged in, its firmware is missing, a switch of the laptop disconnects it, or it belongs to the host of this virtual machine."
        case .noDriver:
            "A USB adapter has no driver. The driver is btusb."
        case .softBlocked:
            "Software has switched the adapter's radio off: a key of the laptop, airplane mode, or a power manager. rfkill switches it on again."
        case .hardBlocked:
            "A switch or the firmware of the laptop has switched the adapter's radio off. No software can switch it on: use the switch or key with an antenna or an aeroplane, or the BIOS."
        case .noBus:
            "bluetoothd is reached over the D-Bus system bus, but nothing listens at its address: D-Bus is not installed or not started, or this is a container without its socket, /run/dbus/system_bus_socket."
        case .busRefuses:
            "A program listens at the address of the system bus, but does not answer in time, or does not know this user. In a container, the user id must be the same as on the host."
        case .noDaemon:
            "BlueZ's bluetoothd, which manages Bluetooth under Linux, is not installed at a usual path."
        case .daemonStopped:
            "bluetoothd is installed, but no program owns the name org.bluez on the system bus. Its service starts only where the kernel has Bluetooth."
        case .callsForbidden:
            "The system bus does not allow this user to call org.bluez. Some systems allow it to a group, others to users who are logged in locally and not over ssh."
        case .daemonSilent:
            "A program owns the name org.bluez, but does not answer in time, or not as bluetoothd does. If it hangs, restart it."
        case .adapterUnknown:
            "The kernel has the adapter, but bluetoothd does not know it: another program uses it exclusively (a user channel), it is still being set up, or its setup failed (see dmesg)."
        case .switchedOff:
            "The adapter is switched off. `lubdub serve --radio bluez` switches it on, and off again when it ends."
        case .noPeripheral:
            "The adapter does not support the peripheral role. Adapters before Bluetooth 4.0 have no Low Energy."
        case .advertisementsUsed:
            "Other programs use all advertisements of the adapter. An advertisement ends with its program, or when bluetoothd restarts."
        case .classicOnly:
            "bluetoothd's configuration disables Low Energy: ControllerMode = bredr."
        case .intervalsIgnored:
            "Before BlueZ 5.77, bluetoothd uses the advertising interval only with experimental interfaces; without them the kernel advertises every 1.28 s, and phones take longer to find the strap."
        case .secondInformation:
            "bluetoothd adds its own Device Information service with a PnP ID. With a scenario's there are two, and some apps read only the first one. DeviceID = false removes bluetoothd's."
        case .noVirtualAdapters:
            "Without /dev/vhci, programs such as BlueZ's btvirt cannot create virtual adapters for tests. Nothing else needs it."
        case .portTaken:
            "Another program, possibly another lubdub, uses the default port of virtual controllers. serve uses the next free port, and prints it."
        case .portsTaken:
            "All default ports of serve are in use. Name another with --controller, or port 0 for any free one."
        case .noCapability:
            "--radio hci:0 takes an adapter from bluetoothd, which the kernel allows only to programs with the capability CAP_NET_ADMIN. setcap gives it to the program's file, for each user who runs it; or use sudo. After each new build or installation it is needed again. --radio bluez does not need it."
        case .adapterTaken:
            "A program has the adapter to itself, over the kernel's user channel, as lubdub with --radio hci:0 does. bluetoothd and other programs can use it again when that program ends."
        case .adapterNotSetUp:
            "The kernel has the adapter, but could not set it up. Most often the firmware that its driver loads is missing; for Debian it is in packages of the section non-free-firmware. Just after the adapter was plugged in, the kernel may still be setting it up."
        case .noLowEnergy:
            "The adapter supports only BR/EDR: it is older than Bluetooth 4.0, or its setup is incomplete. Heart-rate devices use Bluetooth LE."
        case .noSuchAdapter:
            "The kernel has no adapter with this number. An adapter that USB has reset or that was plugged in again may have another number than before."
        case .adapterSuspended:
            "The kernel may suspend this USB adapter to save power. Some adapters are reset by that; a program that has the adapter to itself then loses it, and its links."
        }
    }
}
