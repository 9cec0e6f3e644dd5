package import Basics
import Bluetooth

/// A line about a client's state, which Lubdub requests of every client: `{"state": "connected", "peer": "…"}`.
package struct StateLine: ValueWritable {
    private let state: String
    private let peer: DeviceAddress?

    /// The line for a program's request; nil for requests without one.
    package init?(_ request: ProgramRequest) {
        switch request {
        case .central(.scan): (state, peer) = ("scanning", nil)
        case .central(.connect(let peer, _)): (state, self.peer) = ("connecting", peer)
        default: return nil
        }
    }

    /// The line for an event that a program receives; nil for events without one.
    package init?(_ event: ProgramEvent) {
        switch event {
        case .central(.connected(let peer, _)): (state, self.peer) = ("connected", peer)
        case .central(.finished(_, let peer, .success(.notifying(true)))): (state, self.peer) = ("subscribed", peer)
        case .central(.disconnected(let peer, _, _)): (state, self.peer) = ("disconnected", peer)
        default: return nil
        }
    }

    package func write(into sink: inout some ValueSink) {
        sink.appendObject { sink in
            sink.append(member: "state", .string(state))
            if let peer { sink.append(member: "peer", .description(peer)) }
        }
    }
}
