package import Basics
package import Drivers

/// The `--radio` option of a central.
package let radioOption = CommandGrammar.Option.option(
    "--radio", "RADIO", required: true,
    "Radio to the device: bluez, hci:0, hci:tcp:HOST:PORT or hci:unix:PATH; see \"lubdub help radios\"")

/// The radio of the `--radio` option.
package func radio(_ invocation: Invocation) throws(Obstacle) -> RadioChoice {
    guard let text = invocation.text("--radio") else {
        throw Obstacle(
            .usage,
            "--radio is required: use --radio hci:tcp:127.0.0.1:6402 for a running 'lubdub serve', or --radio bluez for "
                + "this machine's Bluetooth")
    }
    return try RadioChoice(text)
}
