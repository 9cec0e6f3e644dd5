import Basics
import Bluetooth
import CheckCatalogue
import Expectations
import HCI
import LEHost
import ScenarioModel
import SecurityManager
import Testing
import VirtualWorld

@testable import Checks

extension Check {
    /// Runs it on a peripheral of which nothing is known.
    func run(on peer: Peer, over host: any ExaminerHost, isStrict: Bool = false) -> Outcome {
        var knowledge = Knowledge()
        return run(on: peer, over: host, isStrict: isStrict, knowing: &knowledge)
    }
}

/// Checks by hosts as in real time: the peripheral cannot be controlled, the machine is slow, controllers disappear.
@Suite struct ExaminerHostTests {
    /// A host of a peripheral that cannot be controlled.
    final class RealHost: ExaminerHost {
        private var host: VirtualTimeHost
        /// The delay of this machine in each wait.
        private let stall: Duration
        /// Output again for each examiner, since the controller starts once.
        private var started: Host.Output?
        private var isReported = true
        /// The waits that are left before it is over.
        private var rounds: Int
        /// How often the examiner has encrypted a link.
        private(set) var encryptions = 0

        init(_ peripheral: Peripheral, stall: Duration = .zero, rounds: Int = .max) throws {
            var world = try World(peripheral.scenario(), seed: 1)
            world.mutation = peripheral.mutation
            host = try VirtualTimeHost(world, device: 0)
            (self.stall, self.rounds) = (stall, rounds)
        }

        var pool: PacketPool {
            get { host.pool }
            _modify { yield &host.pool }
        }
        var now: Instant { host.now }
        var simulated: (scenario: Scenario, device: Int)? { nil }
        var isOver: Bool { rounds <= 0 }

        func start() {
            guard started == nil else {
                isReported = false
                return
            }
            host.start()
        }
        func perform(_ command: Host.Command) {
            if case .security(_, .encrypt) = command { encryptions += 1 }
            host.perform(command)
        }
        func inject(_ fault: Host.Fault) { host.inject(fault) }
        func play(until limit: Instant) -> Bool {
            rounds -= 1
            return !isOver && host.play(until: limit)
        }
        func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
            if let started, !isReported { handle(started, &host.pool) }
            isReported = true
            host.drain { output, pool in
                if case .started = output { started = output }
                handle(output, &pool)
            }
        }
        func stall(since begin: Instant) -> Duration { stall }
        func act(_ action: Action, for duration: Duration?) -> Bool { false }
        func displayedPasskey() -> UInt32? { host.displayedPasskey() }
        func enter(passkey: UInt32, _ connection: ConnectionID) -> Bool {
            host.enter(passkey: passkey, connection)
        }
    }

    private static let full = Peripheral.correct[0]
    private static let strap = Peer.name("Lubdub HRM")

    private static func mutant(_ id: String) throws -> (Check, Peripheral) {
        (
            try #require(Check.all.first { $0.id == id }),
            try #require(Peripheral.mutants.first { $0.caughtBy == id && $0.mutation != nil })
        )
    }

    @Test func `a correct peripheral that cannot be manipulated fails no check`() throws {
        for check in Check.all {
            let outcome = check.run(on: Self.strap, over: try RealHost(Self.full), isStrict: true)
            let words = "\(check.id): \(outcome.finding.map { "\($0.expected), \($0.seen)" } ?? outcome.reason ?? "")"
            #expect(outcome.verdict == .pass || outcome.verdict == .skip, "\(words)")
            if check.id == "HRS/SEN/CN/BV-04-C" {
                #expect(outcome.reason == "cannot set the heart rate of a real peripheral")
            }
        }
    }

    static let losses: [(id: String, isPassedBy: Peripheral)] = [
        ("reconnection/advertises_after_loss", full), ("HTS/SEN/SP/BV-02-C", Peripheral.thermometer),
    ]

    @Test(arguments: losses) func `a real peripheral loses a client whose controller is reset`(
        id: String, right: Peripheral
    ) throws {
        let check = try #require(Check.all.first { $0.id == id })
        let wrong = try #require(Peripheral.mutants.first { $0.caughtBy == id })
        #expect(check.run(on: Self.strap, over: try RealHost(right), isStrict: true).verdict == .pass)
        #expect(check.run(on: Self.strap, over: try RealHost(wrong), isStrict: true).verdict == .fail)
    }

    @Test func `the examiner pairs with a peripheral that requests security`() throws {
        let request =
            #"{"when": {"event": "connected", "after": "10 ms"}, "do": "request_security", "of": "strap"}"#
        let check = try #require(Check.all.first { $0.id == "GATT/SR/GAR/BV-01-C" })
        for (rules, count) in [([], 0), ([request], 1)] {
            var peripheral = Peripheral.sealed
            peripheral.script = rules
            let host = try RealHost(peripheral)
            #expect(check.run(on: Self.strap, over: host).verdict == .pass)
            #expect(host.encryptions == count)
        }
    }

    static let lengths: [(stall: Duration, verdict: Verdict)] = [
        (.zero, .fail), (.milliseconds(50), .fail), (.milliseconds(2000), .fail), (.milliseconds(3100), .inconclusive),
    ]

    @Test(arguments: lengths) func `no check fails on a machine that stopped for a tenth of the time`(
        stall: Duration, verdict: Verdict
    ) throws {
        // The check waits at most 21 s for advertising, and 30 s for measurements.
        let (check, mutant) = try Self.mutant("heart_rate/flags_explain_octets")
        let outcome = check.run(on: Self.strap, over: try RealHost(mutant, stall: stall))
        #expect(outcome.verdict == verdict)
        #expect(outcome.isExcused == (verdict == .inconclusive))
        if outcome.isExcused { #expect(outcome.reason == "this machine stopped for 3100 ms during the check") }
    }

    @Test func `a pass is not excused by a stopped machine`() throws {
        let check = try #require(Check.all.first { $0.id == "heart_rate/flags_explain_octets" })
        let outcome = check.run(on: Self.strap, over: try RealHost(Self.full, stall: .seconds(60)))
        #expect(outcome.verdict == .pass)
        #expect(!outcome.isExcused)
    }

    @Test(arguments: [0, 2, 30]) func `no check waits on a lost controller`(rounds: Int) throws {
        for check in Check.all {
            let radio = try RealHost(Self.full, rounds: rounds)
            let outcome = check.run(on: Self.strap, over: radio)
            #expect(outcome.duration < .seconds(60), "\(check.id)")
            #expect(radio.isOver || outcome.verdict == .skip || rounds >= 10, "\(check.id)")
        }
    }

    // MARK: Peer

    static let peers: [(text: String, peer: Peer, words: String)] = [
        ("C0:FF:EE:00:00:01", .number(0xC0FF_EE00_0001), "C0:FF:EE:00:00:01"),
        ("c0:ff:ee:00:00:01/random", .address(DeviceAddress(0xC0FF_EE00_0001, .random)), "C0:FF:EE:00:00:01/random"),
        ("C0:FF:EE:00:00:01/public", .address(DeviceAddress(0xC0FF_EE00_0001, .public)), "C0:FF:EE:00:00:01/public"),
        ("C0:FF:EE:00:00:01/other", .name("C0:FF:EE:00:00:01/other"), #""C0:FF:EE:00:00:01/other""#),
        ("Lubdub HRM", .name("Lubdub HRM"), #""Lubdub HRM""#), ("", .name(""), #""""#),
    ]

    @Test(arguments: peers) func `a peer is an address or a name`(text: String, peer: Peer, words: String) {
        #expect(Peer(text) == peer)
        #expect(Peer(text).description == words)
    }

    static let scans: [(peer: String?, isFound: Bool, others: Int)] = [
        ("Lubdub HRM", true, 0), ("Lubdub", false, 1), (nil, false, 1), ("00:00:00:00:00:01", false, 1),
    ]

    @Test(arguments: scans) func `a scan finds others too`(
        peer: String?, isFound: Bool, others: Int
    ) throws {
        let scan = PeripheralScan(for: peer.map { Peer($0) }, by: try RealHost(Self.full), within: .seconds(5))
        #expect(scan.isFound == isFound)
        #expect(scan.others.count == others)
        for other in scan.others { #expect(other.hasSuffix(#"/random "Lubdub HRM""#)) }
    }

    @Test func `the cache of advertisers has a maximum size`() {
        var cache = AdvertiserCache()
        for number in 0...UInt64(2 * AdvertiserCache.maximum) {
            let address = DeviceAddress(number % 2 == 0 ? number : 1, .random)
            let report = AdvertisingReport(kind: .undirected, address: address, data: [], rssi: 0)
            #expect(cache.add(report).address == address)
        }
        #expect(cache.all.count == AdvertiserCache.maximum)
        #expect(cache.all.last?.address == DeviceAddress(UInt64(2 * AdvertiserCache.maximum), .random))
    }
}
