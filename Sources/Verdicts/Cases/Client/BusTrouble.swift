/// The words of programs that do not reach a message bus, or BlueZ there.
enum BusTrouble {
    /// Of libdbus, GLib, Qt, dbus-fast and bleak, godbus and zbus.
    private static let errors = [
        "org.freedesktop.DBus.Error", "Failed to connect to socket /run/dbus",
        "Failed to connect to socket /var/run/dbus",
        "/dbus/system_bus_socket", "Failed to open connection to", "org.bluez was not provided",
        "The name org.bluez", "Could not connect: No such file or directory", "Could not connect: Connection refused",
        "Not connected to D-Bus server", "BleakDBusError", "No Bluetooth adapters found",
        "Bluetooth device is turned off", "could not connect to the system bus",
    ]
    private static let names = ["dbus", "d-bus", "bluez", "gdbus"]
    private static let missingFiles = [
        "FileNotFoundError", "No such file or directory", "ENOENT", "ConnectionRefusedError",
    ]

    /// Whether a line can only be about a bus, or about BlueZ.
    static func isCertain(in line: String) -> Bool { errors.contains { line.contains($0) } }

    /// Whether a line is about a file or socket that does not exist.
    static func isMissingFile(in line: String) -> Bool { missingFiles.contains { line.contains($0) } }

    /// Whether a line names D-Bus.
    static func isMentioned(in line: String) -> Bool {
        let line = line.lowercased()
        return names.contains { line.contains($0) }
    }
}
