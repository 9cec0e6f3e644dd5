import Basics
import Bluetooth

extension SensorCollector {
    /// The maximum number of devices that a message names; it counts the others.
    private static let mostNamed = 8

    /// Why the client has not connected yet, for messages; nil after a connection, or when none is requested.
    ///
    /// The message names the devices found since the last scan began.
    package var missing: String? {
        guard !hasConnected, let wanted = settings.choice.words else { return nil }
        if let chosen { return "\(chosen) was found, but no connection was established" }
        if candidates.all.contains(where: settings.choice.names) {
            return "\(wanted) was found, but it is not connectable"
        }
        let found = candidates.all.map { Peer($0.address, name: $0.name) }
        guard !found.isEmpty else { return "\(wanted) was not found, and no other device" }
        var hint = ""
        if case .name(let name) = settings.choice { hint = suggestion(for: name, among: found.compactMap(\.name)) }
        let more = found.count > Self.mostNamed ? " and \(found.count - Self.mostNamed) more" : ""
        let list = found.prefix(Self.mostNamed).map { "\($0)" }.joined(separator: ", ")
        return "\(wanted) was not found\(hint), but \(list)\(more)"
    }
}

extension SensorCollector.Settings.Choice {
    fileprivate var words: String? {
        switch self {
        case .strongest: "a device with a service that this client knows"
        case .address(let address): "\(address)"
        case .name(let name): name.quoted
        case .nobody: nil
        }
    }
}
