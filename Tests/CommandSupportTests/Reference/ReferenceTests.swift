import Basics
import Devices
import Documents
import Services
import Testing

@testable import CommandSupport
@testable import ScenarioLanguage
@testable import ScenarioModel

/// The entries of the reference, and what `explain` prints.
@Suite struct ReferenceTests {
    /// All entries before those with one meaning are merged, so that each example is tested.
    private static let all = ReferenceGroup.allCases.flatMap(\.entries)

    private static func problems(_ file: Node) -> [String] {
        let reading = ScenarioFile.read("example.json") { path in
            path == "example.json"
                ? Array(file.json.utf8) : Stage.files.first { $0.name == path }.map { Array($0.content.utf8) }
        }
        return (reading.problems + reading.warnings.filter { $0.code != .deviation }).map(\.description)
    }

    @Test(arguments: Action.Kind.allCases) func `An explanation has all arguments and radios`(kind: Action.Kind) {
        let row = kind.row
        let lines = Reference.explanation(of: kind.rawValue) ?? []
        #expect(lines.contains("  radios: \(kind.radios.filter { $0 != "`" })"))
        for argument in row.arguments { #expect(lines.contains { $0.hasPrefix("  \(argument.key): ") }) }
        #expect(!kind.radios.isEmpty)
    }

    @Test(arguments: ReferenceGroup.allCases) func `Each entry has a sentence and a valid example`(
        group: ReferenceGroup
    ) {
        let entries = group.entries
        #expect(!entries.isEmpty)
        for entry in entries {
            let name = "\(group)/\(entry.path) in \(entry.place?.description ?? "")"
            #expect(entry.about.hasSuffix(".") && entry.about.count > 4, "\(name) has no sentence")
            if group != .limits { #expect(entry.example != nil, "\(name) has no example") }
            let files = entry.files()
            if entry.example != nil { #expect(!files.isEmpty, "\(name): its example belongs to no file") }
            if group == .limits {
                for file in files { #expect(Self.problems(file) == [], "\(name)") }
            } else if !files.contains(where: { Self.problems($0).isEmpty }) {
                Issue.record("\(name): \(files.first.map { "\(Self.problems($0)) \($0.json)" } ?? "")")
            }
        }
    }

    @Test func `An example contains its word`() {
        for entry in Self.all where entry.place != nil {
            #expect(entry.exampleText?.hasPrefix("\(entry.word.quoted): ") == true, "\(entry.path)")
        }
        for entry in Self.all where ["curve", "action", "event", "service", "expectation"].contains(entry.sort) {
            #expect(entry.exampleText?.contains(": \(entry.word.quoted)") == true, "\(entry.word)")
        }
    }

    @Test(arguments: LimitTable.rows.map(\.word)) func `Beyond a limit there is the problem that it names`(word: String)
    {
        let row = LimitTable.rows.first { $0.word == word }
        for file in row?.beyond() ?? [] {
            let problems = Self.problems(file)
            #expect(problems.contains { $0.contains(row?.code.rawValue ?? "?") }, "\(word): \(problems)")
        }
    }

    @Test func `Each key and kind of the grammar has an entry`() {
        var missing: [String] = []
        func look(_ shape: Shape) {
            switch shape {
            case .object(let fields): look(fields)
            case .kinds(let key, let kinds):
                for kind in kinds where kind.name != "status" {
                    let isThere = Self.all.contains {
                        $0.word == kind.name && $0.about == kind.about && $0.place == nil
                    }
                    if !isThere { missing.append("\(key) \(kind.name)") }
                    look(kind.fields)
                }
            case .list(let item, _): look(item)
            case .any(let shapes): for shape in shapes { look(shape) }
            default: break
            }
        }
        func look(_ fields: [Shape.Field]) {
            for field in fields {
                let isThere = Self.all.contains { $0.word == field.key && $0.about == field.about && $0.place != nil }
                if !isThere { missing.append("\(field.key): \(field.about)") }
                look(field.shape)
            }
        }
        look(Tables.file.root)
        for (_, shape) in Tables.file.definitions { look(shape) }
        look(Tables.file.everywhere)
        #expect(missing == [])
        for service in ServiceRegistry.all {
            for value in service.values {
                let path = value.name.isEmpty ? service.name : "\(service.name)/\(value.name)"
                #expect(Self.all.contains { $0.group == .values && $0.word == path }, "\(path)")
            }
        }
    }

    @Test func `Each default of a key is a value of its type`() {
        var (count, wrong): (Int, [String]) = (0, [])
        func look(_ shape: Shape) {
            switch shape {
            case .object(let fields): look(fields)
            case .kinds(_, let kinds): for kind in kinds { look(kind.fields) }
            case .list(let item, _): look(item)
            case .any(let shapes): for shape in shapes { look(shape) }
            default: break
            }
        }
        func look(_ fields: [Shape.Field]) {
            for field in fields {
                look(field.shape)
                guard case .value(let node)? = field.standard else { continue }
                let log = ProblemLog()
                Grammar(root: field.shape, definitions: Tables.file.definitions, everywhere: [])
                    .check(Cursor(node, file: "", log: log))
                count += 1
                if !log.problems.isEmpty { wrong.append("\(field.key): \(node.json)") }
            }
        }
        look(Tables.file.root)
        for (_, shape) in Tables.file.definitions { look(shape) }
        #expect(wrong == [])
        #expect(count > 60)
    }

    @Test(arguments: [
        ("ramp", ["ramp (curve): ", "  over: a duration, required: ", "  example: {\"curve\": \"ramp\""]),
        ("link_loss", ["link_loss (action): ", "  of: device", "  radios: virtual radio", "  example: {\"when\": "]),
        ("subscribed", ["subscribed (event): ", "  of: value", "  radios: all"]),
        ("scanning", ["  radios: virtual radio"]),
        ("steps_today", ["steps_today (key of a client's line): ", "  example: {\"steps_today\": "]),
        ("peer", ["peer (key of a client's line): The device's address", "  in: the \"line\" of an event \"said\""]),
        ("bonded", ["bonded (member of \"paired\" in a client's line): Whether keys are kept."]),
        ("2902", ["2902: Client Characteristic Configuration", "  see: subscribed, "]),
        ("cccd", ["cccd: Client Characteristic Configuration"]),
        ("2a37", ["2a37 (characteristic): ", "  see: heart_rate"]),
        ("parameters", ["parameters (event): The connection parameters change"]),
        ("connection parameters", ["connection parameters: The parameters of a connection"]),
        ("restart", ["restart (action): The device switches off"]),
        ("reboot", ["reboot: A device that restarts", "  see: restart, forget_bond"]),
        ("advertising data", ["advertising data: What a device sends", "  see: advertise, "]),
        ("$truth", ["$truth (key): ", "  in: a matcher", "  type: one of last, mean, mode, count, sum"]),
        (
            "heart_rate",
            ["heart_rate (service): ", "  UUID: 180D", "  period: a duration, default 1 s: ", "heart_rate (value): "]
        ),
        (
            "heart_rate/rr_ms",
            ["heart_rate/rr_ms (value): ", "  needs: \"rr_intervals\" in the service", "  set: no, "]
        ),
        ("within", ["within (key): ", "  in: expectation seen", "  in: expectations never, count"]),
        ("of", ["  in: every event", "  in: a matcher"]),
        ("advertise.interval", ["interval (key): Advertising interval", "  in: advertise of a device"]),
        ("ramp.end", ["end (key): The final value."]),
        ("hold", ["hold (value of these keys)", "  then: Behaviour after the last value. (curve list)"]),
        ("insufficient_authentication", ["  error: ", "  error: A number"]),
        (
            "actions",
            ["actions: The rules of the script", "  link_loss           The device neither sends nor receives."]
        ),
        ("devices", ["devices (key): The devices.", "  advertise.fast.interval"]),
        ("encrypted", ["encrypted (permission): ", "encrypted (event): "]),
        ("min", ["min (unit): A minute.", "  in: expectations count, rate"]),
        ("times", ["times (limit): ", "times (key): "]),
        ("moment", ["moment (in script): The moments at which rules act.", "  time", "  event name"]),
        ("$truth", ["$truth (key): ", "  last: The value that was delivered last", "  mean: The mean"]),
    ])
    func `A word is explained`(word: String, parts: [String]) {
        let lines = Reference.explanation(of: word) ?? []
        for part in parts {
            #expect(lines.contains { $0.hasPrefix(part) }, "\(part): \(lines.joined(separator: "\n"))")
        }
    }

    @Test func `A term refers to words that can be explained`() {
        for word in OtherWords.references { #expect(Reference.explanation(of: word)?.isEmpty == false, "\(word)") }
    }

    @Test func `An unknown word has no explanation`() {
        #expect(Reference.explanation(of: "rampe") == nil)
        #expect(closestMatch(to: "rampe", in: Reference.words) == "ramp")
    }

    @Test func `Each word of the reference can be explained`() {
        for word in Reference.words {
            #expect(Reference.explanation(of: word)?.isEmpty == false, "\(word)")
        }
        #expect(Reference.words.count > 250 && Reference.words.count < 1000)
    }
}
