import Basics
import Bluetooth
import Clients
import GATT
import LEHost
import Testing

/// Servers that refuse, that change, and that are to be asked again.
struct ChangeTests {
    private static let changed = Services.attributes.characteristics[0].valueHandle

    @Test(arguments: [ATTError.insufficientAuthentication, .insufficientEncryption, .readNotPermitted, .unlikelyError])
    func `A refused read is reported once, and the others continue`(error: ATTError) throws {
        var stand = Stand()
        try stand.discovers([Services.fitness])
        let asked = stand.procedures
        stand.finishes(asked[2].number, .failure(.refused(error, handle: 0x58)))
        let words = "error: reading Temperature failed: \(error) for handle 88"
        #expect(stand.texts.count == 1)
        #expect(stand.texts.allSatisfy { $0.hasPrefix(words) })
        #expect(stand.commands == [])
        stand.finishes(asked[0].number, .success(.value([1, 0, 0, 0])))
        #expect(stand.texts == ["1 step"])
        #expect(stand.wait() == .seconds(60))
        let again = stand.procedures
        stand.finishes(again[again.count - 1].number, .failure(.refused(error, handle: 0x58)))
        #expect(stand.outputs == [])
    }

    @Test func `A connection ends when the last that it is kept for is refused`() throws {
        var stand = Stand()
        try stand.discovers([Services.thermometer, Services.battery])
        let asked = stand.procedures
        let subscriptions = asked.filter { if case .configure = $0.procedure { true } else { false } }
        stand.finishes(subscriptions[0].number, .failure(.refused(.insufficientAuthentication, handle: 0x43)))
        #expect(
            stand.texts == [
                "error: subscribing to Temperature Measurement failed: insufficient_authentication (0x05) for handle 67: "
                    + "the device requires pairing"
            ])
        #expect(stand.commands == [])
        stand.finishes(subscriptions[1].number, .failure(.refused(.insufficientAuthentication, handle: 0x46)))
        #expect(stand.texts.count == 1)
        #expect(stand.commands == [.disconnect(ConnectionID(number: 1), reason: .remoteUserTerminated)])
    }

    @Test func `Steps and temperature are polled at their interval`() throws {
        var settings = SensorCollector.Settings()
        settings.asksOnDemand = .seconds(5)
        var stand = Stand(settings)
        try stand.discovers([Services.fitness, Services.battery])
        let asked = stand.procedures
        for (procedure, number) in asked {
            if case .read(let handle) = procedure, handle != 0x22 {
                stand.finishes(number, .success(.value([1, 0] + (handle == 0x58 ? [] : [0, 0]))))
            }
        }
        #expect(stand.wait() == .seconds(5))
        let again: [Procedure] = [.read(handle: 0x52), .read(handle: 0x55), .read(handle: 0x58)]
        #expect(stand.procedures.map(\.procedure) == again)
        stand.finishes(stand.procedures[0].number, .success(.value([2, 0, 0, 0])))
        #expect(stand.texts == ["2 steps"])
        #expect(stand.wait() == .seconds(5))  // two of them have not been answered
        #expect(stand.procedures.map(\.procedure) == [.read(handle: 0x52)])
        stand.disconnects()
        #expect(stand.wait() == .zero)
        #expect(stand.procedures.isEmpty)
    }

    @Test(arguments: [nil, Duration.zero, .seconds(-1)])
    func `Without an interval nothing is polled, and no interval is too short`(every: Duration?) throws {
        var settings = SensorCollector.Settings()
        settings.asksOnDemand = every
        var stand = Stand(settings)
        try stand.discovers([Services.fitness])
        #expect(stand.wait() == every.map { _ in .milliseconds(10) })
    }

    @Test func `After Service Changed everything is discovered and subscribed to again`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate, Services.attributes])
        stand.allSucceeds()
        stand.indicates([0x10, 0x00, 0x1F, 0x00], of: Self.changed)
        #expect(stand.procedures.map(\.procedure) == [.discoverEverything])
        let discovery = stand.procedures[0].number
        stand.notifies([0x00, 72])  // perhaps it is something else by now
        #expect(stand.outputs == [])
        let moved = Services.service(.heartRate, from: 0x30, [(.heartRateMeasurement, .notify)])
        stand.finishes(discovery, .success(.services([moved, Services.attributes])))
        #expect(stand.procedures.map(\.procedure).contains(.configure(handle: 0x33, .notification)))
        let lines = stand.allSucceeds()
        #expect(lines == [#"{"state": "subscribed", "peer": "C0:FF:EE:00:00:01/random"}"#])
        stand.notifies([0x00, 73], of: 0x32)
        #expect(stand.texts == ["73 bpm"])
        #expect(stand.pool.taken == 0)
    }

    @Test func `Service Changed at a host causes another discovery, on this connection only`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.allSucceeds()
        stand.hears(.attributesChanged(ConnectionID(number: 2)))
        #expect(stand.outputs == [])
        stand.hears(.attributesChanged(ConnectionID(number: 1)))
        #expect(stand.procedures.map(\.procedure) == [.discoverEverything])
        stand.finishes(stand.procedures[0].number, .success(.services([Services.heartRate])))
        #expect(stand.procedures.map(\.procedure).last == .configure(handle: 0x13, .notification))
    }

    @Test func `A procedure that the host does not support is reported with its reason`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate])
        stand.finishes(stand.procedures[0].number, .failure(.unavailable("bluetoothd: no")))
        #expect(stand.texts.map { $0.hasSuffix("failed: bluetoothd: no") } == [true])
        stand.hears(.failed(.outside("bluetoothd has gone away")))
        #expect(stand.texts.last == "error: bluetoothd has gone away")
    }

    @Test func `Values at other handles are received during discovery`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate, Services.battery, Services.attributes])
        stand.allSucceeds()
        stand.indicates([0x20, 0x00, 0x2F, 0x00], of: Self.changed)
        stand.notifies([0x00, 72])
        #expect(stand.texts == ["72 bpm"])
        stand.notifies([80], of: Services.level)
        #expect(stand.outputs == [])
    }

    @Test func `Changes during a discovery are one more discovery, however many they are`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate, Services.attributes])
        stand.allSucceeds()
        stand.indicates([0x01, 0x00, 0x1F, 0x00], of: Self.changed)
        let first = stand.procedures[0].number
        for _ in 0..<100 {
            stand.indicates([0x01, 0x00, 0x1F, 0x00], of: Self.changed)
            #expect(stand.outputs == [])
        }
        stand.finishes(first, .success(.services([Services.heartRate])))
        #expect(stand.procedures.map(\.procedure) == [.discoverEverything])
        stand.finishes(stand.procedures[0].number, .success(.services([Services.heartRate])))
        #expect(stand.procedures.map(\.procedure).last == .configure(handle: 0x13, .notification))
    }

    @Test(arguments: [[], [0, 0, 1, 0], [2, 0, 1, 0], [1, 0, 2, 0, 0]] as [[UInt8]])
    func `A Service Changed that is malformed changes nothing`(octets: [UInt8]) throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate, Services.attributes])
        stand.indicates(octets, of: Self.changed)
        #expect(stand.texts.count == 1)
        #expect(stand.commands == [])
    }

    @Test func `A permanently removed service ends the connection`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate, Services.attributes])
        stand.allSucceeds()
        stand.indicates([0x10, 0x00, 0x1F, 0x00], of: Self.changed)
        stand.finishes(stand.procedures[0].number, .success(.services([Services.attributes])))
        #expect(stand.texts == ["error: Lubdub HRM C0:FF:EE:00:00:01/random has nothing that this client knows"])
        #expect(stand.commands == [.disconnect(ConnectionID(number: 1), reason: .remoteUserTerminated)])
    }

    @Test func `Database Out Of Sync is answered by a discovery`() throws {
        var stand = Stand()
        try stand.discovers([Services.heartRate, Services.fitness])
        let asked = stand.procedures
        stand.finishes(asked[0].number, .failure(.refused(.databaseOutOfSync, handle: 0x15)))
        #expect(stand.texts == [])
        #expect(stand.procedures.map(\.procedure) == [.discoverEverything])
        let discovery = stand.procedures[0].number
        for (_, number) in asked.dropFirst() {  // of handles that are not true any more
            stand.finishes(number, .success(.value([1, 0, 0, 0])))
            #expect(stand.outputs == [])
        }
        stand.finishes(discovery, .success(.services([Services.heartRate])))
        #expect(stand.procedures.map(\.procedure).last == .configure(handle: 0x13, .notification))
    }

    @Test func `A server that is never in sync is believed three times`() throws {
        var stand = Stand()
        try stand.discovers([Services.fitness])
        for _ in 0..<3 {
            stand.finishes(stand.procedures[0].number, .failure(.refused(.databaseOutOfSync, handle: 1)))
            #expect(stand.procedures.map(\.procedure) == [.discoverEverything])
            stand.finishesDiscovery([Services.fitness])
        }
        stand.finishes(stand.procedures[0].number, .failure(.refused(.databaseOutOfSync, handle: 1)))
        #expect(stand.texts == ["error: reading Steps failed: database_out_of_sync (0x12) for handle 1"])
        #expect(stand.commands == [])
    }
}
