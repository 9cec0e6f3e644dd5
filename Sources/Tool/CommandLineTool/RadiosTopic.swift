import CommandSupport

/// The radios and controllers of all commands.
let radiosTopic = HelpTopic(
    "radios", "Radios and controllers: where devices, clients and hosts meet",
    [
        .init("Values of --radio", radios), .init("Commands with --radio", radioUsers),
        .init("Addresses of --controller (run, check, serve, bridge) and --listen (controller)", controllers),
    ])

private let radios = [
    (
        "virtual",
        "A simulated radio, without hardware: the default of run, check and serve. All faults can be played. External "
            + "hosts use it through --controller"
    ),
    (
        "bluez[:hci0]",
        "This machine's Bluetooth, through bluetoothd: no privileges, and only the faults that bluetoothd permits. "
            + "Default: the first adapter that can be used. For several devices: bluez:hci0,hci1"
    ),
    (
        "hci:0",
        "This machine's adapter hci0, without bluetoothd, which gets it back at the end: silent link loss, any "
            + "address, any PDU. Needs the capability CAP_NET_ADMIN. For several devices: hci:0,1"
    ),
    (
        "hci:tcp:HOST:PORT",
        "An external controller that speaks HCI (H4) over TCP: a board, an emulator, or a virtual controller of "
            + "lubdub serve, controller or bridge. For several devices, repeat --radio"
    ), ("hci:unix:PATH", "The same, over a socket file"),
]

private let radioUsers = [
    ("serve", "The radio of the scenario's devices"),
    ("run", "The same, with --client or --ask. Scenarios that need a fault which the radio cannot play are skipped"),
    ("check", "The radio to the peripheral that --peer names"),
    ("monitor, scan", "The radio to the device; required, and not virtual"),
    ("record", "The same, and not bluez, which hides advertising data and handles"),
    ("doctor", "The radio to diagnose; the exit status is 0 if it works"),
]

private let controllers = [
    (
        "tcp:HOST:PORT",
        "For a host that speaks HCI (H4) over TCP, such as Bumble. Port 0 is any free port. Whoever can connect can use "
            + "it; with HOST 127.0.0.1, these are the programs of this machine"
    ), ("unix:PATH", "For programs that may write to this socket file"),
    (
        "vhci",
        "As a virtual adapter of this machine's kernel, for bluetoothd and the programs above it, such as bleak or a "
            + "browser. Needs root and the kernel module hci_vhci; not for check and bridge"
    ),
]
