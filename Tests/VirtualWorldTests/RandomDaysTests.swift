import Basics
import FoundationEssentials
import ScenarioModel
import SecurityManager
import Testing

/// Faults by chance, one upon the other: the client is always back.
///
/// `LUBDUB_SOAK` sets the number of days; `make soak` plays 100,000.
@Suite struct RandomDaysTests {
    private static let count = ProcessInfo.processInfo.environment["LUBDUB_SOAK"].flatMap(UInt64.init) ?? 100
    private static let slices: UInt64 = 8

    @Test(arguments: 0..<slices)
    func `After the last fault the client is subscribed again`(slice: UInt64) throws {
        for seed in stride(from: slice, to: Self.count, by: Int(Self.slices)) {
            let day = RandomDay(seed: seed)
            guard let fault = try day.fault() else { continue }
            let smallest = try day.shrunk()
            Issue.record(
                """
                seed \(seed): \(fault); with fewer rules: \(try smallest.fault() ?? "")
                \(smallest.text)
                replay: save this as day.json; lubdub run day.json --seed \(seed) --events -
                """)
            return
        }
    }

    /// What days by chance once found, with the fewest rules.
    @Test(
        arguments: [
            // Service Changed comes while a client out of sync is discovering again.
            #"""
            {"when": {"event": "connected"}, "do": "change_services", "add": [{"service": "fitness", "steps": 7}],
             "of": "strap"},
            {"when": {"event": "delivered", "nth": 3}, "do": "move_handles", "by": 5, "of": "strap"}
            """#,
            // Service Changed waits for the confirmation of an indication.
            #"""
            {"when": "start", "do": "stop_advertising", "of": "strap", "for": "2 s"},
            {"when": {"event": "subscribed", "nth": 1}, "do": "unconfirmed", "of": "client", "for": "4 s"},
            {"when": {"event": "delivered", "nth": 1}, "do": "change_services",
             "add": [{"service": "fitness", "steps": 7}], "of": "strap"}
            """#,
        ])
    func `Repetitions of one day are identical`(rules: String) throws {
        let scenario = try RandomDay(seed: 1, rules: [rules]).scenario
        #expect(try BadDay.fault(in: scenario, seed: 1) == nil)
    }

    /// Days of `make soak` that once had a fault.
    @Test(
        arguments: [
            10315,  // The link ends when only the client has the keys of a new bond.
            48079,  // the same, with a private address
            92961,  // The services change after the subscription to Service Changed was refused.
        ] as [UInt64])
    func `The client recovers on days that found a mistake`(seed: UInt64) throws {
        #expect(try RandomDay(seed: seed).fault() == nil)
    }

    @Test func `Same seed, same bytes, with faults by chance`() throws {
        for seed in 0..<20 as Range<UInt64> {
            let scenario = try RandomDay(seed: seed).scenario
            let (one, two) = (try WorldHarness(scenario, seed: seed), try WorldHarness(scenario, seed: seed))
            #expect(one.lines == two.lines)
            #expect(one.trace == two.trace)
        }
    }
}

/// A strap, and a script of some faults that end.
private struct RandomDay {
    let seed: UInt64
    /// Whether the strap requires pairing, and faults concern pairing, too.
    private var isSecure = false
    /// Whether its address is private, and rotates.
    private var isPrivate = false
    /// Whether it exchanges data out of band.
    private var hasOutOfBand = false
    private var rules: [String]

    init(seed: UInt64, rules: [String]) { (self.seed, self.rules) = (seed, rules) }

    init(seed: UInt64) {
        self.seed = seed
        var chance = RandomStream(seed: seed).stream("random day")
        isSecure = seed % 4 == 3
        isPrivate = seed % 8 == 7
        hasOutOfBand = isSecure && seed % 16 > 8
        rules = (0...chance.below(5)).map { [isSecure, isPrivate] _ in
            Self.rule(&chance, isSecure: isSecure, isPrivate: isPrivate)
        }
    }

    var text: String {
        """
        {"lubdub": 1, "name": "A random day", "limit": "\(isSecure ? 240 : 60) s", "devices": [
          {"id": "strap", \(isSecure ? security : "")"advertise": {"services": ["180D"]}, "services": [
            {"service": "heart_rate", \(isSecure ? Self.permissions : "")"rr_intervals": true, "value": 72},
            {"service": "health_thermometer", "period": "3 s", "value": 36.6}, {"service": "battery", "value": 50}]}],
         "script": [
          \(rules.joined(separator: ",\n  "))]}
        """
    }

    private var security: String {
        #""security": {"io": "display_only", "mitm": "required", "privacy": \#(isPrivate), "oob": \#(hasOutOfBand)}, "#
    }

    private static let permissions = #""permissions": ["authenticated"], "#

    var scenario: Scenario { get throws { try TestScenario("day \(seed)", text).scenario } }

    func fault() throws -> String? { try BadDay.fault(in: scenario, seed: seed, isSecure: isSecure) }

    /// With as few of its rules as it fails with.
    func shrunk() throws -> RandomDay {
        var smallest = self
        var index = 0
        while index < smallest.rules.count, smallest.rules.count > 1 {
            var fewer = smallest
            fewer.rules.remove(at: index)
            if try fewer.fault() != nil { smallest = fewer } else { index += 1 }
        }
        return smallest
    }

    private static func rule(_ chance: inout RandomStream, isSecure: Bool, isPrivate: Bool) -> String {
        func pick(_ all: [String]) -> String { all[Int(chance.below(UInt64(all.count)))] }
        let seconds = 1 + chance.below(25)
        let when = pick([
            #""\#(seconds) s""#, #"{"at": "\#(seconds) s", "every": "4 s", "times": 3}"#,
            pick(["connected", "discovering", "discovered", "connecting"].map { #"{"event": "\#($0)", "nth": 1}"# }),
            #"{"event": "subscribed", "nth": \#(1 + chance.below(2)), "after": "\#(chance.below(4000)) ms"}"#,
            #"{"event": "delivered", "nth": \#(1 + chance.below(20))}"#, #"{"event": "disconnected", "nth": 1}"#,
        ])
        let span = 1 + chance.below([900, 3000, 9000][Int(chance.below(3))])
        let lasting = #", "for": "\#(span) ms""#
        let strap = #", "of": "strap""#
        let part = pick([#", "of": "strap/heart_rate""#, #", "of": "strap/health_thermometer""#])
        let share = Double(chance.below(100)) / 100
        let step = pick(PairingStep.allCases.map(\.rawValue))
        var securityFaults = [
            #""do": "forget_bond""# + strap, #""do": "forget_bond", "side": "client""# + strap,
            #""do": "forget_bond", "side": "both""# + strap,
            #""do": "refuse_pairing", "reason": "busy""# + strap + lasting,
            #""do": "stall_pairing", "at": "\#(step)""# + strap + lasting,
            #""do": "stall_pairing", "at": "\#(step)", "by": "\#(chance.below(40_000)) ms""# + strap + lasting,
            #""do": "alter_pairing", "at": "\#(pick(["public_key", "confirm", "random", "dhkey_check"]))""# + strap
                + lasting,
            #""do": "alter_pairing", "at": "features", "from": 4, "octets": "06""# + strap + lasting,
            #""do": "alter_pairing", "at": "confirm", "echo": true"# + strap + lasting,
            #""do": "wrong_key""# + strap + lasting, #""do": "request_security""# + strap,
            #""do": "user", "of": "client", "answers": "\#(pick(["wrong", "cancel", "never"]))""# + lasting,
            #""do": "disconnect""# + strap,
        ]
        let addressFault = isPrivate ? #""do": "rotate_address""# : #""do": "change_address""#
        if isPrivate { securityFaults += [addressFault + strap, addressFault + strap] }
        if isSecure, chance.below(2) == 0 { return #"{"when": \#(when), \#(pick(securityFaults))}"# }
        let operation = pick([
            #""do": "link_loss""# + strap + lasting, #""do": "link_loss""# + strap + lasting,
            #""do": "distance", "to": "\#(20 + chance.below(100)) m", "over": "\#(chance.below(5000)) ms""# + strap
                + lasting,
            #""do": "rssi", "to": \#(-100 + Int(chance.below(20)))"# + strap + lasting,
            #""do": "loss", "rate": \#(share)"# + strap + lasting, #""do": "silence""# + strap + lasting,
            #""do": "stop_advertising""# + strap + lasting, #""do": "stall""# + strap + lasting,
            #""do": "mtu", "to": 23"# + strap + lasting, #""do": "drop""# + strap + lasting,
            #""do": "att_error", "error": "unlikely_error""# + strap + lasting,
            #""do": "att_error", "on": "subscribe", "error": "insufficient_resources""# + strap + lasting,
            #""do": "delay", "by": "\#(chance.below(5000)) ms""# + strap + lasting,
            #""do": "duplicate""# + strap + lasting,
            #""do": "reorder", "span": \#(2 + chance.below(5))"# + strap + lasting,
            #""do": "truncate", "to": \#(chance.below(4))"# + part + lasting,
            #""do": "lengthen", "with": "0102030405060708""# + part + lasting,
            #""do": "burst", "rate": "\#(1 + chance.below(300)) Hz""# + part + lasting,
            #""do": "drift", "ppm": \#(Int(chance.below(2000)) - 1000)"# + strap + lasting,
            #""do": "power_off", "of": "client""# + lasting, #""do": "unconfirmed", "of": "client""# + lasting,
            #""do": "disconnect""# + strap, addressFault + strap,
            #""do": "raw", "octets": "ff\#(chance.below(90) + 10)""# + part,
            #""do": "raw", "channel": "\#(pick(["att", "signalling", "smp"]))", "octets": "\#(10 + chance.below(90))""#
                + strap,
            #""do": "notify", "times": \#(1 + chance.below(50))"# + part, #""do": "skip_time", "by": "1 h""# + strap,
            #""do": "move_handles", "by": \#(1 + chance.below(40))"# + strap,
            #""do": "change_services", "add": [{"service": "fitness", "steps": 7}]"# + strap,
        ])
        return #"{"when": \#(when), \#(operation)}"#
    }
}
