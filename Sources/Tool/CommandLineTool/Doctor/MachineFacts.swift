import CommandSupport
import Drivers

/// Observations of the machine, without judgement.
struct MachineFacts: Sendable {
    struct Kernel: Sendable {
        /// As `uname -r` prints it.
        var release = ""
        /// Whether Bluetooth is built in or loaded.
        var hasBluetooth = false
        /// Whether the Bluetooth module can be loaded.
        var hasModule = false
        /// Why no Bluetooth socket can be opened, by `errno(3)`.
        var socketError: Int32?
        /// `hci0` and so on.
        var interfaces: [String] = []
        /// USB adapters without a driver: `1-4:1.0`.
        var driverless: [String] = []
        /// Whether `/dev/vhci` exists.
        var makesAdapters = false
        /// Whether the module of `/dev/vhci` can be loaded.
        var hasAdapterMaker = false
        /// What the kernel knows about the interfaces; those about which it does not answer are missing.
        var states: [String: AdapterState] = [:]
        /// The interfaces that are USB adapters.
        var usb: [String: USBAdapter] = [:]
        /// The processes of Lubdub that have an interface to themselves.
        var users: [String: Int] = [:]
    }

    struct USBAdapter: Hashable, Sendable {
        /// Its folder in `/sys`.
        let path: String
        /// usb.org, "Vendor ID", as four hexadecimal digits.
        let vendor: String
        /// Whether the kernel may suspend it.
        let isSuspended: Bool
    }

    /// An rfkill switch of type `bluetooth`.
    struct Switch: Hashable, Sendable {
        /// `rfkill0`
        let id: String
        /// The adapter's name, or the laptop's name for it.
        let name: String
        let isSoftBlocked: Bool
        let isHardBlocked: Bool
    }

    enum Bus: Hashable, Sendable {
        case open
        case unreachable(String)
        case refused(String)
        /// Connecting to its address could block.
        case unasked(address: String)
    }

    /// An adapter, as bluetoothd reports it.
    struct Adapter: Hashable, Sendable {
        var name: String
        var address: String? = nil
        var isPowered = true
        var servesAttributes = true
        /// The number of free advertisements; nil when it cannot advertise.
        var freeAdvertisements: Int? = 1
        /// Empty when bluetoothd does not report them.
        var roles: [String] = []
    }

    enum Daemon: Hashable, Sendable {
        case unasked, absent, forbidden, silent
        case answering([Adapter])
    }

    /// The user's permissions and tools.
    struct Means: Sendable {
        var user: UInt32 = 0
        /// The names of this process's groups.
        var groups: [String] = []
        /// The groups that a D-Bus policy allows to call org.bluez.
        var allowedGroups: [String] = []
        var installer: Installer?
        var services: ServiceManager?
        var hasRfkill = false
        /// Whether this process has the capability CAP_NET_ADMIN: capabilities(7).
        var administersNetwork = false
        /// The path of this program.
        var executable = ""
    }

    var kernel = Kernel()
    var switches: [Switch] = []
    var bus = Bus.open
    var hasBusDaemon = true
    var daemon = Daemon.unasked
    /// The path of bluetoothd; nil when it is not at a usual path.
    var program: String?
    var version: DaemonVersion?
    /// Whether bluetoothd was started with experimental interfaces.
    var isExperimental = false
    /// Nil when it cannot be read.
    var configuration: DaemonConfiguration?
    var configurationPath = "/etc/bluetooth/main.conf"
    var means = Means()
    /// The first of `customaryPorts` that is free.
    var freePort: Int?
}

/// `5.66`
struct DaemonVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    let major: Int
    let minor: Int

    init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

    /// Reads the output of `bluetoothd --version`.
    init?(_ text: some StringProtocol) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let major = numbers[0], let minor = numbers[1] else { return nil }
        self.init(major, minor)
    }

    var description: String { "\(major).\(minor)" }

    static func < (one: Self, other: Self) -> Bool { (one.major, one.minor) < (other.major, other.minor) }
}

/// bluetoothd's `main.conf`: `[Group]`, `Key = value`, and comments after `#`, as GLib reads them.
struct DaemonConfiguration: Hashable, Sendable {
    private var values: [String: String] = [:]  // by "Group/Key"

    init(_ text: String) {
        var group = ""
        for line in text.split(separator: "\n").map(trimmed) where !line.hasPrefix("#") {
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = String(line.dropFirst().dropLast())
            } else if let equals = line.firstIndex(of: "=") {
                let key = "\(group)/\(trimmed(line[..<equals]))"
                values[key] = String(trimmed(line[line.index(after: equals)...]))
            }
        }
    }

    subscript(group: String, key: String) -> String? { values["\(group)/\(key)"] }
}

/// The text without spaces at either end.
func trimmed(_ text: some StringProtocol) -> String {
    let front = text.drop { $0.isWhitespace }
    return String(front.reversed().drop { $0.isWhitespace }.reversed())
}
