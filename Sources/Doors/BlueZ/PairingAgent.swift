package import Basics
import BlueZNames
package import DBus
package import SecurityManager

/// An Agent1 that handles pairing for bluetoothd, the machine's default agent while it is registered. BlueZ,
/// `doc/agent-api.txt`.
///
/// bluetoothd has one agent for all adapters; requests for adapters that do not serve our devices are rejected. If
/// bluetoothd stops and starts again, the agent registers again. All handlers are called on the loop's thread, one at a
/// time.
package actor PairingAgent: LoopActor {
    /// A request to the user; `peer` is the address of the pairing device.
    package enum Request: Hashable, Sendable {
        /// Allow pairing without authentication: Just Works.
        case justWorks(peer: String)
        /// Display digits that are entered on the other device.
        case show(peer: String, digits: String)
        /// Compare these digits with those that the other device displays.
        case compare(peer: String, digits: String)
        /// Enter the digits that the other device displays.
        case enter(peer: String)
        /// The pairing has ended: withdraw the request.
        case cancel
    }

    /// The user's answer.
    package enum Answer: Hashable, Sendable {
        /// Confirmed or acknowledged.
        case yes
        case no
        /// The digits, as a number below 1,000,000.
        case digits(UInt32)
    }

    /// Takes the answer, on the loop's thread, now or later; only the first one counts.
    package typealias Reply = @Sendable (Answer) -> Void

    package nonisolated let loop: EventLoop

    private let capability: IOCapability
    private let connection: Connection
    private let isOurs: @Sendable (_ adapter: String) -> Bool
    private let ask: @Sendable (Request, @escaping Reply) -> Void
    private let failed: @Sendable (HostFailure) -> Void
    private let owner = BlueZOwner()
    private var subscription: Connection.Subscription?
    private var registering: Task<Void, any Error>?

    private static let path: ObjectPath = "/lubdub/agent"

    /// An agent that does nothing before `start`. `isOurs` returns whether an adapter (`hci0`) serves one of our devices,
    /// `ask` asks the user, and `failed` is called if bluetoothd rejects the agent.
    package init(
        _ capability: IOCapability, over connection: Connection, on loop: EventLoop,
        isOurs: @escaping @Sendable (_ adapter: String) -> Bool,
        ask: @escaping @Sendable (Request, @escaping Reply) -> Void,
        failed: @escaping @Sendable (HostFailure) -> Void
    ) {
        (self.capability, self.connection, self.loop) = (capability, connection, loop)
        (self.isOurs, self.ask, self.failed) = (isOurs, ask, failed)
    }

    /// Registers the agent as soon as bluetoothd is running.
    package func start() async throws(HostFailure) {
        do {
            try await connection.export(ExportedObject(Self.path, [Interface(.agent, methods: methods)]))
            subscription = try await connection.watchOwner(of: .bluez) { [weak self] owner in
                self?.assumeIsolated { $0.ownerChanged(to: owner) }
            }
        } catch { throw HostFailure.bus("\(error)") }
    }

    /// Unregisters the agent; the previous default agent takes over.
    package func stop() async {
        registering?.cancel()
        if let subscription { await connection.cancel(subscription) }
        if owner.current != nil {
            _ = try? await connection.call(manager("UnregisterAgent", [.path(Self.path)]))
        }
        owner.current = nil
        await connection.unexport(Self.path)
    }

    private func manager(_ member: MemberName, _ arguments: [Value]) -> Call {
        Call(.bluez, .bluez, .agentManager, member, arguments, within: .seconds(2))
    }

    private func ownerChanged(to name: BusName?) {
        owner.current = name
        registering?.cancel()
        guard name != nil else { return ask(.cancel) { _ in } }
        registering = loop.start { await self.register(with: name) }
    }

    private func register(with name: BusName?) async {
        let calls: [(MemberName, [Value])] = [
            ("RegisterAgent", [.path(Self.path), .string(capability.nameInBlueZ)]),
            ("RequestDefaultAgent", [.path(Self.path)]),
        ]
        for (member, arguments) in calls {
            do throws(CallFailure) { _ = try await connection.call(manager(member, arguments)) } catch {
                // A call that failed because bluetoothd stopped is repeated when it starts again.
                guard owner.current == name, error != .cancelled else { return }
                return failed(.refused(adapter: "org.bluez", what: member.text, why: "\(error)"))
            }
        }
    }

    // MARK: Methods

    private var methods: [Method] {
        let device = Parameters("o", "device")
        let all = [
            Method("Release") { $0.reply() },
            Method("RequestPinCode", arguments: device, results: Parameters("s", "pincode")) {
                $0.fail(with: .rejected)
            },
            Method("DisplayPinCode", arguments: Parameters("os", "device", "pincode")) { [weak self] call in
                self?.handle(call) { .show(peer: $0, digits: call.arguments.last?.string ?? "") }
            },
            Method("RequestPasskey", arguments: device, results: Parameters("u", "passkey")) { [weak self] call in
                self?.handle(call) { .enter(peer: $0) }
            },
            Method("DisplayPasskey", arguments: Parameters("ouq", "device", "passkey", "entered")) { [weak self] call in
                // Repeated for each digit that is entered on the other device.
                guard call.arguments.last?.uint16 == 0 else { return call.reply() }
                self?.handle(call) { .show(peer: $0, digits: Self.digits(call.arguments[1])) }
            },
            Method("RequestConfirmation", arguments: Parameters("ou", "device", "passkey")) { [weak self] call in
                self?.handle(call) { .compare(peer: $0, digits: Self.digits(call.arguments[1])) }
            },
            Method("RequestAuthorization", arguments: device) { [weak self] call in
                self?.handle(call) { .justWorks(peer: $0) }
            },
            // For Bluetooth Classic only.
            Method("AuthorizeService", arguments: Parameters("os", "device", "uuid")) { $0.fail(with: .rejected) },
            Method("Cancel") { [weak self] call in
                self?.assumeIsolated { $0.ask(.cancel) { _ in } }
                call.reply()
            },
        ]
        return all.map(owner.restricted)
    }

    /// Six digits: `007042`.
    private static func digits(_ value: Value) -> String { (value.uint32 ?? 0).zeroPadded(to: 6) }

    /// Asks the user about a device, `/org/bluez/hci0/dev_00_11_…`, and replies to the call.
    private nonisolated func handle(_ call: Invocation, _ request: (_ peer: String) -> Request) {
        let parts = call.arguments.first?.path?.text.split(separator: "/") ?? []
        guard parts.count == 4, parts[3].hasPrefix("dev_"), isOurs(String(parts[2])) else {
            return call.fail(with: .rejected)
        }
        let request = request(String(parts[3].dropFirst(4).map { $0 == "_" ? ":" : $0 }))
        ask(request) { answer in
            switch (request, answer) {
            case (.enter, .digits(let digits)) where digits < 1_000_000: call.reply([.uint32(digits)])
            case (.enter, _), (_, .no): call.fail(with: .rejected)
            default: call.reply()
            }
        }
    }
}

extension MethodError {
    fileprivate static let rejected = MethodError("org.bluez.Error.Rejected", "rejected by the user")
}
