import Collector
import Glibc
import Screen
import Simulation

/// Somebody at the terminal, who looks at a screen of what a client shows.
///
/// Nothing is drawn while we are in the background; what comes meanwhile is shown when we are back.
actor ScreenSession {
    /// Between two drawings: as often as an eye follows.
    private static let pause = Duration.milliseconds(100)
    /// For a terminal that takes nothing, before it is left as it is; in milliseconds.
    private static let patience: CInt = 1000

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private let terminal: Terminal
    private let ending: Ending
    private let glyphs: Glyphs
    private var dashboard: Dashboard
    private var painter: ScreenPainter
    private var decoder = KeyDecoder()
    private var lastKeys = Instant.start
    private var size = (columns: 80, rows: 24)
    private var isShown = false
    private var keys: EventLoop.Watch?
    private var news: EventLoop.Watch?
    private var tick: EventLoop.Appointment?

    /// Nothing happens before `start`.
    init(_ terminal: Terminal, _ body: Body, on loop: EventLoop, _ ending: Ending, _ paint: Paint) {
        (self.terminal, self.loop, self.ending) = (terminal, loop, ending)
        dashboard = Dashboard(body)
        painter = ScreenPainter(isColoured: paint.isOn)
        glyphs = Locale.isUTF8 ? .unicode : .ascii
    }

    /// Takes the terminal, now or when we come into the foreground.
    func start() {
        news = terminal.signals.watch(on: loop) { number in
            self.assumeIsolated { $0.signal(number) }
        }
        goOn()
    }

    /// Leaves the terminal as it was.
    func stop() {
        leave()
        news.map(loop.cancel)
        news = nil
    }

    /// Shows what the client shows, soon.
    func take(_ saying: SensorCollector.Saying) { dashboard.take(saying, on: Locale.today, at: loop.now) }

    private func leave() {
        keys.map(loop.cancel)
        tick?.cancel()
        (keys, tick) = (nil, nil)
        terminal.giveBack()
        if isShown, terminal.isOurs, terminal.hasRoom(within: Self.patience) { Console.draw(ScreenPainter.leaving) }
        isShown = false
    }

    private func goOn() {
        guard terminal.isOurs else { return leave() }
        if terminal.take(), keys == nil {
            keys = loop.watch(STDIN_FILENO, for: .readable) { self.assumeIsolated { $0.typed() } }
        }
        if !isShown { Console.draw(ScreenPainter.entering) }
        isShown = true
        resize()
    }

    private func resize() {
        size = terminal.size
        painter.forget()
        draw()
    }

    private func signal(_ number: Int32) {
        switch number {
        case SIGTSTP:
            leave()
            terminal.signals.letHappen(number)  // we are stopped in here
            goOn()
        case SIGQUIT: ending.say(.signal(number))
        case SIGCONT: goOn()
        case SIGWINCH: if isShown { resize() }
        default: break
        }
    }

    private func typed() {
        guard terminal.isOurs, let octets = terminal.read() else {
            keys.map(loop.cancel)
            keys = nil
            return
        }
        let pause = lastKeys.duration(to: loop.now)
        lastKeys = loop.now
        if decoder.decode(octets, after: pause).contains(.character("q")) { ending.say(.quit) }
    }

    private func draw() {
        if terminal.hasRoom() {
            let rows = dashboard.rows(width: size.columns, height: size.rows, glyphs, at: loop.now)
            Console.draw(painter.paint(rows, width: size.columns))
        }
        tick?.cancel()
        tick = loop.call(at: loop.now.advanced(by: Self.pause)) { self.assumeIsolated { $0.draw() } }
    }
}
