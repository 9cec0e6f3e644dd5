import Basics
import ScenarioLanguage
import ScenarioModel
import Synchronization
import Testing

@testable import VirtualWorld

/// Each action on each kind of host: carried out, or refused with the reason that the host declares.
@Suite struct ActionsOnHostsTests {
    /// A rule with an action, for a device that may have a secure value.
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: Action.Kind
        let rule: String
        let security: String

        var testDescription: String { "\(kind.rawValue): \(rule)" }

        init(
            _ kind: Action.Kind, _ rule: String, when: String = #"{"event": "notified", "nth": 3}"#,
            security: String = ""
        ) {
            (self.kind, self.security) = (kind, security)
            self.rule = #"{"id": "it", "when": \#(when), "do": "\#(kind.rawValue)", \#(rule)}"#
        }

        /// On a device that compares numbers with its client.
        static func secure(
            _ kind: Action.Kind, _ rule: String, when: String = #""start""#, more: String = ""
        ) -> Case {
            Case(kind, rule, when: when, security: #""security": {"io": "display_yes_no", "mitm": true\#(more)}, "#)
        }

        func scenario(withRule isPlayed: Bool) throws -> Scenario {
            let permissions = security.isEmpty ? "" : #""permissions": ["authenticated"], "#
            let text = """
                {"lubdub": 1, "name": "x", "limit": "20 s", "devices": [
                  {"id": "strap", \(security)"advertise": {"services": ["180D"]}, "services": [
                    {"service": "heart_rate", \(permissions)"energy": true, "value": 72},
                    {"service": "health_thermometer", "period": "2 s", "value": 36.6},
                    \(kind == .leadOff ? #"{"service": "ecg", "rate": "50 Hz"}, "# : "")\
                    {"service": "battery", "value": 50}]},
                  {"id": "phone", "role": "central"}],
                 "script": [
                  {"when": "start", "do": "set", "of": "strap/battery", "to": 20},
                  {"when": "12 s", "do": "disconnect", "of": "strap"}\(isPlayed ? ", " + rule : "")]}
                """
            return try TestScenario(testDescription, text).scenario
        }
    }

    static let cases: [Case] = [
        Case(.linkLoss, #""of": "strap", "for": "8 s""#), Case(.distance, #""of": "strap", "to": "90 m""#),
        Case(.rssi, #""of": "strap", "to": -90"#), Case(.loss, #""of": "strap", "rate": 0.5"#),
        Case(.powerOff, #""of": "client", "for": "2 s""#), Case(.stopAdvertising, #""of": "strap""#),
        Case(
            .changeAdvertising, #""of": "strap", "manufacturer_data": [{"company": 107, "octets": "24 00 48 48"}]"#,
            when: #""start""#),
        Case(.changeAdvertising, #""of": "strap", "octets": "02 01 06""#, when: #""start""#),
        Case(.changeAddress, #""of": "strap", "to": "C0:FF:EE:00:00:99/random""#),
        Case(.changeAddress, #""of": "strap", "to": "00:11:22:33:44:55/public""#),
        .secure(.rotateAddress, #""of": "strap""#, when: #""6 s""#, more: #", "privacy": true"#),
        Case(.connect, #""of": "phone", "to": "strap""#), Case(.disconnect, #""of": "strap""#),
        Case(.restart, #""of": "strap", "off": "2 s""#), Case(.silence, #""of": "strap", "for": "8 s""#),
        Case(.drop, #""of": "strap/heart_rate""#),
        Case(.duplicate, #""of": "strap/heart_rate""#), Case(.delay, #""of": "strap/heart_rate", "by": "70 ms""#),
        Case(.reorder, #""of": "strap/heart_rate", "span": 3"#), Case(.truncate, #""of": "strap/heart_rate", "to": 1"#),
        Case(.lengthen, #""of": "strap/heart_rate", "with": "FF 00""#),
        Case(.burst, #""of": "strap/heart_rate", "rate": "50 Hz", "for": "1 s""#),
        Case(.notify, #""of": "strap/heart_rate", "times": 3"#),
        Case(.raw, #""of": "strap/heart_rate", "octets": "00 07""#),
        Case(.raw, #""of": "strap", "octets": "FF 00", "channel": "att""#),
        Case(.set, #""of": "strap/heart_rate", "to": 99"#), Case(.leadOff, #""of": "strap/ecg", "for": "3 s""#),
        Case(.drift, #""of": "strap", "ppm": 900"#), Case(.skipTime, #""of": "strap", "by": "12 h""#),
        Case(.stall, #""of": "strap", "for": "5 s""#, when: #"{"event": "connected", "of": "strap"}"#),
        Case(.attError, #""of": "strap", "on": "read", "error": "unlikely_error""#, when: #""start""#),
        Case(.attError, #""of": "strap", "on": "subscribe", "error": "unlikely_error""#, when: #""start""#),
        Case(.attError, #""of": "strap", "error": "unlikely_error""#, when: #""start""#),
        Case(.mtu, #""of": "strap", "to": 23"#, when: #""start""#), Case(.moveHandles, #""of": "strap", "by": 16"#),
        Case(.changeServices, #""of": "strap", "remove": ["strap/battery"]"#),
        Case(.unconfirmed, #""of": "client", "for": "5 s""#), Case(.clear, #""of": "strap""#),
        .secure(.forgetBond, #""of": "strap""#, when: #""9 s""#),
        .secure(.forgetBond, #""of": "strap", "side": "client""#, when: #""9 s""#),
        .secure(.refusePairing, #""of": "strap""#),
        .secure(.stallPairing, #""of": "strap", "at": "random", "by": "3 s""#),
        .secure(.alterPairing, #""of": "strap", "at": "random""#),
        .secure(.wrongKey, #""of": "strap""#, when: #""9 s""#),
        .secure(.requestSecurity, #""of": "strap""#, when: #""9 s""#),
        .secure(.user, #""of": "strap", "answers": "wrong""#), .secure(.user, #""of": "client", "answers": "wrong""#),
        // `BadDaysOfBlueZTests` has a system that plays them.
        Case(.daemonAway, #""abrupt": true, "for": "2 s""#), Case(.adapterOff, #""for": "2 s""#),
        Case(.adapterUnplugged, #""of": "client""#), Case(.discoveryStuck, #""of": "client""#),
        Case(.deviceGone, #""of": "strap""#), Case(.connectAborts, #""of": "strap", "times": 2"#),
        Case(.servicesResolved, #""of": "strap", "at": "late", "by": "2 s""#),
        Case(.staleAttributes, #""of": "strap""#), Case(.otherScan, #""of": "client""#),
        Case(.otherConnection, #""of": "strap""#), Case(.lateReplies, #""by": "2 s""#),
        Case(.busAway, #""of": "client", "for": "2 s""#),
    ]

    /// Where there is something to be seen of an action that is not refused: `forget_bond` needs a bond.
    static let radios = [RadioKind.rehearsal, .controllers, .bluetoothd]

    private static let without = Mutex<[String: HostedDevices]>([:])

    /// The devices of a case without its rule; played once for all cases with the same devices.
    private static func withoutRule(_ it: Case, on radio: RadioKind) throws -> HostedDevices {
        let key = "\(radio) \(it.security) \(it.kind == .leadOff)"
        if let known = without.withLock({ $0[key] }) { return known }
        let played = try HostedDevices(try it.scenario(withRule: false), on: radio)
        without.withLock { $0[key] = played }
        return played
    }

    @Test func `All actions are tested`() {
        #expect(Set(Self.cases.map(\.kind)) == Set(Action.Kind.allCases))
    }

    @Test(arguments: cases, radios)
    func `An action is carried out, or refused with the declared reason`(_ it: Case, radio: RadioKind) throws {
        let scenario = try it.scenario(withRule: true)
        let rule = scenario.script.count - 1
        let reason = radio.unsupportedReason(for: scenario.script[rule].action)
        let without = try Self.withoutRule(it, on: radio)
        let with = try HostedDevices(scenario, on: radio)
        #expect(without.course.events.contains { $0.contains(" notified strap/heart_rate") })
        #expect(with.began.contains("it") == (reason == nil))
        let difference = firstDifference(with.course.lines, without.course.lines)
        #expect((difference != nil) == (reason == nil), "\(difference ?? "no effect")")
        #expect(scenario.unplayable(on: radio).map(\.rule) == (reason == nil ? [] : [rule]))

        var world = try World(try it.scenario(withRule: false), seed: 1)
        if radio == .rehearsal { _ = try world.addClient(at: .start) }
        world.placeDevices(on: radio)
        world.start()
        world.run(until: Instant(nanoseconds: 1_000_000_000))
        let action = scenario.script[rule].action
        #expect(radio.unsupportedReason(for: action) == nil || world.ineffectiveReason(for: action)?.reason == reason)
        #expect(world.act(action, as: "key", at: world.now) == (reason == nil))
        #expect(world.lasts("key", of: try #require(action.entity)) == (reason == nil && action.kind.lasts))
    }

    @Test(arguments: radios) func `An argument or a part that a host leaves out has a name`(radio: RadioKind) throws {
        let disconnect = Action(.disconnect(reason: .number(0x15)), of: .device(0))
        #expect(radio.ignoredArgument(of: disconnect) == (radio == .bluetoothd ? "reason" : nil))
        #expect(radio.refusal(of: disconnect)?.key == (radio == .bluetoothd ? "reason" : nil))
        let move = Action(.distance(to: 3, over: .zero), of: .device(0))
        #expect((radio.missingPart(of: move) != nil) == (radio == .controllers))
    }
}
