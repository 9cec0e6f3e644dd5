import Basics
import DBus
import Testing

@testable import Cases

/// Programs that publish services with a played bluetoothd; a program at another one is the central.
@Suite struct PeripheralRoleTests {
    private static let scenario = """
        {"lubdub": 1, "name": "A", "devices": [{"id": "other", "name": "Other", "services": ["battery"]}]}
        """
    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let characteristic: InterfaceName = "org.bluez.GattCharacteristic1"

    private static func value(_ value: [UInt8], at path: ObjectPath) -> @Sendable (Signal) -> Bool {
        { $0.path == path && $0.arguments.dropFirst().first?["Value"] == .octets(value) }
    }

    private static func property(
        _ name: String, of interface: String, at path: ObjectPath, _ program: PlayedProgram
    ) async -> Value? {
        let reply = await program.call(
            path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)], reply: "v")
        return (try? reply.get())?.first?.variant
    }

    private static func instances(_ program: PlayedProgram) async -> [Value?] {
        var values: [Value?] = []
        for name in ["ActiveInstances", "SupportedInstances"] {
            values.append(await property(name, of: "org.bluez.LEAdvertisingManager1", at: adapter, program))
        }
        return values
    }

    /// A program that has published characteristics, another that has connected to it, and the path of the device.
    private static func play(
        _ characteristics: [PublishedApplication.Characteristic],
        _ body: @escaping @Sendable (PublishedApplication, PlayedProgram, ObjectPath, EventLoop) async throws -> Void
    ) throws {
        try PlayedAir.run(scenario) { air, loop in
            let (near, far) = (try await air.open(), try await air.open())
            let application = try await PublishedApplication(far.busAddress, characteristics, loop)
            #expect(await application.registerApplication() == .success([]))
            #expect(await application.advertise() == .success([]))
            let program = try await PlayedProgram(near.busAddress, loop)
            let device = try await AcquisitionTests.connect(program, loop)
            try await body(application, program, device, loop)
        }
    }

    /// Waits until bluetoothd has called a program.
    private static func wait(_ loop: EventLoop, until isSo: @Sendable () -> Bool) async throws {
        let limit = loop.now.advanced(by: .seconds(300))
        while !isSo() {
            guard loop.now < limit else {
                Issue.record("it did not happen")
                return
            }
            try await loop.sleep(for: .milliseconds(50))
        }
    }

    // MARK: From the registration to the end

    @Test func `A central finds, reads, writes and subscribes to a program's service`() throws {
        let characteristics: [PublishedApplication.Characteristic] = [
            .init("2a37", ["notify"]), .init("2a38", ["read"]) { $0.reply([.octets([1, 2, 3])]) },
            .init("2a39", ["write", "indicate"]),
        ]
        try Self.play(characteristics) { application, program, device, loop in
            #expect(program.signals.contains { $0.arguments.last?["org.bluez.Device1"]?["Name"] == .string("App") })
            #expect(await Self.instances(application.program) == [.byte(1), .byte(4)])
            #expect(
                application.program.signals.contains {
                    $0.member == "InterfacesAdded"
                        && $0.arguments.last?["org.bluez.Device1"]?["Connected"] == .boolean(true)
                }, "the central is a device")
            let paths = ["2a37", "2a38", "2a39"].map { program.path(of: $0) }
            let (notified, read) = (try #require(paths[0]), try #require(paths[1]))
            let written = try #require(paths[2])

            let value = await program.call(read, Self.characteristic, "ReadValue", [.options([])], reply: "ay")
            #expect(value == .success([.octets([1, 2, 3])]))
            let options = try #require(application.arguments(of: "ReadValue").first)
            #expect(options["link"] == .string("LE") && options["mtu"] == .uint16(517) && options["offset"] == nil)
            #expect(options["device"]?.path?.text.hasPrefix("/org/bluez/hci0/dev_") == true)

            #expect(
                await program.call(written, Self.characteristic, "WriteValue", [.octets([9, 8]), .options([])])
                    == .success([]))
            #expect(application.arguments(of: "WriteValue").first == .octets([9, 8]))

            #expect(await program.call(notified, Self.characteristic, "StartNotify") == .success([]))
            #expect(await program.call(written, Self.characteristic, "StartNotify") == .success([]))
            try await Self.wait(loop) { application.calls.suffix(2) == ["0 StartNotify", "2 StartNotify"] }
            try await application.change(0, to: [0, 61])
            #expect(try await program.wait(loop, until: Self.value([0, 61], at: notified)))
            try await application.change(2, to: [5])
            #expect(try await program.wait(loop, until: Self.value([5], at: written)))
            try await Self.wait(loop) { application.calls.last == "2 Confirm" }

            #expect(await program.call(notified, Self.characteristic, "StopNotify") == .success([]))
            try await Self.wait(loop) { application.calls.last == "0 StopNotify" }
            #expect(await program.call(device, "org.bluez.Device1", "Disconnect") == .success([]))
            try await Self.wait(loop) { application.calls.last == "2 StopNotify" }
            try await Self.wait(loop) {
                application.program.signals.contains {
                    $0.arguments.dropFirst().first?["Connected"] == .boolean(false)
                }
            }
        }
    }

    @Test func `A program that leaves takes its service along, also while a central is connected`() throws {
        try Self.play([.init("2a38", ["read"]) { $0.reply([.octets([1])]) }]) { application, program, device, loop in
            let path = try #require(program.path(of: "2a38"))
            await application.program.connection.close()
            #expect(
                try await program.wait(loop) {
                    $0.member == "InterfacesRemoved" && $0.arguments.first?.path.map(path.isWithin) == true
                }, "Service Changed")
            #expect(await Self.property("Connected", of: "org.bluez.Device1", at: device, program) == .boolean(true))
        }
    }

    @Test func `An application and an advertisement can be withdrawn, once`() throws {
        try PlayedAir.run(Self.scenario) { air, loop in
            let application = try await PublishedApplication(
                try await air.open().busAddress, [.init("2a38", ["read"])], loop)
            let program = application.program
            let none = CallFailure.remote(
                RemoteError(name: "org.bluez.Error.DoesNotExist", message: "Does Not Exist"))
            let twice = CallFailure.remote(
                RemoteError(name: "org.bluez.Error.AlreadyExists", message: "Already Exists"))
            for (manager, verb, path) in [
                ("GattManager1", "Application", PublishedApplication.path),
                ("LEAdvertisingManager1", "Advertisement", PublishedApplication.advertisement),
            ] {
                let interface = try InterfaceName("org.bluez.\(manager)")
                let (register, unregister) = (try MemberName("Register\(verb)"), try MemberName("Unregister\(verb)"))
                for _ in 0..<2 {
                    #expect(
                        await program.call(Self.adapter, interface, unregister, [.path(path)]) == .failure(none))
                    let arguments = [.path(path), Value.options([])]
                    #expect(await program.call(Self.adapter, interface, register, arguments) == .success([]))
                    #expect(await program.call(Self.adapter, interface, register, arguments) == .failure(twice))
                    #expect(await program.call(Self.adapter, interface, unregister, [.path(path)]) == .success([]))
                }
            }
            #expect(await Self.instances(program) == [.byte(0), .byte(5)])
        }
    }

    // MARK: Errors

    @Test func `The errors of a program reach the central as ATT errors`() throws {
        let errors: [(name: ErrorName, text: String, seen: String)] = [
            ("org.bluez.Error.NotPermitted", "", "Read not permitted"),
            ("org.bluez.Error.NotAuthorized", "", "Operation Not Authorized"),
            ("org.bluez.Error.InvalidOffset", "", "Invalid offset"),
            ("org.bluez.Error.InvalidValueLength", "", "Invalid Length"),
            ("org.bluez.Error.NotSupported", "", "Operation is not supported"),
            ("org.bluez.Error.InProgress", "", "0xfe"), ("org.bluez.Error.Failed", "0x81", "0x81"),
            ("org.bluez.Error.Failed", "150", "0x96"), ("org.bluez.Error.Failed", "0x42", "0x0e"),
            ("org.bluez.Error.Failed", "no idea", "0x80"), ("org.bluez.Error.Failed", "", "0x0e"),
            ("org.bluez.Error.Rejected", "0x81", "0x0e"), ("x.Y", "", "0x0e"),
        ]
        let characteristics = errors.enumerated().map { index, error in
            PublishedApplication.Characteristic("2b\(10 + index)", ["read", "write"]) {
                $0.fail(with: MethodError(error.name, error.text))
            }
        }
        try Self.play(characteristics) { _, program, _, _ in
            for (index, error) in errors.enumerated() {
                let path = try #require(program.path(of: "2b\(10 + index)"))
                let read = await program.call(path, Self.characteristic, "ReadValue", [.options([])], reply: "ay")
                #expect(read.message?.hasSuffix(error.seen) == true, "\(error): \(read)")
            }
            let path = try #require(program.path(of: "2b10"))
            let write = await program.call(path, Self.characteristic, "WriteValue", [.octets([1]), .options([])])
            #expect(write.message == "Write not permitted")
        }
    }

    @Test func `A program that never answers, or too late, costs the central five seconds`() throws {
        let kept = Kept()
        let characteristics: [PublishedApplication.Characteristic] = [
            .init("2a38", ["read"]) { kept.add($0) },
            .init("2a39", ["write", "write-without-response"]) { kept.add($0) },
            .init("2a40", ["read"]) { $0.reply([.octets([UInt8](repeating: 7, count: 600))]) },
        ]
        try Self.play(characteristics) { _, program, _, loop in
            let path = try #require(program.path(of: "2a38"))
            let begin = loop.now
            let read = await program.call(path, Self.characteristic, "ReadValue", [.options([])], reply: "ay")
            #expect(read.message?.hasSuffix("0x0e") == true)
            #expect(begin.duration(to: loop.now) >= .seconds(5))
            kept.answer([.octets([1])])
            // bluetoothd does not wait for the answer to a value that can also be written without response.
            let other = try #require(program.path(of: "2a39"))
            #expect(
                await program.call(other, Self.characteristic, "WriteValue", [.octets([1]), .options([])])
                    == .success([]))
            let long = try #require(program.path(of: "2a40"))
            let value = await program.call(long, Self.characteristic, "ReadValue", [.options([])], reply: "ay")
            #expect(try value.get().first?.octets?.count == 512)
        }
    }

    /// Calls that are answered late.
    private final class Kept: Sendable {
        private let calls = Recorded<Invocation>()
        func add(_ call: Invocation) { calls.add(call) }
        func answer(_ values: [Value]) { for call in calls.all { call.reply(values) } }
    }

    @Test func `Accesses that the flags do not permit do not reach the program`() throws {
        let characteristics: [PublishedApplication.Characteristic] = [
            .init("2a38", ["write"]), .init("2a39", ["read"]), .init("2a40", ["encrypt-read"]),
            .init("2a41", ["notify"]) { $0.reply([.octets([1])]) },
        ]
        try Self.play(characteristics) { application, program, _, _ in
            func read(_ uuid: String) async throws -> Result<[Value], CallFailure> {
                let path = try #require(program.path(of: uuid))
                return await program.call(path, Self.characteristic, "ReadValue", [.options([])], reply: "ay")
            }
            #expect(try await read("2a38").message == "Read not permitted")
            let path = try #require(program.path(of: "2a39"))
            let write = await program.call(
                path, Self.characteristic, "WriteValue", [.octets([1]), .options(Self.request)])
            #expect(write.message == "Write not permitted")
            #expect(application.calls.isEmpty)
            #expect(try await read("2a41") == .success([.octets([1])]), "without any permission, nothing is checked")
        }
    }

    private static var request: [(name: String, value: Value)] { [("type", .string("request"))] }
}
