import Basics
import ScenarioModel

/// What was delivered to a client and what it printed, by the keys of its lines: what explains wrong, late and missing lines.
///
/// The memory is bounded: of a long run, only the later part explains.
package struct DisplayHistory: Sendable {
    /// A value that reached the client.
    struct Delivery: Sendable {
        let at: Instant
        /// The device's index.
        let device: Int
        /// As a client prints it under the key; nil for octets that cannot be decoded.
        let right: Datum?
    }

    /// A line with a value, or null, under the key.
    struct Line: Sendable {
        let at: Instant
        let value: Datum
        /// Nil if the line names none.
        let device: Int?
    }

    struct Display: Sendable {
        var deliveries: [Delivery] = []
        var lines: [Line] = []
    }

    private static let maximum = 4096

    /// The devices' ids.
    let names: [String]
    private let peers: [String]
    private(set) var displays: [String: Display] = [:]

    init(_ scenario: Scenario) {
        names = scenario.devices.map(\.id)
        peers = scenario.devices.map { "\($0.address)" }
    }

    mutating func deliver(_ right: Datum?, _ key: String, of device: Int, at now: Instant) {
        let delivery = Delivery(at: now, device: device, right: right)
        displays[key, default: Display()].deliveries.append(delivery, ofAtMost: Self.maximum)
    }

    /// Takes a line, without what it only implies.
    mutating func take(_ line: Datum, at now: Instant) {
        guard case .object(let members) = line else { return }
        let device = line["peer"].flatMap { peer in peers.firstIndex { .string($0) == peer } }
        // A client may print any keys.
        for member in members where displays[member.key] != nil || displays.count < 64 {
            let shown = Line(at: now, value: member.value, device: device)
            displays[member.key, default: Display()].lines.append(shown, ofAtMost: Self.maximum)
        }
    }
}

extension DisplayHistory.Display {
    /// The latest delivery before a line, of its device.
    func delivery(before line: DisplayHistory.Line) -> DisplayHistory.Delivery? {
        deliveries.last { $0.at <= line.at && (line.device == nil || line.device == $0.device) }
    }

    func lines(in span: ClosedRange<Instant>) -> [DisplayHistory.Line] { lines.filter { span.contains($0.at) } }

    func deliveries(in span: ClosedRange<Instant>) -> [DisplayHistory.Delivery] {
        deliveries.filter { span.contains($0.at) }
    }
}
