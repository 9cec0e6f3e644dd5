import Basics
import Cases
import CommandSupport
import Drivers

/// The options of commands that connect as a client, and can pair.
let pairingOptions: [CommandGrammar.Option] = [
    .flag("--pair", "Pair with the device at once, and again if it has lost the keys; else only if it asks"),
    ClientSecurity.passkeyOption, ClientSecurity.bondsOption,
]

/// How a client pairs; throws if the radio has its own way.
func clientSecurity(_ invocation: Invocation, above radio: RadioChoice) throws(Obstacle) -> ClientSecurity {
    try ClientSecurity.check(["--pair", "--passkey", "--bonds"], invocation, above: radio)
    var security = ClientSecurity()
    security.passkey = try ClientSecurity.passkey(invocation)
    security.bonds = try ClientSecurity.bonds(invocation)
    return security
}
