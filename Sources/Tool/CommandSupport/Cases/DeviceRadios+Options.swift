package import Basics
package import Drivers

// The radios that a command's options name.
extension DeviceRadios {
    package static func option(_ radio: String) -> CommandGrammar.Option {
        .option(
            "--radio", "RADIO", repeatable: true,
            "\(radio) of the devices: virtual (default), bluez, hci:0, hci:tcp:HOST:PORT, ...; see\n"
                + "\"lubdub help radios\"")
    }

    /// The values of `--radio` that name another radio than the virtual one.
    package static func named(_ invocation: Invocation) -> [String] { named(invocation.texts("--radio")) }

    /// Reads the values of `--radio`; nil for the virtual radio.
    package init?(_ invocation: Invocation) throws(Obstacle) {
        guard let radios = try DeviceRadios(invocation.texts("--radio")) else { return nil }
        for option in ["--controller", "--speed"] where invocation.has(option) {
            throw Obstacle(.usage, "\(option) needs the virtual radio: remove \(option), or --radio")
        }
        self = radios
    }
}
