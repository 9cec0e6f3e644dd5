import Basics
import BlueZNames
import BlueZServer
import DBus
import Drivers
import Glibc
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
        _ settings: PlayedSystem.Settings = PlayedSystem.Settings(),
        _ body: @escaping @Sendable (Program, EventLoop, PlayedSystem.Running) async throws -> Void
    ) throws {
        try PlayedAir.run(scenario) { air, loop in
            let running = try await air.open(settings)
            let program = try await Program(running.busAddress, loop)
            try await body(program, loop, running)
            await program.connection.close()
            await running.close()
            let folder = running.busAddress.dropFirst("unix:path=".count).dropLast("/bus".count)
            let isLeft = unsafe access(String(folder), F_OK) == 0
            #expect(!isLeft, "the folder of the bus")
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

    @Test func `Another version has other properties, and without a cache attributes go with the link`() throws {
        var settings = PlayedSystem.Settings()
        settings.version = try #require(BlueZVersion("5.60"))
        settings.cache = .no
        try Self.play(settings) { program, loop, running in
            #expect(running.variables.contains { $0.value == "5.60" })
            _ = await program.call(Self.adapter, "org.bluez.Adapter1", "StartDiscovery")
            #expect(try await program.wait(loop) { $0.arguments.first == .path(Self.device) })
            let known = try await program.call(
                Self.device, Self.properties, "GetAll", [.string("org.bluez.Device1")], reply: "a{sv}"
            ).get()
            #expect(known.first?["Paired"] == .boolean(false))
            #expect(known.first?["Bonded"] == nil)
            _ = await program.call(Self.adapter, "org.bluez.Adapter1", "StopDiscovery")
            #expect(await program.call(Self.device, "org.bluez.Device1", "Connect") == .success([]))
            #expect(try await program.wait(loop, until: Self.changed("ServicesResolved", .boolean(true))))
            let location = try #require(program.path(of: "2a38"))
            program.forget()
            #expect(await program.call(Self.device, "org.bluez.Device1", "Disconnect") == .success([]))
            #expect(
                try await program.wait(loop) {
                    $0.member == "InterfacesRemoved" && $0.arguments.first == .path(location)
                })
            #expect(try await program.wait(loop, until: Self.changed("UUIDs", .strings([]))))
        }
    }

    @Test func `A later version shows Generic Access, which cannot be written, and reports why a connection ends`()
        throws
    {
        var settings = PlayedSystem.Settings()
        settings.version = try #require(BlueZVersion("5.85"))
        settings.pace = .quick
        try Self.play(settings) { program, loop, _ in
            _ = await program.call(Self.adapter, "org.bluez.Adapter1", "StartDiscovery")
            #expect(try await program.wait(loop) { $0.arguments.first == .path(Self.device) })
            _ = await program.call(Self.adapter, "org.bluez.Adapter1", "StopDiscovery")
            #expect(await program.call(Self.device, "org.bluez.Device1", "Connect") == .success([]))
            #expect(try await program.wait(loop, until: Self.changed("ServicesResolved", .boolean(true))))
            let name = try #require(program.path(of: "2a00"))
            let refused = RemoteError(name: "org.bluez.Error.NotAuthorized", message: "Operation Not Authorized")
            let arguments = [Value.octets([65]), .options([])]
            #expect(
                await program.call(name, "org.bluez.GattCharacteristic1", "WriteValue", arguments)
                    == .failure(.remote(refused)))
            #expect(await program.call(Self.device, "org.bluez.Device1", "Disconnect") == .success([]))
            #expect(
                try await program.wait(loop) {
                    $0.member == "Disconnected" && $0.arguments.first == .string("org.bluez.Reason.Local")
                })
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

    /// Each leaves the bus while its last call is under way.
    @Test(arguments: 1...9) func `A program that vanishes leaves nothing behind`(steps: Int) throws {
        try Self.play { program, loop, running in
            let other = try await Program(running.busAddress, loop)
            for step in 0..<steps { try await Self.step(step, of: program, loop, isLast: step == steps - 1) }
            await program.connection.close()
            let property = [Value.string("org.bluez.Adapter1"), .string("Discovering")]
            while await other.call(Self.adapter, Self.properties, "Get", property, reply: "v")
                != .success([.variant(.boolean(false))])
            { try await loop.sleep(for: .milliseconds(50)) }
            // What has begun goes on: bluetoothd does not ask who wanted to connect or disconnect.
            if steps == 4 { #expect(try await other.wait(loop, until: Self.changed("Connected", .boolean(true)))) }
            if steps == 9 { #expect(try await other.wait(loop, until: Self.changed("Connected", .boolean(false)))) }
            for step in 0..<8 { try await Self.step(step, of: other, loop, isLast: false) }
            #expect(other.signals.count { Self.isValue($0, at: other.path(of: "2a37") ?? .root) } >= 1)
        }
    }

    /// A step of a usual conversation; the last one of a program is not awaited.
    private static func step(_ number: Int, of program: Program, _ loop: EventLoop, isLast: Bool) async throws {
        let (gattPath, gatt): (ObjectPath?, InterfaceName) = (program.path(of: "2a37"), "org.bluez.GattCharacteristic1")
        let calls: [(ObjectPath?, InterfaceName, MemberName, [Value])] = [
            (adapter, "org.bluez.Adapter1", "SetDiscoveryFilter", [.options([("Transport", .string("le"))])]),
            (adapter, "org.bluez.Adapter1", "StartDiscovery", []),
            (adapter, "org.bluez.Adapter1", "StopDiscovery", []), (device, "org.bluez.Device1", "Connect", []),
            (program.path(of: "2a38"), gatt, "ReadValue", [.options([])]), (gattPath, gatt, "StartNotify", []),
            (gattPath, gatt, "StopNotify", []), (gattPath, gatt, "StartNotify", []),
            (device, "org.bluez.Device1", "Disconnect", []),
        ]
        let (path, interface, member, arguments) = calls[number]
        guard let path else { return }
        let reply: Signature = member == "ReadValue" ? "ay" : ""
        guard !isLast else {
            let call = Call("org.bluez", path, interface, member, arguments, reply: reply)
            try await program.connection.call(call) { _ in }
            return
        }
        let result = await program.call(path, interface, member, arguments, reply: reply)
        #expect((try? result.get()) != nil, "\(member): \(result)")
        switch number {
        case 1: #expect(try await program.wait(loop) { $0.arguments.first == .path(device) })
        case 3: #expect(try await program.wait(loop) { $0.arguments.last?[gatt.text] != nil })
        case 7: #expect(try await program.wait(loop) { isValue($0, at: path) })
        default: break
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
