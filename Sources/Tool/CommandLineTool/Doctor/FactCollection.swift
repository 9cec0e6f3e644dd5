import CommandSupport
import Drivers
import Glibc
import Linux

/// Facts from files.  Nothing is changed: no module is loaded, no service started.
extension MachineFacts {
    /// The paths of bluetoothd in distributions.
    static let usualPaths = [
        "/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd", "/usr/local/libexec/bluetooth/bluetoothd",
        "/usr/sbin/bluetoothd",
    ]

    init(_ files: FileTree, release: String) {
        kernel = Kernel(files, release: release)
        switches = files.names(in: "/sys/class/rfkill").compactMap { Switch($0, files) }
        hasBusDaemon = files.hasProgram("dbus-daemon") || files.hasProgram("dbus-broker")
        program = Self.usualPaths.first(where: files.isExecutable)
        readConfiguration(files)
        means = Means(files)
    }

    /// Reads the options of the running bluetoothd.
    mutating func read(process: UInt32, _ files: FileTree) {
        let line = contents(of: "\(files.root)/proc/\(process)/cmdline") ?? []
        let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        isExperimental = words.contains { $0 == "-E" || $0.hasPrefix("--experimental") }
        for (word, next) in zip(words, words.dropFirst()) where word == "-f" || word == "--configfile" {
            configurationPath = next
        }
        if let word = words.last(where: { $0.hasPrefix("--configfile=") }) {
            configurationPath = String(word.dropFirst("--configfile=".count))
        }
        readConfiguration(files)
    }

    private mutating func readConfiguration(_ files: FileTree) {
        configuration = files.text(of: configurationPath).map { DaemonConfiguration($0) }
    }
}

extension MachineFacts.Kernel {
    /// `/sys/class/bluetooth` shows whether Bluetooth is loaded; opening a socket would load it.
    init(_ files: FileTree, release: String) {
        self.release = release
        hasBluetooth = files.has("/sys/class/bluetooth")
        hasModule = Self.has(module: "net/bluetooth/bluetooth", files, release)
        interfaces = files.names(in: "/sys/class/bluetooth").filter { $0.hasPrefix("hci") && !$0.contains(":") }
        driverless = files.names(in: "/sys/bus/usb/devices").filter { Self.isAdapterWithoutDriver($0, files) }
        makesAdapters = files.has("/dev/vhci")
        hasAdapterMaker = Self.has(module: "drivers/bluetooth/hci_vhci", files, release)
        for name in interfaces { usb[name] = MachineFacts.USBAdapter(name, files) }
        users = Self.users(files)
    }

    /// The keeper of an adapter names it in its arguments, and is a child of the process that uses it: `AdapterKeeper`.
    private static func users(_ files: FileTree) -> [String: Int] {
        var users: [String: Int] = [:]
        for process in files.names(in: "/proc") where UInt32(process) != nil {
            let words = (files.text(of: "/proc/\(process)/cmdline") ?? "").split(separator: "\0")
            guard words.count > 2, words[1] == AdapterKeeper.word else { continue }
            let lines = (files.text(of: "/proc/\(process)/status") ?? "").split(separator: "\n")
            let parent = lines.first { $0.hasPrefix("PPid:") }.flatMap { Int(trimmed($0.dropFirst("PPid:".count))) }
            users["hci\(words[2])"] = parent
        }
        return users
    }

    private static func has(module: String, _ files: FileTree, _ release: String) -> Bool {
        ["", ".xz", ".zst", ".gz"].contains { files.has("/lib/modules/\(release)/kernel/\(module).ko\($0)") }
    }

    /// usb.org, "Defined Class Codes": E0 wireless controller, 01 radio frequency, 01 Bluetooth.  An adapter's first interface
    /// carries the commands.
    private static func isAdapterWithoutDriver(_ name: String, _ files: FileTree) -> Bool {
        func text(_ file: String) -> String? { files.text(of: "/sys/bus/usb/devices/\(name)/\(file)") }
        return text("bInterfaceClass") == "e0" && text("bInterfaceSubClass") == "01"
            && text("bInterfaceProtocol") == "01" && text("bInterfaceNumber") == "00"
            && !files.has("/sys/bus/usb/devices/\(name)/driver")
    }
}

extension MachineFacts.USBAdapter {
    /// Nil if the interface is not of a USB device.
    init?(_ interface: String, _ files: FileTree) {
        let path = "/sys/class/bluetooth/\(interface)/device/.."
        guard let vendor = files.text(of: "\(path)/idVendor") else { return nil }
        (self.path, self.vendor) = (path, vendor)
        isSuspended = files.text(of: "\(path)/power/control") == "auto"
    }
}

extension MachineFacts.Switch {
    /// Nil for other types: Linux, `Documentation/ABI/stable/sysfs-class-rfkill`.
    init?(_ id: String, _ files: FileTree) {
        func text(_ file: String) -> String? { files.text(of: "/sys/class/rfkill/\(id)/\(file)") }
        guard text("type") == "bluetooth" else { return nil }
        self.id = id
        name = text("name") ?? id
        (isSoftBlocked, isHardBlocked) = (text("soft") == "1", text("hard") == "1")
    }
}

extension MachineFacts.Means {
    private static let policies = ["/etc/dbus-1/system.d/bluetooth.conf", "/usr/share/dbus-1/system.d/bluetooth.conf"]

    init(_ files: FileTree) {
        user = geteuid()
        groups = Self.groups(files)
        for policy in Self.policies.compactMap(files.text) { allowedGroups += Self.groupsAllowed(by: policy) }
        installer = Installer.allCases.first { files.hasProgram($0.rawValue) }
        hasRfkill = files.hasProgram("rfkill")
        administersNetwork = Self.capabilities(in: files.text(of: "/proc/self/status") ?? "") >> 12 & 1 == 1
        executable = OwnProgram.path
        if files.has("/run/systemd/system") {
            services = .systemd
        } else if files.hasProgram("rc-service") {
            services = .openRC
        } else if files.hasProgram("service"), files.has("/etc/init.d") {
            services = .scripts
        }
    }

    /// The effective capabilities of a process, `CapEff` of proc(5), as bits.
    private static func capabilities(in status: String) -> UInt64 {
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        return line.flatMap { UInt64(trimmed($0.dropFirst("CapEff:".count)), radix: 16) } ?? 0
    }

    /// The groups of this process, by their names in `/etc/group`.
    private static func groups(_ files: FileTree) -> [String] {
        var numbers = [gid_t](repeating: 0, count: 1024)
        let count = unsafe getgroups(CInt(numbers.count), &numbers)
        let own = Set(numbers.prefix(Int(max(count, 0))) + [getegid()])
        return (files.text(of: "/etc/group") ?? "").split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count > 2, let number = gid_t(fields[2]), own.contains(number) else { return nil }
            return String(fields[0])
        }
    }

    /// The groups whose `<policy group="…">` allows them to send to org.bluez: dbus-daemon(1).
    static func groupsAllowed(by policy: String) -> [String] {
        var groups: [String] = []
        var group: Substring?
        for tag in policy.split(separator: "<") {
            if tag.hasPrefix("policy") {
                group = tag.split(separator: "group=\"").dropFirst().first?.prefix { $0 != "\"" }
            } else if tag.hasPrefix("/policy") {
                group = nil
            } else if tag.hasPrefix("allow send_destination=\"org.bluez\""), let group {
                groups.append(String(group))
            }
        }
        return groups
    }
}

/// The machine's files; in tests, the files below another folder.
struct FileTree: Sendable {
    let root: String

    init(below root: String = "") { self.root = root }

    /// The sorted names in a folder; none if it cannot be read.
    func names(in folder: String) -> [String] {
        folderEntries(root + folder).sorted()
    }

    /// The trimmed text of a file; nil if it cannot be read.
    func text(of path: String) -> String? {
        contents(of: root + path).map { trimmed(String(decoding: $0, as: UTF8.self)) }
    }

    func has(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

    func isExecutable(_ path: String) -> Bool { unsafe access(root + path, X_OK) == 0 }

    func hasProgram(_ name: String) -> Bool {
        ["/usr/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/local/sbin"].contains {
            isExecutable("\($0)/\(name)")
        }
    }
}
