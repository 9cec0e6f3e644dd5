import Basics
import DBus
import Testing

@testable import Cases

/// AcquireNotify and AcquireWrite of a played bluetoothd.
@Suite struct AcquisitionTests {
    private static let scenario = """
        {"lubdub": 1, "name": "A", "devices": [{"id": "strap", "name": "Strap", "address": "C0:FF:EE:00:00:01/random",
         "advertise": {"interval": "100 ms", "services": ["180D"]},
         "services": [{"service": "heart_rate", "value": 62, "location": "chest"}]}],
         "script": [{"when": "120 s", "do": "link_loss", "of": "strap", "for": "20 s"}]}
        """
    private static let empty = """
        {"lubdub": 1, "name": "A", "devices": [{"id": "other", "name": "Other", "services": ["battery"]}]}
        """
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let characteristic: InterfaceName = "org.bluez.GattCharacteristic1"
    private static let notAcquired = Result<[Value], CallFailure>.failure(
        .remote(RemoteError(name: "org.bluez.Error.NotPermitted", message: "Notify acquired")))

    private static func isProperty(
        _ name: String, _ isOn: Bool, at path: ObjectPath
    ) -> @Sendable (Signal) -> Bool {
        { $0.path == path && $0.arguments.dropFirst().first?[name] == .boolean(isOn) }
    }

    /// Connects to the only device that there is, and returns when its attributes are known.
    static func connect(_ program: PlayedProgram, _ loop: EventLoop) async throws -> ObjectPath {
        _ = await program.call("/org/bluez/hci0", "org.bluez.Adapter1", "StartDiscovery")
        @Sendable func found() -> ObjectPath? {
            program.signals.first {
                $0.arguments.last?["org.bluez.Device1"]?["UUIDs"]?.strings?.contains { $0.hasPrefix("0000180d") }
                    == true
            }?.arguments.first?.path
        }
        #expect(try await program.wait(loop) { _ in found() != nil })
        let device = try #require(found())
        _ = await program.call("/org/bluez/hci0", "org.bluez.Adapter1", "StopDiscovery")
        #expect(await program.call(device, "org.bluez.Device1", "Connect") == .success([]))
        #expect(
            try await program.wait(loop) {
                $0.path == device && $0.arguments.dropFirst().first?["ServicesResolved"] == .boolean(true)
            })
        return device
    }

    private static func play(
        _ body: @escaping @Sendable (PlayedProgram, ObjectPath, EventLoop, PlayedSystem.Running) async throws -> Void
    ) throws {
        try PlayedAir.run(scenario) { air, loop in
            let running = try await air.open()
            let program = try await PlayedProgram(running.busAddress, loop)
            _ = try await connect(program, loop)
            let measurement = try #require(program.path(of: "2a37"))
            try await body(program, measurement, loop, running)
            await program.connection.close()
        }
    }

    private static func acquire(_ program: PlayedProgram, _ path: ObjectPath) async -> Result<[Value], CallFailure> {
        await program.call(path, characteristic, "AcquireNotify", [.options([])], reply: "hq")
    }

    @Test func `Values arrive at the socket until StopNotify`() throws {
        try Self.play { program, path, loop, _ in
            let end = try AcquiredEnd(await Self.acquire(program, path))
            #expect(program.signals.contains(where: Self.isProperty("NotifyAcquired", true, at: path)))
            #expect(end.mtu == 247)
            for _ in 0..<3 { #expect(try await end.wait(loop).dropFirst().first == 62) }
            #expect(!program.signals.contains { $0.path == path && $0.arguments.dropFirst().first?["Value"] != nil })
            #expect(await program.call(path, Self.characteristic, "StartNotify") == Self.notAcquired)
            #expect(await Self.acquire(program, path) == Self.notAcquired)
            #expect(await program.call(path, Self.characteristic, "StopNotify") == .success([]))
            #expect(program.signals.contains(where: Self.isProperty("NotifyAcquired", false, at: path)))
            while try await !end.wait(loop).isEmpty {}
            #expect(await program.call(path, Self.characteristic, "StartNotify") == .success([]))
            let inProgress = CallFailure.remote(RemoteError(name: "org.bluez.Error.InProgress", message: "In Progress"))
            #expect(await Self.acquire(program, path) == .failure(inProgress))
        }
    }

    @Test func `A characteristic that cannot notify, or be written without response, cannot be acquired`() throws {
        try Self.play { program, measurement, loop, _ in
            let notSupported = CallFailure.remote(
                RemoteError(name: "org.bluez.Error.NotSupported", message: "Operation is not supported"))
            let location = try #require(program.path(of: "2a38"))
            #expect(await Self.acquire(program, location) == .failure(notSupported))
            let write = await program.call(
                measurement, Self.characteristic, "AcquireWrite", [.options([])], reply: "hq")
            #expect(write == .failure(notSupported))
            let objects = try await program.call(
                "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", reply: "a{oa{sa{sv}}}"
            ).get().first?.entries
            let properties = objects?.first { $0.key == .path(location) }?.value[Self.characteristic.text]
            #expect(properties?["UUID"] != nil && properties?["NotifyAcquired"] == nil)
        }
    }

    @Test func `The socket that a program closes ends the subscription`() throws {
        try Self.play { program, path, loop, _ in
            do {
                let end = try AcquiredEnd(await Self.acquire(program, path))
                _ = try await end.wait(loop)
            }
            #expect(try await program.wait(loop, until: Self.isProperty("NotifyAcquired", false, at: path)))
            program.forget()
            #expect(await program.call(path, Self.characteristic, "StartNotify") == .success([]))
            #expect(try await program.wait(loop) { $0.arguments.dropFirst().first?["Value"] != nil })
        }
    }

    @Test func `A lost link closes the socket, and the subscription is not renewed`() throws {
        try Self.play { program, path, loop, _ in
            let end = try AcquiredEnd(await Self.acquire(program, path))
            while try await !end.wait(loop).isEmpty {}
            #expect(try await program.wait(loop, until: Self.isProperty("NotifyAcquired", false, at: path)))
            let connected = Self.isProperty("Connected", false, at: Self.device)
            #expect(program.signals.contains(where: connected))
            let away = await Self.acquire(program, path)
            #expect(
                away == .failure(.remote(RemoteError(name: "org.bluez.Error.Failed", message: "Not connected"))))
            #expect(await program.call(Self.device, "org.bluez.Device1", "Connect") == .success([]))
            let again = try AcquiredEnd(await Self.acquire(program, path))
            #expect(try await again.wait(loop).dropFirst().first == 62)
        }
    }

    @Test func `A program that leaves the bus releases what it has acquired`() throws {
        try Self.play { program, path, loop, running in
            let other = try await PlayedProgram(running.busAddress, loop)
            let end = try AcquiredEnd(await Self.acquire(other, path))
            #expect(await Self.acquire(program, path) == Self.notAcquired)
            await other.connection.close()
            #expect(try await program.wait(loop, until: Self.isProperty("NotifyAcquired", false, at: path)))
            while try await !end.wait(loop).isEmpty {}
            _ = try AcquiredEnd(await Self.acquire(program, path))
        }
    }

    /// A program publishes a characteristic on one bus; another one on a second bus has connected to it.
    private static func playApplication(
        _ flags: [String],
        _ body: @escaping @Sendable (PublishedApplication, PlayedProgram, ObjectPath, EventLoop) async throws -> Void
    ) throws {
        try PlayedAir.run(empty) { air, loop in
            let (near, far) = (try await air.open(), try await air.open())
            let application = try await PublishedApplication(far.busAddress, [.init("2a37", flags)], loop)
            #expect(await application.registerApplication() == .success([]))
            #expect(await application.advertise() == .success([]))
            let program = try await PlayedProgram(near.busAddress, loop)
            _ = try await connect(program, loop)
            try await body(application, program, try #require(program.path(of: "2a37")), loop)
        }
    }

    @Test func `Values that a program sends to the socket are written in order, however many`() throws {
        try Self.playApplication(["write-without-response"]) { application, program, path, loop in
            let count = 200
            do {
                let end = try AcquiredEnd(
                    await program.call(path, Self.characteristic, "AcquireWrite", [.options([])], reply: "hq"))
                let write = await program.call(
                    path, Self.characteristic, "WriteValue", [.octets([1]), .options([])])
                #expect(write.message == "Write acquired")
                var sent = 0
                let limit = loop.now.advanced(by: .seconds(300))
                while sent < count, loop.now < limit {
                    if end.send([UInt8(sent)]) { sent += 1 } else { try await loop.sleep(for: .milliseconds(50)) }
                }
                #expect(sent == count)
            }
            #expect(try await program.wait(loop, until: Self.isProperty("WriteAcquired", false, at: path)))
            let limit = loop.now.advanced(by: .seconds(300))
            while application.calls.count < count, loop.now < limit { try await loop.sleep(for: .milliseconds(50)) }
            #expect(application.written == (0..<count).map { [UInt8($0)] })
        }
    }

    @Test func `A reader that does not read loses values, and harms nobody`() throws {
        try Self.playApplication(["notify"]) { application, program, path, loop in
            let end = try AcquiredEnd(await Self.acquire(program, path))
            let count = 1500
            for number in 0..<count {
                try await application.change(0, to: [UInt8(number & 0xFF), UInt8(number >> 8)])
                if number % 50 == 0 { try await loop.sleep(for: .seconds(5)) }
            }
            try await loop.sleep(for: .seconds(20))
            var received = 0
            while let value = end.next(), !value.isEmpty { received += 1 }
            #expect(received > 10 && received < count, "the socket has limited room: \(received)")
            try await application.change(0, to: [7])
            #expect(try await end.wait(loop) == [7])
        }
    }
}

extension PublishedApplication {
    /// The values that were written.
    fileprivate var written: [[UInt8]] { allArguments(of: "WriteValue").compactMap { $0.first?.octets } }
}

extension Result where Success == [Value], Failure == CallFailure {
    /// The text of an error.
    var message: String? { if case .failure(.remote(let error)) = self { error.message } else { nil } }
}
