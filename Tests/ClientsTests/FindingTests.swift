import Basics
import Bluetooth
import Characteristics
import Clients
import GATT
import HCI
import LEHost
import Testing

/// From the start to a connection.
struct FindingTests {
    @Test func startsTheHostThenScansActively() {
        var stand = Stand()
        #expect(stand.collector.isIdle)
        stand.start()
        #expect(stand.commands == [.start])
        stand.hostStarts()
        let parameters = ScanParameters(isActive: true, interval: 0x60, window: 0x60)
        #expect(stand.commands == [.scan(parameters, filterDuplicates: false)])
        #expect(stand.lines == [#"{"state": "scanning"}"#])
    }

    @Test func choosesTheStrongerOfTwoStraps() throws {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        try stand.advertises(Stand.strap, rssi: -70)
        #expect(stand.texts == ["found C0:FF:EE:00:00:01/random, 180D, -70 dBm"])
        try stand.advertises(Stand.other, rssi: -60)
        try stand.advertises(Stand.strap, rssi: -65)
        #expect(stand.outputs == [])
        #expect(stand.wait() == .seconds(1))
        let creation = ConnectionCreation(
            to: Stand.other,
            parameters: ConnectionParameters(
                minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x48))
        #expect(stand.commands == [.stopScanning, .connect(creation, timeout: .seconds(2))])
        #expect(stand.lines == [#"{"state": "connecting", "peer": "C0:FF:EE:00:00:02/random"}"#])
    }

    @Test(arguments: [
        // the kind, the services and the strength of a louder device, and whether it is chosen
        (AdvertisingReport.Kind.undirected, [UUID.heartRate], Int8(-30), true),
        (.undirected, [.battery, .heartRate], -30, true),
        (.undirected, [.heartRate], -50, false),  // as loud as the first
        (.undirected, [.heartRate], 127, false),  // nobody knows
        (.undirected, [.battery], -30, false),
        (.undirected, [], -30, false),
        (.nonConnectable, [.heartRate], -30, false),
        (.scannable, [.heartRate], -30, false),
        (.scanResponse, [.heartRate], -30, false),
    ])
    func choosesOnlyWhatItCanUse(kind: AdvertisingReport.Kind, services: [UUID], rssi: Int8, isChosen: Bool) throws {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        try stand.advertises(Stand.strap, rssi: -50)
        try stand.advertises(Stand.other, kind, rssi: rssi, services: services)
        _ = stand.wait()
        let peer = isChosen ? Stand.other : Stand.strap
        #expect(stand.lines == [#"{"state": "connecting", "peer": "\#(peer)"}"#])
    }

    @Test(
        arguments: [
            // what two devices advertise, the second louder than the first, and which is chosen
            ([.heartRate], [.healthThermometer], Stand.strap),
            ([.healthThermometer], [.heartRate, .healthThermometer], Stand.other),
            ([VendorUUID.fitness.uuid], [.healthThermometer], Stand.other),
            ([.healthThermometer], [VendorUUID.ecg.uuid], Stand.strap),
            ([VendorUUID.measurements.uuid], [VendorUUID.measurements.uuid], Stand.other),
            ([VendorUUID.feed.uuid], [.battery], Stand.strap),
        ] as [([UUID], [UUID], DeviceAddress)])
    func choosesTheHeartRateFirst(first: [UUID], second: [UUID], chosen: DeviceAddress) throws {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        try stand.advertises(Stand.strap, rssi: -60, services: first)
        try stand.advertises(Stand.other, rssi: -30, services: second)
        #expect(stand.wait() == .seconds(1))
        #expect(stand.lines == [#"{"state": "connecting", "peer": "\#(chosen)"}"#])
    }

    @Test func readsAllOfExtendedAdvertising() throws {
        var stand = Stand(.init(choice: .name("Lubdub HRM")))
        stand.start()
        stand.hostStarts()
        var data = AdvertisingData(limit: .extended)
        for _ in 0..<6 { try data.append(manufacturerSpecificData: [UInt8](repeating: 7, count: 250), company: 0xFFFF) }
        try data.append(services: [.heartRate])
        try data.append(localName: "Lubdub HRM")
        stand.hears(.report(AdvertisingReport(kind: .undirected, address: Stand.strap, data: data.octets, rssi: -50)))
        #expect(stand.lines.last == #"{"state": "connecting", "peer": "\#(Stand.strap)"}"#)
    }

    @Test func takesANamedPeerAtOnceWhenTheScanResponseHasItsName() throws {
        var stand = Stand(.init(choice: .name("Lubdub HRM")))
        stand.start()
        stand.hostStarts()
        try stand.advertises(Stand.other, name: "Else")
        try stand.advertises(Stand.strap)
        #expect(stand.commands == [])
        try stand.advertises(Stand.strap, .scanResponse, services: [], name: "Lubdub HRM")
        #expect(
            stand.texts == [
                "found Lubdub HRM C0:FF:EE:00:00:01/random, 180D, -50 dBm",
                "connecting to Lubdub HRM C0:FF:EE:00:00:01/random",
            ])
        #expect(stand.commands.count == 2)
    }

    @Test func takesAnAddressedPeerAtOnceWhateverItAdvertises() throws {
        var stand = Stand(.init(choice: .address(Stand.strap)))
        stand.start()
        stand.hostStarts()
        try stand.advertises(Stand.other, rssi: -10)
        try stand.advertises(DeviceAddress(Stand.strap.number, .public))
        #expect(stand.commands == [])
        try stand.advertises(Stand.strap, services: [])
        #expect(stand.lines.last == #"{"state": "connecting", "peer": "C0:FF:EE:00:00:01/random"}"#)
    }

    @Test func connectsToNobodyButListsThem() throws {
        var settings = SensorCollector.Settings(choice: .nobody)
        settings.services = []
        var stand = Stand(settings)
        stand.start()
        stand.hostStarts()
        try stand.advertises(Stand.strap, services: [.battery], name: "A \"quoted\"\nname")
        #expect(
            stand.lines == [
                #"{"found": {"name": "A \"quoted\"\nname", "services": ["180F"], "rssi": -50}, "#
                    + #""peer": "C0:FF:EE:00:00:01/random"}"#
            ])
        #expect(stand.wait() == nil)
    }

    @Test func reportsAFailedConnectionAndScansAgain() throws {
        var stand = Stand(.init(choice: .address(Stand.strap)))
        stand.start()
        stand.hostStarts()
        var waits: [Duration?] = []
        for _ in 0..<8 {
            try stand.advertises()
            stand.hears(.connectionFailed(Stand.other, .timedOut))  // somebody else's
            #expect(stand.outputs == [])
            stand.hears(.connectionFailed(Stand.strap, .timedOut))
            #expect(
                stand.lines == [
                    #"{"error": "no connection to C0:FF:EE:00:00:01/random: it was not heard in time", "#
                        + #""peer": "C0:FF:EE:00:00:01/random"}"#
                ])
            waits.append(stand.wait())
            #expect(stand.lines == [#"{"state": "scanning"}"#])
        }
        #expect(waits == [0, 100, 200, 400, 800, 1000, 1000, 1000].map { .milliseconds($0) })
    }

    @Test func startsTheHostAgainWhenItHasFailed() {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        stand.hears(.failed(.hardware(7)))
        #expect(stand.texts == ["error: the controller reports a hardware error, code 7"])
        #expect(stand.commands == [.stopScanning])  // it would begin twice
        #expect(stand.wait() == .zero)
        #expect(stand.commands == [.start])
        stand.hostStarts()
        #expect(stand.texts == ["scanning"])
    }

    @Test(arguments: [
        (Command.leSetScanParameters.opcode, Command.leSetScanEnable.opcode),
        (Command.leSetExtendedScanParameters.opcode, Command.leSetExtendedScanEnable.opcode),
    ])
    func saysThatTheControllerDoesNotScan(parameters: Opcode, enable: Opcode) {
        var stand = Stand()
        stand.start()
        stand.hostStarts()
        stand.hears(.refused(parameters, .commandDisallowed))
        #expect(stand.lines.count == 1)
        #expect(stand.commands == [.stopScanning])
        stand.hears(.refused(enable, .commandDisallowed))
        #expect(stand.outputs == [])
        _ = stand.wait()
        #expect(stand.texts == ["scanning"])
    }

    @Test func stopsWhereverItIs() throws {
        var stand = Stand(.init(choice: .address(Stand.strap)))
        stand.stop()
        #expect(stand.outputs == [])
        stand.start()
        stand.hostStarts()
        stand.stop()
        #expect(stand.commands == [.stopScanning])
        #expect(stand.collector.isIdle)

        stand.start()
        stand.hostStarts()
        try stand.advertises()
        stand.stop()
        #expect(stand.commands == [.cancelConnecting])
        #expect(!stand.collector.isIdle)
        stand.hears(.connectionFailed(Stand.strap, .cancelled))
        #expect(stand.outputs == [])
        #expect(stand.collector.isIdle)

        stand.start()
        stand.hostStarts()
        try stand.advertises()
        stand.stop()
        stand.connects()  // it came first
        #expect(stand.commands == [.disconnect(ConnectionID(number: 1), reason: .remoteUserTerminated)])
        stand.disconnects(1, .localHostTerminated)
        #expect(stand.collector.isIdle)
        #expect(stand.wait() == nil)
    }

    /// The client ends a useless connection, and the controller refuses the disconnection.
    private func refusing(_ stand: inout Stand) throws {
        stand.start()
        stand.hostStarts()
        try stand.advertises()
        stand.connects()
        stand.finishes(stand.procedures[1].number, .success(.services([])))
        #expect(stand.commands == [.disconnect(ConnectionID(number: 1), reason: .remoteUserTerminated)])
        stand.hears(.refused(Command.disconnect.opcode, .commandDisallowed))
        #expect(stand.texts == ["error: the controller does not disconnect: command_disallowed"])
    }

    @Test func `A stop does not wait for a controller that refuses to disconnect`() throws {
        var stand = Stand(.init(choice: .address(Stand.strap)))
        try refusing(&stand)
        stand.stop()
        #expect(stand.collector.isIdle)

        stand = Stand(.init(choice: .address(Stand.strap)))
        stand.start()
        stand.hostStarts()
        try stand.advertises()
        stand.connects()
        stand.stop()
        stand.hears(.refused(Command.disconnect.opcode, .commandDisallowed))
        #expect(stand.collector.isIdle)
    }

    @Test(
        arguments: [
            (.name("Nobody"), [], #""Nobody" was not found, and no other device"#),
            (
                .name("Strep"), ["Strap"],
                #""Strep" was not found (did you mean "Strap"?), but Strap C0:FF:EE:00:01:00/random"#
            ),
            (
                .address(Stand.strap), ["A", "B"],
                "C0:FF:EE:00:00:01/random was not found, but A C0:FF:EE:00:01:00/random, B C0:FF:EE:00:01:01/random"
            ),
            (.strongest, [], "a device with a service that this client knows was not found, and no other device"),
            (.nobody, ["A"], nil),
        ] as [(SensorCollector.Settings.Choice, [String], String?)])
    func `The message names the missing device, and those found instead`(
        choice: SensorCollector.Settings.Choice, names: [String], words: String?
    ) throws {
        var stand = Stand(.init(choice: choice))
        stand.start()
        stand.hostStarts()
        for (index, name) in names.enumerated() {
            let address = DeviceAddress(0xC0FF_EE00_0100 + UInt64(index), .random)
            try stand.advertises(address, services: [.battery], name: name)
        }
        #expect(stand.collector.missing == words)
    }

    @Test func `Many others are counted, and after a connection there is no message`() throws {
        var stand = Stand(.init(choice: .name("Strap")))
        stand.start()
        stand.hostStarts()
        for index in 0..<10 as Range<UInt64> { try stand.advertises(DeviceAddress(0xC0FF_EE00_0100 + index, .random)) }
        #expect(stand.collector.missing?.hasSuffix("C0:FF:EE:00:01:07/random and 2 more") == true)
        try stand.advertises(Stand.strap, .nonConnectable, name: "Strap")
        #expect(stand.collector.missing == #""Strap" was found, but it is not connectable"#)
        try stand.advertises(Stand.strap, name: "Strap")
        #expect(
            stand.collector.missing == "Strap C0:FF:EE:00:00:01/random was found, but no connection was established")
        stand.connects()
        #expect(stand.collector.missing == nil)
    }
}
