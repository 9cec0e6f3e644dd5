package import Basics
package import Documents
package import ScenarioModel

/// Reads a scenario from its checked files, and notes problems between their parts.
struct ScenarioReader {
    let loader: Loader
    /// Whether each included file was read.
    let areFilesComplete: Bool

    /// The scenario of files, of which the included ones come first.
    func scenario(_ files: [Cursor]) -> Scenario {
        func all(_ key: String) -> [Cursor] { files.flatMap { $0[key]?.items ?? [] } }
        let root = files.last
        let rules = all("script")
        let changes = AttributeChanges(rules, onlyDevice: all("devices").count == 1 ? all("devices").first : nil)
        let devices = DeviceReader(curves: CurveReader(loader: loader), changes: changes).devices(all("devices"))
        let areDevicesUnknown = !areFilesComplete || files.contains { $0["devices"]?.node.value == .unknown }
        if all("devices").isEmpty, !areDevicesUnknown {
            (root?["devices"] ?? root)?.note(
                .noDevices, "a scenario needs at least one device", help: "add to \"devices\" an object with an \"id\"")
        }
        noteDuplicates(all("devices").map { ($0, "device") } + rules.map { ($0, "rule") }, taken: ["client"])
        noteDuplicates(all("expect").map { ($0, "expectation") })
        let gaps = Gaps(
            devices: all("devices"), rules: rules,
            areListsUnknown: areDevicesUnknown || files.contains { $0["script"]?.node.value == .unknown })
        var names = Names(devices: devices, rules: rules.map { $0["id"]?.string }, gaps: gaps)
        names.fieldsOfRules = Set(rules.flatMap(\.namesOfAdvertisedFields))
        let moments = MomentReader(names: names)
        let script = ScriptReader(names: names, moments: moments, curves: CurveReader(loader: loader))
        let readRules = rules.map { ($0, script.rule($0)) }
        let playable = readRules.map { $0.1 ?? .unreadable }
        let limit = root?["limit"]?.duration ?? playable.lastMoment + .seconds(30)
        if let cursor = root?["limit"], limit <= .zero {
            cursor.note(.outOfRange, "expected a duration above zero")
        }
        let reachability = ReachabilityAnalysis(
            rules: playable, limit: limit, devices: devices,
            unreadable: Set(readRules.indices.filter { readRules[$0].1 == nil }))
        let noteUnreachable = { (cursor: Cursor, reason: ReachabilityAnalysis.Reason) in
            let place = reason.isAfterLimit ? root?["limit"].map { RelatedPlace($0, "the limit") } : nil
            cursor.note(.cannotFire, reason.message, help: reason.help, related: place.map { [$0] } ?? [])
        }
        for (index, (cursor, rule)) in readRules.enumerated() where rule != nil {
            if let reason = reachability.unreachableReason(rule: index) {
                noteUnreachable(rule?.chance == 0 ? cursor["chance"] ?? cursor : cursor["when"] ?? cursor, reason)
            } else if let until = cursor["until"], let reason = reachability.endlessReason(rule: index) {
                noteUnreachable(until, reason)
            }
        }
        noteEndOfClocks(readRules, limit, devices)
        let expectations = ExpectationReader(moments: moments, reachability: reachability, limit: root?["limit"])
        var scenario = Scenario(limit: limit)
        scenario.name = root?["name"]?.string ?? ""
        scenario.note = root?["note"]?.string
        scenario.tags = files.flatMap { $0["tags"]?.items.compactMap(\.string) ?? [] }
        if let seed = root?["seed"]?.integer { scenario.seed = UInt64(clamping: seed) }
        if let begins = (root?["begins"]?.string).flatMap({ WallTime($0) }) { scenario.begins = begins }
        scenario.target = target(root?["target"], devices)
        (scenario.devices, scenario.script) = (devices, playable)
        scenario.expectations = all("expect").compactMap(expectations.expectation)
        if scenario.expectations.count == all("expect").count {
            noteRulesAfter(scenario.expectations.latestDecision, readRules, reachability)
        }
        return scenario
    }

    /// Warns of rules that act only when all expectations are decided.
    private func noteRulesAfter(_ end: Duration?, _ rules: [(Cursor, Rule?)], _ reachability: ReachabilityAnalysis) {
        guard let end else { return }
        for (index, (cursor, rule)) in rules.enumerated() {
            guard let rule, rule.when != .end, reachability.unreachableReason(rule: index) == nil,
                reachability.earliest(rule.when) > end
            else { continue }
            (cursor["when"] ?? cursor).note(
                .endsBeforeRule,
                "the case ends before that: all expectations are decided at \((end / .seconds(1)).plain) s at the latest",
                help: "let the rule act earlier, or write an expectation of what the client does after it")
        }
    }

    private func target(_ cursor: Cursor?, _ devices: [Device]) -> Int? {
        guard let cursor, let id = cursor.string else { return nil }
        guard let index = devices.firstIndex(where: { $0.id == id }) else {
            let meant = closestMatch(to: id, in: devices.map(\.id)).map { "did you mean \($0.quoted)?" }
            let all = devices.map(\.id).filter { !$0.isEmpty }.joined(separator: ", ")
            if areFilesComplete {
                cursor.note(.unknownEntity, "no device \(id.quoted)", help: meant ?? "the devices are \(all)")
            }
            return nil
        }
        if devices[index].role == .central {
            cursor.note(.wrongEntity, "\(id.quoted) is a central: choose a peripheral")
        }
        return index
    }

    /// Notes `skip_time` rules that exceed the sensors' clocks, which end after 2⁶³ ns.
    private func noteEndOfClocks(_ rules: [(Cursor, Rule?)], _ limit: Duration, _ devices: [Device]) {
        var left = devices.map { _ in Duration.nanoseconds(Int64.max) - limit }
        for (cursor, rule) in rules {
            guard let rule, case .skipTime(let by) = rule.action.operation, let device = rule.action.entity?.device
            else {
                continue
            }
            left[device] -= by * rule.when.minimumTimes(before: limit)
            guard left[device] < .zero else { continue }
            cursor["by"]?.note(.outOfRange, "the sensors' clock ends after 292 years: skip less time")
            left[device] = .nanoseconds(Int64.max)  // note it only once
        }
    }

    private func noteDuplicates(_ cursors: [(object: Cursor, sort: String)], taken: Set<String> = []) {
        var first: [String: (id: Cursor, sort: String)] = [:]
        for (object, sort) in cursors {
            guard let id = object["id"], let name = id.string else { continue }
            if taken.contains(name) {
                id.note(.duplicateID, "the id \(name.quoted) is taken: it means the client", help: "choose another id")
            } else if let other = first[name] {
                id.note(
                    .duplicateID, "\(other.sort == sort ? "another" : "a") \(other.sort) has the id \(name.quoted)",
                    help: "give each its own id", related: [RelatedPlace(other.id, "the first is here")])
            } else {
                first[name] = (id, sort)
            }
        }
    }
}

extension Rule {
    /// Replaces a rule with problems, so that the others keep their indices.
    static let unreadable = Rule(id: nil, when: .end, action: Action(.clear), chance: 0, end: nil)
}

/// A line of the control socket.
package enum Instruction: Hashable, Sendable {
    /// Perform an action at once: a rule without an id, with its `line`.
    case act(Rule)
    case status
    /// A correct pattern of an event, which can have these paths as `of` in the event log.
    case event(of: [String])
}

/// Reads lines of the control socket.
///
///     {"do": "link_loss", "of": "strap", "for": "8 s"}
///     {"do": "clear"}
///     {"ask": "status"}
///     {"ask": "event", "event": {"event": "subscribed", "of": "heart_rate"}}
///
/// An action is written as in the script, without `id` and `when`, and has the same problems as in a scenario file.  It
/// cannot name files.  An event is written as in scenarios, and warnings of likely mistakes are problems, too.
package struct InstructionReader: Sendable {
    private let scenario: Scenario
    private let names: Names

    /// A reader for lines about a scenario.
    package init(_ scenario: Scenario) {
        self.scenario = scenario
        names = Names(devices: scenario.devices, rules: scenario.script.map(\.id))
    }

    /// Reads a line at an instant.
    ///
    /// - Throws: The first problem; its `path` is a key of the line, such as `for`.
    package func read(
        _ line: some Collection<UInt8>, at now: Instant, log: ProblemLog = ProblemLog()
    ) throws(Problem) -> Instruction {
        let root = Cursor(try Node(json: line, file: "", log: log), file: "", log: log)
        guard root["ask"] == nil else {
            Tables.question.check(root)
            let event = root["event"].flatMap(MomentReader(names: names).event)
            if let problem = log.problems.first(where: { !$0.code.isWarning || $0.code.isLikelyMistake }) {
                throw problem
            }
            return event.map { .event(of: paths(of: $0, log)) } ?? .status
        }
        Tables.instruction.check(root)
        try Self.check(log)
        let rule = rule(root, at: now, log)
        try Self.check(log)
        guard let rule else {
            throw Problem(
                file: "", position: root.node.position, code: .wrongForm, message: "expected an action or a query")
        }
        return .act(rule)
    }

    /// The paths that an event can have in the log, which does not name parts of a characteristic value.
    private func paths(of event: Event, _ log: ProblemLog) -> [String] {
        let unread = ProblemLog()  // one for all paths makes one help, and each looks at all paths
        let target = event.kind.row.target
        let targets =
            event.of.map { [$0] }
            ?? names.paths.compactMap { path in
                names.entity(Cursor(Node(.string(path)), file: "", log: unread), target)
            }
        log.steps += names.paths.count + unread.steps
        let logged = targets.map { event.kind == .saturated ? $0 : names.carrier(of: $0)?.value ?? $0 }
        var known: Set<String> = []
        return logged.compactMap(scenario.path).filter { known.insert($0).inserted }
    }

    private static func check(_ log: ProblemLog) throws(Problem) {
        if let problem = log.problems.first(where: { !$0.code.isWarning }) { throw problem }
    }

    private func rule(_ root: Cursor, at now: Instant, _ log: ProblemLog) -> Rule? {
        let curves = CurveReader(loader: Loader(log: log) { _ in nil })
        let script = ScriptReader(names: names, moments: MomentReader(names: names), curves: curves)
        let end = script.end(root)
        if case .at(let moment)? = end, let due = moment.clockTime(after: now, origin: .start), due <= now {
            root["until"]?.note(.cannotFire, "this moment has passed")
        }
        let clearsAll = root["do"]?.string == Action.Kind.clear.rawValue && root["of"] == nil
        let action = clearsAll ? Action(.clear) : ActionReader(names: names, curves: curves).action(root)
        guard let action else { return nil }
        var rule = Rule(when: .start, action: action, chance: root["chance"]?.number ?? 1, end: end)
        rule.line = root.node.json
        return rule
    }
}
