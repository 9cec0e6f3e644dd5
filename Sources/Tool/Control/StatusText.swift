package import Arguments
package import CommandSupport
import Glibc
package import ScenarioRuns
import Simulation
import Terminal
import VirtualWorld

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
        let count = mtus.count == 1 ? "1 client" : "\(mtus.count) clients"
        return "\(count), MTU \(different.map { "\($0)" }.joined(separator: " and "))"
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
    package func line(columns: Int, _ paint: Paint) -> String {
        var (line, room) = ("", max(0, columns))
        for piece in pieces where room > 0 {
            let text = piece.text.prefix(room)
            room -= text.count
            line += piece.style.map { paint(text, $0) } ?? String(text)
        }
        return line
    }
}

/// The colours of the status line; nil when there is none: because of `--quiet`, because the terminal cannot erase lines, or
/// because the event log goes to the same terminal.
package func statusPaint(_ configuration: RunConfiguration, _ invocation: Invocation) throws(CommandFailure) -> Paint? {
    guard Paint.canErase, !invocation.has("--quiet"), configuration.events != "-" || isatty(STDOUT_FILENO) == 0 else {
        return nil
    }
    return try Paint(invocation, for: STDERR_FILENO)
}
