import Basics
import Cases
import CommandSupport
import Drivers
import Linux
import Sockets

let bridgeGrammar = CommandGrammar(
    "bridge", "Offer an adapter of this machine to hosts without privileges, one at a time",
    operands: [
        .required(
            "ADAPTER",
            "hci:0: the adapter hci0, which bluetoothd loses until the end. It needs the capability CAP_NET_ADMIN")
    ],
    options: [
        .option(
            "--controller", "ADDRESS", of: .address,
            "Where a host finds the controller: tcp:HOST:PORT or unix:PATH; see \"lubdub help radios\".\n"
                + "Default: tcp:127.0.0.1:6402, or the next free port"),
        .option("--for", "DURATION", "Stop after this long (default: no limit)"),
        .flag("--quiet", "Do not log connections and disconnections"),
    ],
    lists: [
        .init(
            "Examples",
            [
                ("lubdub bridge hci:0", "For an app with CoreBluetooth: LUBDUB_CONTROLLER=tcp:127.0.0.1:6402"),
                ("lubdub bridge hci:1 --controller unix:hci1", "For programs that may write to the socket's file hci1"),
            ])
    ])

func bridge(_ invocation: Invocation) throws(Obstacle) -> ExitCode {
    let adapter = try ControllerAddress(adapter: invocation.operands.first ?? "")
    let wanted = try invocation.text("--controller").map { text throws(Obstacle) in
        try orFail(.usage, "--controller: ") { try StreamAddress(text) }
    }
    let limit = try orFail { try invocation.duration("--for") }
    let isQuiet = invocation.has("--quiet")
    let signals = Signals()
    let loop = EventLoop(pace: .real())
    Console.queueMessages(on: loop)
    defer { Console.endQueue() }
    return try orFail {
        let reason = try loop.run {
            let completion = RunCompletion()
            let bridge = AdapterBridge(to: adapter, on: loop, completion) { notice in
                if case .refused = notice {
                    Console.warn("\(notice)")
                } else if !isQuiet {
                    Console.complain("\(notice)")
                }
            }
            do {
                try await open(bridge, at: wanted, isQuiet: isQuiet)
                let reason = await completion.wait(signals, on: loop, for: limit)
                await bridge.close()
                return reason
            } catch {
                await bridge.close()
                throw error
            }
        }
        if case .failure(let why) = reason { throw Obstacle(.environment, why) }
        return reason.code ?? .success
    }
}

private func open(_ bridge: AdapterBridge, at wanted: StreamAddress?, isQuiet: Bool) async throws {
    let address =
        if let wanted { try await bridge.listen(at: wanted) } else {
            try await listenAtCustomaryPort { try await bridge.listen(at: $0) }
        }
    try await bridge.start()
    Console.print("controller \(address)")
    guard !isQuiet else { return }
    Console.complain("To connect from a second terminal: lubdub monitor --radio \("hci:\(address)".forShell)")
}
