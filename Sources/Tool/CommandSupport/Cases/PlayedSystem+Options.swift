package import Basics
import BlueZServer
package import Cases

extension PlayedSystem {
    /// The options that say how bluetoothd is played.
    package static let settings = [
        "--bluez-version", "--bluez-cache", "--bluez-pace", "--bluez-experimental", "--adapters",
    ]

    private static let maximumAdapters = 16

    /// The option `--system`, and those that need it; `condition` begins the text of the first.
    package static func options(_ condition: String = "") -> [CommandGrammar.Option] {
        let play = condition.isEmpty ? "Play" : "play"
        return [
            .option(
                "--system", "bluez[:unix:PATH]", of: .address,
                "\(condition)\(play) bluetoothd on a message bus of this program, for programs that use BlueZ: they find the\n"
                    + "bus by DBUS_SYSTEM_BUS_ADDRESS"),
            .option(
                "--bluez-version", "VERSION",
                "With --system: the properties, services and errors of this version, \(BlueZVersion.range) (default: "
                    + "\(BlueZVersion.measured.text))"),
            .option(
                "--bluez-cache", "always|yes|no",
                "With --system: whether bluetoothd keeps the attributes and subscriptions of a device that is not connected,\n"
                    + "as [GATT] Cache in main.conf: yes is for bonded devices (default: always)"),
            .option(
                "--bluez-pace", "real|quick",
                "With --system: wait as long as bluetoothd does, or leave out what only waits (default: real)"),
            .flag(
                "--bluez-experimental",
                "With --system: have what bluetoothd has with --experimental only: advertisement monitors, for passive scans"
            ),
            .option(
                "--adapters", "NUMBER",
                "With --system: how many adapters bluetoothd has, hci0 and further ones, 1 to \(maximumAdapters) (default: 1)"
            ),
        ]
    }

    /// Reads `--system` and the options that need it; nil without.
    package init?(_ invocation: Invocation) throws(Obstacle) {
        guard let text = invocation.text("--system") else {
            for name in Self.settings where invocation.has(name) {
                throw Obstacle(.usage, "\(name) requires --system bluez: it says how Lubdub plays bluetoothd")
            }
            return nil
        }
        var settings = Settings()
        if let text = invocation.text("--bluez-version") {
            guard let version = BlueZVersion(text) else {
                throw Obstacle(
                    .usage, "--bluez-version \(text): not a version from \(BlueZVersion.range), for example 5.60")
            }
            settings.version = version
        }
        settings.isExperimental = invocation.has("--bluez-experimental")
        try orFail {
            let cache = try invocation.choice("--bluez-cache", of: Settings.Cache.allCases.map(\.rawValue))
            settings.cache = cache.flatMap(Settings.Cache.init) ?? .always
            let pace = try invocation.choice("--bluez-pace", of: Settings.Pace.allCases.map(\.rawValue))
            settings.pace = pace.flatMap(Settings.Pace.init) ?? .real
            let numbers = 1...Self.maximumAdapters
            settings.adapters =
                try invocation.value("--adapters", as: "a whole number from 1 to \(numbers.upperBound)") { text in
                    Int(text).flatMap { numbers.contains($0) ? $0 : nil }
                } ?? 1
        }
        try self.init(text, settings)
    }
}
