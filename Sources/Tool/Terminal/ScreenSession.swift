package import Collector
package import CommandSupport
import Glibc
package import Simulation

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
        guard terminal.isOurs else { return leave() }
        if terminal.take() { watchKeys() }
        if !isShown { Console.draw(ScreenPainter.entering) }
        isShown = true
        resized()
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
        if decoder.decode(octets, after: pause).contains(.character("q")) { completion.finish(.quit) }
    }

    private func draw() {
        if terminal.hasRoom() {
            let rows = dashboard.rows(width: size.columns, height: size.rows, glyphs, at: loop.now)
            Console.draw(painter.paint(rows, width: size.columns))
        }
        watches.tick?.cancel()
        watches.tick = loop.call(at: loop.now.advanced(by: Self.period)) { self.assumeIsolated { $0.draw() } }
    }
}
