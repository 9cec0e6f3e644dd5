import Basics
import DBus
import Glibc
import Synchronization
import Testing

@testable import Cases

/// A program that publishes one service and advertises, as bless and bluez-peripheral do.
final class PublishedApplication: Sendable {
    struct Characteristic: Sendable {
        let uuid: String
        let flags: [String]
        /// Answers ReadValue and WriteValue.
        var answer: @Sendable (Invocation) -> Void = { $0.reply() }

        init(_ uuid: String, _ flags: [String], _ answer: @escaping @Sendable (Invocation) -> Void = { $0.reply() }) {
            (self.uuid, self.flags, self.answer) = (uuid, flags, answer)
        }
    }

    static let path: ObjectPath = "/app"
    static let advertisement: ObjectPath = "/app/advertisement"
    let program: PlayedProgram
    private let heard = Heard()

    private final class Heard: Sendable {
        let calls = Mutex<[(path: ObjectPath, member: String, arguments: [Value])]>([])
    }

    /// The calls of bluetoothd: `0 StartNotify`, with the number of the characteristic.
    var calls: [String] { heard.calls.withLock { $0.map { "\($0.path.text.suffix(1)) \($0.member)" } } }

    /// The arguments of the last call of a method.
    func arguments(of member: String) -> [Value] { allArguments(of: member).last ?? [] }

    /// The arguments of all calls of a method.
    func allArguments(of member: String) -> [[Value]] {
        heard.calls.withLock { $0.filter { $0.member == member }.map(\.arguments) }
    }

    static func characteristic(_ number: Int) -> ObjectPath {
        (try? ObjectPath("/app/service/c\(number)")) ?? path
    }

    init(_ address: String, _ characteristics: [Characteristic], _ loop: EventLoop) async throws {
        program = try await PlayedProgram(address, loop)
        let connection = program.connection
        await connection.addObjectManager(at: Self.path)
        let service = Interface(
            "org.bluez.GattService1",
            properties: [
                Property("UUID", constant: .string("180d")), Property("Primary", constant: .boolean(true)),
            ])
        try await connection.export(ExportedObject("/app/service", [service]))
        for (number, characteristic) in characteristics.enumerated() {
            try await connection.export(
                ExportedObject(Self.characteristic(number), [interface(characteristic)]))
        }
        try await connection.export(
            ExportedObject(
                Self.advertisement,
                [
                    Interface(
                        "org.bluez.LEAdvertisement1", methods: [Method("Release") { $0.reply() }],
                        properties: [
                            Property("Type", constant: .string("peripheral")),
                            Property("ServiceUUIDs", constant: .strings(["180d"])),
                            Property("LocalName", constant: .string("App")),
                            Property("Discoverable", constant: .boolean(true)),
                        ])
                ]))
    }

    private func interface(_ characteristic: Characteristic) -> Interface {
        func noted(
            _ member: MemberName, _ body: @escaping @Sendable (Invocation) -> Void
        ) -> @Sendable (Invocation) -> Void {
            { [heard] call in
                heard.calls.withLock { $0.append((call.path, member.text, call.arguments)) }
                body(call)
            }
        }
        return Interface(
            "org.bluez.GattCharacteristic1",
            methods: [
                Method(
                    "ReadValue", arguments: Parameters("a{sv}"), results: Parameters("ay"),
                    body: noted("ReadValue", characteristic.answer)),
                Method(
                    "WriteValue", arguments: Parameters("aya{sv}"), body: noted("WriteValue", characteristic.answer)),
            ]
                + (["StartNotify", "StopNotify", "Confirm"] as [MemberName]).map { member in
                    Method(member, body: noted(member) { $0.reply() })
                },
            properties: [
                Property("UUID", constant: .string(characteristic.uuid)),
                Property("Service", constant: .path("/app/service")),
                Property("Flags", constant: .strings(characteristic.flags)),
            ])
    }

    func registerApplication() async -> Result<[Value], CallFailure> {
        await program.call(
            "/org/bluez/hci0", "org.bluez.GattManager1", "RegisterApplication", [.path(Self.path), .options([])])
    }

    func advertise() async -> Result<[Value], CallFailure> {
        await program.call(
            "/org/bluez/hci0", "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement",
            [.path(Self.advertisement), .options([])])
    }

    /// Announces a value of a characteristic.
    func change(_ number: Int, to value: [UInt8]) async throws {
        try await program.connection.emitPropertiesChanged(
            of: "org.bluez.GattCharacteristic1", at: Self.characteristic(number), [("Value", .octets(value))])
    }
}

/// The far side of a socket of AcquireNotify or AcquireWrite.
struct AcquiredEnd {
    let descriptor: Descriptor
    let mtu: UInt16

    init(_ reply: Result<[Value], CallFailure>) throws {
        let values = try reply.get()
        descriptor = try #require(values.first?.descriptor)
        mtu = try #require(values.last?.uint16)
    }

    /// The next value; empty: the other side has closed, nil: there is none now.
    func next() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = unsafe recv(descriptor.number ?? -1, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// Whether the socket has taken a value.
    func send(_ value: [UInt8]) -> Bool {
        unsafe Glibc.send(
            descriptor.number ?? -1, value, value.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)) >= 0
    }

    /// Waits for a value, or the end.
    func wait(_ loop: EventLoop) async throws -> [UInt8] {
        while true {
            if let value = next() { return value }
            try await loop.sleep(for: .milliseconds(100))
        }
    }
}
