import Arguments
import Scenarios
import Sockets
import Spelling

/// What is not virtual of that by which the devices of a scenario reach the air: an adapter or a controller for each.
struct DeviceRadios: Sendable {
    private enum Means: Sendable {
        /// By bluetoothd; no names for the first adapter, where there is one device.
        case adapters([String], text: String)
        case controllers([StreamAddress])
    }

    static let option = Arguments.Grammar.Option.option(
        "--radio", "RADIO", repeatable: true,
        "virtual (default); bluez[:hci0[,hci1]] for this machine's Bluetooth; or a controller outside for each device:\n"
            + "hci:tcp:HOST:PORT or hci:unix:PATH"
    )

    private let means: Means

    /// Those that `--radio` names; nil for the virtual radio.
    init?(_ invocation: Invocation) throws(CommandFailure) {
        let texts = invocation.texts("--radio").filter { $0 != "virtual" }
        guard let first = texts.first else { return nil }
        if let text = texts.first(where: isBlueZ) {
            guard invocation.texts("--radio").count == 1 else {
                throw CommandFailure(
                    .usage, "lubdub: --radio \(text) has to be the only one; several adapters are bluez:hci0,hci1")
            }
            let names =
                first == "bluez"
                ? []
                : first.dropFirst("bluez:".count).split(
                    separator: ",", omittingEmptySubsequences: false)
            means = .adapters(names.map(String.init), text: text)
        } else {
            var addresses: [StreamAddress] = []
            for text in texts { addresses.append(try controllerAddress(of: text)) }
            means = .controllers(addresses)
        }
        for option in ["--controller", "--speed"] where invocation.has(option) {
            throw CommandFailure(.usage, "lubdub: \(option) is for the virtual radio only: leave it out, or --radio")
        }
    }

    /// How the devices reach a client.
    var kind: RadioKind { if case .adapters = means { .bluetoothd } else { .controllers } }

    /// What so many devices lack, as in "3 devices, and …"; nil when there is a radio for each, and none too many if that
    /// matters.
    func unsupportedReason(_ count: Int, isExact: Bool) -> String? {
        let devices = "\(count) device\(count == 1 ? "" : "s")"
        func fits(_ number: Int) -> Bool { isExact ? number == count : number >= count }
        switch means {
        case .adapters(let names, let text):
            guard text != "bluez" || count > 1 else { return nil }
            guard !fits(names.count) || Set(names).count < names.count || !names.allSatisfy({ isAdapter($0[...]) })
            else { return nil }
            let example = (0..<count).map { "hci\($0)" }.joined(separator: ",")
            return "\(devices), each with an adapter of its own: --radio bluez:\(example)"
        case .controllers(let addresses):
            guard !fits(addresses.count) else { return nil }
            return
                "\(devices), and each needs a --radio: there \(addresses.count == 1 ? "is 1" : "are \(addresses.count)")"
        }
    }

    /// Lets the devices of a world use them, each one of its own.
    func start(_ live: LiveWorld, _ person: Person) async throws(CommandFailure) {
        let count = await live.deviceCount
        switch means {
        case .adapters(let names, _):
            try await live.start(onBlueZ: names.isEmpty ? [nil] : names.prefix(count).map { $0 }, person)
        case .controllers(let addresses):
            do throws(SocketFailure) { try await live.start(above: Array(addresses.prefix(count))) } catch {
                throw CommandFailure(.environment, "lubdub: \(error)")
            }
        }
    }
}
