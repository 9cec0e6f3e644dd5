import Basics
import BlueZServer
import DBus
import Drivers
import Linux
import ScenarioLanguage
import ScenarioModel
import Synchronization
import Testing
import VirtualWorld

@testable import Cases

/// A program of BlueZ, on the bus of a played bluetoothd.
@Suite struct PlayedSystemTests {
    private typealias Value = DBus.Value

    /// A strap that goes out of range after a minute.
    private static let scenario = """
        {"lubdub": 1, "name": "A", "devices": [{"id": "strap", "name": "Strap", "address": "C0:FF:EE:00:00:01/random",
         "advertise": {"interval": "100 ms", "services": ["180D"]},
         "services": [{"service": "heart_rate", "value": 62, "energy": true, "location": "chest"}, {"service": "battery", "value": 80}]}],
         "script": [{"when": "60 s", "do": "link_loss", "of": "strap", "for": "20 s"}]}
        """
    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let properties: InterfaceName = "org.freedesktop.DBus.Properties"
    private typealias Program = PlayedProgram

    private static func changed(
        _ name: String, _ value: Value, at path: ObjectPath? = nil
    ) -> @Sendable (Signal) -> Bool {
        { signal in
            signal.member == "PropertiesChanged" && (path == nil || signal.path == path)
                && signal.arguments.dropFirst().first?[name] == value
        }
    }

    private static func play(
        _ body: @escaping @Sendable (Program, EventLoop, PlayedSystem.Running) async throws -> Void
    ) throws {
        try PlayedAir.run(scenario) { air, loop in
            let running = try await air.open()
            let program = try await Program(running.busAddress, loop)
            try await body(program, loop, running)
            await program.connection.close()
        }
    }

    @Test func `A program discovers, connects, reads, subscribes, loses the link and disconnects`() throws {
        try Self.play { program, loop, _ in
            #expect(await program.call(Self.adapter, "org.bluez.Adapter1", "StartDiscovery") == .success([]))
            let again = await program.call(Self.adapter, "org.bluez.Adapter1", "StartDiscovery")
            #expect(again == .failure(.remote(.inProgress)))
            #expect(try await program.wait(loop) { $0.arguments.first == .path(Self.device) })
            #expect(await program.call(Self.adapter, "org.bluez.Adapter1", "StopDiscovery") == .success([]))
            #expect(await program.call(Self.device, "org.bluez.Device1", "Connect") == .success([]))
            #expect(try await program.wait(loop, until: Self.changed("ServicesResolved", .boolean(true))))
            let measurement = try #require(program.path(of: "2a37"))
            let location = try #require(program.path(of: "2a38"))
            let characteristic: InterfaceName = "org.bluez.GattCharacteristic1"
            let value = await program.call(location, characteristic, "ReadValue", [.options([])], reply: "ay")
            #expect(try value.get() == [.octets([1])])
            let refused = await program.call(measurement, characteristic, "ReadValue", [.options([])], reply: "ay")
            #expect(refused == .failure(.remote(.readNotPermitted)))
            #expect(await program.call(measurement, characteristic, "StopNotify") == .failure(.remote(.noSession)))
            #expect(await program.call(measurement, characteristic, "StartNotify") == .success([]))
            #expect(try await program.wait(loop) { Self.isValue($0, at: measurement) })
            // The attributes precede the end of discovery, and Connected precedes them.
            let order = program.signals.compactMap(Self.milestone)
            #expect(order == ["device", "connected", "attributes", "resolved", "battery"])
            program.forget()
            #expect(try await program.wait(loop, until: Self.changed("Connected", .boolean(false), at: Self.device)))
            let loss = try #require(program.signals.first(where: Self.changed("Connected", .boolean(false))))
            #expect(loss.arguments[1]["ServicesResolved"] == .boolean(false))
            #expect(
                await program.call(location, characteristic, "ReadValue", [.options([])], reply: "ay")
                    == .failure(.remote(RemoteError(name: "org.bluez.Error.Failed", message: "Not connected"))))
            program.forget()
            #expect(await program.call(Self.device, "org.bluez.Device1", "Connect") == .success([]))
            #expect(try await program.wait(loop) { Self.isValue($0, at: measurement) }, "subscribed again by itself")
            #expect(await program.call(Self.device, "org.bluez.Device1", "Disconnect") == .success([]))
            #expect(
                await program.call(Self.adapter, "org.bluez.Adapter1", "RemoveDevice", [.path(Self.device)])
                    == .success([]))
        }
    }

    private static func isValue(_ signal: Signal, at path: ObjectPath) -> Bool {
        signal.path == path && signal.arguments.dropFirst().first?["Value"]?.octets?.count ?? 0 >= 2
    }

    private static func milestone(_ signal: Signal) -> String? {
        if signal.member == "InterfacesAdded" {
            if signal.arguments.last?["org.bluez.Device1"] != nil { return "device" }
            if signal.arguments.last?["org.bluez.Battery1"] != nil { return "battery" }
            return signal.arguments.last?["org.bluez.GattService1"]?["UUID"]?.string?.hasPrefix("0000180d") == true
                ? "attributes" : nil
        }
        if changed("Connected", .boolean(true))(signal) { return "connected" }
        return changed("ServicesResolved", .boolean(true))(signal) ? "resolved" : nil
    }

    @Test func `A program that leaves ends its scan; others have theirs`() throws {
        try Self.play { program, loop, running in
            let other = try await Program(running.busAddress, loop)
            #expect(await other.call(Self.adapter, "org.bluez.Adapter1", "StartDiscovery") == .success([]))
            #expect(
                await program.call(Self.adapter, "org.bluez.Adapter1", "StopDiscovery")
                    == .failure(.remote(.noDiscovery)))
            await other.connection.close()
            #expect(
                try await program.wait(loop, until: Self.changed("Discovering", .boolean(false), at: Self.adapter)))
        }
    }

    @Test func `Without power, nothing is discovered or connected`() throws {
        try Self.play { program, loop, _ in
            let notReady = Result<[Value], CallFailure>.failure(
                .remote(RemoteError(name: "org.bluez.Error.NotReady", message: "Resource Not Ready")))
            _ = await program.call(Self.adapter, "org.bluez.Adapter1", "StartDiscovery")
            #expect(try await program.wait(loop) { $0.arguments.first == .path(Self.device) })
            func power(_ isOn: Bool) async throws {
                let property = [Value.string("org.bluez.Adapter1"), .string("Powered"), .variant(.boolean(isOn))]
                #expect(await program.call(Self.adapter, Self.properties, "Set", property) == .success([]))
                #expect(try await program.wait(loop, until: Self.changed("Powered", .boolean(isOn), at: Self.adapter)))
            }
            try await power(false)
            #expect(await program.call(Self.adapter, "org.bluez.Adapter1", "StartDiscovery") == notReady)
            try await power(true)
            program.forget()
            #expect(await program.call(Self.adapter, "org.bluez.Adapter1", "StartDiscovery") == .success([]))
            #expect(try await program.wait(loop) { $0.arguments.first == .path(Self.device) })
        }
    }

    @Test(arguments: ["", "bluez:", "bluez:tcp:127.0.0.1:1", "bluez:unix:", "kernel", "bluez:unix:/tmp/a,b"])
    func `Another value of the option is refused`(text: String) {
        #expect(throws: Obstacle.self) { try PlayedSystem(text) }
    }
}

extension RemoteError {
    fileprivate static let inProgress = RemoteError(
        name: "org.bluez.Error.InProgress", message: "Operation already in progress")
    fileprivate static let readNotPermitted = RemoteError(
        name: "org.bluez.Error.NotPermitted", message: "Read not permitted")
    fileprivate static let noSession = RemoteError(
        name: "org.bluez.Error.Failed", message: "No notify session started")
    fileprivate static let noDiscovery = RemoteError(name: "org.bluez.Error.Failed", message: "No discovery started")
}
