import Basics
import BlueZServer
import DBus
import Synchronization
import Testing

@testable import Cases

/// A played bluetoothd with several adapters.
@Suite struct AdaptersTests {
    private static let scenario = """
        {"lubdub": 1, "name": "A", "devices": [{"id": "strap", "name": "Strap", "address": "C0:FF:EE:00:00:01/random",
         "advertise": {"interval": "100 ms", "services": ["180D"]},
         "services": [{"service": "heart_rate", "value": 62, "location": "chest"}]}],
         "script": [{"id": "away", "when": "20 s", "do": "daemon_away", "for": "3 s"}]}
        """
    private static let first: ObjectPath = "/org/bluez/hci0"
    private static let second: ObjectPath = "/org/bluez/hci1"
    private static let adapter: InterfaceName = "org.bluez.Adapter1"

    private static func play(
        _ adapters: Int,
        _ body: @escaping @Sendable (PlayedProgram, EventLoop, PlayedSystem.Running) async throws -> Void
    ) throws {
        try PlayedAir.run(scenario) { air, loop in
            var settings = PlayedSystem.Settings()
            settings.adapters = adapters
            let running = try await air.open(settings)
            try await body(try await PlayedProgram(running.busAddress, loop), loop, running)
        }
    }

    private static func objects(_ program: PlayedProgram) async throws -> [(path: String, interfaces: Value)] {
        let reply = await program.call(
            "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", reply: "a{oa{sa{sv}}}")
        return try reply.get().first?.entries?.compactMap { entry in entry.key.path.map { ($0.text, entry.value) } }
            ?? []
    }

    @Test func `Each adapter has an address and a name, and everyone's objects have one manager`() throws {
        try Self.play(3) { program, _, _ in
            let objects = try await Self.objects(program)
            #expect(objects.map(\.path) == ["/org/bluez", "/org/bluez/hci2", "/org/bluez/hci1", "/org/bluez/hci0"])
            let properties = objects.compactMap { $0.interfaces[Self.adapter.text] }
            #expect(Set(properties.map { $0["Address"]?.string }).count == 3)
            #expect(
                properties.map { $0["Name"]?.string } == ["BlueZ 5.66 #3", "BlueZ 5.66 #2", "BlueZ 5.66"])
            let text = try await program.call(
                "/org/bluez", "org.freedesktop.DBus.Introspectable", "Introspect", reply: "s"
            ).get().first?.string
            for number in 0..<3 { #expect(text?.contains("<node name=\"hci\(number)\"/>") == true) }
        }
    }

    @Test func `A program discovers and connects with one adapter, and the other knows nothing of it`() throws {
        try Self.play(2) { program, loop, _ in
            #expect(await program.call(Self.second, Self.adapter, "StartDiscovery") == .success([]))
            let device: ObjectPath = "/org/bluez/hci1/dev_C0_FF_EE_00_00_01"
            #expect(try await program.wait(loop) { $0.arguments.first == .path(device) })
            #expect(
                await program.call(Self.first, Self.adapter, "StopDiscovery")
                    == .failure(.remote(RemoteError(name: "org.bluez.Error.Failed", message: "No discovery started"))))
            #expect(await program.call(Self.second, Self.adapter, "StopDiscovery") == .success([]))
            #expect(await program.call(device, "org.bluez.Device1", "Connect") == .success([]))
            #expect(
                try await program.wait(loop) {
                    $0.path == device && $0.arguments.dropFirst().first?["ServicesResolved"] == .boolean(true)
                })
            let paths = try await Self.objects(program).map(\.path)
            #expect(!paths.contains { $0.hasPrefix("/org/bluez/hci0/") })
            // The program's end ends its use of each adapter.
            #expect(await program.call(Self.second, Self.adapter, "StartDiscovery") == .success([]))
        }
    }

    @Test func `A scan of the second adapter ends with its program`() throws {
        try Self.play(2) { program, loop, running in
            let other = try await PlayedProgram(running.busAddress, loop)
            #expect(await other.call(Self.second, Self.adapter, "StartDiscovery") == .success([]))
            await other.connection.close()
            #expect(
                try await program.wait(loop) {
                    $0.path == Self.second && $0.arguments.dropFirst().first?["Discovering"] == .boolean(false)
                })
        }
    }

    @Test func `An agent is every adapter's`() throws {
        try Self.play(2) { program, loop, _ in
            let agent = [Value.path("/agent"), .string("")]
            #expect(await program.call("/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", agent) == .success([]))
            for path in [Self.first, Self.second] {
                let isPairable = try await program.wait(loop) {
                    $0.path == path && $0.arguments.dropFirst().first?["Pairable"] == .boolean(true)
                }
                #expect(isPairable)
            }
            #expect(
                await program.call("/org/bluez", "org.bluez.AgentManager1", "UnregisterAgent", [.path("/agent")])
                    == .success([]))
            #expect(
                try await program.wait(loop) {
                    $0.path == Self.second && $0.arguments.dropFirst().first?["Pairable"] == .boolean(false)
                })
        }
    }

    @Test func `All adapters leave with the daemon, and come back`() throws {
        try Self.play(2) { program, loop, _ in
            #expect(await program.call(Self.second, Self.adapter, "StartDiscovery") == .success([]))
            for path in [Self.first, Self.second] {
                let isRemoved = try await program.wait(loop) {
                    $0.member == "InterfacesRemoved" && $0.arguments.first == .path(path)
                }
                #expect(isRemoved)
            }
            for path in [Self.first, Self.second] {
                #expect(
                    try await program.wait(loop) { $0.member == "InterfacesAdded" && $0.arguments.first == .path(path) }
                )
            }
            let device: ObjectPath = "/org/bluez/hci1/dev_C0_FF_EE_00_00_01"
            program.forget()
            #expect(await program.call(Self.second, Self.adapter, "StartDiscovery") == .success([]))
            #expect(try await program.wait(loop) { $0.arguments.first == .path(device) })
        }
    }
}
