package import CommandSupport
package import Drivers
import ScenarioRuns
import Scenarios
package import Simulation
package import Terminal
import VirtualWorld

/// Handles keys and shows the status line while a world plays.
package actor KeyboardSession: TerminalSession {
    /// The period of the status line, in real time.
    private static let period = Duration.milliseconds(200)

    package nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    package let terminal: TerminalDevice
    private let world: LiveWorld
    private let pairingOperator: PairingOperator
    package let completion: RunCompletion
    package var watches = TerminalWatches()
    private let paint: Paint?  // nil: no status line
    private let speed: Double
    private var decoder = KeyDecoder()
    private var control = KeyControl()
    private var lastKeys = Instant.start
    private var columns = 0

    /// Starts with `start`.  The loop's time runs at `speed` times real time.
    package init(
        _ terminal: TerminalDevice, _ world: LiveWorld, _ pairingOperator: PairingOperator, on loop: EventLoop,
        speed: Double,
        _ completion: RunCompletion, _ paint: Paint?
    ) {
        (self.terminal, self.world, self.loop, self.completion, self.paint) = (terminal, world, loop, completion, paint)
        self.pairingOperator = pairingOperator
        self.speed = speed
    }

    package func resume() {
        guard terminal.take() else { return leave() }
        columns = terminal.size.columns
        watchKeys()
        drawStatus()
    }

    package func resized() { columns = terminal.size.columns }

    // MARK: Keys

    package func typed() {
        guard terminal.isOurs, let octets = terminal.read() else {
            forgetKeys()
            return pairingOperator.assumeIsolated { $0.inputEnded() }
        }
        guard !pairingOperator.assumeIsolated({ $0.isAsking }) else {
            return pairingOperator.assumeIsolated { $0.typed(octets) }
        }
        let pause = lastKeys.duration(to: loop.now) / speed
        lastKeys = loop.now
        for key in decoder.decode(octets, after: pause) { press(key) }
    }

    private func press(_ key: Key) {
        for command in control.press(key, visit { world, _ in world.keyTargets }) {
            switch command {
            case .act(let action, let name):
                switch world.assumeIsolated({ $0.act(Rule(when: .start, action: action), as: name) }) {
                case .done: break
                case .notPlaying: Console.complain("the devices are not switched on yet")
                case .refused(_, let reason): Console.complain(reason)
                }
            case .giveBack(let entity, let name):
                visit { world, now in _ = world.end(name, of: entity, at: now) }
            case .say(let text): Console.complain(text)
            case .help: KeyControl.help.forEach(Console.complain)
            case .quit: completion.finish(.quit)
            }
        }
    }

    private func visit<Answer: Sendable>(_ visit: @Sendable (inout World, Instant) -> Answer) -> Answer {
        world.assumeIsolated { $0.visit(visit) }
    }

    // MARK: Status line

    private func drawStatus() {
        guard let paint else { return }
        let status = visit { world, _ in world.status }
        let text = StatusText(status, chosen: control.chosen)
        Console.show(last: text.line(columns: columns - 1, paint))  // a character in the last column would wrap
        watches.tick?.cancel()
        watches.tick = loop.call(at: loop.now.advanced(by: Self.period * speed)) {
            self.assumeIsolated { $0.drawStatus() }
        }
    }
}
