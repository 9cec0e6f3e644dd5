import Basics
import Bluetooth
import HCI
import LEHost
import SecurityManager
import Testing

/// What a host requests in a new connection: longer packets, and as a peripheral its preferred parameters.
@Suite struct ConnectionUpdateTests {
    static let id = ConnectionID(number: 1)
    static let preferred = ConnectionParameters(
        minimumInterval: 8, maximumInterval: 16, latency: 4, supervisionTimeout: 400)
    static let timing = ConnectionTiming(interval: 16, latency: 4, supervisionTimeout: 400)
    static let update = Command.leConnectionUpdate(ConnectionUpdate(handle: 0x40, parameters: preferred))
    /// Connection Parameter Update Request, section 4.20.
    static let request: [UInt8] = [
        2, 0x40, 0, 16, 0, 12, 0, 5, 0, 0x12, 1, 8, 0, 8, 0, 16, 0, 4, 0, 0x90, 0x01,
    ]

    private func connected(
        role: UInt8 = 1, features: LEFeatures = [], preferring preferred: ConnectionParameters? = preferred
    ) throws -> HostHarness {
        var harness = try HostHarness(preferring: preferred)
        harness.start(features: features)
        if role == 0 {
            harness.step(.command(HostTests.connecting))
            harness.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        }
        harness.connected(role: role)
        _ = (harness.takeSent(), harness.takeOutputs())
        return harness
    }

    // MARK: Connection parameters

    /// The responses to the request, without the ACL header; none is one of them.  And whether it is a refusal.
    static let answers: [(test: String, answer: [UInt8], isRefusal: Bool)] = [
        ("GAP/CONN/CPUP/BV-01-C, L2CAP/LE/CPU/BV-01-C: accepted", [6, 0, 5, 0, 0x13, 1, 2, 0, 0, 0], false),
        ("GAP/CONN/CPUP/BV-02-C: not answered", [], false),
        ("GAP/CONN/CPUP/BV-03-C: refused", [6, 0, 5, 0, 0x13, 1, 2, 0, 1, 0], true),
        ("rejected: the central knows no such request", [6, 0, 5, 0, 0x01, 1, 2, 0, 0, 0], true),
        ("an answer that is none", [6, 0, 5, 0, 0x13, 1, 2, 0, 9, 0], false),
        ("an answer to something else", [6, 0, 5, 0, 0x13, 7, 2, 0, 1, 0], false),
    ]
    static let refused = Host.Output.parameters(id, .init(askedBy: .peripheral, isAccepted: false, timing))
    static func changed(by asker: Host.ParameterDecision.Asker, _ timing: ConnectionTiming = timing) -> Host.Output {
        .parameters(id, .init(askedBy: asker, isAccepted: true, timing))
    }

    @Test(arguments: answers)
    func `A peripheral requests an update once, after 5 seconds, and accepts every response`(
        test: String, answer: [UInt8], isRefusal: Bool
    ) throws {
        var harness = try connected()
        harness.wait(.milliseconds(4_999))
        #expect(harness.takeSent() == [])
        harness.wait(.milliseconds(1))
        #expect(harness.takeSent() == [Self.request])
        if !answer.isEmpty { harness.acl([0x40, 0x20, UInt8(answer.count), 0] + answer) }
        #expect(harness.takeOutputs() == (isRefusal ? [Self.refused] : []), "\(test)")
        harness.wait(.milliseconds(29_999))
        #expect(harness.takeOutputs() == [])
        harness.wait(.seconds(100))
        #expect(harness.takeSent() == [], "\(test)")
        #expect(harness.takeOutputs() == (isRefusal ? [] : [Self.refused]), "the parameters have not changed in 30 s")
        harness.event([0x3E, 10, 3, 0, 0x40, 0, 16, 0, 4, 0, 0x90, 0x01])
        #expect(harness.takeOutputs() == [.timing(Self.id, Self.timing), Self.changed(by: .central)])
        #expect(harness.pool.taken == 0)
    }

    @Test func `A central that agrees changes the parameters within 30 s, or has refused`() throws {
        let agreement: [UInt8] = [0x40, 0x20, 10, 0, 6, 0, 5, 0, 0x13, 1, 2, 0, 0, 0]
        var harness = try connected()
        harness.wait(.seconds(5))
        harness.acl(agreement)
        let other = ConnectionTiming(interval: 40, latency: 0, supervisionTimeout: 400)
        harness.event(Event.leConnectionUpdateComplete(.success, 0x40, other).octets)
        #expect(
            harness.takeOutputs() == [.timing(Self.id, other), Self.changed(by: .central, other)],
            "the central changes them for a reason that the peripheral does not know")
        harness.event(Event.leConnectionUpdateComplete(.success, 0x40, Self.timing).octets)
        #expect(harness.takeOutputs() == [.timing(Self.id, Self.timing), Self.changed(by: .peripheral)])
        harness.wait(.seconds(100))
        #expect(harness.takeOutputs() == [])
    }

    @Test(arguments: [true, false]) func `A central accepts parameters, or does not`(accepts: Bool) throws {
        var harness = try connected(role: 0)
        harness.step(.fault(.acceptParameters(accepts)))
        harness.acl([0x40, 0x20, 16, 0, 12, 0, 5, 0, 0x12, 3, 8, 0, 24, 0, 40, 0, 0, 0, 42, 0])
        let sent = harness.takeSent()
        #expect(sent.contains([2, 0x40, 0, 10, 0, 6, 0, 5, 0, 0x13, 3, 2, 0, accepts ? 0 : 1, 0]))
        #expect(sent.contains { $0[0] == 1 } == accepts, "and then changes them")
        harness.event([0x3E, 11, 6, 0x40, 0, 6, 0, 7, 0, 0, 0, 100, 0])
        harness.answerAll()
        #expect(harness.takeOutputs() == [], "a central itself knows what it decides")
    }

    @Test func `Neither a central nor a host without a preference requests an update`() throws {
        for var harness in [try connected(role: 0), try connected(preferring: nil)] {
            harness.wait(.seconds(100))
            #expect(harness.takeSent() == [])
        }
    }

    /// The parameters of LE Connection Update Complete, and whether they match the preference.
    @Test(arguments: [
        (8, 4, 400, true), (16, 4, 400, true), (7, 4, 400, false), (17, 4, 400, false), (8, 3, 400, false),
        (8, 4, 401, false),
    ])
    func `Parameters that match the preference are not requested`(
        interval: UInt16, latency: UInt16, timeout: UInt16, fits: Bool
    ) throws {
        var harness = try connected()
        let timing = ConnectionTiming(interval: interval, latency: latency, supervisionTimeout: timeout)
        harness.event(Event.leConnectionUpdateComplete(.success, 0x40, timing).octets)
        harness.wait(.seconds(5))
        #expect(harness.takeSent() == (fits ? [] : [Self.request]))
    }

    @Test func `A connection that has ended requests nothing`() throws {
        var harness = try connected()
        harness.wait(.seconds(4))
        harness.event([0x05, 4, 0, 0x40, 0, 0x13])
        harness.wait(.seconds(1))
        #expect(harness.takeSent() == [])
    }

    @Test func `Each connection requests its own update`() throws {
        var harness = try connected()
        harness.wait(.seconds(1))
        harness.connected(role: 1, handle: 0x41)
        harness.wait(.seconds(4))
        #expect(harness.takeSent() == [Self.request])
        harness.wait(.seconds(1))
        #expect(harness.takeSent().map { $0[1] } == [0x41])
    }

    // MARK: The features of the peer's Link Layer

    @Test func `The features of a connected peer are reported if it answers`() throws {
        var harness = try connected(role: 0)
        let features = LEFeatures.encryption
        harness.play(
            .host(.readRemoteFeatures(ConnectionID(number: 9))),
            .host(.readRemoteFeatures(Self.id)), .sends(.leReadRemoteFeatures(0x40)),
            .begun(Command.leReadRemoteFeatures),
            .event(.leReadRemoteFeaturesComplete(.failedToBeEstablished, 0x40, features)),
            .event(.leReadRemoteFeaturesComplete(.success, 0x99, features)),
            .event(.leReadRemoteFeaturesComplete(.success, 0x40, features)),
            .tells(.remoteFeatures(Self.id, features)))
    }

    @Test func `The strength of a peer's signal is reported, or that it is not known`() throws {
        var harness = try connected(role: 0)
        func answer(_ status: HCIStatus, _ rssi: Int8) -> Event {
            .commandComplete(1, Command.readRSSI.opcode, [status.rawValue] + LinkRSSI(handle: 0x40, rssi: rssi).octets)
        }
        harness.play(
            .host(.readSignalStrength(ConnectionID(number: 9))),
            .host(.readSignalStrength(Self.id)), .sends(.readRSSI(0x40)), .event(answer(.success, -60)),
            .tells(.signalStrength(Self.id, -60)),
            .host(.readSignalStrength(Self.id)), .sends(.readRSSI(0x40)), .event(answer(.success, 127)),
            .tells(.signalStrength(Self.id, nil)),
            .host(.readSignalStrength(Self.id)), .sends(.readRSSI(0x40)), .done(Command.readRSSI, .unknownCommand),
            .tells(.signalStrength(Self.id, nil)))
    }

    // MARK: A Link Layer with the Connection Parameters Request procedure

    private func asking() throws -> HostHarness {
        var harness = try connected(features: .connectionParametersRequest)
        harness.play(.wait(.seconds(5)), .sends(Self.update))
        return harness
    }

    @Test func `A Link Layer with the feature is asked first`() throws {
        var harness = try asking()
        harness.play(
            .begun(Command.leConnectionUpdate), .event(.leConnectionUpdateComplete(.success, 0x40, Self.timing)),
            .tells(.timing(Self.id, Self.timing)), .tells(Self.changed(by: .peripheral)),
            // A later failure does not belong to this request.
            .event(.leConnectionUpdateComplete(.unsupportedRemoteFeature, 0x40, Self.timing)),
            .wait(.seconds(100)))
    }

    @Test func `If the peer's Link Layer lacks the feature, L2CAP follows`() throws {
        var harness = try asking()
        harness.play(.begun(Command.leConnectionUpdate))
        harness.event(Event.leConnectionUpdateComplete(.unsupportedRemoteFeature, 0x40, Self.timing).octets)
        #expect(harness.takeSent() == [Self.request])
        harness.event(Event.leConnectionUpdateComplete(.unsupportedRemoteFeature, 0x40, Self.timing).octets)
        harness.event(Event.leConnectionUpdateComplete(.unsupportedRemoteFeature, 0x99, Self.timing).octets)
        #expect(harness.takeSent() == [], "once")
        #expect(harness.takeOutputs() == [])
    }

    @Test func `If the controller refuses the command, L2CAP follows`() throws {
        var harness = try asking()
        harness.event(Event.commandStatus(.unsupportedRemoteFeature, 1, Command.leConnectionUpdate.opcode).octets)
        #expect(harness.takeSent() == [Self.request])
        #expect(harness.takeOutputs() == [])
    }

    // MARK: Data length

    @Test(arguments: [0, 1] as [UInt8]) func `The host requests the maximum data length`(role: UInt8) throws {
        var harness = try HostHarness()
        harness.start(features: .dataPacketLengthExtension)
        if role == 0 {
            harness.step(.command(HostTests.connecting))
            harness.event([0x0F, 4, 0, 1, 0x0D, 0x20])
        }
        _ = harness.takeSent()
        harness.connected(role: role)
        #expect(harness.takeSent() == [[1, 0x22, 0x20, 6, 0x40, 0, 0xFB, 0, 0x48, 0x08]])
        _ = harness.takeOutputs()
        // A controller that refuses, and reports other lengths.
        harness.event([0x0E, 6, 1, 0x22, 0x20, 0x01, 0x40, 0])
        harness.event([0x3E, 11, 7, 0x40, 0, 27, 0, 0x48, 1, 27, 0, 0x48, 1])
        #expect(harness.takeSent() == [])
        #expect(harness.takeOutputs() == [])
    }

    // MARK: Repeated requests

    /// LE Long Term Key Request, LE Remote Connection Parameter Request, and a request of a peripheral by L2CAP.
    static let questions: [(role: UInt8, question: [UInt8], isData: Bool, answer: Opcode)] = [
        (
            1, [0x3E, 13, 5, 0x40] + [UInt8](repeating: 0, count: 11), false,
            Command.leLongTermKeyRequestNegativeReply.opcode
        ),
        (
            1, [0x3E, 11, 6, 0x40, 0, 6, 0, 7, 0, 0, 0, 100, 0], false,
            Command.leRemoteConnectionParameterRequestReply.opcode
        ),
        (
            1, [0x3E, 11, 6, 0x40, 0, 5, 0, 7, 0, 0, 0, 100, 0], false,
            Command.leRemoteConnectionParameterRequestNegativeReply.opcode
        ),
        (
            0, [0x40, 0x20, 16, 0, 12, 0, 5, 0, 0x12, 3, 8, 0, 24, 0, 40, 0, 0, 0, 42, 0], true,
            Command.leConnectionUpdate.opcode
        ),
    ]

    @Test(arguments: questions)
    func `Repeated requests are answered as fast as the controller accepts commands`(
        role: UInt8, question: [UInt8], isData: Bool, answer: Opcode
    ) throws {
        var harness = try connected(role: role)
        for _ in 0..<1000 { if isData { harness.acl(question) } else { harness.event(question) } }
        let expected: [Host.Output] = [.dropped(Self.id), .security(Self.id, .notEncrypted(.keyMissing))]
        #expect(harness.takeOutputs().allSatisfy(expected.contains), "the host goes on")
        let commands = harness.takeSent().filter { $0[0] == 1 }
        #expect(commands.map { Opcode(ofCommand: Array($0.dropFirst())) } == [answer])
        harness.event(Event.complete(answer).octets)
        #expect(harness.takeSent().count == 1)
        harness.event(Event.complete(answer).octets)
        #expect(harness.takeSent().count == 0)
    }
}
