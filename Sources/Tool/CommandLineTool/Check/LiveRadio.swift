import Bluetooth
import Checks
import GATT
import LEHost
import Scenarios
import Simulation

/// A radio in real time, with a peripheral that is what it is: nobody can do anything to it.
protocol LiveRadio: AnyObject, CentralRadio {
    var time: RealTime { get }
    /// What the host has said, and nobody has taken yet.
    var said: Said { get set }

    func command(_ command: Host.Command)

    /// Takes what has come from outside to the host, and what that says, until there is nothing more.
    func settle()

    /// Whether another program of this machine has a connection with a device, so that ours would not be its own.
    func isTaken(_ address: DeviceAddress) -> Bool

    /// Ends what is under way, so that the other side knows, and then the radio; one that does not answer is waited for a
    /// little.
    func close()
}

extension LiveRadio {
    var now: Instant { time.now }
    var stage: (scenario: Scenario, device: Int)? { nil }
    var isOver: Bool { time.reason != nil }

    func start() {
        time.forgetStandstills()
        if !said.repeatStart() { command(.start) }
    }

    func play(until limit: Instant) -> Bool {
        time.play(until: limit) {
            settle()
            return !said.isEmpty
        }
    }

    func isTaken(_ address: DeviceAddress) -> Bool { false }

    func takeSaid() -> [Host.Output] { said.take() }

    func standstill(since begin: Instant) -> Duration { time.standstill(since: begin) }
    func act(_ action: Action, for duration: Duration?) -> Bool { false }
}

/// What a host says to who examines by it.
struct Said {
    private var outputs: [Host.Output] = []
    private var started: Host.Output?
    private var links = 0

    var isEmpty: Bool { outputs.isEmpty }
    var hasLinks: Bool { links > 0 }

    /// Whether the host has started; then it is said again.
    mutating func repeatStart() -> Bool {
        if let started { outputs.append(started) }
        return started != nil
    }

    mutating func add(_ output: Host.Output) {
        switch output {
        case .started: started = output
        case .connected: links += 1
        case .disconnected: links -= 1
        default: break
        }
        outputs.append(output)
    }

    mutating func take() -> [Host.Output] {
        defer { outputs.removeAll(keepingCapacity: true) }
        return outputs
    }
}
