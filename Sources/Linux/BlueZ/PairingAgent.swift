public import DBus
public import Simulation
import Spelling

/// The person who pairs our devices, for bluetoothd: an Agent1, and the machine's default one while it is registered.
/// BlueZ, `doc/agent-api.txt`.
///
/// bluetoothd has one agent for all adapters; requests for others than ours are rejected.  It may come and go: the agent
/// is registered anew.  All handlers are called on the loop's thread, one at a time.
public actor PairingAgent {
    /// What the person can do with our devices.  Core 6.0, Vol 3, Part H, section 2.3.2.
    public enum Capability: String, Sendable {
        /// Sees six digits.
        case displayOnly = "DisplayOnly"
        /// Sees six digits, and says yes or no.
        case displayYesNo = "DisplayYesNo"
        /// Enters six digits.
        case keyboardOnly = "KeyboardOnly"
        /// Nothing.
        case noInputNoOutput = "NoInputNoOutput"
        /// Sees and enters six digits.
        case keyboardDisplay = "KeyboardDisplay"
    }

    /// What bluetoothd wants of the person; `peer` is the address of who pairs.
    public enum Request: Hashable, Sendable {
        /// To let it pair without any proof of who it is: Just Works.
        case justWorks(peer: String)
        /// To show digits that the other side enters.
        case show(peer: String, digits: String)
        /// To say whether the other side shows these digits too.
        case compare(peer: String, digits: String)
        /// To enter the digits that the other side shows.
        case enter(peer: String)
        /// Nothing more: the pairing that was asked about has ended.
        case cancel
    }

    /// What the person says.
    public enum Answer: Hashable, Sendable {
        /// Yes; or there was nothing to say.
        case yes
        /// No.
        case no
        /// These digits, as a number below 1 000 000.
        case digits(UInt32)
    }

    /// Takes the person's answer, on the loop's thread, now or later; only the first counts.
    public typealias Reply = @Sendable (Answer) -> Void

    nonisolated let loop: EventLoop
    /// The executor of the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private let capability: Capability
    private let connection: Connection
    private let isOurs: @Sendable (_ adapter: String) -> Bool
    private let ask: @Sendable (Request, @escaping Reply) -> Void
    private let failed: @Sendable (HostFailure) -> Void
    private let owner = Owner()
    private var subscription: Connection.Subscription?
    private var registering: Task<Void, any Error>?

    private static let path: ObjectPath = "/lubdub/agent"

    /// Nothing happens before `start`.  `isOurs` tells whether an adapter (`hci0`) serves one of our devices, `ask`
    /// asks the person, and `failed` is told that bluetoothd does not take the agent.
    public init(
        _ capability: Capability, over connection: Connection, on loop: EventLoop,
        isOurs: @escaping @Sendable (_ adapter: String) -> Bool,
        ask: @escaping @Sendable (Request, @escaping Reply) -> Void,
        failed: @escaping @Sendable (HostFailure) -> Void
    ) {
        (self.capability, self.connection, self.loop) = (capability, connection, loop)
        (self.isOurs, self.ask, self.failed) = (isOurs, ask, failed)
    }

    /// Waits for bluetoothd, and is its agent as soon as it is there.
    public func start() async throws(HostFailure) {
        do {
            try await connection.export(ExportedObject(Self.path, [Interface(.agent, methods: methods)]))
            subscription = try await connection.watch(.bluez) { [weak self] owner in
                self?.assumeIsolated { $0.belongs(to: owner) }
            }
        } catch { throw HostFailure.bus("\(error)") }
    }

    /// Is the agent no more; who was the default one before is so again.
    public func stop() async {
        registering?.cancel()
        if let subscription { await connection.cancel(subscription) }
        if owner.current != nil {
            _ = try? await connection.call(manager("UnregisterAgent", [.path(Self.path)]))
        }
        owner.current = nil
        await connection.withdraw(Self.path)
    }

    private func manager(_ member: MemberName, _ arguments: [Value]) -> Call {
        Call(.bluez, .bluez, .agentManager, member, arguments, within: .seconds(2))
    }

    private func belongs(to name: BusName?) {
        owner.current = name
        registering?.cancel()
        guard name != nil else { return ask(.cancel) { _ in } }
        registering = loop.start { await self.register(with: name) }
    }

    private func register(with name: BusName?) async {
        let calls: [(MemberName, [Value])] = [
            ("RegisterAgent", [.path(Self.path), .string(capability.rawValue)]),
            ("RequestDefaultAgent", [.path(Self.path)]),
        ]
        for (member, arguments) in calls {
            do throws(CallFailure) { _ = try await connection.call(manager(member, arguments)) } catch {
                // One that bluetoothd's end interrupts is made again.
                guard owner.current == name, error != .cancelled else { return }
                return failed(.refused(adapter: "org.bluez", what: member.text, why: "\(error)"))
            }
        }
    }

    // MARK: What bluetoothd asks

    private var methods: [Method] {
        let device = ValueNames.device
        let all = [
            Method("Release") { $0.answer() },
            Method("RequestPinCode", takes: device, gives: Parameters("s", "pincode")) { $0.refuse(.rejected) },
            Method("DisplayPinCode", takes: Parameters("os", "device", "pincode")) { [weak self] call in
                self?.put(call) { .show(peer: $0, digits: call.arguments.last?.string ?? "") }
            },
            Method("RequestPasskey", takes: device, gives: Parameters("u", "passkey")) { [weak self] call in
                self?.put(call) { .enter(peer: $0) }
            },
            Method("DisplayPasskey", takes: Parameters("ouq", "device", "passkey", "entered")) { [weak self] call in
                // It comes again with each digit that the other side enters.
                guard call.arguments.last?.uint16 == 0 else { return call.answer() }
                self?.put(call) { .show(peer: $0, digits: Self.digits(call.arguments[1])) }
            },
            Method("RequestConfirmation", takes: Parameters("ou", "device", "passkey")) { [weak self] call in
                self?.put(call) { .compare(peer: $0, digits: Self.digits(call.arguments[1])) }
            },
            Method("RequestAuthorization", takes: device) { [weak self] call in
                self?.put(call) { .justWorks(peer: $0) }
            },
            // Of Bluetooth Classic only: what we serve has no profiles.
            Method("AuthorizeService", takes: Parameters("os", "device", "uuid")) { $0.refuse(.rejected) },
            Method("Cancel") { [weak self] call in
                self?.assumeIsolated { $0.ask(.cancel) { _ in } }
                call.answer()
            },
        ]
        return all.map(owner.only)
    }

    private enum ValueNames {
        static let device = Parameters("o", "device")
    }

    /// `007042`
    private static func digits(_ value: Value) -> String { (value.uint32 ?? 0).text(digits: 6) }

    /// Asks the person for the answer to a call about a device of bluetoothd's, `/org/bluez/hci0/dev_00_11_…`.
    private nonisolated func put(_ call: Invocation, _ request: (_ peer: String) -> Request) {
        let parts = call.arguments.first?.path?.text.split(separator: "/") ?? []
        guard parts.count == 4, parts[3].hasPrefix("dev_"), isOurs(String(parts[2])) else {
            return call.refuse(.rejected)
        }
        let request = request(String(parts[3].dropFirst(4).map { $0 == "_" ? ":" : $0 }))
        ask(request) { answer in
            switch (request, answer) {
            case (.enter, .digits(let digits)) where digits < 1_000_000: call.answer([.uint32(digits)])
            case (.enter, _), (_, .no): call.refuse(.rejected)
            default: call.answer()
            }
        }
    }
}

extension Refusal {
    fileprivate static let rejected = Refusal("org.bluez.Error.Rejected", "the person says no")
}
