package import Basics
package import Cases
package import CommandSupport
package import Drivers
import Glibc
package import Linux
import ScenarioModel
import VirtualWorld

/// Handles keys and shows the status line while a world plays.
package actor KeyboardSession: TerminalSession {
    /// The period of the status line, in real time.
    private static let period = Duration.milliseconds(200)

    package nonisolated let loop: EventLoop
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
                case .refused(_, let reason): Console.complain("\(reason)")
                }
            case .giveBack(let entity, let name):
                visit { world, now in _ = world.end(name, of: entity, at: now) }
            case .say(let text): Console.complain("\(text)")
            case .help: for line in KeyControl.help { Console.complain("\(line)") }
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

/// The status line of a world, truncated to the terminal's width.
///
///     strap 62 bpm, 1 client, MTU 247 | next: away in 12 s | ? for keys
///     all: 1 near 61 bpm, no client | 2 far 122 bpm, silent, 2 clients, MTU 247 and 23 | ? for keys
struct StatusText: Sendable {
    private var pieces: [(text: String, style: Paint.Style?)] = []

    /// `chosen` is the selected device; nil for all.
    init(_ status: WorldStatus, chosen: Int?) {
        if status.devices.count > 1 { add(chosen.map { "\($0 + 1): " } ?? "all: ", .state) }
        for (index, device) in status.devices.enumerated() {
            if index > 0 { add(" | ") }
            if status.devices.count > 1 { add("\(index + 1) ") }
            add(device)
        }
        if let next = status.next {
            add(" | ")
            add("next: \(next.rule) in \(Self.wait(status.now.duration(to: next.due)))")
        }
        add(" | ")
        add("? for keys", .quiet)
    }

    private mutating func add(_ text: String, _ style: Paint.Style? = nil) { pieces.append((text, style)) }

    private mutating func add(_ device: WorldStatus.Device) {
        add(device.id + " ")
        add(device.bpm.map { "\($0) bpm" } ?? "no rate", .heart)
        if device.isTouching == false { add(", no contact", .warning) }
        if device.isAway { add(", away", .warning) }
        if device.isSilent { add(", silent", .warning) }
        add(", " + Self.clients(device.mtus))
    }

    private static func clients(_ mtus: [Int]) -> String {
        guard !mtus.isEmpty else { return "no client" }
        let different = mtus.reduce(into: [Int]()) { all, mtu in if !all.contains(mtu) { all.append(mtu) } }
        return "\(mtus.count.counted("client")), MTU \(different.map { "\($0)" }.joined(separator: " and "))"
    }

    /// The duration rounded up.
    private static func wait(_ duration: Duration) -> String {
        let (whole, attoseconds) = duration.components
        let seconds = max(0, attoseconds > 0 ? whole + 1 : whole)
        if seconds < 120 { return "\(seconds) s" }
        let minutes = (seconds + 59) / 60
        return minutes < 120 ? "\(minutes) min" : "\((minutes + 59) / 60) h"
    }

    /// At most `columns` columns, with or without colours.
    package func line(columns: Int, _ paint: Paint) -> TerminalLine {
        var (line, room): (TerminalLine, Int) = ("", max(0, columns))
        for piece in pieces where room > 0 {
            let text = piece.text.prefix(room)
            room -= text.count
            line += piece.style.map { paint(text, $0) } ?? "\(text)"
        }
        return line
    }
}

/// The colours of the status line; nil when there is none: because of `--quiet`, because the terminal cannot erase lines, or
/// because the event log goes to the same terminal.
package func statusPaint(_ plan: RunPlan, _ invocation: Invocation) throws(Obstacle) -> Paint? {
    guard Paint.canErase, !invocation.has("--quiet"), plan.events != "-" || isatty(STDOUT_FILENO) == 0 else {
        return nil
    }
    return try Paint(invocation, for: STDERR_FILENO)
}
