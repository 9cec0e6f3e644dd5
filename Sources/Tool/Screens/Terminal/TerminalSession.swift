package import Basics
package import Clients
package import CommandSupport
import Glibc
package import Linux

/// A session that uses the terminal while the process is in the foreground, and restores it otherwise.
package protocol TerminalSession: LoopActor {
    var terminal: TerminalDevice { get }
    var completion: RunCompletion { get }
    var watches: TerminalWatches { get set }

    /// Takes the terminal and draws, if the process is in the foreground.
    func resume()
    /// Erases its output, and restores the terminal.
    func leave()
    func resized()
    /// Keys can be read, or the input has ended.
    func typed()
}

/// The events that a session waits for.
package struct TerminalWatches {
    package var keys: EventLoop.Watch?
    package var signals: EventLoop.Watch?
    package var tick: EventLoop.ScheduledCall?

    package init() {}
}

extension TerminalSession {
    /// Takes the terminal, now or when the process comes to the foreground.
    package func start() {
        watches.signals = terminal.signals.watch(on: loop) { number in
            self.assumeIsolated { $0.signal(number) }
        }
        resume()
    }

    package func stop() {
        leave()
        watches.signals.map(loop.cancel)
        watches.signals = nil
    }

    package func leave() {
        rest()
        Console.show(last: nil)
        terminal.giveBack()
    }

    package func watchKeys() {
        guard watches.keys == nil else { return }
        watches.keys = loop.watch(STDIN_FILENO, for: .readable) { self.assumeIsolated { $0.typed() } }
    }

    package func forgetKeys() {
        watches.keys.map(loop.cancel)
        watches.keys = nil
    }

    /// Stops watching keys and drawing.
    package func rest() {
        forgetKeys()
        watches.tick?.cancel()
        watches.tick = nil
    }

    private func signal(_ number: Int32) {
        switch number {
        case SIGTSTP:
            leave()
            terminal.signals.performDefaultAction(of: number)  // the process stops here
            resume()
        case SIGQUIT: completion.finish(.signal(number))
        case SIGCONT: resume()
        case SIGWINCH: resized()
        default: break
        }
    }
}

/// Shows a client's values on a full screen.
///
/// Nothing is drawn while the process is in the background.
package actor ScreenSession: TerminalSession {
    private static let period = Duration.milliseconds(100)
    /// How long to wait for a terminal that accepts no output, in milliseconds.
    private static let patience: CInt = 1000

    package nonisolated let loop: EventLoop
    package let terminal: TerminalDevice
    package let completion: RunCompletion
    package var watches = TerminalWatches()
    private let glyphs: Glyphs
    private var dashboard: Dashboard
    private var painter: ScreenPainter
    private var decoder = KeyDecoder()
    private var lastKeys = Instant.start
    private var size = (columns: 80, rows: 24)
    private var isShown = false
    private var isPaused = false
    /// Whether the screen shows what its parts mean.
    private var isExplaining = false

    /// Starts with `start`.
    package init(
        _ terminal: TerminalDevice, _ body: BodyMeasurements, on loop: EventLoop, _ completion: RunCompletion,
        _ paint: Paint
    ) {
        (self.terminal, self.loop, self.completion) = (terminal, loop, completion)
        dashboard = Dashboard(body, rows: Dashboard.labels)
        painter = ScreenPainter(isColoured: paint.isOn)
        glyphs = Locale.isUTF8 ? .unicode : .ascii
    }

    package func take(_ update: SensorCollector.Update) { dashboard.take(update, on: Locale.today, at: loop.now) }

    package func leave() {
        rest()
        terminal.giveBack()
        if isShown, terminal.isOurs, terminal.hasRoom(within: Self.patience) { Console.draw(ScreenPainter.leaving) }
        isShown = false
    }

    package func resume() {
        guard terminal.isOurs, !isPaused else { return leave() }
        if terminal.take() { watchKeys() }
        if !isShown { Console.draw(ScreenPainter.entering) }
        isShown = true
        resized()
    }

    /// Leaves the terminal to something else until `goOn`.
    package func pause() {
        isPaused = true
        leave()
    }

    package func goOn() {
        isPaused = false
        resume()
    }

    package func resized() {
        guard isShown else { return }
        size = terminal.size
        painter.forget()
        draw()
    }

    package func typed() {
        guard terminal.isOurs, let octets = terminal.read() else { return forgetKeys() }
        let pause = lastKeys.duration(to: loop.now)
        lastKeys = loop.now
        for key in decoder.decode(octets, after: pause) { press(key) }
    }

    private func press(_ key: Key) {
        guard case .character(let character) = key, let key = MonitorKey(rawValue: character) else { return }
        switch key {
        case .quit: completion.finish(.quit)
        case .help:
            isExplaining.toggle()
            resized()
        }
    }

    private func draw() {
        if terminal.hasRoom() {
            let rows =
                isExplaining
                ? HelpPage.rows(width: size.columns, height: size.rows, glyphs)
                : dashboard.rows(width: size.columns, height: size.rows, glyphs, at: loop.now)
            Console.draw(painter.paint(rows, width: size.columns))
        }
        watches.tick?.cancel()
        watches.tick = loop.call(at: loop.now.advanced(by: Self.period)) { self.assumeIsolated { $0.draw() } }
    }
}
