import CommandSupport

/// What was seen of the machine; nothing of it is judged here.
package struct MachineFacts: Sendable {
    struct Kernel: Sendable {
        /// As `uname -r` prints it.
        var release = ""
        /// Whether its Bluetooth is there, built in or loaded.
        var hasBluetooth = false
        /// Whether there is a module to load.
        var hasModule = false
        /// Why no Bluetooth socket can be opened, by `errno(3)`.
        var socketError: Int32?
        /// `hci0` and so on.
        var interfaces: [String] = []
        /// USB adapters that no driver uses: `1-4:1.0`.
        var driverless: [String] = []
        /// Whether `/dev/vhci` is there.
        var makesAdapters = false
        /// Whether the module that makes `/dev/vhci` is there to load.
        var hasAdapterMaker = false
    }

    /// One of rfkill's, of the type `bluetooth`.
    struct Switch: Hashable, Sendable {
        /// `rfkill0`
        let id: String
        /// Of the adapter, or the laptop's own name for it.
        let name: String
        let isSoftBlocked: Bool
        let isHardBlocked: Bool
    }

    enum Bus: Hashable, Sendable {
        case open
        case unreachable(String)
        case refused(String)
        /// Its address is none that can be asked without waiting.
        case unasked(address: String)
    }

    /// What bluetoothd tells of an adapter.
    struct Adapter: Hashable, Sendable {
        var name: String
        var address: String? = nil
        var isPowered = true
        var servesAttributes = true
        /// How many more advertisements it can send; nil when none at all.
        var freeAdvertisements: Int? = 1
        /// Empty when bluetoothd does not tell.
        var roles: [String] = []
    }

    enum Daemon: Hashable, Sendable {
        case unasked, absent, forbidden, silent
        case answering([Adapter])
    }

    /// What the user may and what is at hand to mend things.
    struct Means: Sendable {
        var user: UInt32 = 0
        /// Those of this process, by name.
        var groups: [String] = []
        /// Groups that a policy of D-Bus lets speak to org.bluez.
        var allowedGroups: [String] = []
        var installer: Installer?
        var services: ServiceManager?
        var hasRfkill = false
    }

    var kernel = Kernel()
    var switches: [Switch] = []
    var bus = Bus.open
    var hasBusDaemon = true
    var daemon = Daemon.unasked
    /// Where bluetoothd's program is; nil when it is at no usual place.
    var program: String?
    var version: DaemonVersion?
    /// Whether it was started with experimental interfaces.
    var isExperimental = false
    /// Nil when it is not to be read.
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

    /// What `bluetoothd --version` prints.
    init?(_ text: some StringProtocol) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let major = numbers[0], let minor = numbers[1] else { return nil }
        self.init(major, minor)
    }

    var description: String { "\(major).\(minor)" }

    static func < (one: Self, other: Self) -> Bool { (one.major, one.minor) < (other.major, other.minor) }
}

/// bluetoothd's `main.conf`: `[Group]`, `Key = value`, and comments behind `#`, as GLib reads them.
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

/// Without blanks at either end.
func trimmed(_ text: some StringProtocol) -> String {
    let front = text.drop { $0.isWhitespace }
    return String(front.reversed().drop { $0.isWhitespace }.reversed())
}
