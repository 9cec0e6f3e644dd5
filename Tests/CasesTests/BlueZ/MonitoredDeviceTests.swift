import Basics
import BlueZServer
import DBus
import Synchronization
import Testing

@testable import Cases

/// Programs with monitors, on the bus of a played bluetoothd.
@Suite struct MonitoredDeviceTests {
    private typealias Properties = [(name: String, value: Value)]

    private static func scenario(_ script: String = "") -> String {
        """
        {"lubdub": 1, "name": "A", "devices": [{"id": "strap", "name": "Strap", "address": "C0:FF:EE:00:00:01/random",
         "advertise": {"interval": "100 ms", "services": ["180D"]}, "services": [{"service": "heart_rate", "value": 62}]}],
         "script": [\(script)]}
        """
    }
    private static let adapter: ObjectPath = "/org/bluez/hci0"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    private static let manager: InterfaceName = "org.bluez.AdvertisementMonitorManager1"
    private static let valid: Properties = [
        ("Type", .string("or_patterns")),
        (
            "Patterns",
            .array(
                of: .structure([.byte, .byte, .array(.byte)]),
                [.structure([.byte(0), .byte(3), .octets([0x0D, 0x18])])])
        ),
    ]
    private static let thresholds: Properties =
        valid + [
            ("RSSIHighThreshold", .int16(-90)), ("RSSIHighTimeout", .uint16(2)), ("RSSILowThreshold", .int16(-100)),
            ("RSSILowTimeout", .uint16(5)),
        ]

    /// A program that notes the calls of bluetoothd.
    private final class Watcher: Sendable {
        let program: PlayedProgram
        private let heard = Heard()

        private final class Heard: Sendable {
            let calls = Mutex<[String]>([])
        }

        var calls: [String] { heard.calls.withLock { $0 } }

        init(_ address: String, _ loop: EventLoop) async throws {
            program = try await PlayedProgram(address, loop)
            await program.connection.addObjectManager(at: "/m")
        }

        func call(_ member: MemberName, _ path: ObjectPath = "/m") async -> Result<[Value], CallFailure> {
            await program.call(MonitoredDeviceTests.adapter, MonitoredDeviceTests.manager, member, [.path(path)])
        }

        func add(_ path: ObjectPath, _ properties: Properties) async throws {
            let methods = (["Activate", "Release", "DeviceFound", "DeviceLost"] as [MemberName]).map { member in
                let hasDevice = member.text.hasPrefix("Device")
                return Method(member, arguments: hasDevice ? Parameters("o") : .none) { [heard] call in
                    let device = call.arguments.first?.path.map { " \($0.text.suffix(2))" } ?? ""
                    heard.calls.withLock { $0.append("\(path.text.dropFirst()) \(member.text)\(device)") }
                    call.reply()
                }
            }
            let interface = Interface(
                "org.bluez.AdvertisementMonitor1", methods: methods,
                properties: try properties.map { Property(try MemberName($0.name), constant: $0.value) })
            try await program.connection.export(ExportedObject(path, [interface]))
        }

        /// Waits until bluetoothd has called the program so.
        func wait(_ loop: EventLoop, for call: String, times: Int = 1) async throws -> Bool {
            let limit = loop.now.advanced(by: .seconds(100))
            while calls.count(where: { $0 == call }) < times {
                guard loop.now < limit else { return false }
                try await loop.sleep(for: .milliseconds(50))
            }
            return true
        }
    }

    private static func play(
        _ script: String = "", isExperimental: Bool = true,
        _ body: @escaping @Sendable (Watcher, EventLoop, PlayedSystem.Running) async throws -> Void
    ) throws {
        try PlayedAir.run(scenario(script)) { air, loop in
            var settings = PlayedSystem.Settings()
            settings.isExperimental = isExperimental
            let running = try await air.open(settings)
            try await body(try await Watcher(running.busAddress, loop), loop, running)
        }
    }

    @Test func `Without the option, programs cannot monitor, as with bluetoothd`() throws {
        try Self.play(isExperimental: false) { watcher, _, _ in
            guard case .failure(.remote(let error)) = await watcher.call("RegisterMonitor") else {
                Issue.record("it is not refused")
                return
            }
            // bleak tells its user of --experimental then.
            #expect(error.name == "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }

    @Test func `A monitor that is added later is activated, and each advertisement finds the device`() throws {
        try Self.play { watcher, loop, _ in
            #expect(await watcher.call("RegisterMonitor") == .success([]))
            #expect(
                await watcher.call("RegisterMonitor")
                    == .failure(.remote(RemoteError(name: "org.bluez.Error.AlreadyExists", message: "Already Exists"))))
            try await watcher.add("/m/a", Self.valid)
            #expect(try await watcher.wait(loop, for: "m/a DeviceFound 01"))
            #expect(watcher.calls.first == "m/a Activate")
            #expect(watcher.program.signals.contains { $0.arguments.first == .path(Self.device) })
            // Nobody discovers.
            let discovering = await watcher.program.call(
                Self.adapter, "org.freedesktop.DBus.Properties", "Get",
                [.string("org.bluez.Adapter1"), .string("Discovering")], reply: "v")
            #expect(discovering == .success([.variant(.boolean(false))]))
            #expect(await watcher.call("UnregisterMonitor") == .success([]))
            #expect(try await watcher.wait(loop, for: "m/a Release"))
            let count = watcher.calls.count
            try await loop.sleep(for: .seconds(2))
            #expect(watcher.calls.count == count, "it is over")
            #expect(
                await watcher.call("UnregisterMonitor")
                    == .failure(.remote(RemoteError(name: "org.bluez.Error.DoesNotExist", message: "Does Not Exist"))))
        }
    }

    @Test func `With thresholds, a monitor learns that a device is there, is gone, and is back`() throws {
        try Self.play(#"{"when": "40 s", "do": "link_loss", "of": "strap", "for": "20 s"}"#) { watcher, loop, _ in
            try await watcher.add("/m/a", Self.thresholds)
            #expect(await watcher.call("RegisterMonitor") == .success([]))
            #expect(try await watcher.wait(loop, for: "m/a DeviceLost 01"))
            #expect(watcher.calls == ["m/a Activate", "m/a DeviceFound 01", "m/a DeviceLost 01"])
            try await loop.sleep(for: .seconds(30))
            #expect(watcher.calls.last == "m/a DeviceFound 01" && watcher.calls.count == 4)
        }
    }

    @Test func `A monitor that is removed, or whose program leaves, ends silently`() throws {
        try Self.play { watcher, loop, running in
            let other = try await Watcher(running.busAddress, loop)
            for watcher in [watcher, other] {
                #expect(await watcher.call("RegisterMonitor") == .success([]))
                try await watcher.add("/m/a", Self.valid)
                #expect(try await watcher.wait(loop, for: "m/a DeviceFound 01"))
            }
            await other.program.connection.close()
            await watcher.program.connection.unexport("/m/a")
            try await loop.sleep(for: .seconds(1))
            let count = watcher.calls.count
            try await loop.sleep(for: .seconds(2))
            #expect(watcher.calls.count == count && !watcher.calls.contains("m/a Release"))
        }
    }

    @Test func `Invalid monitors, and those for which the kernel has no room, are released`() throws {
        try Self.play { watcher, loop, _ in
            try await watcher.add("/m/x", [("Type", .string("all"))])
            #expect(await watcher.call("RegisterMonitor") == .success([]))
            #expect(try await watcher.wait(loop, for: "m/x Release"))
            for number in 0..<33 {
                let patterns = [Value.structure([.byte(0), .byte(9), .octets([UInt8(number)])])]
                try await watcher.add(
                    try ObjectPath("/m/n\(number)"),
                    [
                        ("Type", .string("or_patterns")),
                        ("Patterns", .array(of: .structure([.byte, .byte, .array(.byte)]), patterns)),
                    ])
            }
            #expect(try await watcher.wait(loop, for: "m/n32 Release"))
            #expect(watcher.calls.count { $0.hasSuffix("Activate") } == 32)
            // One with patterns that the kernel has already needs no room.
            try await watcher.add(
                "/m/same",
                [
                    ("Type", .string("or_patterns")),
                    (
                        "Patterns",
                        .array(
                            of: .structure([.byte, .byte, .array(.byte)]),
                            [.structure([.byte(0), .byte(9), .octets([0])])])
                    ),
                ])
            #expect(try await watcher.wait(loop, for: "m/same Activate"))
        }
    }

    /// One that was only heard is forgotten silently: remove_temporary_devices in src/adapter.c.
    @Test func `Without power, a device that stays known is lost`() throws {
        try Self.play { watcher, loop, _ in
            try await watcher.add("/m/a", Self.thresholds)
            #expect(await watcher.call("RegisterMonitor") == .success([]))
            #expect(try await watcher.wait(loop, for: "m/a DeviceFound 01"))
            #expect(await watcher.program.call(Self.device, "org.bluez.Device1", "Connect") == .success([]))
            #expect(try await watcher.wait(loop, for: "m/a DeviceLost 01"), "it does not advertise")
            #expect(await watcher.program.call(Self.device, "org.bluez.Device1", "Disconnect") == .success([]))
            #expect(try await watcher.wait(loop, for: "m/a DeviceFound 01", times: 2))
            let off = [Value.string("org.bluez.Adapter1"), .string("Powered"), .variant(.boolean(false))]
            #expect(
                await watcher.program.call(Self.adapter, "org.freedesktop.DBus.Properties", "Set", off) == .success([]))
            #expect(try await watcher.wait(loop, for: "m/a DeviceLost 01", times: 2))
        }
    }
}
