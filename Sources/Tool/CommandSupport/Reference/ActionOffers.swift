import Basics
package import Documents
package import ScenarioLanguage
package import ScenarioModel

/// An action that can be played on a device, as a line of the control socket: the example of the documentation, on the first
/// target that it fits.
package struct ActionOffer: Sendable {
    package let kind: Action.Kind
    /// `{"do": "silence", "of": "strap", "for": "8 s"}`.
    package let line: Node
    /// Whether the action ends later than it begins.
    package let lasts: Bool
    /// One or two sentences.
    package let about: String

    /// The most targets of a kind on a device that are tried.
    package static let maximumTargets = 32
}

extension Scenario {
    /// An action that can be played on a radio.
    ///
    /// - Parameters:
    ///   - kind: The kind of the action.
    ///   - device: The index of its device; nil for an action on the client.
    ///   - reader: Reads lines about this scenario.
    ///   - isPlayable: Whether the radio plays an action.
    /// - Returns: Nil if there is none of this kind.
    package func offer(
        _ kind: Action.Kind, on device: Int?, reader: InstructionReader, where isPlayable: (Action) -> Bool
    ) -> ActionOffer? {
        let row = kind.row
        let arguments = row.sample.pairs.filter { $0.key != "of" }
        for path in targets(of: kind, on: device) {
            let line = Node.object([("do", Node(.string(kind.rawValue))), ("of", Node(.string(path)))] + arguments)
            guard case .act(let rule)? = try? reader.read(line.json.utf8, at: .start), isPlayable(rule.action) else {
                continue
            }
            return ActionOffer(kind: kind, line: line, lasts: row.lasts, about: row.about)
        }
        return nil
    }

    /// The paths that an action may take on a device, or on the client, the most fitting first.
    private func targets(of kind: Action.Kind, on device: Int?) -> [String] {
        guard let device else {
            return if case .client = kind.row.target { ["client"] } else { [] }
        }
        let entity = EntityReference.device(device)
        let services = devices[device].services.indices.prefix(ActionOffer.maximumTargets).map {
            EntityReference.service(device: device, service: $0)
        }
        let entities: [EntityReference] =
            switch kind.row.target {
            case .device, .sender, .served, .user: [entity]
            case .value: services
            case .anything: services + [entity]
            case .service, .rule, .client: []
            }
        return entities.compactMap(path)
    }
}
