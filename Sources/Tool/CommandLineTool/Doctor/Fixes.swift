import Basics
import CommandSupport

/// A package manager.
enum Installer: String, CaseIterable, Sendable {
    case apt = "apt-get"
    case dnf, zypper, pacman, apk

    func command(_ package: String) -> String {
        switch self {
        case .apt, .dnf, .zypper: "\(rawValue) install \(package)"
        case .pacman: "pacman -S \(package)"
        case .apk: "apk add \(package)"
        }
    }

    /// The package with the firmware of Bluetooth adapters of a USB vendor.
    func firmware(ofVendor vendor: String) -> String {
        switch (self, vendor) {
        case (.apt, "8087"): "firmware-iwlwifi"
        case (.apt, "0bda"): "firmware-realtek"
        case (.apt, "0a5c"): "firmware-brcm80211"
        case (.apt, "0cf3"): "firmware-atheros"
        case (.apt, _): "firmware-misc-nonfree"
        case (.zypper, _): "kernel-firmware-bluetooth"
        case (.dnf, _), (.pacman, _), (.apk, _): "linux-firmware"
        }
    }
}

enum ServiceManager: Hashable, Sendable {
    case systemd, scripts, openRC

    func command(_ verb: String, _ service: String) -> String {
        switch self {
        case .systemd: "systemctl \(verb) \(service)"
        case .scripts: "service \(service) \(verb)"
        case .openRC: "rc-service \(service) \(verb)"
        }
    }
}

extension MachineFacts {
    /// A fix as a command, for this user on this machine.
    enum Fix {
        /// This command.
        case run(String)
        case load(module: String)
        case unblock(Switch)
        case install(package: String)
        case start(service: String)
        case restart(service: String)
        /// Sets a key of `[General]` in bluetoothd's configuration.
        case configure(String)
        case join(group: String)
        /// Gives this program the capability CAP_NET_ADMIN.
        case administerNetwork
        /// Installs the firmware of a USB vendor, and loads the driver again.
        case setUp(USBAdapter)
        /// Keeps USB from suspending a device.
        case keepAwake(USBAdapter)
        case end(process: Int)
        /// Allows this user to call org.bluez, by a D-Bus policy.
        case allow
    }

    func command(_ fix: Fix) -> String? {
        switch fix {
        case .run(let command): command
        case .load(let module): asRoot("modprobe \(module)")
        case .unblock(let blocked):
            means.hasRfkill
                ? asRoot("rfkill unblock bluetooth")
                : "echo 0 | " + asRoot("tee /sys/class/rfkill/\(blocked.id)/soft")
        case .install(let package): means.installer.map { asRoot($0.command(package)) }
        case .start(let service):
            means.services.map { asRoot($0.command("start", service)) } ?? startingDirectly(service)
        case .restart(let service): means.services.map { asRoot($0.command("restart", service)) }
        case .configure(let setting): configuring(setting)
        case .join(let group): asRoot("usermod --append --groups \(group) \"$(id -un)\"")
        case .administerNetwork: asRoot("setcap cap_net_admin+ep \(means.executable.forShell)")
        case .setUp(let adapter):
            [
                means.installer.flatMap { command(.install(package: $0.firmware(ofVendor: adapter.vendor))) },
                asRoot("modprobe --remove btusb"), asRoot("modprobe btusb"),
            ].compactMap { $0 }.joined(separator: " && ")
        case .keepAwake(let adapter): "echo on | " + asRoot("tee \(adapter.path)/power/control")
        case .end(let process): "kill \(process)"
        case .allow:
            "echo '<busconfig><policy user=\"\(means.user)\"><allow send_destination=\"org.bluez\"/></policy></busconfig>' | "
                + asRoot("tee /etc/dbus-1/system.d/lubdub.conf")
        }
    }

    private func asRoot(_ command: String) -> String { means.user == 0 ? command : "sudo \(command)" }

    private func startingDirectly(_ service: String) -> String? {
        switch service {
        case "dbus": asRoot("mkdir -p /run/dbus") + " && " + asRoot("dbus-daemon --system --fork")
        case "bluetooth": program.map { asRoot("\($0) --nodetach &") }
        default: nil
        }
    }

    private func configuring(_ setting: String) -> String {
        let key = setting.prefix { $0 != " " }
        let edit = asRoot("sed -i -e '/^\(key)\\b/d' -e '/^\\[General\\]/a \(setting)' \(configurationPath)")
        return ([edit] + [command(.restart(service: "bluetooth"))].compactMap { $0 }).joined(separator: " && ")
    }
}
