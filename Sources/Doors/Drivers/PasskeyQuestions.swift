import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import SecurityManager

/// Where the built-in client gets the passkeys that devices display.
struct PasskeyQuestions: Sendable {
    /// The names that devices advertise.
    private var names: [DeviceAddress: String] = [:]
    private static let maximumNames = 256
    private var peers: [ConnectionID: DeviceAddress] = [:]
    /// The connections that are encrypted without authentication.
    private var unauthenticated: Set<ConnectionID> = []
    /// The connection whose passkey the user is asked for.
    private var asked: ConnectionID?
    private var hasAdvised = false

    private let passkey: UInt32?
    private let user: ClientSecurity.User?

    init(_ security: ClientSecurity) { (passkey, user) = (security.passkey, security.user) }

    /// Takes an output of the host; calls `answer`, now or later, if the output requests a passkey.
    mutating func take(_ output: Host.Output, _ answer: @escaping @Sendable (Host.Command) -> Void) {
        switch output {
        case .report(let report):
            guard let data = try? AdvertisingData(octets: report.data, limit: .extended), let name = data.localName,
                names.count < Self.maximumNames || names[report.address] != nil
            else { return }
            names[report.address] = name
        case .connected(let id, let complete): peers[id] = complete.peer
        case .disconnected(let id, _, _): ended(id)
        case .security(let id, .requestPasskey): enter(id, answer)
        case .security(let id, .failed(let failure)):
            if failure.reason == .authenticationRequirements { advise(id) }
            withdraw(id)
        case .security(let id, .completed(let bond, _)):
            if bond.keyAsCentral?.isAuthenticated == false { unauthenticated.insert(id) }
        case .finished(let id, _, .failure(.refused(.insufficientAuthentication, _))):
            if unauthenticated.contains(id) { advise(id) }
        default: break
        }
    }

    private mutating func enter(_ id: ConnectionID, _ answer: @escaping @Sendable (Host.Command) -> Void) {
        guard let user, passkey == nil else { return answer(.security(id, .passkey(passkey))) }
        asked = id
        user.ask(name(of: id)) { answer(.security(id, .passkey($0))) }
    }

    private mutating func ended(_ id: ConnectionID) {
        withdraw(id)
        peers[id] = nil
        unauthenticated.remove(id)
    }

    /// Nobody needs the answer any more.
    private mutating func withdraw(_ id: ConnectionID) {
        guard asked == id else { return }
        asked = nil
        user?.cancel()
    }

    /// Names the option that lets the client pair with authentication.
    private mutating func advise(_ id: ConnectionID) {
        guard passkey == nil, !hasAdvised else { return }
        hasAdvised = true
        Notices.warn("\(name(of: id)) requires authentication: give the passkey that it displays with --passkey")
    }

    private func name(of id: ConnectionID) -> String {
        guard let peer = peers[id] else { return "the device" }
        return names[peer] ?? "\(peer)"
    }
}
