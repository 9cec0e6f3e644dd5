import Basics
import Bluetooth
import GATT
import ScenarioModel
import Synchronization
import Testing

@testable import VirtualWorld

/// A strap with attributes only: the test is the stack that owns its links.
@Suite struct AttributeHostTests {
    static let phone = DeviceAddress(0x1122_3344_5566, .public)
    static let watch = DeviceAddress(0x6655_4433_2211, .random)

    private final class Lines: Sendable {
        let text = Mutex(JSONText())
        var all: [String] { text.withLock { $0.string }.split(separator: "\n").map(String.init) }
    }

    private let lines = Lines()

    private func strap(more: String = "", script: String = "") throws -> World {
        var world = try World(TestScenario.strap("x", more: more, script: script).scenario, seed: 1)
        let (lines, wording) = (lines, world.wording)
        world.journal = EventJournal(entriesPerChunk: 1) { chunk in
            lines.text.withLock { chunk.write(in: wording, to: &$0) }
        }
        world.placeDevices(on: .bluetoothd)
        world.start()
        return world
    }

    private static func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

    /// What the host was asked to do since the last time.
    private static func wanted(_ world: inout World) -> [AttributeHost.Command] {
        defer { world.outbox.removeAll() }
        return world.outbox.compactMap { if case .toAttributeHost(0, let command) = $0 { command } else { nil } }
    }

    private static func handle(_ name: String, in world: World) throws -> UInt16 {
        let names = world.names
        return try #require((1...100).first { names.entry(names.number(of: $0, of: 0), of: 0)?.name == name })
    }

    @Test func `A client connects, reads, gets notifications and disconnects`() throws {
        var world = try strap(more: "\"connections\": 1,")
        #expect(Self.wanted(&world) == [.advertise(true)])
        world.attributeHostAdvertises(0, at: Self.at(10))
        world.connected(Self.phone, toAttributeHostOf: 0, at: Self.at(20))
        #expect(Self.wanted(&world) == [.advertise(false)])

        let heart = try Self.handle("strap/heart_rate", in: world)
        let battery = try Self.handle("strap/battery", in: world)
        func read(_ handle: UInt16, offset: Int = 0) -> Result<[UInt8], ATTError> {
            world.answer(
                .read(offset: offset), of: handle, from: Self.phone, mtu: 100, toAttributeHostOf: 0, at: Self.at(30))
        }
        #expect(read(battery) == .success([50]))
        #expect(read(battery, offset: 1) == .success([]))
        #expect(read(battery, offset: 2) == .failure(.invalidOffset))
        #expect(read(heart) == .failure(.readNotPermitted))
        #expect(read(999) == .failure(.invalidHandle))

        world.subscribed(true, to: heart, ofAttributeHostOf: 0, at: Self.at(100))
        world.subscribed(true, to: heart, ofAttributeHostOf: 0, at: Self.at(100))
        world.run(until: Self.at(3100))
        let values = Self.wanted(&world)
        #expect(values.count == 3)
        for value in values {
            guard case .notify(heart, let octets) = value else { return #expect(Bool(false), "\(value)") }
            #expect(octets[1] == 72)
        }
        world.subscribed(false, to: heart, ofAttributeHostOf: 0, at: Self.at(3200))
        world.disconnected(
            Self.phone, fromAttributeHostOf: 0, reason: .remoteUserTerminated, at: Self.at(5000))
        #expect(Self.wanted(&world) == [.advertise(true)])
        #expect(world.pool.taken == 0)
        let events = lines.all.map { line in line.split(separator: "\"")[5] }
        #expect(
            events == [
                "advertising", "connected", "mtu", "read", "read", "refused", "refused", "refused", "subscribed",
                "notified", "notified", "notified", "unsubscribed", "disconnected",
            ])
    }

    @Test(
        arguments: [
            (octets: [1], isCommand: false, error: nil), ([2], false, ATTError(rawValue: 0x80)),
            ([1, 1], false, .invalidAttributeValueLength), ([], false, .invalidAttributeValueLength),
            ([UInt8](repeating: 1, count: 513), false, .invalidAttributeValueLength), ([1], true, nil),
        ] as [(octets: [UInt8], isCommand: Bool, error: ATTError?)])
    func `HRS/SEN/SPE/BI-01-C: what a client writes to the control point`(
        octets: [UInt8], isCommand: Bool, error: ATTError?
    ) throws {
        var world = try strap()
        let control = try Self.handle("strap/heart_rate/control_point", in: world)
        let answer = world.answer(
            .write(octets, isCommand: isCommand), of: control, from: nil, toAttributeHostOf: 0, at: .start)
        #expect(answer == error.map { .failure($0) } ?? .success([]))
        #expect(world.pool.taken == 0)
    }

    @Test func `The stack forgets the bonds of its device`() throws {
        var world = try strap(more: #""security": {},"#, script: #"{"when": "1 s", "do": "forget_bond"}"#)
        #expect(Self.wanted(&world) == [.advertise(true)])
        world.run(until: Self.at(1000))
        #expect(Self.wanted(&world) == [.forgetBonds])
    }

    @Test func `Errors of the script reach the clients of the stack`() throws {
        var world = try strap(
            script: #"{"when": "1 s", "do": "att_error", "of": "battery", "on": "read", "error": 159, "for": "1 s"}"#)
        let battery = try Self.handle("strap/battery", in: world)
        let answers = [500, 1500, 2500].map { milliseconds in
            world.answer(
                .read(offset: 0), of: battery, from: nil, toAttributeHostOf: 0, at: Self.at(milliseconds))
        }
        #expect(answers == [.success([50]), .failure(ATTError(rawValue: 159)), .success([50])])
    }

    @Test func `The script ends links, and sees two clients`() throws {
        var world = try strap(
            more: "\"connections\": 3,",
            script: #"{"when": {"event": "connected", "of": "strap", "nth": 2, "after": "1 s"}, "do": "disconnect"}"#)
        world.connected(Self.phone, toAttributeHostOf: 0, at: Self.at(10))
        world.connected(Self.phone, toAttributeHostOf: 0, at: Self.at(15))
        world.connected(Self.watch, toAttributeHostOf: 0, at: Self.at(20))
        _ = Self.wanted(&world)
        world.run(until: Self.at(2000))
        #expect(Self.wanted(&world) == [.disconnect(Self.phone), .disconnect(Self.watch)])
        world.disconnected(Self.watch, fromAttributeHostOf: 0, reason: .localHostTerminated, at: Self.at(2010))
        world.disconnected(Self.watch, fromAttributeHostOf: 0, reason: .localHostTerminated, at: Self.at(2020))
        #expect(lines.all.filter { $0.contains("disconnected") }.count == 1)
        #expect(world.hasLinks)
    }

    @Test func `Calls for other nodes, or devices with a host, have no effect`() throws {
        var world = try strap()
        world.connected(Self.phone, toAttributeHostOf: 7, at: .start)
        #expect(
            world.answer(.read(offset: 0), of: 3, from: nil, toAttributeHostOf: -1, at: .start)
                == .failure(.unlikelyError))
        var simulated = try World(TestScenario.strap("x").scenario, seed: 1)
        simulated.start()
        simulated.connected(Self.phone, toAttributeHostOf: 0, at: .start)
        #expect(!simulated.hasLinks)
    }
}

extension AttributeHostTests {
    static let faults: [(fault: String, told: [String])] = [
        (#""do": "drop""#, ["3000: 72"]),
        (#""do": "duplicate""#, ["1000: 72", "1000: 72", "2000: 72", "2000: 72", "3000: 72"]),
        (#""do": "delay", "by": "600 ms""#, ["1600: 72", "2600: 72", "3000: 72"]),
        (#""do": "truncate", "to": 1"#, ["1000: ", "2000: ", "3000: 72"]),
        (#""do": "burst", "rate": "2 Hz""#, ["400: 72", "900: 72", "1400: 72", "1900: 72", "3000: 72"]),
    ]

    /// Values change by `AttributeHost.Command.notify`, which is what the faults hold for; from 400 ms to 2400 ms.
    @Test(arguments: faults) func `Faults apply to commands for the stack`(fault: String, told: [String]) throws {
        let script = #"{"when": "400 ms", "for": "2 s", "of": "heart_rate", \#(fault)}"#
        var world = try World(TestScenario.strap("x", script: script).scenario, seed: 1)
        world.placeDevices(on: .bluetoothd)
        world.start()
        world.connected(Self.phone, toAttributeHostOf: 0, at: .start)
        let heart: UInt16 = try #require(
            (1...100).first { world.names.entry(world.names.number(of: $0, of: 0), of: 0)?.name == "strap/heart_rate" })
        world.subscribed(true, to: heart, ofAttributeHostOf: 0, at: .start)
        var heard: [String] = []
        while world.runNext(until: Instant(nanoseconds: 3_500_000_000)) {
            for case .toAttributeHost(0, .notify(heart, let octets)) in world.outbox {
                heard.append("\(world.now.nanoseconds / 1_000_000): \(octets.dropFirst().first.map { "\($0)" } ?? "")")
            }
            world.outbox.removeAll()
        }
        #expect(heard == told)
        #expect(world.pool.taken == 0)
    }
}
