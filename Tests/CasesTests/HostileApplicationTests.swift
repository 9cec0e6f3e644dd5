import Basics
import DBus
import Testing

@testable import Cases

/// Programs that publish what bluetoothd cannot use, that do not answer, or that leave in the middle.
@Suite struct HostileApplicationTests {
    private typealias Properties = [(name: String, value: Value)]
    private typealias Object = (path: ObjectPath, interface: String, properties: Properties)

    private static let scenario = """
        {"lubdub": 1, "name": "A", "devices": [{"id": "other", "name": "Other", "services": ["battery"]}]}
        """
    private static let adapter: ObjectPath = "/org/bluez/hci0"

    private static func managed(_ objects: [Object]) -> Value {
        let type = ValueType.dictionary(key: .string, value: .dictionary(key: .string, value: .variant))
        return .dictionary(
            key: .path, value: type,
            objects.map { object in
                let interface = "org.bluez.\(object.interface)"
                return Value.Entry(
                    .path(object.path),
                    .dictionary(
                        key: .string, value: .dictionary(key: .string, value: .variant),
                        [Value.Entry(.string(interface), .options(object.properties))]))
            })
    }

    private static func play(
        _ body: @escaping @Sendable (PlayedProgram, PlayedSystem.Running, EventLoop) async throws -> Void
    ) throws {
        try PlayedAir.run(scenario) { air, loop in
            let running = try await air.open()
            try await body(try await PlayedProgram(running.busAddress, loop), running, loop)
        }
    }

    /// Registers an application, or an advertisement, whose program answers bluetoothd so; nil: never.
    private static func register(
        _ verb: String, _ program: PlayedProgram, at path: ObjectPath = "/x", answering answer: Value?
    ) async throws -> String? {
        await program.connection.handleCalls { call in if let answer { call.reply([answer]) } }
        let manager = verb == "Application" ? "GattManager1" : "LEAdvertisingManager1"
        let result = await program.call(
            adapter, try InterfaceName("org.bluez.\(manager)"), try MemberName("Register\(verb)"),
            [.path(path), .options([])])
        return result.message
    }

    // MARK: Applications

    private static let primary: Properties = [("UUID", .string("180d")), ("Primary", .boolean(true))]

    private static func service(_ properties: Properties = primary, at path: ObjectPath = "/x/s") -> Object {
        (path, "GattService1", properties)
    }

    private static func attribute(
        _ interface: String = "GattCharacteristic1", _ path: ObjectPath = "/x/s/c", of parent: Value = .path("/x/s"),
        uuid: Value? = .string("2a37"), flags: Value? = .strings(["read"])
    ) -> Object {
        let parentName = interface == "GattDescriptor1" ? "Characteristic" : "Service"
        let properties: [(String, Value?)] = [("UUID", uuid), (parentName, parent), ("Flags", flags)]
        return (path, interface, properties.compactMap { name, value in value.map { (name, $0) } })
    }

    private static func descriptor(
        of parent: Value = .path("/x/s/c"), uuid: Value? = .string("2901"), flags: Value? = .strings(["read"])
    ) -> Object {
        attribute("GattDescriptor1", "/x/s/c/d", of: parent, uuid: uuid, flags: flags)
    }

    private static let noService = "No valid service object found"
    private static let noEntry = "Failed to create entry in database"

    private static var applications: [(objects: [Object], error: String?)] {
        [
            ([], "No object received"), ([("/x", "Nothing1", [])], noService),
            ([service()], nil), ([service(), attribute(), descriptor()], nil),
            ([descriptor(), attribute(), service()], nil), ([service(), service()], noService),
            ([service([("UUID", .string("180d"))])], noEntry),
            ([service([("Primary", .boolean(true))])], noEntry),
            ([service([("UUID", .uint16(0x180D)), ("Primary", .boolean(true))])], noEntry),
            ([service([("UUID", .string("heart rate")), ("Primary", .boolean(true))])], noEntry),
            ([service([("UUID", .string("1800")), ("Primary", .boolean(true))])], noEntry),
            ([service([("UUID", .string("0x1801")), ("Primary", .boolean(true))])], noEntry),
            ([service([("UUID", .string("180d")), ("Primary", .string("yes"))])], noEntry),
            ([service(primary + [("Includes", .strings(["/x/s"]))])], noEntry),
            ([service(primary + [("Includes", .paths(["/x/s", "/none"]))])], nil),
            ([attribute()], noService), ([service(), attribute(of: .path("/other"))], noService),
            ([service(), attribute(of: .string("/x/s"))], noService),
            ([service(), attribute(flags: nil)], noService),
            ([service(), attribute(flags: .strings([]))], noService),
            ([service(), attribute(flags: .strings(["read", "fly"]))], noService),
            ([service(), attribute(flags: .string("read"))], noService),
            ([service(), attribute(flags: .array(of: .variant, [.variant(.string("read"))]))], noService),
            ([service(), attribute(uuid: nil)], noEntry), ([service(), attribute(uuid: .string("1800"))], noEntry),
            ([service(), descriptor()], noService),
            ([service(), attribute(), descriptor(of: .path("/x/s"))], noService),
            ([service(), attribute(), descriptor(flags: .strings(["notify"]))], noService),
            ([service(), attribute(), descriptor(uuid: .byte(1))], noEntry),
            ([service(), attribute(flags: .strings(["reliable-write", "secure-notify"])), descriptor()], nil),
        ]
    }

    @Test func `Objects that do not form an application are refused as bluetoothd does`() throws {
        try Self.play { program, _, _ in
            for (index, application) in Self.applications.enumerated() {
                let path = try ObjectPath("/x\(index)")
                let answer = Self.managed(application.objects)
                let error = try await Self.register("Application", program, at: path, answering: answer)
                #expect(error == application.error, "\(index): \(application.objects)")
                _ = await program.call(
                    Self.adapter, "org.bluez.GattManager1", "UnregisterApplication", [.path(path)])
            }
        }
    }

    @Test func `Applications are limited in number and size`() throws {
        try Self.play { program, _, _ in
            let services = (0..<257).map { Self.service(at: (try? ObjectPath("/x/s\($0)")) ?? "/") }
            #expect(try await Self.register("Application", program, answering: Self.managed(services)) == Self.noEntry)
            for number in 0..<16 {
                let path = try ObjectPath("/x\(number)")
                let error = try await Self.register(
                    "Application", program, at: path, answering: Self.managed([Self.service()]))
                #expect(error == nil)
            }
            let last = try await Self.register("Application", program, answering: Self.managed([Self.service()]))
            #expect(last == "Failed to register application")
        }
    }

    // MARK: Advertisements

    private static var advertisements: [(properties: Properties, isValid: Bool)] {
        func octets(_ count: Int) -> Value { .octets([UInt8](repeating: 1, count: count)) }
        func data(_ key: Value, _ value: Value) -> Value {
            .dictionary(key: key.type, value: .variant, [Value.Entry(key, .variant(value))])
        }
        let peripheral: (name: String, value: Value) = ("Type", .string("peripheral"))
        return [
            ([peripheral], true), ([("Type", .string("broadcast"))], true), ([], true),
            ([("Type", .string("beacon"))], false), ([("Type", .byte(1))], false),
            ([peripheral, ("ServiceUUIDs", .strings(["180d", "0000180F-0000-1000-8000-00805F9B34FB"]))], true),
            ([peripheral, ("ServiceUUIDs", .strings(["heart rate"]))], false),
            ([peripheral, ("ServiceUUIDs", .string("180d"))], false),
            ([peripheral, ("SolicitUUIDs", .strings(["180d"]))], true),
            ([peripheral, ("ManufacturerData", data(.uint16(0xFFFF), octets(4)))], true),
            ([peripheral, ("ManufacturerData", data(.uint16(0xFFFF), .strings([])))], false),
            ([peripheral, ("ManufacturerData", data(.string("x"), octets(4)))], false),
            ([peripheral, ("ServiceData", data(.string("180d"), octets(4)))], true),
            ([peripheral, ("ServiceData", data(.string("x"), octets(4)))], false),
            ([peripheral, ("Data", data(.byte(0x26), octets(2)))], true),
            ([peripheral, ("Data", data(.byte(0x26), .byte(1)))], false),
            ([peripheral, ("Includes", .strings(["tx-power", "local-name", "sugar"]))], true),
            ([peripheral, ("Includes", .string("tx-power"))], false),
            ([peripheral, ("Includes", .strings(["local-name"])), ("LocalName", .string("A"))], false),
            ([peripheral, ("LocalName", .uint16(1))], false),
            ([peripheral, ("Appearance", .uint16(832)), ("Includes", .strings(["appearance"]))], false),
            ([peripheral, ("Appearance", .string("strap"))], false), ([peripheral, ("Timeout", .uint32(1))], false),
            ([peripheral, ("Discoverable", .boolean(true))], true), ([("Discoverable", .boolean(true))], false),
            ([peripheral, ("Discoverable", .byte(1))], false), ([peripheral, ("Duration", .string("1"))], false),
        ]
    }

    @Test func `Properties that do not form an advertisement are refused as bluetoothd does`() throws {
        try Self.play { program, _, _ in
            for (index, advertisement) in Self.advertisements.enumerated() {
                let path = try ObjectPath("/x\(index)")
                let error = try await Self.register(
                    "Advertisement", program, at: path, answering: .options(advertisement.properties))
                let expected = advertisement.isValid ? nil : "Failed to parse advertisement."
                #expect(error == expected, "\(advertisement.properties)")
                _ = await program.call(
                    Self.adapter, "org.bluez.LEAdvertisingManager1", "UnregisterAdvertisement", [.path(path)])
            }
        }
    }

    @Test func `Advertisements are limited in number and size`() throws {
        try Self.play { program, _, loop in
            let long = Value.options([("LocalName", .string(String(repeating: "x", count: 40)))])
            #expect(
                try await Self.register("Advertisement", program, answering: long)
                    == "Failed to register advertisement")
            let short = Value.options([("Type", .string("peripheral")), ("Timeout", .uint16(30))])
            for number in 0..<5 {
                let path = try ObjectPath("/x\(number)")
                #expect(try await Self.register("Advertisement", program, at: path, answering: short) == nil)
            }
            #expect(
                try await Self.register("Advertisement", program, at: "/x5", answering: short)
                    == "Maximum advertisements reached")
            try await loop.sleep(for: .seconds(31))
            #expect(try await Self.register("Advertisement", program, at: "/x5", answering: short) == nil)
        }
    }

    // MARK: Silence, and departures

    @Test(arguments: [("Application", "No object received"), ("Advertisement", "Failed to parse advertisement.")])
    func `A program that does not describe what it registers gets an error`(verb: String, error: String) throws {
        try Self.play { program, _, loop in
            let begin = loop.now
            let silence = try await Self.register(verb, program, answering: nil)
            #expect(silence == error)
            #expect(begin.duration(to: loop.now) >= .seconds(25))
            let another = try await Self.register(verb, program, answering: .byte(1))
            #expect(another == error, "another type")
        }
    }

    @Test func `A program can leave in each step, and another one publishes the same afterwards`() throws {
        try Self.play { program, running, loop in
            for step in 0..<4 {
                for verb in ["Application", "Advertisement"] {
                    let other = try await PlayedProgram(running.busAddress, loop)
                    let connection = other.connection
                    let asked = Recorded<ReceivedCall>()
                    await connection.handleCalls { asked.add($0) }
                    let manager = verb == "Application" ? "GattManager1" : "LEAdvertisingManager1"
                    let call = Call(
                        "org.bluez", Self.adapter, try InterfaceName("org.bluez.\(manager)"),
                        try MemberName("Register\(verb)"), [.path("/x"), .options([])])
                    let answered = Recorded<Bool>()
                    _ = try await connection.call(call) { _ in answered.add(true) }
                    if step >= 1 { while asked.all.isEmpty { try await loop.sleep(for: .milliseconds(20)) } }
                    if step >= 2 {
                        let application = Self.managed([Self.service(), Self.attribute()])
                        asked.all[0].reply([verb == "Application" ? application : .options([])])
                    }
                    if step == 3 { while answered.all.isEmpty { try await loop.sleep(for: .milliseconds(20)) } }
                    await connection.close()
                }
            }
            let services = Self.managed([Self.service(), Self.attribute()])
            #expect(try await Self.register("Application", program, answering: services) == nil)
            for number in 0..<5 {
                let path = try ObjectPath("/x\(number)")
                #expect(try await Self.register("Advertisement", program, at: path, answering: .options([])) == nil)
            }
        }
    }

    @Test func `Signals of a program that mean nothing have no effect`() throws {
        try Self.play { program, _, _ in
            let services = Self.managed([Self.service(), Self.attribute(flags: .strings(["notify"]))])
            #expect(try await Self.register("Application", program, answering: services) == nil)
            let properties: InterfaceName = "org.freedesktop.DBus.Properties"
            let characteristic = Value.string("org.bluez.GattCharacteristic1")
            let bodies: [[Value]] = [
                [], [.byte(1)], [characteristic], [characteristic, .options([]), .strings([])],
                [characteristic, .options([("Value", .string("x"))]), .strings([])],
                [characteristic, .strings([]), .options([])],
                [characteristic, .options([("Value", .octets([UInt8](repeating: 1, count: 100_000)))]), .strings([])],
                [.string("org.bluez.LEAdvertisement1"), .options([]), .strings([])],
            ]
            for body in bodies {
                for path in ["/x/s/c", "/nothing"] as [ObjectPath] {
                    try await program.connection.emit(Signal(path, properties, "PropertiesChanged", body))
                }
            }
            for body in [[], [Value.path("/x/s")], [.path("/x/s"), .strings(["org.bluez.GattService1"])]] {
                try await program.connection.emit(
                    Signal("/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", body))
            }
            let flood = [characteristic, Value.options([("Value", .octets([1, 2, 3]))]), .strings([])]
            for _ in 0..<20_000 {
                try await program.connection.emit(Signal("/x/s/c", properties, "PropertiesChanged", flood))
            }
            let again = await program.call(
                Self.adapter, "org.bluez.GattManager1", "UnregisterApplication", [.path("/x")])
            #expect(again == .success([]))
        }
    }
}
