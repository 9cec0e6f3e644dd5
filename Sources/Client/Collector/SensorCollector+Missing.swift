import Bluetooth
import Spelling

extension SensorCollector {
    /// So many devices are named; of further ones, how many.
    private static let mostNamed = 8

    /// Why there has been no connection so far, in words for people; nil when there has been one, or none is wanted.
    ///
    /// What was heard instead is what has been heard since the last scan began.
    public var missing: String? {
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
