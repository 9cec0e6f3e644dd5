import Basics
import Bluetooth
import Clients
import GATT
import LEHost
import Testing

/// What happens over a connection.
struct ConversationTests {
    @Test func asksForEverythingAndSubscribes() throws {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        try stand.advertises(name: "Lubdub HRM")
        _ = stand.wait()
        stand.connects()
        #expect(stand.texts == ["connected to Lubdub HRM C0:FF:EE:00:00:01/random"])
        #expect(stand.procedures.map(\.procedure) == [.exchangeMTU, .discoverEverything])
        stand.finishes(1, .success(.mtu(247)))
        #expect(stand.outputs == [])
        stand.finishes(2, .success(.services(Services.all)))
        #expect(
            stand.procedures.map(\.procedure) == [
                .read(handle: 0x15), .read(handle: 0x22), .readLong(handle: 0x32),
                .configure(handle: 0x13, .notification), .configure(handle: 0x23, .notification),
            ])
        let peer = #""peer": "C0:FF:EE:00:00:01/random"}"#
        let answers: [(Procedure.Outcome, [String])] = [
            (.value([1]), [#"{"location": "chest", "#]),
            (.value([87]), [#"{"battery": 87, "#]),
            (.value(Array("Acme".utf8)), [#"{"information": {"manufacturer": "Acme"}, "#]),
            (.written, [#"{"state": "subscribed", "#]),
            (.written, []),
        ]
        for (number, answer) in zip(UInt32(3)..., answers) {
            stand.finishes(number, .success(answer.0))
            #expect(stand.lines == answer.1.map { $0 + peer })
        }
        stand.notifies([0x16, 62, 0xDF, 0x03])
        #expect(stand.lines == [#"{"heart_rate": {"bpm": 62, "contact": true, "rr_ms": [967.773]}, "# + peer])
        #expect(stand.texts == ["62 bpm, contact, RR 967.8 ms"])
        stand.notifies([86], of: Services.level)
        #expect(stand.texts == ["battery 86 %"])
        #expect(stand.pool.taken == 0)
    }

    @Test func takesNotificationsBeforeTheSubscriptionIsAnswered() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.notifies([0x00, 72])
        #expect(stand.texts == ["72 bpm"])
        #expect(stand.pool.taken == 0)
    }

    @Test(
        arguments: [
            // the value, and what is shown to people: real clients fell over most of these
            (
                [],
                "error: Heart Rate Measurement without octets is malformed: octet 0: Flags needs 1 octet(s), and 0 are left"
            ),
            ([0x10], "error: Heart Rate Measurement 10 is malformed: octet 1: "),
            ([0x01], "error: Heart Rate Measurement 01 is malformed: octet 1: "),
            ([0x01, 0x48], "error: Heart Rate Measurement 01 48 is malformed: octet 1: "),
            ([0x1F, 0x48], "error: Heart Rate Measurement 1F 48 is malformed: octet 1: "),
            ([0x10, 0x48], "error: Heart Rate Measurement 10 48 is malformed: octet 2: RR-Interval "),
            ([0x10, 0x48, 0x55, 0x03, 0x01], "72 bpm, RR 833.0 ms"),
            ([0x10, 0x48, 0x00, 0x00], "72 bpm"),
            ([0x10, 0x48, 0x00, 0x00, 0x00, 0x04], "72 bpm, RR 1000.0 ms"),
            ([0xE0, 0x48], "72 bpm"),  // reserved flags
            ([0x0D, 0x2C, 0x01, 0x0C, 0x00], "300 bpm, no contact, 12 kJ"),
        ] as [([UInt8], String)])
    func staysUpWhateverIsNotified(octets: [UInt8], text: String) throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.notifies(octets)
        #expect(stand.texts.count == 1)
        #expect(text.hasPrefix("error") ? stand.texts[0].hasPrefix(text) : stand.texts == [text])
        #expect(stand.commands == [])
        stand.notifies([0x00, 72])
        #expect(stand.texts == ["72 bpm"])
        #expect(stand.pool.taken == 0)
    }

    @Test func ignoresWhatItDidNotAskFor() throws {
        var stand = Stand()
        try stand.discovers(Services.all)
        stand.notifies([1], of: 0x0099)
        #expect(stand.outputs == [])
        stand.notifies([0x00, 72], on: 2)
        #expect(stand.outputs == [])
        stand.hears(.indicated(ConnectionID(number: 1), handle: Services.measurement, stand.pool.take([0x00, 72])))
        #expect(stand.outputs == [])
        stand.finishes(99, .success(.value([1])))
        #expect(stand.outputs == [])
        #expect(stand.pool.taken == 0)
    }

    @Test(
        arguments: [
            [], [DiscoveredService(uuid: .heartRate, range: Services.heartRate.range)], [Services.attributes],
            [Services.service(.environmentalSensing, from: 0x40, [(.temperature, [.read, .notify])])],
        ] as [[DiscoveredService]])
    func leavesADeviceOfWhichItKnowsNothing(services: [DiscoveredService]) throws {
        var stand = Stand()
        try stand.discovers(services)
        #expect(stand.texts == ["error: Lubdub HRM C0:FF:EE:00:00:01/random has nothing that this client knows"])
        #expect(stand.commands == [.disconnect(ConnectionID(number: 1), reason: .remoteUserTerminated)])
        stand.notifies([0x00, 72])
        #expect(stand.outputs == [])
        stand.disconnects(1, .localHostTerminated)
        #expect(stand.texts.last == "no heart rate")
        #expect(stand.wait() == .zero)
        #expect(stand.pool.taken == 0)
    }

    @Test func staysWithWhatIsLeftOfADeviceThatCannotNotify() throws {
        var strap = Services.heartRate
        strap.characteristics[0].descriptors = []
        var stand = Stand()
        try stand.discovers([strap])
        #expect(stand.texts == ["error: Lubdub HRM C0:FF:EE:00:00:01/random cannot notify its Heart Rate Measurement"])
        #expect(stand.procedures.map(\.procedure) == [.read(handle: Services.location)])
        stand.notifies([0x00, 72])
        #expect(stand.outputs == [])
    }

    @Test(arguments: [
        // which procedure fails and how: the report, and whether the connection is ended
        (UInt32(1), Procedure.Failure.refused(.requestNotSupported, handle: 0), nil, false),
        (1, .bearerLost, "exchanging the MTU failed: no answer within 30 s", true),
        (2, .tooMuch, "discovering the services failed: there is more than can be remembered", true),
        (3, .unexpected(opcode: 7), "reading Body Sensor Location failed: the answer is another PDU, opcode 7", false),
        (4, .bearerLost, "reading Battery Level failed: no answer within 30 s", true),
        (6, .handleOutOfOrder(3), "subscribing to Heart Rate Measurement failed: handle 3 is out of order", true),
        (7, .valueTooLong(2), "subscribing to Battery Level failed: 2 octets do not fit into one PDU", false),
        (6, .disconnected, nil, false),
    ])
    func endsTheConnectionOnlyWhenNothingIsLeftThatItIsThereFor(
        number: UInt32, failure: Procedure.Failure, why: String?, ends: Bool
    ) throws {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        try stand.advertises()
        _ = stand.wait()
        stand.connects()
        if number > 1 { stand.finishes(1, .success(.mtu(23))) }
        if number > 2 { stand.finishes(2, .success(.services(Services.all))) }
        stand.finishes(number, .failure(failure))
        #expect(stand.texts == (why.map { ["error: \($0)"] } ?? []))
        let disconnect = Host.Command.disconnect(ConnectionID(number: 1), reason: .remoteUserTerminated)
        #expect(stand.commands == (ends ? [disconnect] : []))
    }

    @Test(arguments: [
        (UInt32(3), [UInt8](), "Body Sensor Location without octets is malformed: "),
        (4, [101], "Battery Level 65 is malformed: "),
        (5, [0xFF], "the manufacturer string FF is malformed: "),
    ])
    func staysUpWhateverIsRead(number: UInt32, octets: [UInt8], why: String) throws {
        var stand = Stand()
        try stand.discovers(Services.all)
        stand.finishes(number, .success(.value(octets)))
        #expect(stand.texts.count == 1)
        #expect(stand.texts[0].hasPrefix("error: \(why)"))
        #expect(stand.commands == [])
    }

    @Test func comesBackAfterADisconnectionAndSubscribesAgain() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.finishes(4, .success(.written))
        stand.disconnects()
        let peer = #""peer": "C0:FF:EE:00:00:01/random"}"#
        #expect(stand.lines == [#"{"state": "disconnected", "# + peer, #"{"heart_rate": null, "# + peer])
        #expect(stand.texts[0].hasPrefix("disconnected from Lubdub HRM C0:FF:EE:00:00:01/random: connection_timeout"))
        #expect(stand.wait() == .zero)
        #expect(stand.lines == [#"{"state": "scanning"}"#])
        try stand.advertises()
        _ = stand.wait()
        stand.connects(2)
        let asked = stand.procedures
        #expect(asked.map(\.procedure) == [.exchangeMTU, .discoverEverything])
        #expect(asked.map(\.number) == [5, 6])

        stand.finishes(3, on: 1, .success(.value([1])))  // from the connection before
        #expect(stand.outputs == [])
        stand.notifies([0x00, 72], on: 1)
        #expect(stand.outputs == [])
        stand.disconnects(1)
        #expect(stand.outputs == [])

        stand.finishes(6, on: 2, .success(.services([Services.heartRate])))
        #expect(stand.procedures.map(\.procedure).last == .configure(handle: 0x13, .notification))
        #expect(stand.pool.taken == 0)
    }

    @Test func waitsLongerUntilASubscriptionHasSucceeded() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.disconnects(1)
        #expect(stand.wait() == .zero)
        try stand.advertises()
        _ = stand.wait()
        stand.connects(2)
        stand.disconnects(2)
        #expect(stand.wait() == .milliseconds(100))
        try stand.advertises()
        _ = stand.wait()
        stand.connects(3)
        let discovery = stand.procedures[1].number
        stand.finishes(discovery, on: 3, .success(.services([Services.heartRate])))
        let subscription = try #require(stand.procedures.last).number
        stand.finishes(subscription, on: 3, .success(.written))
        stand.disconnects(3)
        #expect(stand.wait() == .zero)
    }

    @Test func doesNotComeBackWhenItIsNotTo() throws {
        var settings = SensorCollector.Settings()
        settings.reconnects = false
        var stand = Stand(settings)
        try stand.discovers([Services.heartRate])
        stand.disconnects()
        #expect(stand.collector.isIdle)
        #expect(stand.wait() == nil)
    }

    @Test func disconnectsWhenItIsStopped() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.stop()
        #expect(stand.commands == [.disconnect(ConnectionID(number: 1), reason: .remoteUserTerminated)])
        stand.stop()
        #expect(stand.outputs == [])
        stand.disconnects(1, .localHostTerminated)
        #expect(stand.lines.count == 2)
        #expect(stand.collector.isIdle)
    }
}
