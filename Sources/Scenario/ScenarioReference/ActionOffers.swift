package import Documents
import ScenarioLanguage
package import Scenarios
import Simulation
import TextFormatting

/// An action that can be played on a device, as a line of the control socket: the example of the documentation, on the first
/// target that it fits.
package struct ActionOffer: Sendable {
    package let kind: Action.Kind
    /// The index of the device in the scenario; nil for an action on the client.
    package let device: Int?
    /// `{"do": "silence", "of": "strap", "for": "8 s"}`.
    package let line: Node
    /// Whether the action ends later than it begins.
    package let lasts: Bool
    /// One or two sentences.
    package let about: String
}

extension Scenario {
    /// The actions that can be played on a radio.
    ///
    /// - Parameter isPlayable: Whether the radio plays an action.
    /// - Returns: Each action at most once per device, in the order of the documentation.
    package func actionOffers(where isPlayable: (Action) -> Bool) -> [ActionOffer] {
        let reader = InstructionReader(self)
        func offer(_ kind: Action.Kind, of paths: [String], _ device: Int?) -> ActionOffer? {
            let row = kind.row
            for path in paths {
                let arguments = row.sample.pairs.filter { $0.key != "of" }
                let line = Node.object([("do", Node(.string(kind.rawValue))), ("of", Node(.string(path)))] + arguments)
                guard case .act(let rule)? = try? reader.read(line.json.utf8, at: .start), isPlayable(rule.action)
                else {
                    continue
                }
                return ActionOffer(kind: kind, device: device, line: line, lasts: row.lasts, about: row.about)
            }
            return nil
        }
        let ofClient = Action.Kind.allCases.compactMap { kind -> ActionOffer? in
            if case .client = kind.row.target { offer(kind, of: ["client"], nil) } else { nil }
        }
        return devices.indices.flatMap { index in
            Action.Kind.allCases.compactMap { offer($0, of: targets(of: $0, on: index), index) }
        } + ofClient
    }

    /// The paths on a device that an action may take, the most fitting first.
    private func targets(of kind: Action.Kind, on device: Int) -> [String] {
        let entity = EntityReference.device(device)
        let services = devices[device].services.indices.map { EntityReference.service(device: device, service: $0) }
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
