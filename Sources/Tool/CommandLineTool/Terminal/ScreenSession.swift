import Collector
import Glibc
import Screen
import Simulation

/// Somebody at the terminal, who looks at a screen of what a client shows.
///
/// Nothing is drawn while we are in the background; what comes meanwhile is shown when we are back.
actor ScreenSession: TerminalSession {
    /// Between two drawings: as often as an eye follows.
    private static let pause = Duration.milliseconds(100)
    /// For a terminal that takes nothing, before it is left as it is; in milliseconds.
    private static let patience: CInt = 1000

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    let terminal: Terminal
    let ending: Ending
    var watches = TerminalWatches()
    private let glyphs: Glyphs
    private var dashboard: Dashboard
    private var painter: ScreenPainter
    private var decoder = KeyDecoder()
    private var lastKeys = Instant.start
    private var size = (columns: 80, rows: 24)
    private var isShown = false

    /// Nothing happens before `start`.
    init(_ terminal: Terminal, _ body: BodyMeasurements, on loop: EventLoop, _ ending: Ending, _ paint: Paint) {
        (self.terminal, self.loop, self.ending) = (terminal, loop, ending)
        dashboard = Dashboard(body, rows: Dashboard.labels)
        painter = ScreenPainter(isColoured: paint.isOn)
        glyphs = Locale.isUTF8 ? .unicode : .ascii
    }

    /// Shows what the client shows, soon.
    func take(_ saying: SensorCollector.Saying) { dashboard.take(saying, on: Locale.today, at: loop.now) }

    func leave() {
        rest()
        terminal.giveBack()
        if isShown, terminal.isOurs, terminal.hasRoom(within: Self.patience) { Console.draw(ScreenPainter.leaving) }
        isShown = false
    }

    func goOn() {
        guard terminal.isOurs else { return leave() }
        if terminal.take() { watchKeys() }
        if !isShown { Console.draw(ScreenPainter.entering) }
        isShown = true
        resized()
    }

    func resized() {
        guard isShown else { return }
        size = terminal.size
        painter.forget()
        draw()
    }

    func typed() {
        guard terminal.isOurs, let octets = terminal.read() else { return forgetKeys() }
        let pause = lastKeys.duration(to: loop.now)
        lastKeys = loop.now
        if decoder.decode(octets, after: pause).contains(.character("q")) { ending.say(.quit) }
    }

    private func draw() {
        if terminal.hasRoom() {
            let rows = dashboard.rows(width: size.columns, height: size.rows, glyphs, at: loop.now)
            Console.draw(painter.paint(rows, width: size.columns))
        }
        watches.tick?.cancel()
        watches.tick = loop.call(at: loop.now.advanced(by: Self.pause)) { self.assumeIsolated { $0.draw() } }
    }
}
