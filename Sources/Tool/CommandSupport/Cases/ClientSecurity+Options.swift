package import Basics
package import Drivers

// The options for the pairing of the built-in client.
extension ClientSecurity {
    package static let passkeyOption = CommandGrammar.Option.option(
        "--passkey", "DIGITS",
        "The passkey that the device displays, or that is printed on it (default: on a terminal, you are asked)")

    package static let bondsOption = CommandGrammar.Option.option(
        "--bonds", "FILE", of: .file(.updated),
        "Keep bonds in this file, which only you can read; it is created if missing")

    /// The passkey of `passkeyOption`; nil if it is not given.
    package static func passkey(_ invocation: Invocation) throws(Obstacle) -> UInt32? {
        try orFail {
            try invocation.value("--passkey", as: "six digits, for example 123456") { text in
                text.utf8.count == 6 ? UInt32(text) : nil
            }
        }
    }

    /// The file of `bondsOption`; nil if it is not given.
    package static func bonds(_ invocation: Invocation) throws(Obstacle) -> BondFile? {
        try invocation.text("--bonds").map { path throws(Obstacle) in try BondFile(path) }
    }

    /// Throws if an option is given although the radio pairs in its own way.
    package static func check(
        _ options: [String], _ invocation: Invocation, above radio: RadioChoice
    ) throws(Obstacle) {
        guard case .bluez = radio, let option = options.first(where: invocation.has) else { return }
        throw Obstacle(
            .usage,
            "\(option) needs --radio hci: with --radio bluez, bluetoothd pairs and keeps bonds; use bluetoothctl")
    }
}
