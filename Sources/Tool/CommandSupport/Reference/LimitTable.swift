import Documents
import ScenarioLanguage
import ScenarioModel

/// A bound of the language, with values at and beyond it.
struct LimitRow: Sendable {
    let word: String
    let about: String
    /// The code of the problem beyond the limit.
    let code: DiagnosticCode
    /// A key with its bounds, as a scenario has them; nil for a bound that no short example has.
    var example: Node?
    /// Files at the limit, without problems.
    var within: @Sendable () -> [Node] = { [] }
    /// Files beyond the limit.
    var beyond: @Sendable () -> [Node] = { [] }

    var entry: ReferenceEntry {
        ReferenceEntry(
            .limits, word, "limit", about, facts: [.init("beyond", "\(code.rawValue)")], example: example, files: within
        )
    }
}

enum LimitTable {
    static let rows = sizes + devices + services + rules

    private static let sizes: [LimitRow] = [
        LimitRow(
            word: "file_size",
            about:
                "A scenario with the files that it includes, and a CSV file, have at most \(Node.maximumSize >> 20) MiB.",
            code: .tooLarge),
        LimitRow(
            word: "nesting", about: "Arrays and objects are nested at most \(Node.maximumDepth) levels deep.",
            code: .tooDeep, within: { [nested(Node.maximumDepth - 8)] },
            beyond: { [nested(Node.maximumDepth)] }),
        LimitRow(
            word: "includes", about: "Files are included at most \(LanguageLimits.includes) levels deep.",
            code: .includesTooDeep),
        LimitRow(
            word: "problems",
            about:
                "A file is checked up to its \(ProblemLog.maximum)th problem; of those with one code, \(ProblemLog.listed) are listed.",
            code: .tooManyProblems),
        LimitRow(
            word: "device_name", about: "The name of a device has at most \(LanguageLimits.deviceName) octets.",
            code: .outOfRange, example: ["name": "Lubdub HRM"],
            within: { [Stage.device(["id": "strap", "name": text(LanguageLimits.deviceName)])] },
            beyond: { [Stage.device(["id": "strap", "name": text(LanguageLimits.deviceName + 1)])] }),
        LimitRow(
            word: "value_size", about: "A value has at most \(LanguageLimits.value) octets.", code: .outOfRange,
            example: ["octets": "06 3C"],
            within: { [raw(LanguageLimits.value)] }, beyond: { [raw(LanguageLimits.value + 1)] }),
        LimitRow(
            word: "pdu_size", about: "A PDU of the action raw has at most \(LanguageLimits.pdu) octets.",
            code: .outOfRange, example: ["octets": "06 3C", "channel": "att"],
            within: { [raw(LanguageLimits.pdu, channel: "att")] },
            beyond: { [raw(LanguageLimits.pdu + 1, channel: "att")] }),
    ]

    private static let devices = [
        device("connections", 1, 16, below: 0, above: 17, "A device has 1 to 16 connections."),
        device(
            "advertise.interval", "20 ms", "10.24 s", below: "19 ms", above: "11 s",
            "A device advertises every 20 ms to 10.24 s."),
        device(
            "link.interval", "7.5 ms", "4 s", below: "7 ms", above: "5 s",
            "A connection interval has 7.5 ms to 4 s."),
        device("link.latency", 0, 499, below: -1, above: 500, "A peripheral latency is 0 to 499."),
        device(
            "link.timeout", "100 ms", "32 s", below: "99 ms", above: "33 s",
            "A supervision timeout has 100 ms to 32 s."),
        device("link.mtu", 23, 517, below: 22, above: 518, "An ATT MTU has 23 to 517 octets."),
        device(
            "security.privacy", "1 s", "1 h", below: "999 ms", above: "61 min",
            "A device uses a resolvable private address for 1 s to 1 h."),
        device(
            "security.passkey", 0, 999_999, below: -1, above: 1_000_000, "A passkey has six digits: 0 to 999999."),
    ]

    private static let services = [
        service("period", "1 ms", "1 day", below: "999 us", above: "25 h", "A measurement interval has 1 ms to 1 day."),
        service(
            "value", 0, 65535, below: -1, above: 65536,
            "A heart rate is 0 to 65535; the values of other services have their ranges, too."),
        limit(
            "sample_rate", key: "rate", "1 Hz", "4000 Hz", below: "0.5 Hz", above: "4001 Hz",
            "ecg and measurements send 1 to 4000 samples per second."
        ) { Stage.service(["service": "measurements", "value": 62, "rate": $0.value]) },
        limit("handle", 256, 65535, below: 0, above: 65536, "A handle is 1 to 65535; the lowest are in use.") {
            let service: Node = [
                "service": "custom", "uuid": "7d1c0001-5b0e-4c43-9a57-2f6b8e1d9c30", "handle": $0.value,
                "characteristics": [],
            ]
            return Stage.device(["id": "strap", "services": .array([service])])
        },
    ]

    private static let rules = [
        limit(
            "times", 1, Node(integerLiteral: LanguageLimits.repetitions), below: 0,
            above: Node(integerLiteral: LanguageLimits.repetitions + 1), "A moment is repeated at most 1,000,000 times."
        ) { Stage.event(["at": "1 s", "every": "1 ms", "times": $0.value]) },
        limit(
            "notifications", key: "times", 1, 100_000, below: 0, above: 100_001,
            "The action notify sends a value 1 to 100,000 times."
        ) { Stage.rule(["when": "10 s", "do": "notify", "of": "strap/heart_rate", "times": $0.value]) },
        limit(
            "burst_rate", key: "rate", "0.001 Hz", "4000 Hz", below: "0.0001 Hz", above: "4001 Hz",
            "The action burst sends 0.001 to 4000 notifications per second."
        ) { Stage.rule(["when": "10 s", "do": "burst", "of": "strap/heart_rate", "rate": $0.value]) },
        limit("span", 2, 255, below: 1, above: 256, "The action reorder changes the order of 2 to 255 values.") {
            Stage.rule(["when": "10 s", "do": "reorder", "of": "strap/heart_rate", "span": $0.value])
        },
        limit("ppm", -1000, 1000, below: -1001, above: 1001, "A clock drifts by at most 1000 parts per million.") {
            Stage.rule(["when": "10 s", "do": "drift", "of": "strap", "ppm": $0.value])
        },
        limit("chance", 0.001, 1, below: -0.1, above: 1.1, "A probability is 0 to 1; with 0, a rule can never act.") {
            Stage.rule(["when": "10 s", "do": "silence", "of": "strap", "chance": $0.value])
        },
        limit(
            "clock", key: "by", "0 s", "100000 days", below: nil, above: "9223372036 s",
            "The clock of a device's sensors ends 292 years after the start."
        ) { Stage.rule(["when": "10 s", "do": "skip_time", "of": "strap", "by": $0.value]) },
        limit(
            "percentile", 1, 100, below: -1, above: 101,
            "A percentile is more than 0, and at most 100."
        ) {
            Stage.expectation([
                "id": "prompt", "expect": "delay", "start": "connected", "end": "discovered", "max": "1 s",
                "percentile": $0.value,
            ])
        },
    ]

    /// A key of a device: `link.mtu`.
    private static func device(
        _ path: String, _ least: Node, _ most: Node, below: Node, above: Node, _ about: String
    ) -> LimitRow {
        let keys = path.split(separator: ".").map(String.init)
        return limit(path, key: keys.last ?? path, least, most, below: below, above: above, about) { value in
            let inner = keys.dropFirst().reversed().reduce(value) { .object([($1, $0)]) }
            return Stage.device(.object([("id", "strap"), (keys[0], inner)]))
        }
    }

    /// A key of `heart_rate`.
    private static func service(
        _ key: String, _ least: Node, _ most: Node, below: Node, above: Node, _ about: String
    ) -> LimitRow {
        limit(key, least, most, below: below, above: above, about) {
            Stage.service(.object([("service", "heart_rate"), (key, $0)]))
        }
    }

    private static func limit(
        _ word: String, key: String? = nil, _ least: Node, _ most: Node, below: Node?, above: Node, _ about: String,
        embedding: @escaping @Sendable (Node) -> Node
    ) -> LimitRow {
        LimitRow(
            word: word, about: about, code: .outOfRange, example: .object([(key ?? word, most)]),
            within: { [least, most].map(embedding) }, beyond: { ([below].compactMap(\.self) + [above]).map(embedding) })
    }

    private static func text(_ count: Int) -> Node.Value { .string(String(repeating: "x", count: count)) }

    private static func raw(_ count: Int, channel: String? = nil) -> Node {
        let octets = Node(.string(String(repeating: "00", count: count)))
        return Stage.rule(
            .object(
                [
                    ("when", "10 s"), ("do", "raw"), ("of", channel == nil ? "strap/heart_rate" : "strap"),
                    ("octets", octets),
                ]
                    + (channel.map { [("channel", Node(.string($0)))] } ?? [])))
    }

    /// A scenario whose value has curves within curves.
    private static func nested(_ levels: Int) -> Node {
        Stage.curve((0..<levels / 2).reduce(1) { inner, _ in ["curve": "sum", "terms": [inner.value]] })
    }
}
