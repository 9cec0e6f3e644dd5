import Basics
import BlueZServer
import Conformance
import Drivers
import Expectations
import FoundationEssentials
import Linux
import ScenarioLanguage
import ScenarioModel
import Synchronization
import Testing
import VirtualWorld

@testable import Cases
@testable import Causes

/// The scenarios of bluetoothd's bad days, with a program of BlueZ that is correct, and with faulty ones.
///
/// All are played many times as fast as in reality, and again more slowly if this machine was too slow for that.
@Suite struct BadDaysOfBlueZTests {
    /// A faulty program, the expectation that it must fail, and a part of the cause.
    struct Failing: Sendable, CustomTestStringConvertible {
        let scenario: String
        let fault: HeartProgram.Fault
        var expectation = "shows"
        var cause: String?

        var testDescription: String { "\(scenario): \(fault.rawValue)" }

        init(
            _ scenario: String, _ fault: HeartProgram.Fault, _ expectation: String = "shows",
            because cause: String? = nil
        ) {
            (self.scenario, self.fault, self.expectation, self.cause) = (scenario, fault, expectation, cause)
        }
    }

    private static let folder =
        #filePath.dropLast("Tests/CasesTests/BlueZ/BadDaysOfBlueZTests.swift".count) + "scenarios/bluez"

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: String(folder))) ?? [])
        .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }.sorted()

    static let failing = [
        Failing("daemon_restarts", .knowsOneOwner),
        Failing("daemon_restarts", .subscribesOnce, because: "and has not subscribed again to strap/heart_rate"),
        Failing("daemon_restarts_while_scanning", .scansOnce, because: "org.bluez was away from"),
        Failing("daemon_killed", .trustsSignals, because: "it did not notice"),
        Failing("adapter_off_and_on", .givesUpWhenOff, because: "the adapter was away from"),
        Failing("adapter_unplugged", .givesUpOnUnknownObject),
        Failing("discovery_stuck", .givesUpOnInProgress, because: "StartDiscovery failed at"),
        Failing("device_gone", .givesUpOnUnknownObject), Failing("connect_aborts", .connectsOnce),
        Failing("services_late", .isImpatient), Failing("services_never", .waitsForServices, "gives_up"),
        Failing("services_never", .connectsOnce, "shows"),
        Failing("services_early", .trustsResolved), Failing("stale_attributes", .keepsCache),
        Failing("other_scan", .waitsForQuiet), Failing("held_by_another", .onlyScans),
        Failing("replies_late", .callsBriefly), Failing("bus_dies", .hasOneBus),
        Failing("adapter_off_and_on", .invents, "nothing_invented"),
    ]

    /// A played case.
    private struct Played: Sendable {
        let findings: [CaseFinding]

        var words: [String] {
            findings.map { finding in
                "\(finding.id ?? ""): \(finding.verdict) \(finding.why?.description ?? "")"
            }
        }

        func verdict(_ id: String) -> Verdict? { findings.first { $0.id == id }?.verdict }
    }

    /// From quick to slow: how many times as fast as in reality.
    private static let speeds = [20.0, 6, 2]

    private static func scenario(_ name: String) throws -> Scenario {
        let text = try String(contentsOfFile: "\(folder)/\(name).json", encoding: .utf8)
        let reading = ScenarioFile.read("\(name).json") { _ in Array(text.utf8) }
        return try #require(reading.scenario, "\(reading.problems)")
    }

    private static func play(_ name: String, _ faults: Set<HeartProgram.Fault>, at speed: Double) throws -> Played {
        let scenario = try scenario(name)
        var started = try World(scenario, seed: scenario.seed)
        let trace = TraceContext(started)
        started.placeDevices(on: .system)
        var terms = Judge.Terms.clientUnderTest
        terms.radio = .system
        started.judgeExpectations(on: terms)
        started.journal = EventJournal { trace.take($0) }
        started.packets = PacketLog { trace.take($0) }
        let loop = EventLoop(pace: .real(speed: speed))
        return try loop.run { [started] in
            let live = LiveWorld(started, on: loop, RunCompletion(), isQuiet: true) { world in
                world.journal.flush()
                world.packets.flush()
                return true
            }
            let histories = ProgramHistories()
            let running = try await PlayedSystem("bluez").open(live, on: loop) { [weak live] in
                live?.assumeIsolated { live in if !live.isPlaying { live.start() } }
            } take: { [weak live] note in
                live?.assumeIsolated { live in histories.take(note, at: live.visit { world, _ in world.now }) }
            }
            let program = HeartProgram(running.busAddress, loop, faults) { [weak live] line in
                guard let line = ClientLine(Array(line.utf8)) else { return }
                live?.assumeIsolated { live in live.visit { world, _ in world.clientReported(line) } }
            }
            async let ended: Void = program.run()
            let limit = Instant.start.advanced(by: scenario.limit)
            while true {
                try await loop.sleep(for: .milliseconds(200))
                let isOver = await live.visit { world, now in
                    world.report(.timePassed)
                    return now >= limit || world.isDecided
                }
                if isOver { break }
            }
            program.stop()
            await running.close()
            await ended
            var world = await live.close(Signals())
            world.report(.ended)
            trace.mark(world.rulings)
            var record = ClientRecord()
            (record.hasPlayed, record.program) = (true, histories.history)
            return Played(
                findings: Judgement(world, isStrict: false, client: record, traceContext: trace).findings)
        }
    }

    @Test(arguments: names) func `A correct program passes`(name: String) throws {
        var played = Played(findings: [])
        for speed in Self.speeds {
            played = try Self.play(name, [], at: speed)
            if !played.findings.isEmpty, played.findings.allSatisfy({ $0.verdict == .pass }) { return }
        }
        Issue.record("\(played.words)")
    }

    @Test(arguments: failing) func `A faulty program fails, and the cause is named`(_ it: Failing) throws {
        var played = Played(findings: [])
        for speed in Self.speeds {
            played = try Self.play(it.scenario, [it.fault], at: speed)
            if played.verdict(it.expectation) == .fail { break }
        }
        let finding = try #require(played.findings.first { $0.id == it.expectation })
        #expect(finding.verdict == .fail)
        guard let cause = it.cause else { return }
        #expect(finding.why?.cause?.contains(cause) == true, "\(played.words)")
    }

    @Test func `Each expectation has a faulty program`() throws {
        #expect(Self.names.count >= 10)
        for name in Self.names {
            for expectation in try Self.scenario(name).expectations {
                #expect(
                    Self.failing.contains { $0.scenario == name && $0.expectation == expectation.id },
                    "\(name) \(expectation.id)")
            }
        }
    }
}
