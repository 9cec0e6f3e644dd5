import Basics
import Bluetooth
import HCI
import LEHost
import ScenarioModel
import Testing
import VirtualWorld

/// `distance` and `rssi` on an external controller: the power of its advertising.
@Suite struct RadioPowerTests {
    /// A world whose strap, 1 m from its client, uses a controller of the test.
    private struct Played {
        private static let ownPower: Int8 = 8

        var world: World
        private let features: LEFeatures
        /// The levels that the host requests, in dBm, and when; 127: the controller's choice.
        private(set) var requested: [(seconds: Double, level: Int8)] = []
        /// The reports of the power.
        private(set) var reports: [AdvertisingPower?] = []

        init(_ script: String, features: LEFeatures = .extendedAdvertising) throws {
            world = try World(TestScenario.strap("power", script: script, limit: "1 min").scenario, seed: 1)
            world.placeDevices(on: .controllers)
            self.features = features
            world.start()
            answer()
        }

        mutating func run(until seconds: Double) {
            let end = Instant(nanoseconds: Int64(seconds * 1e9))
            while world.runNext(until: end) { answer() }
            world.run(until: end)
            answer()
        }

        mutating func receive(_ event: HCI.Event) {
            world.receive(.event, event.octets[...], fromRadioOf: 0, at: world.now)
            world.run(until: world.now)
            answer()
        }

        private mutating func answer() {
            while let output = world.outbox.takeFirst() {
                switch output {
                case .toRadio(_, let kind, let packet):
                    let octets = world.pool.octets(of: packet)
                    world.pool.release(packet)
                    if kind == .command, let command = try? Command(octets: octets) { complete(command) }
                case .radioPower(_, let power): reports.append(power)
                default: break
                }
            }
        }

        private mutating func complete(_ command: Command) {
            let returned: [UInt8]
            switch command {
            case Command.readLocalVersionInformation: returned = [9, 0, 0, 9, 0xFF, 0xFF, 0, 0]
            case Command.readLocalSupportedCommands: returned = [UInt8](repeating: 0xFF, count: 64)
            case Command.leReadLocalSupportedFeatures: returned = features.octets
            case Command.leReadBufferSize: returned = LEBufferSize(length: 27, count: 4).octets
            case Command.readBDADDR: returned = [1, 2, 3, 4, 5, 6]
            case Command.leSetExtendedAdvertisingParameters:
                guard let set = try? Command.leSetExtendedAdvertisingParameters.parameters(of: command) else { return }
                requested.append((Double(world.now.nanoseconds) / 1e9, set.txPower))
                returned = [UInt8(bitPattern: set.txPower == 127 ? Self.ownPower : set.txPower)]
            default: returned = []
            }
            receive(.complete(command.opcode, .success, returned))
        }
    }

    /// The strength falls by 30 dB for each power of ten of the distance; at 1 m it is −40 dBm.
    @Test(
        arguments: [
            (#""do": "distance", "to": "10 m""#, 30), (#""do": "distance", "to": "2 m""#, 9),
            (#""do": "distance", "to": "0.5 m""#, -9), (#""do": "rssi", "to": -70"#, 30),
            (#""do": "rssi", "to": -34"#, -6),
        ] as [(String, Int)])
    func `The power changes by as much as the strength, until the action ends`(action: String, decibels: Int) throws {
        var played = try Played(#"{"when": "5 s", "for": "5 s", \#(action)}"#)
        played.run(until: 4)
        #expect(played.requested.map(\.level) == [127])
        played.run(until: 20)
        #expect(played.requested.map(\.level) == [127, Int8(8 - decibels), 127])
        #expect(played.requested.map(\.seconds).dropFirst() == [5, 10])
        #expect(
            played.reports == [
                AdvertisingPower(wantedAttenuation: decibels, attenuation: decibels, level: Int8(8 - decibels)),
                AdvertisingPower(wantedAttenuation: 0, attenuation: 0, level: 8),
            ])
        #expect(played.world.pool.taken == 0)
    }

    @Test(
        arguments: [
            #""do": "distance", "to": "10 m", "over": "10 s""#,
            #""do": "rssi", "to": {"curve": "ramp", "start": -40, "end": -70, "over": "10 s"}"#,
        ])
    func `During a move the power falls each second`(action: String) throws {
        var played = try Played(#"{"when": "5 s", \#(action)}"#)
        played.run(until: 30)
        let levels = played.requested.map(\.level)
        #expect(levels.first == 127 && levels.last == -22)
        #expect(levels.dropFirst() == levels.dropFirst().sorted(by: >)[...])
        #expect((8...12).contains(levels.count), "\(levels)")
        for (before, after) in zip(played.requested, played.requested.dropFirst(1)) where before.seconds > 0 {
            #expect(after.seconds - before.seconds >= 1)
        }
    }

    @Test func `A controller without extended advertising keeps its power, and this is reported`() throws {
        var played = try Played(#"{"when": "5 s", "do": "distance", "to": "10 m"}"#, features: [])
        played.run(until: 10)
        #expect(played.requested.isEmpty)
        #expect(played.reports == [AdvertisingPower(wantedAttenuation: 30, attenuation: 0, level: nil)])
    }

    @Test func `A connection keeps its power, and this is reported`() throws {
        var played = try Played(#"{"when": "5 s", "do": "distance", "to": "10 m"}"#)
        played.run(until: 1)
        let timing = ConnectionTiming(interval: 40, latency: 0, supervisionTimeout: 100)
        let complete = ConnectionComplete(
            handle: 0x40, role: .peripheral, peer: DeviceAddress(0xF0F1_F2F3_F4F5, .random), timing: timing)
        played.receive(.leConnectionComplete(.success, complete))
        played.run(until: 10)
        #expect(played.requested.map(\.level) == [127])
        #expect(played.reports == [nil])
        played.receive(.disconnectionComplete(.success, 0x40, .remoteUserTerminated))
        #expect(played.requested.map(\.level) == [127, -22])
    }
}
