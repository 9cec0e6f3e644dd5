/// A row of the table that handles the keys of `serve`; the lists of keys derive from it.
package struct KeyBinding: Sendable {
    /// An effect on the devices or the command.
    enum Effect: Sendable {
        /// Changes the heart rate; the name is that of the action.
        case change(by: Int, name: String)
        case toggle(KeyControl.Toggle)
        case disconnect
        /// Selects a device by its number, from 1.
        case select(Int)
        case selectAll
        case help
        case quit
    }

    /// The keys, for people.
    package let keys: String
    /// Their effect, for people.
    package let text: String
    let effects: [Key: Effect]

    private init(_ keys: String, _ effects: [Key: Effect], _ text: String) {
        (self.keys, self.effects, self.text) = (keys, effects, text)
    }

    /// A key that is a character.
    private init(_ key: Character, _ effect: Effect, _ text: String) {
        self.init(String(key), [.character(key): effect], text)
    }

    private init(_ toggle: KeyControl.Toggle, _ text: String) { self.init(toggle.rawValue, .toggle(toggle), text) }

    package static let all = [
        KeyBinding(
            "up, down", [.up: .change(by: 1, name: "key up"), .down: .change(by: -1, name: "key down")],
            "raise or lower the heart rate by 1 bpm"),
        KeyBinding(
            "shift-up, shift-down",
            [.shiftUp: .change(by: 10, name: "key shift_up"), .shiftDown: .change(by: -10, name: "key shift_down")],
            "raise or lower the heart rate by 10 bpm"),
        KeyBinding(.contact, "toggle skin contact"), KeyBinding(.battery, "toggle a low battery"),
        KeyBinding(.silence, "toggle silence: connected, but no notifications"),
        KeyBinding(.away, "toggle out of range: the link is lost silently"),
        KeyBinding("d", .disconnect, "disconnect all clients"),
        KeyBinding(
            "1 to 9",
            Dictionary(uniqueKeysWithValues: (1...9).map { (.character(Character("\($0)")), .select($0)) }),
            "apply the keys to one device"),
        KeyBinding("0", .selectAll, "apply the keys to all devices"), KeyBinding("?", .help, "list the keys"),
        KeyBinding("q", .quit, "quit"),
    ]

    private static let effects = all.reduce(into: [Key: Effect]()) { effects, binding in
        effects.merge(binding.effects) { first, _ in first }
    }

    /// The effect of a key; nil for none.
    static func effect(of key: Key) -> Effect? { effects[key] }
}
