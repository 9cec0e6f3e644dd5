package import SecurityManager

extension IOCapability {
    /// BlueZ's name of it, as in RegisterAgent.
    package var nameInBlueZ: String {
        switch self {
        case .displayOnly: "DisplayOnly"
        case .displayYesNo: "DisplayYesNo"
        case .keyboardOnly: "KeyboardOnly"
        case .noInputNoOutput: "NoInputNoOutput"
        case .keyboardDisplay: "KeyboardDisplay"
        }
    }

    /// The capability with a name; an empty one means KeyboardDisplay, another has none.
    package init?(nameInBlueZ name: String) {
        guard !name.isEmpty else {
            self = .keyboardDisplay
            return
        }
        guard let capability = Self.allCases.first(where: { $0.nameInBlueZ == name }) else { return nil }
        self = capability
    }
}
