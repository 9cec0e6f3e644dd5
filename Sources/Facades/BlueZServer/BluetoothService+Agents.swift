import Basics
import BlueZNames
import Bluetooth
import DBus
import SecurityManager
import SystemBluetooth

/// Agents of programs, which pairing asks: src/agent.c.
extension BluetoothService {
    func performAgentManager(_ method: String, _ call: ReceivedCall) {
        if let error = changeAgent(method, call) { return fail(call, error) }
        // An agent is every adapter's.
        for sibling in siblings { sibling.assumeIsolated { _ = $0.changeAgent(method, call) } }
        reply(to: call)
        changeDefaultAgent(method, call)
        for sibling in siblings {
            sibling.assumeIsolated { sibling in
                sibling.changeDefaultAgent(method, call)
                sibling.scheduleFlush()
            }
        }
    }

    /// Does what precedes the reply.
    private func changeAgent(_ method: String, _ call: ReceivedCall) -> MethodError? {
        guard let sender = call.sender, let path = call.arguments.first?.path else { return .invalidArguments }
        let program = program(sender)
        switch method {
        case "RegisterAgent":
            guard let capability = IOCapability(nameInBlueZ: call.arguments.last?.string ?? "") else {
                return .invalidArguments
            }
            guard program.agent == nil else { return .alreadyExists }
            programs[sender]?.agent = path
            request(program.id, .pairing(.becomeAgent(capability)))
        case "UnregisterAgent":
            guard program.agent == path else { return .doesNotExist }
            programs[sender]?.agent = nil
            request(program.id, .pairing(.stopBeingAgent))
        default:
            guard program.agent == path else { return .doesNotExist }
            request(program.id, .pairing(.becomeDefaultAgent))
        }
        return nil
    }

    /// Does what follows the reply.
    private func changeDefaultAgent(_ method: String, _ call: ReceivedCall) {
        guard let sender = call.sender else { return }
        switch method {
        case "RegisterAgent":
            if defaultAgents.isEmpty { becomeDefaultAgent(sender) } else { defaultAgents.insert(sender, at: 0) }
        case "UnregisterAgent": removeDefaultAgent(sender)
        default: becomeDefaultAgent(sender)
        }
    }

    private func becomeDefaultAgent(_ name: BusName) {
        guard defaultAgents.last != name else { return }
        defaultAgents.removeAll { $0 == name }
        defaultAgents.append(name)
        objects.set("Pairable", .boolean(true), of: .adapter, at: adapter.path)
    }

    /// A program is not an agent any more: without a default agent, nobody can pair.
    func removeDefaultAgent(_ name: BusName) {
        guard defaultAgents.last == name else { return defaultAgents.removeAll { $0 == name } }
        defaultAgents.removeLast()
        objects.set("Pairable", .boolean(!defaultAgents.isEmpty), of: .adapter, at: adapter.path)
    }

    /// Passes a question of pairing to the agent of a program.
    func ask(_ event: PairingEvent, _ program: ProgramID) {
        switch event {
        case .requestedPasskey(let peer):
            callAgent(program, "RequestPasskey", [.path(path(of: peer))], reply: "u") { service, result in
                service.request(program, .pairing(.passkey(result?.first?.uint32, peer)))
            }
        case .requestedComparison(let peer, let number):
            callAgent(program, "RequestConfirmation", [.path(path(of: peer)), .uint32(number)]) { service, result in
                service.request(program, .pairing(.compared(result != nil, peer)))
            }
        case .requestedAuthorization(let peer):
            callAgent(program, "RequestAuthorization", [.path(path(of: peer))]) { service, result in
                service.request(program, .pairing(.authorized(result != nil, peer)))
            }
        case .displayed(let peer, let passkey):
            let arguments = [.path(path(of: peer)), .uint32(passkey), Value.uint16(0)]
            callAgent(program, "DisplayPasskey", arguments) { _, _ in }
        case .changedAgent, .ended: break
        }
    }

    /// Calls a method of an agent; `finish` gets its results, or nil.
    private func callAgent(
        _ program: ProgramID, _ method: MemberName, _ arguments: [Value], reply: Signature = "",
        _ finish: @escaping @Sendable (isolated BluetoothService, [Value]?) -> Void
    ) {
        guard let name = name(of: program), let path = programs[name]?.agent else { return finish(self, nil) }
        call(name, path, .agent, method, arguments, reply: reply, within: Self.patience) { service, result in
            finish(service, try? result.get())
        }
    }

    /// REQUEST_TIMEOUT in src/agent.c.
    private static let patience = Duration.seconds(60)
}
