package import Basics
import Bluetooth
package import ScenarioModel

/// The radios of a scenario's devices that are not virtual: an adapter or a controller for each.
package struct DeviceRadios: Sendable {
    private enum Means: Sendable {
        /// Adapters of bluetoothd; no names: the first adapter, for one device.
        case adapters([String], text: String)
        case controllers([ControllerAddress])
    }

    private let means: Means

    /// The values that name another radio than the virtual one.
    package static func named(_ texts: [String]) -> [String] { texts.filter { $0 != "virtual" } }

    /// Reads the values of `--radio`; nil for the virtual radio.
    package init?(_ texts: [String]) throws(Obstacle) {
        let named = Self.named(texts)
        guard !named.isEmpty else { return nil }
        if let text = named.first(where: isBlueZ) {
            guard texts.count == 1 else {
                throw Obstacle(
                    .usage,
                    "--radio \(text) cannot be combined with another --radio; for several adapters, use bluez:hci0,hci1"
                )
            }
            let names = text.dropFirst("bluez:".count).split(separator: ",", omittingEmptySubsequences: false)
            means = .adapters(text == "bluez" ? [] : names.map(String.init), text: text)
        } else {
            var addresses: [ControllerAddress] = []
            for text in named { addresses += try Self.controllers(text) }
            for case .adapter(let index) in addresses where addresses.count(where: { $0 == .adapter(index) }) > 1 {
                throw Obstacle(.usage, "--radio: hci\(index) can be the radio of only one device")
            }
            means = .controllers(addresses)
        }
    }

    /// The controllers of one option: `hci:0,1` names several adapters.
    private static func controllers(_ text: String) throws(Obstacle) -> [ControllerAddress] {
        let words = text.dropFirst("hci:".count).split(separator: ",", omittingEmptySubsequences: false)
        guard words.count > 1, words.allSatisfy({ AdapterName.number($0) != nil }) else {
            return [try ControllerAddress(radio: text)]
        }
        return words.compactMap { AdapterName.number($0) }.map(ControllerAddress.adapter)
    }

    package var kind: RadioKind { if case .adapters = means { .bluetoothd } else { .controllers } }

    /// Why `count` devices cannot use the radios, as in "3 devices, and …"; nil if each has a radio, and if `isExact`
    /// none is left over.
    package func unsupportedReason(_ count: Int, isExact: Bool) -> String? {
        let devices = "\(count) device\(count == 1 ? "" : "s")"
        func fits(_ number: Int) -> Bool { isExact ? number == count : number >= count }
        switch means {
        case .adapters(let names, let text):
            guard text != "bluez" || count > 1 else { return nil }
            guard !fits(names.count) || Set(names).count < names.count || !names.allSatisfy({ isAdapter($0[...]) })
            else { return nil }
            let example = (0..<count).map { "hci\($0)" }.joined(separator: ",")
            return "\(devices), and each needs its own adapter: use --radio bluez:\(example)"
        case .controllers(let addresses):
            guard !fits(addresses.count) else { return nil }
            return
                "\(devices), and each needs a --radio: \(addresses.count) \(addresses.count == 1 ? "is" : "are") given"
        }
    }

    /// Starts the devices of a world, each with its radio; `answerPairing` answers bluetoothd's requests while a device
    /// pairs.
    package func start(
        _ live: LiveWorld, answerPairing: @escaping BlueZDevices.PairingHandler
    ) async throws(Obstacle) {
        let count = await live.deviceCount
        switch means {
        case .adapters(let names, _):
            let adapters = names.isEmpty ? [nil] : names.prefix(count).map(Optional.some)
            try await live.start(onBlueZ: adapters, answerPairing: answerPairing)
        case .controllers(let addresses):
            try await orFail { try await live.start(above: Array(addresses.prefix(count))) }
        }
    }
}
