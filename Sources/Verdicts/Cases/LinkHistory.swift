import Basics
import Bluetooth
import HCI
import ScenarioModel

/// The links of the clients of a run, with the parameters that decide when a lost one is noticed.
struct LinkHistory: Sendable {
    private struct Link: Sendable {
        let controller: UInt16
        let handle: UInt16
        let begin: Instant
        var timing: ConnectionTiming
        /// When its loss was reported: Connection Timeout.
        var loss: Instant?
    }

    private static let maximumLinks = 256

    private var links: [Link] = []

    /// Takes a packet of a client's controller.
    mutating func take(_ record: PacketRecord, _ octets: ArraySlice<UInt8>) {
        guard record.kind == .event, let event = try? HCI.Event(octets: Array(octets)) else { return }
        switch event {
        case HCI.Event.leConnectionComplete:
            guard let (status, complete) = try? HCI.Event.leConnectionComplete.parameters(of: event) else { return }
            if status == .success { add(complete, record) }
        case HCI.Event.leEnhancedConnectionComplete:
            guard let (status, complete) = try? HCI.Event.leEnhancedConnectionComplete.parameters(of: event) else {
                return
            }
            if status == .success { add(complete.connection, record) }
        case HCI.Event.leConnectionUpdateComplete:
            guard let (status, handle, timing) = try? HCI.Event.leConnectionUpdateComplete.parameters(of: event),
                status == .success, let place = place(of: handle, record)
            else { return }
            links[place].timing = timing
        case HCI.Event.disconnectionComplete:
            guard let (_, handle, reason) = try? HCI.Event.disconnectionComplete.parameters(of: event),
                reason == .connectionTimeout, let place = place(of: handle, record)
            else { return }
            links[place].loss = record.instant
        default: break
        }
    }

    /// How long the silence of a lost link is normal, for the last link before an instant; nil without one.
    func explanation(at instant: Instant) -> String? {
        guard let link = links.last(where: { $0.begin <= instant }) else { return nil }
        let timeout = Duration.milliseconds(10 * Int(link.timing.supervisionTimeout))
        let interval = Duration.microseconds(1250 * Int(link.timing.interval))
        let end = timeout + interval * (1 + Int(link.timing.latency))
        let loss = link.loss.map { "; the client's controller reported the loss at \($0) s" } ?? ""
        return
            "the link's supervision timeout was \(timeout.inMilliseconds) (interval \(interval.inMilliseconds), latency "
            + "\(link.timing.latency)), so \(timeout.inTenths) to \(end.inTenths) s of silence are normal before a client notices "
            + "that the link is lost\(loss)"
    }

    private mutating func add(_ complete: ConnectionComplete, _ record: PacketRecord) {
        if links.count == Self.maximumLinks { links.removeFirst(Self.maximumLinks / 2) }
        links.append(
            Link(controller: record.controller, handle: complete.handle, begin: record.instant, timing: complete.timing)
        )
    }

    private func place(of handle: UInt16, _ record: PacketRecord) -> Int? {
        links.lastIndex { $0.controller == record.controller && $0.handle == handle }
    }
}

extension Duration {
    fileprivate var inMilliseconds: String { "\(inNanoseconds / 1_000_000) ms" }
}
