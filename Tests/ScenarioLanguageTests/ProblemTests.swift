import Devices
import Documents
import Services
import Testing

@testable import ScenarioLanguage
@testable import ScenarioModel

@Suite struct ProblemTests {
    @Test(
        arguments: [
            (#"{"when": "5 s", "do": "sett", "of": "battery"}"#, "2:34: LD0110: script[0].do: unknown name \"sett\""),
            (
                #"{"when": "5 s", "do": "set", "of": "batery", "to": 1}"#,
                #"2:47: LD0133: script[0].of: unknown path "batery""#
            ),
            (
                #"{"when": "5 s", "do": "notify", "of": "heart_rate/location"}"#,
                #"2:50: LD0135: script[0].of: "heart_rate/location" cannot be notified or be indicated, only be read"#
            ),
            (
                #"{"when": "5 s", "do": "silence", "of": "heart_rate/location"}"#,
                #"2:51: LD0135: script[0].of: "heart_rate/location" cannot be notified or be indicated, only be read"#
            ),
            (
                #"{"when": "5 s", "do": "silence", "of": "client"}"#,
                #"2:51: LD0134: script[0].of: expected a device, service or value, found "client", the client"#
            ),
            (
                #"{"when": "5 s", "do": "set", "of": "strap", "to": 1}"#,
                #"2:47: LD0134: script[0].of: expected a value of a service, found "strap", a device"#
            ),
            (
                #"{"when": "5 s", "do": "set", "of": "battery", "to": 101}"#,
                "2:64: LD0109: script[0].to: expected a number from 0 to 100, found 101"
            ),
            (
                #"{"when": "5 sec", "do": "clear", "of": "strap"}"#,
                #"2:21: LD0111: script[0].when: "5 sec" is not a moment such as "10 s", "start", "end" or "connected""#
            ),
            (
                #"{"when": {"event": "read", "nth": 1, "every": 2}, "do": "clear", "of": "strap"}"#,
                #"2:58: LD0138: script[0].when.every: "nth" and "every" exclude each other: delete one"#
            ),
            (
                #"{"when": {"event": "ended", "of": "a"}, "id": "a", "do": "clear", "of": "strap"}"#,
                "2:21: LD0136: script[0].when: this rule waits for itself"
            ),
            (
                #"{"when": "5 s", "do": "silence", "of": "strap", "until": "5 s"}"#,
                "2:69: LD0136: script[0].until: this moment has passed when the rule begins"
            ),
            (
                #"{"when": {"at": "5 s", "every": "1 s"}, "do": "silence", "of": "strap", "until": "5 s"}"#,
                "2:93: LD0136: script[0].until: this moment has passed when the rule begins"
            ),
            (
                #"{"when": "connected", "do": "silence", "of": "strap", "until": "start"}"#,
                "2:75: LD0136: script[0].until: this moment has passed when the rule begins"
            ),
            (
                #"{"when": "end", "do": "silence", "of": "strap", "until": "8 s"}"#,
                "2:69: LD0136: script[0].until: this moment has passed when the rule begins"
            ),
            (
                #"{"when": "5 s", "id": "a", "do": "silence", "of": "strap", "until": {"event": "ended", "of": "a"}}"#,
                "2:80: LD0136: script[0].until: the rule waits for its own end"
            ),
            (
                #"{"when": "5 s", "do": "delay", "of": "strap"}"#,
                "2:12: LD0106: script[0].by: \"by\" is required"
            ),
            (
                #"{"when": "5 s", "do": "drop", "of": "heart_rate/location"}"#,
                #"2:48: LD0135: script[0].of: "heart_rate/location" cannot be notified or be indicated, only be read"#
            ),
            (
                #"{"when": "5 s", "do": "reorder", "of": "strap", "span": 1}"#,
                "2:68: LD0109: script[0].span: expected a whole number from 2 to 255, found 1"
            ),
            (
                #"{"when": "5 s", "do": "truncate", "of": "strap", "to": 1}"#,
                #"2:52: LD0134: script[0].of: expected a value of a service, found "strap", a device"#
            ),
            (
                #"{"when": "5 s", "do": "truncate", "of": "battery", "to": 513}"#,
                "2:69: LD0109: script[0].to: expected a whole number from 0 to 512, found 513"
            ),
            (
                #"{"when": "5 s", "do": "lengthen", "of": "battery", "with": "0"}"#,
                #"2:71: LD0111: script[0].with: "0" is not octets such as "00FF" or "00 ff""#
            ),
            (
                #"{"when": "5 s", "do": "burst", "of": "battery", "rate": "4001 Hz"}"#,
                #"2:68: LD0109: script[0].rate: expected 0.001 Hz to 4000 Hz, found "4001 Hz""#
            ),
            (
                #"{"when": "5 s", "do": "drift", "of": "strap", "ppm": 1001}"#,
                "2:65: LD0109: script[0].ppm: expected a number from -1000 to 1000, found 1001"
            ),
            (
                #"{"when": "5 s", "do": "stop_advertising", "of": "battery"}"#,
                #"2:60: LD0134: script[0].of: expected a device, found "battery", a service"#
            ),
            (
                #"{"when": "5 s", "do": "change_address", "to": "C0:FF"}"#,
                #"2:58: LD0111: script[0].to: "C0:FF" is not an address such as "C0:FF:EE:00:00:01/random""#
            ),
            (
                #"{"when": "5 s", "do": "rotate_address", "of": "strap"}"#,
                #"2:58: LD0134: script[0].of: expected a device with "privacy" in its "security""#
            ),
            (
                #"{"when": "5 s", "do": "forget_bond"}"#,
                #"2:12: LD0134: script[0]: "strap" does not pair: add "security" to the device"#
            ),
            (
                #"{"when": "5 s", "do": "clear", "of": "${x}"}"#,
                #"2:49: LD0120: script[0].of: no variable "x""#
            ),
        ])
    func `A rule's problem is named at its place`(rule: String, complaint: String) {
        let said = problems(("a.json", scenario(script: rule)))
        #expect(said.count == 1)
        #expect(said.first?.hasPrefix("a.json:" + complaint) == true, "\(said)")
    }

    @Test(arguments: [
        (
            #"{"privacy": "500 ms"}"#, "", "",
            #"1:76: LD0109: devices[0].security.privacy: expected 1 s to 3600 s, found "500 ms""#
        ),
        (
            #"{"privacy": 15}"#, "", "",
            "1:76: LD0108: devices[0].security.privacy: "
        ),
        (
            #"{"privacy": true}"#, #", "address": "40:FF:EE:00:00:01/random""#, "",
            "1:94: LD0109: devices[0].address: expected a public or static address, which privacy hides, found "
        ),
        (
            #"{"privacy": true}"#, "", #"{"when": "5 s", "do": "change_address", "of": "d"}"#,
            #"1:142: LD0134: script[0].of: a device with "privacy" hides this address: use rotate_address"#
        ),
        (
            "{}", "", #"{"when": "5 s", "do": "alter_pairing", "at": "random", "echo": true}"#,
            #"1:144: LD0138: script[0].echo: only the confirm value can be returned"#
        ),
        (
            "{}", "", #"{"when": "5 s", "do": "alter_pairing", "at": "confirm", "octets": "00", "echo": true}"#,
            #"1:161: LD0138: script[0].echo: "octets", "mask" and "echo" exclude each other: delete one"#
        ),
        (
            "{}", "", #"{"when": "5 s", "do": "alter_pairing", "at": "encryption"}"#,
            #"1:126: LD0110: script[0].at: unknown name "encryption""#
        ),
    ])
    func `A problem of security is named at its place`(
        security: String, more: String, script: String, complaint: String
    ) {
        let text =
            #"{"lubdub": 1, "name": "x", "devices": [{"id": "d", "security": \#(security)\#(more)}], "script": [\#(script)]}"#
        let said = problems(("a.json", text))
        #expect(said.count == 1)
        #expect(said.first?.hasPrefix("a.json:" + complaint) == true, "\(said)")
    }

    @Test func `A rule after the limit cannot fire, and an expectation cannot open there`() {
        let said = problems(
            (
                "a",
                scenario(
                    script: #"{"when": "11 s", "do": "clear", "of": "strap"}"#,
                    expect: #"{"id": "e", "expect": "never", "event": "connected", "since": "12 s"}"#,
                    rest: #", "limit": "10 s""#)
            ))
        #expect(
            said == [
                "a:2:21: LD0136: script[0].when: this is after the scenario's limit of 10 s",
                "a:3:74: LD0137: expect[0].since: this is after the scenario's limit of 10 s",
            ])
    }

    @Test func `Keys of every kind are checked where the kind is not known`() {
        let said = problems(("a", scenario(script: #"{"when": "5 sec", "do": "swim", "of": "battery", "to": "x"}"#)))
        #expect(
            said == [
                #"a:2:21: LD0111: script[0].when: "5 sec" is not a moment such as "10 s", "start", "end" or "connected""#,
                #"a:2:36: LD0110: script[0].do: unknown name "swim""#,
            ])
    }

    @Test(arguments: [
        (#""expect": "never", "event": {"event": "said", "line": TRUTH}"#, "has no meaning in this expectation"),
        (
            #""expect": "seen", "within": "9 s", "event": {"event": "said", "line": TRUTH, "nth": 2}"#,
            "has no meaning in this expectation"
        ),
        (
            #""expect": "seen", "within": "9 s", "event": "connected", "since": {"event": "said", "line": TRUTH}"#,
            "has no meaning in this expectation"
        ),
        (
            #""expect": "seen", "within": "9 s", "event": {"event": "said", "line": MEAN}"#,
            #"applies to "last", not to "mean": delete it"#
        ),
    ])
    func `Fresh values are for lines that answer`(expectation: String, complaint: String) {
        let truth = #"{"heart_rate": {"bpm": {"$truth": "last", "of": "heart_rate", "fresh": true}}}"#
        let expect = expectation.replacing("TRUTH", with: truth).replacing(
            "MEAN", with: truth.replacing("last", with: "mean"))
        let said = problems(("a", scenario(script: "", expect: #"{"id": "e", \#(expect)}"#)))
        #expect(said.count == 1)
        #expect(said.first?.contains(#"LD0138: expect[0]"#) == true, "\(said)")
        #expect(said.first?.contains(#""fresh" \#(complaint)"#) == true, "\(said)")
    }

    @Test func `A lasting action may end after the limit, at an event that can occur`() {
        func said(_ until: String, _ other: String = "") -> [String] {
            let rule = #"{"when": "5 s", "do": "silence", "of": "strap", "until": \#(until)}"#
            return problems(("a", scenario(script: rule + other, rest: #", "limit": "10 s""#)))
        }
        #expect(said(#""2 h""#) == [])
        #expect(said(#"{"event": "connected", "after": "2 h"}"#) == [])
        let never = #", {"when": "11 s", "id": "late", "do": "clear", "of": "strap"}"#
        #expect(said(#"{"event": "ended", "of": "late"}"#, never).count == 1)
    }

    @Test func `Duplicate ids and addresses and an empty list of devices are reported`() {
        let twice = """
            {"lubdub": 1, "name": "x", "devices": [
            {"id": "a", "address": "C0:FF:EE:00:00:01/random"},
            {"id": "a", "address": "C0:FF:EE:00:00:01/random", "services": [{"service": "battery"},
            {"service": "battery"}]}]}
            """
        #expect(
            problems(("a", twice)) == [
                #"a:3:8: LD0131: devices[1].id: another device has the id "a""#,
                "a:3:24: LD0132: devices[1].address: another device has the address C0:FF:EE:00:00:01/random",
                #"a:4:13: LD0131: devices[1].services[1].service: this device has another service "battery""#,
            ])
        #expect(
            problems(("a", #"{"lubdub": 1, "name": "x", "devices": []}"#)) == [
                "a:1:39: LD0130: devices: a scenario needs at least one device"
            ])
    }

    @Test func `A file with cases is a suite`() {
        let scenario = #"{"lubdub": 1, "name": "x", "devices": [{"id": "a"}]}"#
        func suite(_ rest: String) -> [String] {
            problems(("a", "{\"lubdub\": 1, \"name\": \"x\", \(rest)}"), ("b.json", scenario))
        }
        let cases = #""cases": [{"scenario": "b.json"}]"#
        #expect(suite(#""kind": "suite", \#(cases)"#).isEmpty)
        #expect(suite(cases) == [#"a:1:1: LD0106: kind: "kind" is required"#])
        #expect(suite(#""kind": "Suite", \#(cases)"#) == [#"a:1:36: LD0110: kind: unknown name "Suite""#])
        #expect(suite(#""kind": "suite", "cases": []"#).isEmpty)
    }

    @Test func `An included file cannot have a limit`() {
        let included = #"{"lubdub": 1, "limit": "9 s", "devices": [{"id": "a"}]}"#
        let found = reading([("a", #"{"lubdub": 1, "name": "x", "include": ["b"]}"#), ("b", included)]).problems
        #expect(found.map(\.description) == [#"b:1:15: LD0107: limit: unknown key "limit""#])
        #expect(found.first?.help?.hasPrefix(#"an included file cannot have "limit""#) == true)
    }

    @Test func `Trials of keys end soon in a deep document`() {
        let depth = 60
        let curve = String(repeating: #"{"curve": "sum", "trems": ["#, count: depth / 2) + "1"
        let script =
            #"{"when": "1 s", "do": "rssi", "of": "a", "to": \#(curve)"#
            + String(repeating: "]}", count: depth / 2)
        let text = #"{"lubdub": 1, "name": "x", "devices": [{"id": "a"}], "script": [\#(script)}]}"#
        #expect(problems(("a", text)).count == depth / 2)
    }

    @Test func `Variables are replaced, checked with their values, and missed or unused`() {
        func text(_ variables: String, _ value: String) -> String {
            """
            {"lubdub": 1, "name": "x", "variables": {\(variables)},
            "devices": [{"id": "a", "services": [{"service": "heart_rate", "value": \(value)}]}]}
            """
        }
        #expect(problems(("a", text(#""b": 62"#, #""${b}""#))) == [])
        let overridden = reading([("a", text(#""b": 62"#, #""${b}""#))], variables: ["b": Node(.number("70000"))])
        #expect(overridden.problems.map(\.code) == [.outOfRange])
        #expect(
            problems(("a", text(#""b": 62"#, #""${b}""#)), variables: ["b": Node(.array([]))]) == [
                #"a:1:1: LD0108: expected a single value for the variable "b", found an array"#
            ])
        #expect(
            problems(("a", text(#""bb": 62"#, #""${b}""#))) == [
                #"a:2:73: LD0120: devices[0].services[0].value: no variable "b""#
            ])
        #expect(
            problems(("a", text(#""b": 62, "rest": 60"#, #""${b}""#))) == [
                #"a:1:59: LD0121: variables.rest: the variable "rest" is never used"#
            ])
    }

    @Test(arguments: [
        (#""disconnect", "reason": "remote_user_terminated""#, "LD0110", "remote_user_terminated_connection"),
        (#""disconnect", "reason": "connection_timeout""#, "LD0110", nil),
        (#""disconnect", "reason": 8"#, "LD0109", nil),
        (#""disconnect", "reason": 256"#, "LD0109", nil),
        (#""att_error", "on": "read", "error": "unlikly_error""#, "LD0110", "unlikely_error"),
    ])
    func `A reason is one that can be given, and an error has a name`(
        action: String, code: String, meant: String?
    ) throws {
        let said = problems(("a", scenario(script: #"{"when": "1 s", "do": \#(action)}"#)))
        let problem = try #require(said.first { $0.contains(code) }, "\(said)")
        #expect(problem.hasPrefix("a:2:"))
        let help = reading([("a", scenario(script: #"{"when": "1 s", "do": \#(action)}"#))]).problems.first?.help
        if let meant { #expect(help == "did you mean \"\(meant)\"?") }
    }

    @Test func `A reason and an error of an event have names`() {
        func said(_ event: String) -> [String] {
            problems(("a", scenario(script: #"{"when": {\#(event)}, "do": "set", "of": "battery", "to": 1}"#)))
        }
        #expect(said(#""event": "disconnected", "reason": "connection_timeout""#) == [])
        #expect(said(#""event": "refused", "error": "invalid_handle""#) == [])
        #expect(said(#""event": "refused", "error": 128"#) == [])
        let reason = said(#""event": "disconnected", "reason": "conection_timeout""#)
        #expect(
            reason.count == 1
                && reason[0].contains(#"LD0110: script[0].when.reason: unknown name "conection_timeout""#))
        let error = said(#""event": "refused", "error": "connection_timeout""#)
        #expect(error.count == 1 && error[0].contains("LD0110: script[0].when.error: "))
    }

    @Test func `With several devices a path begins with one of them`() {
        let text = """
            {"lubdub": 1, "name": "x", "devices": [{"id": "a", "services": [{"service": "battery"}]}, {"id": "b"}],
            "script": [{"when": "start", "do": "set", "of": "battery", "to": 1}, {"when": "start", "do": "silence"}]}
            """
        #expect(
            problems(("a", text)) == [
                #"a:2:49: LD0133: script[0].of: unknown path "battery""#,
                #"a:2:70: LD0106: script[1]: "of" is required: the scenario has several devices"#,
            ])
    }

    @Test func `A path that is unknown in several places is one problem`() {
        let rule = #"{"when": {"event": "subscribed", "of": "belt/battery"}, "do": "silence", "of": "belt"}"#
        let reading = reading([("a", scenario(script: Array(repeating: rule, count: 3).joined(separator: ",\n")))])
        #expect(
            reading.problems.map(\.description) == [#"a:2:51: LD0133: script[0].when.of: unknown path "belt/battery""#])
        #expect(
            reading.problems.first?.related.map(\.message) == [
                "and here", "and here", "and here, and at 2 more places",
            ])
    }

    @Test func `Includes are relative, finite and reported`() {
        let top = #"{"lubdub": 1, "name": "x", "include": ["parts/strap.json"]}"#
        let strap = #"{"lubdub": 1, "devices": [{"id": "a"}], "include": ["../parts/../top.json", "/etc/x", "no"]}"#
        #expect(
            problems(("top.json", top), ("parts/strap.json", strap)) == [
                #"parts/strap.json:1:53: LD0115: include[0]: "top.json" includes itself: top.json > parts/strap.json > top.json"#,
                #"parts/strap.json:1:77: LD0114: include[1]: "/etc/x" is absolute"#,
                #"parts/strap.json:1:87: LD0113: include[2]: cannot read "parts/no""#,
            ])
        #expect(reading([("top.json", top), ("parts/strap.json", strap)]).scenario?.devices.map(\.id) == ["a"])
    }

    @Test func `A suite's cases are read with their variables`() {
        let suite = """
            {"lubdub": 1, "kind": "suite", "name": "s", "cases": [
            {"scenario": "a/b.json", "variables": {"v": 3}}, {"scenario": "a/b.json"}]}
            """
        let inner = scenario(
            script: #"{"when": "start", "do": "set", "of": "battery", "to": "${v}"}"#, rest: #", "variables": {"v": 1}"#
        )
        let reading = reading([("s.json", suite), ("a/b.json", inner)])
        #expect(
            reading.problems.map(\.description) == [#"s.json:2:50: LD0131: cases[1]: another case has the id "a/b""#])
        guard case .suite(let read)? = reading.content else {
            Issue.record("no suite")
            return
        }
        #expect(read.cases.map(\.id) == ["a/b", "a/b"])
    }

    @Test func `A csv file is a curve`() throws {
        let text = """
            {"lubdub": 1, "name": "x", "devices": [{"id": "a", "services": [
            {"service": "heart_rate", "value": {"curve": "csv", "file": "r.csv", "column": "bpm"}}]}]}
            """
        let good = reading([("a", text), ("r.csv", "time,bpm,x\r\n0,60,1\r\n1.5, 61,1\r\n")])
        #expect(good.problems.isEmpty)
        guard let heart = good.scenario?.devices[0].services[0].configured.configuration else {
            Issue.record("no heart rate")
            return
        }
        #expect(
            heart[HeartRateFields.rate]
                == .samples([.init(at: .zero, 60), .init(at: .milliseconds(1500), 61)]))
        for (table, complaint) in [
            ("time,pbm\n0,1", #"r.csv:1: no column "bpm" (did you mean "pbm"?)"#),
            ("time,bpm\n0,1\n0,2", "r.csv:3: the times must rise from line to line"),
            ("", "r.csv:1: expected at least two columns"),
            ("time,bpm\n0", "r.csv:2: expected 2 numbers"), ("time,bpm\n", "r.csv: the table has no values"),
        ] {
            let said = problems(("a", text), ("r.csv", table))
            #expect(said.first?.contains(complaint) == true, "\(said)")
        }
    }
}

@Suite struct SuiteFileTests {
    @Test func `A case of a suite is a scenario, and not the suite itself or another`() {
        let suite = #"{"lubdub": 1, "kind": "suite", "name": "s", "cases": [{"scenario": "b.json"}]}"#
        let other = #"{"lubdub": 1, "kind": "suite", "name": "t", "cases": [{"scenario": "b.json"}]}"#
        #expect(
            problems(("a.json", suite), ("b.json", other)) == [
                "b.json:1:23: LD0110: kind: expected a scenario: a suite cannot contain suites"
            ])
        #expect(problems(("b.json", other)).count == 1)
    }

    @Test func `A suite can be read without its scenarios`() throws {
        func read(_ text: String) -> (suite: Suite, problems: [Problem])? { Suite.read("in/s.json", Array(text.utf8)) }
        let text = #"{"lubdub": 1, "kind": "suite", "name": "s", "cases": [{"scenario": "../b.json", "sed": 1}]}"#
        let (suite, problems) = try #require(read(text))
        #expect(suite.cases.map(\.scenario) == ["b.json"])
        #expect(problems.map(\.code) == [.unknownKey])
        #expect(read(scenario()) == nil)
        #expect(read("{") == nil)
    }
}
