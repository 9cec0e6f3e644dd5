import Documents
import Scenarios

/// The rules that change attributes, by device: they add services and use handles.
struct AttributeChanges {
    private var rules: [String: [Cursor]] = [:]

    /// The rules of a script; those without a target belong to `onlyDevice`.
    init(_ rules: [Cursor], onlyDevice: Cursor?) {
        for rule in rules where !rule.isLogFull {
            guard let kind: Action.Kind = rule["do"].choice(), kind == .changeServices || kind == .moveHandles,
                let id = rule["of"]?.string ?? onlyDevice?["id"]?.string
            else { continue }
            self.rules[id, default: []].append(rule)
        }
    }

    /// The rules of a device, in the order of the script.
    func of(_ device: String) -> [Cursor] { rules[device] ?? [] }
}
