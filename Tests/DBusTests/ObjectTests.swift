import Basics
import DBus
import TestBus
import Testing

@Suite(.enabled(if: PrivateBus.isInstalled, "\(PrivateBus.isMissing)")) struct ObjectTests {
    private static let prefix = "org.freedesktop.DBus.Error."

    @Test func `Unknown objects, interfaces and methods are rejected with standard errors`() throws {
        try onBothBuses { bus, loop in
            let (_, _, ask) = try await Service().open(bus, loop)
            #expect(await ask("Echo", at: "/example/other").errorName == Self.prefix + "UnknownObject")
            #expect(await ask("Echo", at: "/example").errorName == Self.prefix + "UnknownInterface")
            #expect(await ask("Echo", of: "example.Other").errorName == Self.prefix + "UnknownInterface")
            #expect(await ask("Shout").errorName == Self.prefix + "UnknownMethod")
            #expect(await ask("Echo").errorName == Self.prefix + "InvalidArgs")
            #expect(await ask("ReadValue", [.octets([])]).errorName == Self.prefix + "InvalidArgs")
            #expect(await ask("Refuse", [.byte(1)]).errorName == Self.prefix + "InvalidArgs")
            let managing = await ask("GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager", at: "/")
            #expect(managing.errorName == Self.prefix + "UnknownInterface")
        }
    }

    @Test func `Properties can be read and set`() throws {
        try onBothBuses { bus, loop in
            let service = Service()
            let (_, client, ask) = try await service.open(bus, loop)
            let (name, changes) = (Service.interface.text, Recorder<[Value]>())
            _ = try await client.subscribe(MatchRule(sender: ask.name, member: "PropertiesChanged")) {
                changes.add($0.arguments)
            }
            let uuid = Value.variant(.string("180F"))
            #expect(await ask.property("Get", [name, "UUID"], reply: "v") == .success([uuid]))
            #expect(await ask.property("Get", ["", "UUID"], reply: "v") == .success([uuid]))
            for (interface, property, error) in [
                (name, "Other", "UnknownProperty"), (name, "Absent", "UnknownProperty"), (name, "Wrong", "Failed"),
                ("example.Other", "UUID", "UnknownInterface"), ("", "", "UnknownProperty"),
                (name, "\n", "UnknownProperty"),
            ] {
                let answer = await ask.property("Get", [interface, property], reply: "v")
                #expect(answer.errorName == Self.prefix + error, "\(property)")
            }
            let all = Value.options([("Level", .byte(87)), ("Alias", .string("strap")), ("UUID", .string("180F"))])
            #expect(await ask.property("GetAll", [name], reply: "a{sv}") == .success([all]))
            #expect(await ask.property("GetAll", ["x"], reply: "a{sv}").errorName == Self.prefix + "UnknownInterface")

            func set(_ property: String, _ value: Value) async -> Result<[Value], CallFailure> {
                await ask(
                    "Set", [.string(name), .string(property), .variant(value)], of: "org.freedesktop.DBus.Properties")
            }
            #expect(await set("Alias", .string("heart")) == .success([]))
            #expect(service.alias == "heart")
            #expect(await set("Alias", .byte(1)).errorName == Self.prefix + "InvalidArgs")
            #expect(await set("Alias", .variant(.string("x"))).errorName == Self.prefix + "InvalidArgs")
            #expect(await set("Alias", .string("")).errorName == "example.Empty")
            #expect(await set("UUID", .string("x")).errorName == Self.prefix + "PropertyReadOnly")
            #expect(await set("Other", .string("x")).errorName == Self.prefix + "UnknownProperty")
            try await loop.until { !changes.all.isEmpty }
            #expect(changes.all == [[.string(name), .options([("Alias", .string("heart"))]), .strings([])]])
        }
    }

    @Test func `Introspection`() throws {
        try onBothBuses { bus, loop in
            let (_, _, ask) = try await Service().open(bus, loop)
            func introspect(_ path: ObjectPath) async -> String {
                let answer = await ask("Introspect", reply: "s", of: "org.freedesktop.DBus.Introspectable", at: path)
                return (try? answer.get().first?.string) ?? ""
            }
            let text = await introspect(Service.path)
            for line in [
                "<interface name=\"example.Battery1\">", "<interface name=\"org.freedesktop.DBus.Peer\">",
                "<interface name=\"org.freedesktop.DBus.Properties\">",
                "<arg name=\"options\" type=\"a{sv}\" direction=\"in\"/>",
                "<arg type=\"ay\" direction=\"out\"/>", "<property name=\"Alias\" type=\"s\" access=\"readwrite\">",
                "EmitsChangedSignal\" value=\"const\"/>", "<signal name=\"Changed\">",
                "<arg name=\"level\" type=\"y\"/>",
            ] {
                #expect(text.contains(line), "\(line)")
            }
            #expect(await introspect("/").contains("<node name=\"example\"/>"))
            #expect(await introspect("/example").contains("<node name=\"battery\"/>"))
            #expect(await introspect("/example").contains("Battery1") == false)
            #expect(await introspect("/exam") == "")
            #expect(await ask("Ping", of: "org.freedesktop.DBus.Peer", at: "/any") == .success([]))
        }
    }

    @Test func `An object manager lists and announces the objects below it`() throws {
        try onBothBuses { bus, loop in
            let (server, client, ask) = try await Service().open(bus, loop)
            let signals = Recorder<Signal>()
            _ = try await client.subscribe(MatchRule(interface: "org.freedesktop.DBus.ObjectManager")) {
                signals.add($0)
            }
            await server.addObjectManager(at: "/example")
            let strap = ExportedObject(
                "/example/strap", [Interface("example.Strap1", properties: [Property("Bpm", constant: .uint16(62))])])
            try await server.export(strap)
            try await server.export(ExportedObject("/exampleOther", []))
            let managing = await ask(
                "GetManagedObjects", reply: "a{oa{sa{sv}}}", of: "org.freedesktop.DBus.ObjectManager", at: "/example")
            let objects = try #require(managing.get().first?.entries)
            #expect(objects.map(\.key.path) == ["/example/battery", "/example/strap"])
            #expect(objects.last?.value["example.Strap1"]?["Bpm"] == .uint16(62))
            await server.unexport("/example/strap")
            await server.unexport("/example/strap")
            try await loop.until { signals.all.count >= 2 }
            #expect(signals.all.map(\.member) == ["InterfacesAdded", "InterfacesRemoved"])
            #expect(signals.all.map(\.path) == ["/example", "/example"])
            #expect(signals.all.last?.arguments == [.path("/example/strap"), .strings(["example.Strap1"])])
            #expect(
                await ask("Ping", of: "example.Strap1", at: "/example/strap").errorName == Self.prefix + "UnknownObject"
            )
            await server.removeObjectManager(at: "/example")
            let no = await ask("GetManagedObjects", of: "org.freedesktop.DBus.ObjectManager", at: "/example")
            #expect(no.errorName == Self.prefix + "UnknownInterface")
        }
    }

    @Test func `An object with a wrong value is not exported`() throws {
        try onBothBuses { bus, loop in
            let (server, _, ask) = try await Service().open(bus, loop)
            await server.addObjectManager(at: "/")
            let wrong = Property("Text", .string) { .string("a\0b") }
            await #expect(throws: CallFailure.self) {
                try await server.export(ExportedObject("/wrong", [Interface("x.A", properties: [wrong])]))
            }
            let managing = await ask(
                "GetManagedObjects", reply: "a{oa{sa{sv}}}", of: "org.freedesktop.DBus.ObjectManager", at: "/")
            #expect(try managing.get().first?.entries?.map(\.key.path) == [Service.path])
            await server.close()
            await #expect(throws: CallFailure.disconnected) { try await server.export(ExportedObject("/x", [])) }
        }
    }

    /// As `org.bluez` does it in `RegisterApplication`: the answer comes after it has asked back.
    @Test func `A method can call back before it replies`() throws {
        try onBothBuses { bus, loop in
            let manager = try await Connection.open(bus.address, on: loop)
            let tasks = Recorder<Task<Void, any Error>>()
            let register = Method("RegisterApplication", arguments: Parameters("oa{sv}")) { call in
                guard let path = call.arguments.first?.path, let sender = call.sender else { return }
                let asking = loop.start {
                    let question = Call(
                        sender, path, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", reply: "a{oa{sa{sv}}}"
                    )
                    let objects = try await manager.call(question).first?.entries ?? []
                    if objects.isEmpty {
                        call.fail(with: MethodError("org.bluez.Error.Failed", "No valid service object found"))
                    }
                    call.reply()
                }
                tasks.add(asking)
            }
            try await manager.export(
                ExportedObject("/hci0", [Interface("org.bluez.GattManager1", methods: [register])]))
            let app = try await Connection.open(bus.address, on: loop)
            await app.addObjectManager(at: "/app")
            let ask = Caller(connection: app, name: try #require(await manager.name))
            let arguments: [Value] = [.path("/app"), .options([])]
            let empty = await ask("RegisterApplication", arguments, of: "org.bluez.GattManager1", at: "/hci0")
            #expect(empty.errorName == "org.bluez.Error.Failed")
            try await app.export(ExportedObject("/app/service0", [Interface("org.bluez.GattService1")]))
            let answer = await ask("RegisterApplication", arguments, of: "org.bluez.GattManager1", at: "/hci0")
            #expect(answer == .success([]))
            #expect(tasks.all.count == 2)
            for task in tasks.all { try await task.value }
            await manager.close()  // what it exported holds it
        }
    }
}
