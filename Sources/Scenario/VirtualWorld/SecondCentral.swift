import Bluetooth
import HCI
import LEHost
import Scenarios

/// What a second central is to connect to: one device after the other, since a controller makes one connection at a time.
struct Errand: Sendable {
    /// The device that it waits for.
    private(set) var underWay: Int?
    /// It does not want that one any more.
    private var isCancelled = false
    private var waiting: [Int] = []

    /// A device is wanted, if it is not yet.
    mutating func add(_ device: Int) {
        guard !waiting.contains(device), underWay != device || isCancelled else { return }
        waiting.append(device)
    }

    /// The device to connect to now; nil while there is none, or another one is under way.
    mutating func next() -> Int? {
        guard underWay == nil, !waiting.isEmpty else { return nil }
        (underWay, isCancelled) = (waiting.removeFirst(), false)
        return underWay
    }

    /// Nothing is wanted any more: whether something was under way, and has to be cancelled.
    mutating func cancel() -> Bool {
        waiting = []
        defer { isCancelled = underWay != nil }
        return underWay != nil && !isCancelled
    }

    /// What was under way has come about, or never will.
    mutating func finish() { underWay = nil }

    /// The host could not yet begin.
    mutating func postpone() {
        if let underWay, !isCancelled { waiting.insert(underWay, at: 0) }
        underWay = nil
    }
}

// A second central takes a device away from others: it connects, asks nothing, and holds the link.
extension World {
    /// What a central asks for: 30 ms to 50 ms, no latency, supervision timeout 720 ms.  Core 6.0, Vol 3, Part C,
    /// appendix A.
    private static let rhythm = ConnectionParameters(
        minimumInterval: 0x18, maximumInterval: 0x28, latency: 0, supervisionTimeout: 0x48)

    /// A central connects to a device as soon as it hears it, unless it has it.
    mutating func connect(_ entity: EntityReference, to target: EntityReference) {
        guard let node = entity.device, let device = target.device,
            !nodes[node].connections.contains(where: { $0.peer == address(of: device) })
        else { return }
        nodes[node].errand.add(device)
        if let order = nextConnection(of: node) { command(order, of: node) }
    }

    /// A central waits for nobody any more.
    mutating func stopConnecting(_ node: Int) {
        if nodes[node].errand.cancel() { command(.cancelConnecting, of: node) }
    }

    /// What the host of a device says that may be a central; the caller passes on what comes of it.
    mutating func centralHostSaid(_ output: Host.Output, _ node: Int) {
        switch output {
        case .started: break
        case .connectionFailed(_, .notNow): return nodes[node].errand.postpone()  // it has not started
        case .connected(_, let complete) where complete.role == .central: nodes[node].errand.finish()
        case .connectionFailed: nodes[node].errand.finish()
        default: return
        }
        if let order = nextConnection(of: node) { instruct(node, order) }
    }

    private mutating func nextConnection(of node: Int) -> Host.Command? {
        guard let device = nodes[node].errand.next(), let address = address(of: device) else { return nil }
        return .connect(ConnectionCreation(to: address, parameters: Self.rhythm), timeout: nil)
    }
}
