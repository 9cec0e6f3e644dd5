import Arguments
import Bluetooth
import Collector
import EventLog
import Octets
import Simulation
import Spelling
import Synchronization

/// Tells people what happens, line by line: an instant, who, and what.
final class Narrator: Sendable {
    /// What is told.
    struct Choice: Sendable {
        /// Which events; nil for all but what a client said.
        var events: Set<EventName>?
        /// Whether the packets between hosts and controllers are told.
        var packets = false
        /// Whether the packets that say nothing new are left out: receipts, and advertisements heard before.
        var isBrief = false
        /// Whose packets are told, by the name that the log has for the controller; nil for everybody's.
        var controller: String?
    }

    /// What is about to be told.
    enum News {
        case packet(PacketWording)
        /// Of a thing, as the log names it.
        case event(EventName, of: String?)
    }

    private struct State {
        var names: [UInt16: String] = [:]
        var reports: Set<ArraySlice<UInt8>> = []
    }

    private static let widestName = 34
    private static let mostOctets = 16
    private static let mostReports = 1000  // that are remembered

    private let choice: Choice
    private let paint: Paint
    private let say: @Sendable (String) -> Void
    private let announce: @Sendable (News) -> Void
    private let state = Mutex(State())

    /// Each line goes to `say`; before that, `announce` is called with what it is about.
    init(
        _ choice: Choice, _ paint: Paint, say: @escaping @Sendable (String) -> Void,
        announce: @escaping @Sendable (News) -> Void = { _ in }
    ) {
        (self.choice, self.paint, self.say, self.announce) = (choice, paint, say, announce)
    }

    /// What commands tell that play devices: nothing, who came and went, or everything.
    convenience init?(_ verbosity: Verbosity, _ paint: Paint, say: @escaping @Sendable (String) -> Void) {
        switch verbosity {
        case .quiet: return nil
        case .normal: self.init(Choice(events: Self.main), paint, say: say)
        case .verbose: self.init(Choice(packets: true), paint, say: say)
        }
    }

    /// What commands tell, on standard error, that print what a client shows: everything if `--verbose`, or nothing.
    convenience init?(ifVerbose invocation: Invocation) throws(CommandFailure) {
        guard try Verbosity(invocation) == .verbose else { return nil }
        self.init(.verbose, try Paint(invocation, for: 2), say: Console.complain)
    }

    private static let main: Set<EventName> = [
        .advertising, .connected, .disconnected, .encrypted, .paired, .pairingFailed, .subscribed, .unsubscribed,
        .refused, .saturated, .began,
        .ended,
    ]

    /// Whether it is worth while to keep packets for it.
    var tellsPackets: Bool { choice.packets }

    /// Tells what a client shows.
    func said(_ saying: SensorCollector.Saying, at instant: Instant) { line(instant, "client", paint(saying)) }

    /// Tells what happened, if it was asked for.
    func happened(_ chunk: EventChunk, in wording: ValueFormatter) {
        for record in chunk.records(where: { choice.events?.contains($0) ?? true }, in: wording) {
            let (who, what) = Self.words(record)
            announce(.event(record.event, of: record.entity))
            line(record.instant, who, what)
        }
    }

    /// Who did something, and what, as the scenario names it: `strap`, `battery read 87`.
    static func words(_ record: EventRecord) -> (who: String, what: String) {
        let entity = (record.entity ?? "lubdub").split(separator: "/", maxSplits: 1).map(String.init)
        if let rule = record.rule, rule != record.entity { return ("script", words(record, by: rule)) }
        let isRule = record.event == .began || record.event == .ended
        var words = isRule ? entity : Array(entity.dropFirst())
        words += record.event.rawValue.split(separator: "_").map(String.init)
        words += [record.value ?? record.octets?.hex].compactMap { $0 }
        switch record.event {
        case .connecting: words += record.peer.map { ["to", $0.description] } ?? []
        case .connected: words += ["to", record.peer?.description ?? "somebody"]
        case .disconnected: words += ["from", record.peer?.description ?? "somebody"]
        case .subscribed, .unsubscribed: words += record.peer.map { ["by", $0.description] } ?? []
        default: break
        }
        let why = [record.reason, record.error].compactMap { $0 }.joined(separator: ", ")
        return (
            isRule ? "script" : entity.first ?? "lubdub",
            words.joined(separator: " ") + (why.isEmpty ? "" : ": \(why)")
        )
    }

    /// What somebody outside does: `key c began on strap/heart_rate/contact: false`.
    private static func words(_ record: EventRecord, by rule: String) -> String {
        let place = record.entity.map { " on \($0)" } ?? ""
        return "\(rule) \(record.event)\(place)" + (record.value.map { ": \($0)" } ?? "")
    }

    /// Tells packets, if they were asked for.
    func passed(_ chunk: PacketChunk) {
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
                let packet = PacketWording(record.kind, octets), !isOldNews(packet)
            else { continue }
            announce(.packet(packet))
            line(record.instant, choice.controller == nil ? "hci \(name)" : "hci", paint(Self.words(packet), .packet))
        }
    }

    /// An arrow that points from the host to the controller or back, the packet's name, and its octets.
    static func words(_ packet: PacketWording) -> String {
        let shown = Array(packet.octets.prefix(mostOctets)).hex + (packet.octets.count > mostOctets ? " ..." : "")
        guard !shown.isEmpty else { return "\(packet.isFromHost ? "->" : "<-") \(packet.name)" }
        return "\(packet.isFromHost ? "->" : "<-") \("\(packet.name) ".padded(to: widestName))\(shown)"
    }

    private func isOldNews(_ packet: PacketWording) -> Bool {
        guard choice.isBrief else { return false }
        guard packet.name == PacketWording.advertisingReport else { return packet.isReceipt }
        return state.withLock { state in
            guard state.reports.count < Self.mostReports else { return true }
            return !state.reports.insert(packet.octets).inserted
        }
    }

    private func line(_ instant: Instant, _ who: String, _ what: String) {
        let width = choice.packets && choice.controller == nil ? 12 : 8
        say("\(paint("\(instant)", .quiet))  \("\(who) ".padded(to: width))\(what)")
    }
}
