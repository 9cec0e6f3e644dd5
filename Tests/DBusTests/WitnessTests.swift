import Basics
import DBus
import TestBus
import Testing

/// Programs that we did not write call ours: dbus-send by libdbus, busctl by the library of systemd.
@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct WitnessTests {
    private static func run(_ arguments: [String], on loop: EventLoop) async throws -> (output: String, status: CInt) {
        try await Child(arguments).ended(on: loop)
    }

    @Test(.enabled(if: Child.isInstalled("dbus-send"), "dbus-send is not installed: Tools/setup test"))
    func `dbus-send can call, read and set, and gets errors`() throws {
        try onBothBuses { bus, loop in
            let (service, connection) = (Service(), try await Connection.open(bus.address, on: loop))
            try await connection.export(service.object)
            let name = try #require(await connection.name)
            func send(_ words: String...) async throws -> (output: String, status: CInt) {
                let start = ["dbus-send", "--bus=\(bus.address.text)", "--print-reply=literal", "--dest=\(name)"]
                return try await Self.run(start + [Service.path.text] + words, on: loop)
            }
            let properties = "org.freedesktop.DBus.Properties"
            let echo = try await send("example.Battery1.Echo", "variant:string:heart")
            #expect(echo.status == 0 && echo.output.contains("heart"))
            let level = try await send("\(properties).Get", "string:example.Battery1", "string:Level")
            #expect(level.status == 0 && level.output.contains("byte 87"))
            let set = try await send(
                "\(properties).Set", "string:example.Battery1", "string:Alias", "variant:string:chest")
            #expect(set.status == 0)
            #expect(service.alias == "chest")
            #expect(try await send("example.Battery1.Refuse").status == 1)
            #expect(try await send("example.Battery1.Echo", "byte:1").status == 1)
        }
    }

    @Test(.enabled(if: Child.isInstalled("busctl"), "busctl is not installed: it comes with systemd"))
    func `busctl understands the introspection, the tree and the values`() throws {
        try onBothBuses { bus, loop in
            let (service, connection) = (Service(), try await Connection.open(bus.address, on: loop))
            await connection.addObjectManager(at: "/example")
            try await connection.export(service.object)
            let name = try #require(await connection.name)
            func ask(_ words: String...) async throws -> String {
                let result = try await Self.run(["busctl", "--address=\(bus.address.text)"] + words, on: loop)
                #expect(result.status == 0, "\(words)")
                return result.output
            }
            let text = try await ask("introspect", name.text, Service.path.text).split(separator: "\n")
            for words in [
                [".Echo", "method", "v", "v"], [".ReadValue", "method", "a{sv}", "ay"], [".Changed", "signal", "y"],
                [".Alias", "property", "s", "\"strap\"", "emits-change", "writable"],
                [".UUID", "property", "s", "\"180F\"", "const"], [".GetMachineId", "method", "-", "s"],
            ] {
                let isThere = text.contains { $0.split(separator: " ").map(String.init).starts(with: words) }
                #expect(isThere, "\(words)")
            }
            #expect(try await ask("tree", "--list", name.text).contains("/example/battery\n"))
            let read = try await ask(
                "call", name.text, Service.path.text, "example.Battery1", "ReadValue", "a{sv}", "1", "offset", "q", "5")
            #expect(read == "ay 3 5 1 2\n")
            let managed = try await ask(
                "call", name.text, "/example", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
            #expect(managed.hasPrefix("a{oa{sa{sv}}} 1 \"/example/battery\" 1 \"example.Battery1\" 3 \"Level\" y 87"))
        }
    }
}
