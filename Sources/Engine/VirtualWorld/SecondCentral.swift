import Bluetooth
import HCI
import LEHost
import ScenarioModel
import SecurityManager

/// The devices that a second central connects to, one after the other: a controller creates one connection at a time.
struct PendingConnection: Sendable {
    private(set) var current: Int?
    /// Whether that attempt is being cancelled.
    private var isCancelled = false
    private var waiting: [Int] = []

    /// Adds a device that is not pending yet.
    mutating func add(_ device: Int) {
        guard !waiting.contains(device), current != device || isCancelled else { return }
        waiting.append(device)
    }

    /// The device to connect to now; nil if there is none, or during another attempt.
    mutating func next() -> Int? {
        guard current == nil, !waiting.isEmpty else { return nil }
        (current, isCancelled) = (waiting.removeFirst(), false)
        return current
    }

    /// Discards all devices; returns whether an attempt has to be cancelled.
    mutating func cancel() -> Bool {
        waiting = []
        defer { isCancelled = current != nil }
        return current != nil && !isCancelled
    }

    /// The attempt has succeeded or failed.
    mutating func finish() { current = nil }

    /// The host was not ready: the attempt has to be repeated.
    mutating func postpone() {
        if let current, !isCancelled { waiting.insert(current, at: 0) }
        current = nil
    }
}

// A second central connects to a device, and so keeps other clients away.  With `security` it encrypts the link, or pairs;
// else it sends no request.
extension World {
    /// Interval 30 ms to 50 ms, no latency, supervision timeout 720 ms.  Core 6.0, Vol 3, Part C, appendix A.
    private static let parameters = ConnectionParameters(
        minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x48)

    /// Connects a central to a device as soon as that advertises, unless they are connected.
    mutating func connect(_ node: Int, to target: EntityReference) {
        guard let device = target.device,
            !nodes[node].connections.contains(where: { self.device(at: $0.peer) == device })
        else { return }
        nodes[node].pendingConnection.add(device)
        if let command = nextConnection(of: node) { self.command(command, of: node) }
    }

    /// Cancels the pending connections of a central.
    mutating func stopConnecting(_ node: Int) {
        if nodes[node].pendingConnection.cancel() { command(.cancelConnecting, of: node) }
    }

    /// Handles an output of a host that may be a central; the caller forwards the host's further outputs.
    mutating func handle(_ output: Host.Output, ofCentral node: Int) {
        switch output {
        case .started: break
        case .connectionFailed(_, .notNow): return nodes[node].pendingConnection.postpone()  // it has not started yet
        case .connected(let id, let complete) where complete.role == .central:
            nodes[node].pendingConnection.finish()
            if nodes[node].host.security.settings != nil { instruct(node, .security(id, .secure)) }
        case .connectionFailed: nodes[node].pendingConnection.finish()
        default: return
        }
        if let command = nextConnection(of: node) { instruct(node, command) }
    }

    private mutating func nextConnection(of node: Int) -> Host.Command? {
        guard let device = nodes[node].pendingConnection.next(), let address = address(of: device) else { return nil }
        return .connect(ConnectionCreation(to: address, parameters: Self.parameters), timeout: nil)
    }
}
