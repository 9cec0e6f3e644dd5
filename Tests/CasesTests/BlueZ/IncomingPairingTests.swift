import Basics
import DBus
import Synchronization
import Testing

@testable import Cases

/// A central pairs with a program that is a peripheral: the agent of its machine is asked.
///
/// AuthorizeService is for profiles of Bluetooth Classic: src/profile.c is the only caller that concerns programs.
@Suite struct IncomingPairingTests {
    private static let scenario = """
        {"lubdub": 1, "name": "A", "devices": [{"id": "other", "name": "Other", "services": ["battery"]}]}
        """

    /// An agent that accepts, or refuses by an error.
    private final class Agent: Sendable {
        private let heard = Heard()

        private final class Heard: Sendable {
            let calls = Mutex<[String]>([])
        }

        var calls: [String] { heard.calls.withLock { $0 } }

        init(_ program: PlayedProgram, _ capability: String, accepts: Bool = true) async throws {
            func method(_ name: MemberName, _ parameters: Parameters) -> Method {
                Method(name, arguments: parameters) { [heard] call in
                    heard.calls.withLock { $0.append(name.text) }
                    if accepts { return call.reply() }
                    call.fail(with: MethodError("org.bluez.Error.Rejected", "No"))
                }
            }
            try await program.connection.export(
                ExportedObject(
                    "/agent",
                    [
                        Interface(
                            "org.bluez.Agent1",
                            methods: [
                                method("RequestAuthorization", Parameters("o")),
                                method("RequestConfirmation", Parameters("ou")),
                            ])
                    ]))
            let registered = await program.call(
                "/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", [.path("/agent"), .string(capability)])
            #expect(registered == .success([]))
        }
    }

    private static func isPaired(_ signal: Signal) -> Bool {
        signal.arguments.dropFirst().first?["Paired"] == .boolean(true)
    }

    /// Pairs with a program whose agent has a capability, and accepts or not.
    private static func pair(
        _ near: String, _ far: String, accepts: Bool,
        _ body:
            @escaping @Sendable (
                Result<[Value], CallFailure>, _ own: [String], _ asked: [String], PlayedProgram, EventLoop
            )
            async throws -> Void
    ) throws {
        try PlayedAir.run(scenario) { air, loop in
            let (central, peripheral) = (try await air.open(), try await air.open())
            let location = PublishedApplication.Characteristic("2a38", ["read"]) { $0.reply([.octets([1])]) }
            let application = try await PublishedApplication(peripheral.busAddress, [location], loop)
            let asked = try await Agent(application.program, far, accepts: accepts)
            #expect(await application.registerApplication() == .success([]))
            #expect(await application.advertise() == .success([]))
            let program = try await PlayedProgram(central.busAddress, loop)
            let own = try await Agent(program, near)
            let device = try await AcquisitionTests.connect(program, loop)
            let result = await program.call(device, "org.bluez.Device1", "Pair")
            try await body(result, own.calls, asked.calls, application.program, loop)
        }
    }

    private static let failed = Result<[Value], CallFailure>.failure(
        .remote(RemoteError(name: "org.bluez.Error.AuthenticationFailed", message: "Authentication Failed")))

    @Test(arguments: [("NoInputNoOutput", "DisplayYesNo"), ("DisplayYesNo", "NoInputNoOutput")])
    func `A pairing that nobody authenticates needs authorization, but not by the program that requests it`(
        near: String, far: String
    ) throws {
        try Self.pair(near, far, accepts: true) { result, own, asked, program, loop in
            #expect(result == .success([]))
            #expect(own == [] && asked == ["RequestAuthorization"])
            let isPaired = try await program.wait(loop) { Self.isPaired($0) }
            #expect(isPaired)
        }
    }

    @Test func `Both agents compare numbers`() throws {
        try Self.pair("DisplayYesNo", "DisplayYesNo", accepts: true) { result, own, asked, program, loop in
            #expect(result == .success([]))
            #expect(own == ["RequestConfirmation"] && asked == ["RequestConfirmation"])
            let isPaired = try await program.wait(loop) { Self.isPaired($0) }
            #expect(isPaired)
        }
    }

    @Test(arguments: ["NoInputNoOutput", "DisplayYesNo"])
    func `An agent that answers with an error refuses`(near: String) throws {
        try Self.pair(near, "DisplayYesNo", accepts: false) { result, _, asked, program, _ in
            #expect(result == Self.failed)
            #expect(asked == [near == "DisplayYesNo" ? "RequestConfirmation" : "RequestAuthorization"])
            #expect(!program.signals.contains(where: Self.isPaired))
        }
    }
}
