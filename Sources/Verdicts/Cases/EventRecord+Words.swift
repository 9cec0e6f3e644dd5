import Basics
import Bluetooth
package import ScenarioModel

extension EventRecord {
    /// The subject of an event and its description, in the scenario's names: `strap`, `battery read 87`.
    package var words: (who: String, what: String) {
        let parts = (entity ?? "lubdub").split(separator: "/", maxSplits: 1).map(String.init)
        if let rule, rule != entity { return ("script", words(by: rule)) }
        let isRule = event == .began || event == .ended
        var words = isRule ? parts : Array(parts.dropFirst())
        words += event.rawValue.split(separator: "_").map(String.init)
        words += [value ?? octets?.hex].compactMap { $0 }
        switch event {
        case .connecting: words += peer.map { ["to", $0.description] } ?? []
        case .connected: words += ["to", peer?.description ?? "an unknown peer"]
        case .disconnected: words += ["from", peer?.description ?? "an unknown peer"]
        case .subscribed, .unsubscribed:
            // The only characteristic of a device that belongs to none of its services.
            if parts.count == 1 { words.insert("service_changed", at: 0) }
            words += peer.map { ["by", $0.description] } ?? []
        default: break
        }
        let why = [reason, error].compactMap { $0 }.joined(separator: ", ")
        return (
            isRule ? "script" : parts.first ?? "lubdub",
            words.joined(separator: " ") + (why.isEmpty ? "" : ": \(why)")
        )
    }

    /// A manual action: `key c began on strap/heart_rate/contact: false`.
    private func words(by rule: String) -> String {
        let place = entity.map { " on \($0)" } ?? ""
        return "\(rule) \(event)\(place)" + (value.map { ": \($0)" } ?? "")
    }
}
