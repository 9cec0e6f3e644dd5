import Scenarios
import Simulation
import VirtualWorld

/// Somebody at the terminal, who presses keys and looks at the last line, while a world plays.
actor KeyboardSession: TerminalSession {
    /// Of the clock on the wall, between two looks at the world.
    private static let pause = Duration.milliseconds(200)

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    let terminal: Terminal
    private let world: LiveWorld
    private let person: Person
    let ending: Ending
    var watches = TerminalWatches()
    private let paint: Paint?  // nil: there is no last line
    private let speed: Double
    private var decoder = KeyDecoder()
    private var control = KeyControl()
    private var lastKeys = Instant.start
    private var columns = 0

    /// Nothing happens before `start`.  The loop's time is `speed` times as fast as the clock on the wall.
    init(
        _ terminal: Terminal, _ world: LiveWorld, _ person: Person, on loop: EventLoop, speed: Double,
        _ ending: Ending, _ paint: Paint?
    ) {
        (self.terminal, self.world, self.loop, self.ending, self.paint) = (terminal, world, loop, ending, paint)
        self.person = person
        self.speed = speed
    }

    func goOn() {
        guard terminal.take() else { return leave() }
        columns = terminal.size.columns
        watchKeys()
        look()
    }

    func resized() { columns = terminal.size.columns }

    // MARK: Keys

    func typed() {
        guard terminal.isOurs, let octets = terminal.read() else {
            forgetKeys()
            return person.assumeIsolated { $0.hasLeft() }
        }
        guard !person.assumeIsolated({ $0.isAsking }) else { return person.assumeIsolated { $0.typed(octets) } }
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
            case .quit: ending.say(.quit)
            }
        }
    }

    private func visit<Answer: Sendable>(_ visit: @Sendable (inout World, Instant) -> Answer) -> Answer {
        world.assumeIsolated { $0.visit(visit) }
    }

    // MARK: The last line

    private func look() {
        guard let paint else { return }
        let status = visit { world, _ in world.status }
        let text = StatusText(status, chosen: control.chosen)
        Console.show(last: text.line(columns: columns - 1, paint))  // the last column would begin another line
        watches.tick?.cancel()
        watches.tick = loop.call(at: loop.now.advanced(by: Self.pause * speed)) {
            self.assumeIsolated { $0.look() }
        }
    }
}
