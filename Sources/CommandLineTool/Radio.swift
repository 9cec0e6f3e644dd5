import Arguments
import Sockets
import Spelling

/// What `--radio` can name.
let radioOption = Arguments.Grammar.Option.option(
    "--radio", "RADIO", "the controller to use: hci:tcp:HOST:PORT or hci:unix:PATH")

/// The controller's address that `--radio` names.
func radio(_ invocation: Invocation) throws(CommandFailure) -> StreamAddress {
    guard let text = invocation.text("--radio") else {
        throw CommandFailure(
            .usage,
            "lubdub: there is nothing to hear without --radio; after `lubdub serve`, --radio hci:tcp:127.0.0.1:6402")
    }
    return try controllerAddress(of: text)
}

/// The address in `hci:tcp:HOST:PORT` and `hci:unix:PATH`.
func controllerAddress(of text: String) throws(CommandFailure) -> StreamAddress {
    guard text.hasPrefix("hci:") else {
        throw CommandFailure(
            .usage,
            "lubdub: --radio \(text.quoted) is not played yet by this version; hci:tcp:HOST:PORT and hci:unix:PATH are")
    }
    do throws(StreamAddress.Unreadable) { return try StreamAddress(String(text.dropFirst(4))) } catch {
        throw CommandFailure(.usage, "lubdub: --radio: \(error)")
    }
}
