package import Documents
import ServiceFramework
import Services
import Statistics
import TextFormatting

/// The lines of a client: the keys that the contract of clients defines, and their values.
package enum ClientLines {
    /// The keys that do not belong to one characteristic.
    package static let states: [Shape.Field] = [
        .init(
            "state", .name(["scanning", "connecting", "connected", "subscribed", "disconnected"]),
            "The client's state has changed."),
        .init(
            "heart_rate",
            .any([
                .object([
                    required("bpm", whole, "Beats per minute."),
                    required(
                        "contact", .any([.boolean, .null]), "Skin contact; null if the device does not detect it."),
                    .init("energy_kj", whole, "Energy expended since the last reset."),
                    .init("rr_ms", .list(.number(0...64000)), "RR intervals, the oldest first."),
                ]), .null,
            ]), "A measurement; null: the last one is out of date."),
        .init(
            "statistic",
            .object([
                required("name", .name(Statistic.Name.allCases.map(\.rawValue)), "Which one."),
                required(
                    "value", .number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude),
                    "In beats per minute."),
            ]), "A statistic of the heart rates."),
        .init("error", .text, "What keeps the client from showing the device."),
        .init("pairing", .name(["started"]), "Pairing has started."),
        .init(
            "passkey",
            .any([
                .object([required("displayed", whole, "To enter on the device.")]),
                .object([required("requested", .boolean, "The device displays it.")]),
                .object([required("compared", whole, "To compare with the device's.")]),
            ]), "For the user, during pairing."),
        .init(
            "paired",
            .object([
                required("bonded", .boolean, "Whether keys are kept."),
                required("authenticated", .boolean, "Whether a person in the middle is excluded."),
            ]), "Pairing is complete."),
        .init(
            "characteristic",
            .object([
                required("service", .text, "Its UUID."), required("uuid", .text, "The characteristic's UUID."),
                .init("descriptor", .text, "The descriptor's UUID."),
                required("handle", .integer(1...65535), "The attribute's handle."),
                required("octets", .text, "Hexadecimal, separated by spaces."),
            ]), "A value of a device of which the client knows nothing."),
    ]

    /// The keys of characteristics' values, but for `heart_rate`.
    package static let values: [Shape.Field] = {
        var known = Set(states.map(\.key))
        return uses.filter { known.insert($0.key).inserted }.map {
            .init($0.key, .anything, "A value of the device, such as \($0.example); null: out of date.")
        }
    }()

    private static let whole = Shape.integer(0...Int.max)

    private static func required(_ key: String, _ shape: Shape, _ about: String) -> Shape.Field {
        .init(key, shape, required: true, about)
    }

    private static let characteristics = ServiceRegistry.all.flatMap(\.characteristics)
    private static let uses = characteristics.map(\.client).filter { !$0.example.isEmpty }

    // MARK: Matchers

    /// The values of a key.
    enum Content {
        /// Numbers, texts or lists.
        case plain
        case words([String])
        /// Objects with some of these members.
        case object([String])
    }

    /// Warns of lines that no client prints: an expectation of one waits in vain, and `never` passes.
    ///
    /// A client may print other keys and members.  So only those are noted that resemble one of the contract.
    package static func check(_ matcher: Cursor) {
        for line in matcher.alternatives {
            for (member, value) in line.entries where !member.key.hasPrefix("$") {
                guard let content = contents[member.key] else {
                    if let meant = closestMatch(to: member.key, in: Array(contents.keys).sorted()) {
                        line.noteUnprinted(
                            "clients print no \(member.key.abbreviated.quoted)", "did you mean \(meant.quoted)?",
                            at: member)
                    }
                    continue
                }
                for alternative in value.alternatives { check(alternative, of: member, in: line, content) }
            }
        }
    }

    private static func check(_ value: Cursor, of key: Node.Member, in line: Cursor, _ content: Content) {
        switch (content, value.node.value) {
        case (.object(let names), .object(let members)) where !["$min", "$max"].contains(members.first?.key):
            for member in members where !names.contains(member.key) {
                guard let meant = closestMatch(to: member.key, in: names) else { continue }
                value.noteUnprinted(
                    "\(key.key.quoted) has no \(member.key.abbreviated.quoted)", "did you mean \(meant.quoted)?",
                    at: member)
            }
        case (.object(let names), .bool), (.object(let names), .number), (.object(let names), .string),
            (.object(let names), .array), (.object(let names), .object):
            line.noteUnprinted(
                "\(key.key.quoted) is an object",
                "write \(key.key.quoted): {\(names[0].quoted): \(value.node.json.abbreviated)}", at: key)
        case (.words(let words), .string(let word)) where !words.contains(word):
            let meant = closestMatch(to: word, in: words).map { "did you mean \($0.quoted)?" }
            line.noteUnprinted(
                "clients print no \(key.key.quoted) \(word.abbreviated.quoted)",
                meant ?? "choose one of \(words.joined(separator: ", "))", at: key)
        default: break
        }
    }

    static let contents: [String: Content] = {
        var members: [String: [String]] = [:]
        for characteristic in characteristics where !characteristic.client.example.isEmpty {
            let example = try? Node(json: Array(characteristic.client.example.utf8), file: "")
            guard case .object(let shown)? = example?.value else { continue }
            let described = characteristic.members.compactMap(\.key)
            for name in shown.map(\.key) + described
            where !members[characteristic.client.key, default: []].contains(name) {
                members[characteristic.client.key, default: []].append(name)
            }
        }
        var contents = Dictionary(uses.map { ($0.key, members[$0.key].map(Content.object) ?? .plain) }) { $1 }
        for field in states { contents[field.key] = content(field.shape) }
        contents["peer"] = .plain
        contents["found"] = .object(["name", "services", "rssi"])
        return contents
    }()

    private static func content(_ shape: Shape) -> Content {
        if case .name(let words) = shape { return .words(words) }
        let members = members(of: shape)
        return members.isEmpty ? .plain : .object(members)
    }

    private static func members(of shape: Shape) -> [String] {
        switch shape {
        case .object(let fields): fields.map(\.key)
        case .any(let shapes): shapes.flatMap(members)
        default: []
        }
    }
}

extension Cursor {
    /// The patterns that a value can match, without `$not`, `$each` and `$one_of`.
    fileprivate var alternatives: [Cursor] {
        if let inner = self["$not"] ?? self["$each"] { return inner.alternatives }
        if let list = self["$one_of"] { return list.items.flatMap(\.alternatives) }
        return [self]
    }

    fileprivate func noteUnprinted(_ message: String, _ help: String, at member: Node.Member) {
        note(.unprintedLine, message, help: help, key: member.key, at: member.position)
    }
}
