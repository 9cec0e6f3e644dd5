import Documents

/// The rules that change attributes, by the device that they name: they say which services it has beside its own, and how
/// many handles it takes.
struct AttributeChanges {
    private var rules: [String: [Cursor]] = [:]

    /// A rule that names no device means the only one.
    init(_ rules: [Cursor], onlyDevice: Cursor?) {
        for rule in rules where !rule.isLogFull {
            guard let kind: Action.Kind = rule["do"].choice(), kind == .changeServices || kind == .moveHandles,
                let id = rule["of"]?.string ?? onlyDevice?["id"]?.string
            else { continue }
            self.rules[id, default: []].append(rule)
        }
    }

    /// In the order of the script.
    func of(_ device: String) -> [Cursor] { rules[device] ?? [] }
}
