import Basics
import Bluetooth

/// The lines about a client's state, which Lubdub requests of every client: `{"state": "connected", "peer": "…"}`.
package enum StateLine {
    /// The line for a program's request; nil for requests without one.
    package static func text(for request: ProgramRequest) -> String? {
        if case .central(let request) = request { text(for: request) } else { nil }
    }

    /// The line for an event that a program receives; nil for events without one.
    package static func text(for event: ProgramEvent) -> String? {
        if case .central(let event) = event { text(for: event) } else { nil }
    }

    private static func text(for request: CentralRequest) -> String? {
        switch request {
        case .scan: line("scanning", nil)
        case .connect(let peer, _): line("connecting", peer)
        default: nil
        }
    }

    private static func text(for event: CentralEvent) -> String? {
        switch event {
        case .connected(let peer, _): line("connected", peer)
        case .finished(_, let peer, .success(.notifying(true))): line("subscribed", peer)
        case .disconnected(let peer, _, _): line("disconnected", peer)
        default: nil
        }
    }

    private static func line(_ state: String, _ peer: DeviceAddress?) -> String {
        "{\"state\": \(state.quoted)" + (peer.map { ", \"peer\": \("\($0)".quoted)" } ?? "") + "}"
    }
}
