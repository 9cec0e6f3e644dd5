import Basics
import Bluetooth
import HCI
import LEHost
import Testing

/// The transmit power of advertising.
@Suite struct PowerTests {
    /// The levels of a controller, in dBm; its own choice is the third.
    private static let levels: [Int8] = [-20, -8, 0, 4, 8]

    /// Answers commands with success until the host sends none, with the highest level that is not above the requested one.
    /// Returns the requested levels.
    private func answer(_ harness: inout HostHarness) -> [Int8] {
        var requested: [Int8] = []
        while let octets = harness.sent.first {
            harness.sent.removeFirst()
            guard let command = try? Command(octets: Array(octets.dropFirst())) else { continue }
            guard let set = try? Command.leSetExtendedAdvertisingParameters.parameters(of: command),
                Command.leSetExtendedAdvertisingParameters ~= command
            else {
                harness.event(Event.complete(command.opcode).octets)
                continue
            }
            requested.append(set.txPower)
            let level = set.txPower == 127 ? 0 : Self.levels.last { $0 <= set.txPower } ?? Self.levels[0]
            harness.event(Event.complete(command.opcode, .success, [UInt8(bitPattern: level)]).octets)
        }
        return requested
    }

    private func powers(_ harness: inout HostHarness) -> [AdvertisingPower] {
        harness.takeOutputs().compactMap { if case .advertisingPower(let power) = $0 { power } else { nil } }
    }

    private func advertising() throws -> HostHarness {
        var harness = try ExtendedTests.started()
        harness.step(.command(HostTests.advertising))
        #expect(answer(&harness) == [127])
        _ = harness.takeOutputs()
        return harness
    }

    @Test(
        arguments: [
            (8, -8, 8, -8), (10, -10, 20, -20), (20, -20, 20, -20), (90, -90, 20, -20), (4000, -127, 20, -20),
            (-4, 4, -4, 4), (-6, 6, -4, 4), (-90, 20, -8, 8),
        ] as [(wanted: Int, requested: Int8, attenuation: Int, level: Int8)])
    func `The power changes as far as the controller lets`(
        wanted: Int, requested: Int8, attenuation: Int, level: Int8
    ) throws {
        var harness = try advertising()
        harness.step(.command(.attenuate(wanted)))
        #expect(answer(&harness) == [requested])
        let limited = max(-200, min(200, wanted))
        #expect(
            powers(&harness) == [
                AdvertisingPower(wantedAttenuation: limited, attenuation: attenuation, level: level)
            ])
        harness.step(.command(.attenuate(0)))
        #expect(answer(&harness) == [127])
        #expect(powers(&harness) == [AdvertisingPower(wantedAttenuation: 0, attenuation: 0, level: 0)])
    }

    /// As rootcanal does; the second number is the maximum of LE Read Transmit Power.
    @Test(
        arguments: [(nil, -20, 0), ([-30, 10], -10, 10), ([-5, 10], -5, 10), ([10, -30], -20, 0)]
            as [([Int8]?, Int8, Int8)])
    func `A controller that returns the request instead of its choice`(
        range: [Int8]?, requested: Int8, own: Int8
    ) throws {
        var harness = try HostHarness()
        harness.start(features: .extendedAdvertising, transmitPower: range)
        _ = (harness.takeSent(), harness.takeOutputs())
        harness.step(.command(HostTests.advertising))
        harness.step(.command(.attenuate(20)))
        var levels: [Int8] = []
        while let octets = harness.sent.first {
            harness.sent.removeFirst()
            guard let command = try? Command(octets: Array(octets.dropFirst())) else { continue }
            let set = try? Command.leSetExtendedAdvertisingParameters.parameters(of: command)
            let isSet = Command.leSetExtendedAdvertisingParameters ~= command
            if isSet, let set { levels.append(set.txPower) }
            harness.event(
                Event.complete(command.opcode, .success, isSet ? [UInt8(bitPattern: set?.txPower ?? 0)] : []).octets)
        }
        #expect(levels == [127, 127, requested])
        #expect(
            powers(&harness) == [
                AdvertisingPower(
                    wantedAttenuation: 20, attenuation: Int(own) - Int(requested), level: requested)
            ])
    }

    @Test func `A host that does not advertise yet first learns the controller's own choice`() throws {
        var harness = try ExtendedTests.started()
        harness.step(.command(.attenuate(8)))
        #expect(answer(&harness).isEmpty)
        harness.step(.command(HostTests.advertising))
        #expect(answer(&harness) == [127, -8])
        #expect(powers(&harness) == [AdvertisingPower(wantedAttenuation: 8, attenuation: 8, level: -8)])
    }

    @Test func `A connected peripheral does not advertise because of its power`() throws {
        var harness = try advertising()
        harness.event(ExtendedTests.enhanced(.peripheral).octets)
        _ = harness.takeSent()
        harness.step(.command(.attenuate(8)))
        #expect(answer(&harness).isEmpty)
        harness.event(Event.disconnectionComplete(.success, 0x40, .remoteUserTerminated).octets)
        #expect(answer(&harness) == [-8])
    }

    @Test func `The lack of extended advertising is reported once for each command`() throws {
        var harness = try HostHarness()
        harness.step(.command(.attenuate(8)))
        harness.start()
        #expect(powers(&harness) == [AdvertisingPower(wantedAttenuation: 8, attenuation: 0, level: nil)])
        harness.step(.command(.attenuate(9)))
        #expect(powers(&harness) == [AdvertisingPower(wantedAttenuation: 9, attenuation: 0, level: nil)])
    }
}
