import Bluetooth
import Spelling

extension SensorCollector {
    /// The maximum number of devices that a message names; it counts the others.
    private static let mostNamed = 8

    /// Why the client has not connected yet, for messages; nil after a connection, or when none is requested.
    ///
    /// The message names the devices found since the last scan began.
    package var missing: String? {
        guard !hasConnected, let wanted = settings.choice.words else { return nil }
        if let chosen { return "\(chosen) was heard, but no connection to it came about" }
        if candidates.all.contains(where: settings.choice.names) {
            return "\(wanted) was heard, but it takes no connections"
        }
        let heard = candidates.all.map { Peer($0.address, name: $0.name) }
        guard !heard.isEmpty else { return "\(wanted) was not heard, nor anything else" }
        var hint = ""
        if case .name(let name) = settings.choice { hint = suggestion(for: name, among: heard.compactMap(\.name)) }
        let more = heard.count > Self.mostNamed ? " and \(heard.count - Self.mostNamed) more" : ""
        let list = heard.prefix(Self.mostNamed).map { "\($0)" }.joined(separator: ", ")
        return "\(wanted) was not heard\(hint), but \(list)\(more)"
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
