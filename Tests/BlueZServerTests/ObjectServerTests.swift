import BlueZNames
import DBus
import Testing

@testable import BlueZServer

/// The order of signals and the texts of errors are those of gdbus/object.c, measured on bluetoothd 5.66.
@Suite struct ObjectServerTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_1"
    private static let service: ObjectPath = "/org/bluez/hci0/dev_1/service000a"

    private static func server() -> ObjectServer {
        var server = ObjectServer()
        server.register(.objectManager, at: .root)
        server.register(
            .device, [("Connected", .boolean(false)), ("Alias", .string("strap")), ("Trusted", .boolean(false))],
            at: device)
        return server
    }

    private static func words(_ signals: [Signal]) -> [String] {
        signals.map { signal in
            let names = signal.arguments.flatMap { argument in
                argument.entries?.compactMap(\.key.string) ?? argument.strings ?? []
            }
            return "\(signal.path) \(signal.member) \(names.joined(separator: " "))"
        }
    }

    @Test func `An object is announced once, with the properties that it has then`() {
        var server = Self.server()
        server.set("Connected", .boolean(true), of: .device, at: Self.device)
        let signals = server.takeSignals()
        #expect(
            Self.words(signals) == [
                "/ InterfacesAdded org.freedesktop.DBus.Introspectable org.bluez.Device1 org.freedesktop.DBus.Properties"
            ])
        #expect(signals.first?.arguments.last?["org.bluez.Device1"]?["Connected"] == .boolean(true))
        #expect(server.takeSignals().isEmpty)
    }

    @Test func `Changes of a turn are one signal, in their order, and equal values are none`() {
        var server = Self.server()
        _ = server.takeSignals()
        server.set("Connected", .boolean(true), of: .device, at: Self.device)
        server.set("RSSI", .int16(-50), of: .device, at: Self.device)
        server.set("Alias", .string("strap"), of: .device, at: Self.device)
        server.set("Connected", .boolean(false), of: .device, at: Self.device)
        #expect(
            Self.words(server.takeSignals()) == ["\(Self.device) PropertiesChanged Connected RSSI"])
        server.set("RSSI", nil, of: .device, at: Self.device)
        server.set("Alias", .string("strap"), of: .device, at: Self.device, isEmitted: true)
        #expect(
            server.takeSignals().first?.arguments.dropFirst()
                == [.options([("Alias", .string("strap"))]), .strings(["RSSI"])])
    }

    @Test func `New interfaces precede changes, and these precede removed ones; parents precede children`() {
        var server = Self.server()
        _ = server.takeSignals()
        server.register(.battery, [("Percentage", .byte(80))], at: Self.device)
        _ = server.takeSignals()
        server.register(.service, [("UUID", .string("180d"))], at: Self.service)
        server.unregister(.battery, at: Self.device)
        server.set("Connected", .boolean(true), of: .device, at: Self.device)
        server.register(.agentManager, at: "/org/bluez")
        #expect(
            Self.words(server.takeSignals()) == [
                "/ InterfacesAdded org.freedesktop.DBus.Introspectable org.bluez.GattService1 "
                    + "org.freedesktop.DBus.Properties",
                "\(Self.device) PropertiesChanged Connected", "/ InterfacesRemoved org.bluez.Battery1",
                "/ InterfacesAdded org.freedesktop.DBus.Introspectable org.bluez.AgentManager1",
            ])
    }

    @Test func `An object goes with its last interface, which is named last`() {
        var server = Self.server()
        _ = server.takeSignals()
        server.unregister(.device, at: Self.device)
        #expect(
            Self.words(server.takeSignals()) == [
                "/ InterfacesRemoved org.freedesktop.DBus.Properties org.freedesktop.DBus.Introspectable org.bluez.Device1"
            ])
        #expect(!server.contains(Self.device, .device))
    }

    @Test func `A change of an interface is announced before it goes`() {
        var server = Self.server()
        server.register(.service, [("UUID", .string("180d")), ("Includes", .paths([Self.device]))], at: Self.service)
        _ = server.takeSignals()
        server.set("Includes", .paths([]), of: .gattService, at: Self.service)
        server.unregister(.gattService, at: Self.service)
        #expect(
            Self.words(server.takeSignals()) == [
                "\(Self.service) PropertiesChanged Includes",
                "/ InterfacesRemoved org.freedesktop.DBus.Properties org.freedesktop.DBus.Introspectable "
                    + "org.bluez.GattService1",
            ])
    }

    @Test func `A value can change without a signal`() {
        var server = Self.server()
        _ = server.takeSignals()
        server.replace("Alias", .string("chest"), of: .device, at: Self.device)
        #expect(server.takeSignals().isEmpty)
        #expect(server.value("Alias", of: .device, at: Self.device) == .string("chest"))
    }

    @Test func `An object that comes and goes within a turn is not announced`() {
        var server = Self.server()
        _ = server.takeSignals()
        server.register(.service, [("UUID", .string("180d"))], at: Self.service)
        server.unregister(.gattService, at: Self.service)
        #expect(server.takeSignals().isEmpty)
    }

    // MARK: Calls

    private static func call(
        _ path: ObjectPath, _ interface: InterfaceName?, _ member: MemberName, _ arguments: [Value] = []
    ) -> ReceivedCall {
        ReceivedCall(
            path: path, interface: interface, member: member,
            signature: arguments.map(\.type.description).joined(), arguments: arguments, sender: ":1.1",
            replying: { _ in })
    }

    private static let properties = ServedInterface.properties.name
    private static let refused: [(call: ReceivedCall, name: ErrorName, text: String)] = [
        (
            call("/nowhere", .gattCharacteristic, "ReadValue", [.options([])]),
            "org.freedesktop.DBus.Error.UnknownObject",
            "Method \"ReadValue\" with signature \"a{sv}\" on interface \"org.bluez.GattCharacteristic1\" doesn't exist\n"
        ),
        (
            call(device, .device, "Connect", [.byte(1)]), "org.freedesktop.DBus.Error.UnknownMethod",
            "Method \"Connect\" with signature \"y\" on interface \"org.bluez.Device1\" doesn't exist\n"
        ),
        (
            call(device, nil, "Connect"), "org.freedesktop.DBus.Error.UnknownMethod",
            "Method \"Connect\" with signature \"\" on interface \"(null)\" doesn't exist\n"
        ),
        (
            call(device, properties, "Get", [.string("org.bluez.Device1"), .string("RSSI")]),
            "org.freedesktop.DBus.Error.InvalidArgs", "No such property 'RSSI'"
        ),
        (
            call(device, properties, "GetAll", [.string("org.bluez.Nothing1")]),
            "org.freedesktop.DBus.Error.InvalidArgs", "No such interface 'org.bluez.Nothing1'"
        ),
        (
            call(
                device, properties, "Set",
                [.string("org.bluez.Device1"), .string("Address"), .variant(.string("x"))]),
            "org.freedesktop.DBus.Error.PropertyReadOnly", "Property 'Address' is not writable"
        ),
        (
            call(device, properties, "Set", [.string("org.bluez.Device1"), .string("Trusted"), .variant(.byte(1))]),
            "org.freedesktop.DBus.Error.InvalidSignature", "Invalid signature for 'Trusted'"
        ),
        (
            call(device, properties, "Set", [.string("org.bluez.Device1"), .string("Nothing"), .variant(.byte(1))]),
            "org.freedesktop.DBus.Error.UnknownProperty", "No such property 'Nothing'"
        ),
        (
            call(
                device, properties, "Set", [.string("org.bluez.Device1"), .string("WakeAllowed"), .variant(.byte(1))]),
            "org.freedesktop.DBus.Error.UnknownProperty", "No such property 'WakeAllowed'"
        ),
    ]

    @Test func `Calls that are not possible have the errors of gdbus and libdbus`() {
        for (call, name, text) in Self.refused {
            guard case .fail(let error) = Self.server().action(for: call) else {
                Issue.record("\(call.member) is possible")
                continue
            }
            #expect(error.name == name)
            #expect(error.message == text)
        }
    }

    @Test func `Calls of the program's own interfaces are passed on`() {
        guard case .call(.device, "Connect") = Self.server().action(for: Self.call(Self.device, .device, "Connect"))
        else {
            Issue.record("Connect is not passed on")
            return
        }
        let set = Self.call(
            Self.device, Self.properties, "Set",
            [.string("org.bluez.Device1"), .string("Trusted"), .variant(.boolean(true))])
        guard case .set(.device, "Trusted", .boolean(true)) = Self.server().action(for: set) else {
            Issue.record("Trusted is not set")
            return
        }
    }

    @Test func `Managed objects precede those below them, and the newest comes first`() {
        var server = Self.server()
        server.register(.agentManager, at: "/org/bluez")
        let paths: [ObjectPath] = [
            "/org/bluez/hci0/dev_2", "/org/bluez/hci0/dev_2/service0001", "/org/bluez/hci0/dev_2/service0002",
        ]
        for path in paths { server.register(.service, at: path) }
        let call = Self.call(.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        guard case .reply(let objects) = server.action(for: call) else {
            Issue.record("there is no reply")
            return
        }
        #expect(
            objects.first?.entries?.compactMap(\.key.path?.text) == [
                "/org/bluez", "/org/bluez/hci0/dev_2", "/org/bluez/hci0/dev_2/service0002",
                "/org/bluez/hci0/dev_2/service0001", "/org/bluez/hci0/dev_1",
            ])
    }

    @Test func `A path without an object has an empty description, and answers a ping`() {
        let server = Self.server()
        for (interface, member) in [
            (ServedInterface.introspectable.name, "Introspect"), ("org.freedesktop.DBus.Peer", "Ping"),
        ] as [(InterfaceName, MemberName)] {
            guard case .reply = server.action(for: Self.call("/nowhere", interface, member)) else {
                Issue.record("\(member) has no reply")
                continue
            }
        }
    }

    @Test func `Managed objects and introspection name all objects below a path`() {
        let server = Self.server()
        guard
            case .reply(let objects) = server.action(
                for: Self.call(.root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")),
            case .reply(let xml) = server.action(
                for: Self.call(.root, ServedInterface.introspectable.name, "Introspect")),
            case .reply(let middle) = server.action(
                for: Self.call("/org", ServedInterface.introspectable.name, "Introspect"))
        else {
            Issue.record("there is no reply")
            return
        }
        #expect(objects.first?.entries?.first?.key == .path(Self.device))
        #expect(xml.first?.string?.contains("<node name=\"org\"/>") == true)
        #expect(middle.first?.string?.contains("<node name=\"bluez\"/>") == true)
    }
}
