import Basics
import Bluetooth
import Characteristics
import Clients
import ScenarioModel
import Testing

@testable import VirtualWorld

/// When a device is found, its address, and its clock.
@Suite struct IdentityTests {
    private static let own = DeviceAddress(0xC0FF_EE00_0001, .random)

    private static func play(
        _ script: String, phases: String = #""interval": "100 ms""#, more: String = ""
    ) -> TestScenario {
        TestScenario(
            script,
            """
            {"lubdub": 1, "name": "x", "limit": "40 s", "devices": [
              {"id": "strap", "name": "Strap", "address": "C0:FF:EE:00:00:01/random",
               "advertise": {"services": ["180D"], \(phases)}, "services": [{"service": "heart_rate", "value": 70}\(more)]}],
             "script": [\(script)]}
            """)
    }

    private func seconds(_ instant: Instant) -> Double { Double(instant.nanoseconds) / 1e9 }

    /// The addresses that a continuous scan finds, and when.
    private func heard(_ play: TestScenario) throws -> [(seconds: Double, address: DeviceAddress)] {
        var harness = try GuestHarness(play)
        let guest = harness.world.addGuest(at: .start)
        harness.command("01 0C 08 FF FF FF FF FF FF FF 3F", by: guest)
        // LE Set Scan Parameters: passive, every 60 ms for 60 ms; LE Set Scan Enable without the filter.
        harness.command("0B 20 07 00 60 00 60 00 00 00", by: guest)
        harness.command("0C 20 02 01 00", by: guest)
        harness.run(until: Instant(nanoseconds: 40_000_000_000))
        #expect(harness.world.pool.taken == 0)
        return harness.meta(0x02).map { told in
            let number = told.octets[6..<12].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            return (seconds(told.at), DeviceAddress(number, told.octets[5] == 1 ? .random : .public))
        }
    }

    // MARK: stop_advertising

    static let silences: [(script: String, silent: [Range<Double>])] = [
        (#"{"when": "10 s", "for": "5 s", "do": "stop_advertising", "of": "strap"}"#, [10..<15]),
        (#"{"when": "start", "for": "5 s", "do": "stop_advertising"}"#, [0..<5]),
        (#"{"when": "10 s", "do": "stop_advertising"}"#, [10..<40]),
        (#"{"when": "10 s", "do": "stop_advertising"}, {"when": "20 s", "do": "clear", "of": "strap"}"#, [10..<20]),
        (
            #"{"when": "10 s", "for": "15 s", "do": "stop_advertising"}, {"when": "12 s", "for": "3 s", "do": "stop_advertising"}"#,
            [10..<25]
        ),
        (
            #"{"when": {"at": "5 s", "every": "10 s"}, "for": "5 s", "do": "stop_advertising"}"#,
            [5..<10, 15..<20, 25..<30, 35..<40]
        ),
    ]

    @Test(arguments: silences) func `A scanner does not receive it during the action`(
        script: String, silent: [Range<Double>]
    ) throws {
        let times = try heard(Self.play(script)).map(\.seconds)
        for second in 0..<40 {
            let count = times.count { (Double(second)..<Double(second + 1)).contains($0) }
            let isSilent = silent.contains { $0.contains(Double(second)) }
            #expect(isSilent ? count == 0 : (8...11).contains(count), "\(second): \(count)")
        }
    }

    @Test func `Its phases begin anew`() throws {
        let times = try heard(
            Self.play(
                #"{"when": "20 s", "for": "5 s", "do": "stop_advertising"}"#,
                phases: #""fast": {"interval": "30 ms", "for": "5 s"}, "slow": {"interval": "500 ms", "for": "5 s"}"#)
        ).map(\.seconds)
        for phase in [0.0, 25] {
            #expect((120...170).contains(times.count { (phase..<phase + 5).contains($0) }))
            #expect((9...11).contains(times.count { (phase + 5..<phase + 10).contains($0) }))
        }
        #expect(times.count { (10..<25).contains($0) || $0 >= 35 } == 0)
    }

    @Test func `Connections continue, and no client reconnects during the action`() throws {
        let script = """
            {"when": "10 s", "for": "10 s", "do": "stop_advertising"}, {"when": "14 s", "do": "disconnect", "of": "strap"}
            """
        let harness = try WorldHarness(Self.play(script).scenario)
        let delivered = harness.records(.delivered, of: "strap/heart_rate").map { seconds($0.instant) }
        #expect(delivered.count { (10..<14).contains($0) } == 4)
        let connected = harness.records(.connected).map { seconds($0.instant) }
        #expect(connected.count == 2)
        #expect(connected.last.map { (20..<25).contains($0) } == true)
        #expect(harness.records(.disconnected).count == 1)
        #expect(harness.records(.advertising).map { seconds($0.instant) } == [0, 20])
    }

    @Test func `A foreign host receives the command too`() throws {
        var world = try World(Self.play(Self.silences[0].script).scenario, seed: 1)
        world.placeDevices(on: .bluetoothd)
        world.start()
        world.run(until: Instant(nanoseconds: 30_000_000_000))
        let wanted = world.outbox.compactMap { output in
            if case .toAttributeHost(0, let command) = output { command } else { nil }
        }
        #expect(wanted == [.advertise(true), .advertise(false), .advertise(true)])
    }

    // MARK: change_address

    @Test func `It advertises under one address after the other, given or random`() throws {
        let script = """
            {"when": "5 s", "do": "change_address", "to": "00:11:22:33:44:55/public"},
            {"when": "10 s", "do": "change_address", "to": "C0:FF:EE:00:00:02/random"},
            {"when": "15 s", "do": "change_address"}, {"when": "20 s", "do": "change_address"},
            {"when": "25 s", "do": "change_address", "to": "00:11:22:33:44:66"},
            {"when": "30 s", "do": "change_address", "to": "00:11:22:33:44:77"}
            """
        let heard = try heard(Self.play(script))
        var phases: [DeviceAddress] = []
        for begin in stride(from: 0.0, to: 35, by: 5) {
            let addresses = Set(heard.filter { (begin..<begin + 5).contains($0.seconds) }.map(\.address))
            #expect(addresses.count == 1, "\(begin)")
            phases += addresses
        }
        #expect(phases[0] == Self.own)
        #expect(phases[1] == DeviceAddress(0x0011_2233_4455, .public))
        #expect(phases[2] == DeviceAddress(0xC0FF_EE00_0002, .random))
        for address in phases[3...4] {
            #expect(address.kind == .random && address.number >> 46 == 0b11)
        }
        #expect(Set(phases).count == 7)
        #expect(phases[5...] == [DeviceAddress(0x0011_2233_4466, .public), DeviceAddress(0x0011_2233_4477, .public)])
        let again = try self.heard(Self.play(script))
        #expect(again.map(\.address) == heard.map(\.address))
    }

    @Test func `From the start on, and while it does not advertise`() throws {
        let script = """
            {"when": "start", "do": "change_address", "to": "C0:FF:EE:00:00:02/random"},
            {"when": "10 s", "for": "5 s", "do": "stop_advertising"},
            {"when": "12 s", "do": "change_address", "to": "C0:FF:EE:00:00:03/random"}
            """
        let heard = try heard(Self.play(script))
        #expect(Set(heard.filter { $0.seconds < 10 }.map(\.address)) == [DeviceAddress(0xC0FF_EE00_0002, .random)])
        #expect(heard.count { (10..<15).contains($0.seconds) } == 0)
        #expect(Set(heard.filter { $0.seconds > 15 }.map(\.address)) == [DeviceAddress(0xC0FF_EE00_0003, .random)])
    }

    @Test(arguments: ["", #", "to": "00:11:22:33:44:55/public""#, #", "to": "C0:FF:EE:00:00:02/random""#])
    func `A connection lives on, and whatever is delivered has its device`(to: String) throws {
        let script = """
            {"when": "10 s", "do": "change_address"\(to)}, {"when": "15 s", "do": "disconnect", "of": "strap"}
            """
        var harness = try WorldHarness(Self.play(script).scenario)
        #expect(harness.records(.disconnected).map { seconds($0.instant).rounded() } == [15])
        let delivered = harness.records(.delivered, of: "strap/heart_rate").map { seconds($0.instant) }
        #expect(delivered.count { (10..<15).contains($0) } == 5)
        #expect(delivered.count { $0 > 20 } >= 19)
        #expect(harness.world.device(at: Self.own) == 0)
        let address = try #require(harness.world.address(of: 0))
        #expect(address != Self.own && harness.world.device(at: address) == 0)
        let peers = harness.said.compactMap(\.update.peer?.address)
        #expect(peers.first == Self.own && peers.last == address)
        harness.end()
        #expect(harness.world.pool.taken == 0)
    }

    static let reaches: [(radio: RadioKind, to: String, isPlayed: Bool)] = [
        (.controllers, #", "to": "00:11:22:33:44:55/public""#, false),
        (.controllers, #", "to": "C0:FF:EE:00:00:02/random""#, true),
        (.controllers, "", true), (.bluetoothd, "", false),
    ]

    @Test(arguments: reaches)
    func `Not every controller outside takes an address`(
        radio: RadioKind, to: String, isPlayed: Bool
    ) throws {
        var world = try World(Self.play(#"{"when": "1 s", "do": "change_address"\#(to)}"#).scenario, seed: 1)
        world.placeDevices(on: radio)
        world.start()
        world.run(until: Instant(nanoseconds: 2_000_000_000))
        #expect((world.address(of: 0) != Self.own) == isPlayed)
    }

    // MARK: drift

    @Test(arguments: [1000.0, -1000, 100, 0.5]) func `A period follows the device's clock`(ppm: Double) throws {
        let script = #"{"when": "10 s", "for": "20 s", "do": "drift", "of": "strap", "ppm": \#(ppm)}"#
        let harness = try WorldHarness(Self.play(script).scenario)
        let notified = harness.records(.notified, of: "strap/heart_rate").map(\.instant)
        for (before, after) in zip(notified, notified.dropFirst()) {
            let microseconds = Double(before.duration(to: after).inNanoseconds) / 1000
            let isDrifting = seconds(before) >= 10 && seconds(after) <= 30
            let isSteady = seconds(after) <= 10 || seconds(before) >= 30
            if isDrifting { #expect(abs(microseconds - 1e6 / (1 + ppm / 1e6)) < 1) }
            if isSteady { #expect(abs(microseconds - 1e6) < 1) }
            #expect(abs(microseconds - 1e6) < 1002)
        }
        // 20 s have gained this much, and keep it.
        let last = try #require(notified.last)
        let gained = (seconds(last).rounded() - seconds(last)) * 1e6
        #expect(abs(gained - 20 * ppm) < 2)
    }

    @Test func `Samples of an electrocardiogram follow it, and none is lost at its begin or end`() throws {
        let script = """
            {"when": "10 s", "for": "20 s", "do": "drift", "of": "strap", "ppm": 1000},
            {"when": "15 s", "for": "5 s", "do": "drift", "of": "strap", "ppm": -1000}
            """
        let harness = try WorldHarness(Self.play(script, more: #", {"service": "ecg", "rate": "500 Hz"}"#).scenario)
        let frames = try harness.records(.notified, of: "strap/ecg/samples").map { record in
            (seconds(record.instant), try ECGFrame.header(of: record.octets.map { $0[...] } ?? []))
        }
        for ((_, before), (_, after)) in zip(frames, frames.dropFirst()) {
            #expect(after.header.index == before.header.index + UInt32(before.count))
        }
        func index(_ second: Double) throws -> Int {
            let frame = try #require(frames.last { $0.0 <= second })
            return Int(frame.1.header.index) + Int(frame.1.count)
        }
        // 15 s too fast and 5 s too slow: 5 samples more at the end, give or take a frame's.
        let size = try #require(frames.last).1.count
        let (start, end) = (try index(9.9), try index(39.9))
        #expect(abs(end - start - (30 * 500 + 5)) <= Int(size))
    }

    @Test func `All of it is deterministic`() throws {
        let script = """
            {"when": "start", "do": "drift", "ppm": 333.3}, {"when": {"at": "3 s", "every": "7 s"}, "do": "change_address"},
            {"when": {"at": "4 s", "every": "5 s"}, "for": "3 s", "do": "stop_advertising", "chance": 0.5},
            {"when": {"event": "subscribed", "after": "2 s"}, "do": "disconnect"}, {"when": "connected", "do": "change_address"},
            {"when": "discovering", "do": "stop_advertising", "for": "1 s"}
            """
        let scenario = try Self.play(script).scenario
        var (first, again) = (try WorldHarness(scenario), try WorldHarness(scenario, sleeps: false))
        #expect(firstDifference(first.lines, again.lines) == nil)
        #expect(first.records(.subscribed).count > 3)
        first.end()
        again.end()
        #expect(first.world.pool.taken == 0)
    }
}
