import Arguments
import CommandSupport
import Drivers

/// The options of commands that connect as a client, and can pair.
let pairingOptions: [Arguments.Grammar.Option] = [
    .flag("--pair", "Pair with the device at once, and again if it has lost the keys; else only if it asks"),
    ClientSecurity.passkeyOption,
    .option("--bonds", "FILE", "Keep bonds in this file, which only you can read; it is created if missing"),
]

/// How a client pairs; throws if the radio has its own way.
func clientSecurity(_ invocation: Invocation, above radio: RadioChoice) throws(CommandFailure) -> ClientSecurity {
    if case .bluez = radio, let option = ["--pair", "--passkey", "--bonds"].first(where: invocation.has) {
        throw CommandFailure(
            .usage,
            "\(option) needs --radio hci: with --radio bluez, bluetoothd pairs and keeps bonds; use bluetoothctl")
    }
    var security = ClientSecurity()
    security.passkey = try ClientSecurity.passkey(invocation)
    if let path = invocation.text("--bonds") { security.bonds = try BondFile(path) }
    return security
}
