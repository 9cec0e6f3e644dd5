package import Basics
import Bluetooth
package import Cases
package import Causes
package import Clients
import Glibc
package import ScenarioModel
import Synchronization
import VirtualWorld

/// Prints events and packets, one per line: time, who, and what.
package final class Narrator: Sendable {
    /// What is printed.
    package struct Choice: Sendable {
        /// The events; nil for all except the client's lines.
        package let events: Set<EventName>?
        package let packets: Bool
        /// Whether receipts and repeated advertisements are left out.
        package let isBrief: Bool
        /// The controller whose packets are printed, by its name in the log; nil for all.
        package let controller: String?

        package init(
            events: Set<EventName>? = nil, packets: Bool = false, isBrief: Bool = false, controller: String? = nil
        ) {
            (self.events, self.packets, self.isBrief, self.controller) = (events, packets, isBrief, controller)
        }
    }

    /// The subject of the next line.
    package enum Subject {
        case packet(PacketDescription)
        /// An event of an entity, by its name in the log.
        case event(EventName, of: String?)
    }

    private struct State {
        var names: [UInt16: String] = [:]
        var reports: Set<ArraySlice<UInt8>> = []
    }

    private static let maximumReports = 1000  // that are remembered

    private let choice: Choice
    private let paint: Paint
    private let say: @Sendable (TerminalLine) -> Void
    private let announce: @Sendable (Subject) -> Void
    private let state = Mutex(State())

    /// `announce` is called with the subject of each line, then `say` with the line.
    package init(
        _ choice: Choice, _ paint: Paint, say: @escaping @Sendable (TerminalLine) -> Void,
        announce: @escaping @Sendable (Subject) -> Void = { _ in }
    ) {
        (self.choice, self.paint, self.say, self.announce) = (choice, paint, say, announce)
    }

    /// For commands that play devices: prints nothing, the main events, or everything.
    package convenience init?(_ verbosity: Verbosity, _ paint: Paint, say: @escaping @Sendable (TerminalLine) -> Void) {
        switch verbosity {
        case .quiet: return nil
        case .normal: self.init(Choice(events: Self.main), paint, say: say)
        case .verbose: self.init(Choice(packets: true), paint, say: say)
        }
    }

    /// For commands that print the client's lines: prints everything to standard error if `--verbose`; else nil.
    package convenience init?(ifVerbose invocation: Invocation) throws(Obstacle) {
        guard try Verbosity(invocation) == .verbose else { return nil }
        self.init(.verbose, try Paint(invocation, for: 2), say: Console.complain)
    }

    private static let main: Set<EventName> = [
        .advertising, .connected, .disconnected, .encrypted, .encryptionFailed, .paired, .pairingFailed, .bondLost,
        .parameters, .subscribed, .unsubscribed, .refused, .saturated, .began, .ended,
    ]

    var printsPackets: Bool { choice.packets }

    package func show(_ update: SensorCollector.Update, at instant: Instant) { line(instant, "client", paint(update)) }

    package func take(_ chunk: EventChunk, in wording: ValueFormatter) {
        for record in chunk.records(where: { choice.events?.contains($0) ?? true }, in: wording) {
            let (who, what) = record.words
            announce(.event(record.event, of: record.entity))
            line(record.instant, who, "\(what)")
        }
    }

    package func take(_ chunk: PacketChunk) {
        guard choice.packets else { return }
        for record in chunk.records {
            let octets = chunk.octets(of: record)
            if record.kind == .newIndex {
                let name = String(decoding: octets.dropFirst(8).prefix { $0 != 0 }, as: UTF8.self)
                state.withLock { $0.names[record.controller] = name }
                continue
            }
            let name = state.withLock { $0.names[record.controller] } ?? "\(record.controller)"
            guard choice.controller == nil || choice.controller == name,
                let packet = PacketDescription(record.kind, octets), !isRepetition(packet)
            else { continue }
            announce(.packet(packet))
            line(record.instant, choice.controller == nil ? "hci \(name)" : "hci", paint(packet.line, .packet))
        }
    }

    private func isRepetition(_ packet: PacketDescription) -> Bool {
        guard choice.isBrief else { return false }
        guard packet.name == PacketDescription.advertisingReport else { return packet.isReceipt }
        return state.withLock { state in
            guard state.reports.count < Self.maximumReports else { return true }
            return !state.reports.insert(packet.octets).inserted
        }
    }

    private func line(_ instant: Instant, _ who: String, _ what: TerminalLine) {
        let width = choice.packets && choice.controller == nil ? 12 : 8
        say("\(paint("\(instant)", .quiet))  \("\(who) ".padded(to: width))\(what)")
    }
}

extension Paint {
    /// An update of the client, with its heart rate highlighted.
    package func callAsFunction(_ update: SensorCollector.Update) -> TerminalLine {
        let text = update.text
        switch update.content {
        case .heartRate, .measurementTally:
            let rate = text.prefix { $0 != "," }
            return "\(self(rate, .heart))\(text.dropFirst(rate.count))"
        case .state: return self(text, .state)
        case .cleared, .error: return self(text, .warning)
        default: return TerminalLine(text)
        }
    }
}

extension RunListener {
    /// For a command that prints what `narrator` prints, and results.
    package init(_ narrator: Narrator?) {
        self.init()
        isGone = { Console.interruption != nil }
        guard let narrator else { return }
        events = { narrator.take($0, in: $1) }
        if narrator.printsPackets { packets = { narrator.take($0) } }
    }
}
