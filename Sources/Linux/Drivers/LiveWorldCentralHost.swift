package import CommandSupport
package import EventLog
package import LEHost
package import Octets
import Scenarios
package import Simulation
package import Sockets
import VirtualWorld

/// The host of a client in a live world without devices, where an external peripheral uses a virtual controller.
package final class LiveWorldCentralHost: LiveCentralHost {
    package let offered: [StreamAddress]
    package var pool = PacketPool()

    private let air: LiveWorld
    private let node: Int
    private let inbox = Inbox<Host.Output>()

    /// Offers controllers, and logs the packets of the client's host as those of controller 0.
    package init(offering addresses: [StreamAddress], on loop: EventLoop, log: PacketLog) throws(CommandFailure) {
        (air, node, offered) = try orFail {
            var world = try World(.empty, seed: 1)
            world.packets = log
            let node = try world.addClient(at: .start)
            let air = LiveWorld(world, on: loop, RunCompletion(), .quiet) { world in
                world.packets.flush()
                return true
            }
            let offered = try addresses.map { address in try air.assumeIsolated { try $0.offer(address) } }
            return (air, node, offered)
        }
        air.assumeIsolated { [inbox] air in
            air.handleClientOutputs { inbox.add($0) }
            air.start()
        }
    }

    /// Where the peripheral's host finds a controller.
    package var description: String { offered.map { "\($0)" }.joined(separator: ", ") }
    /// A virtual controller does not fail.
    package var failure: String? { nil }
    /// The world ends a link within a few connection intervals.
    package var disconnectTimeout: Duration { .seconds(1) }
    package var close: @Sendable () async -> String? { { nil } }

    package func perform(_ command: Host.Command) {
        let node = node
        visit { $0.command(command, of: node) }
    }

    /// Moves the packets from the world's pool into that of the host.
    package func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        for var output in inbox.take() {
            switch output {
            case .notified(let id, let handle, let packet): output = .notified(id, handle: handle, moved(packet))
            case .indicated(let id, let handle, let packet): output = .indicated(id, handle: handle, moved(packet))
            default: break
            }
            handle(output, &pool)
        }
    }

    private func moved(_ packet: Packet) -> Packet {
        pool.take(
            visit { world in
                defer { world.pool.release(packet) }
                return world.pool.octets(of: packet)
            })
    }

    private func visit<Answer: Sendable>(_ body: @Sendable (inout World) -> Answer) -> Answer {
        air.assumeIsolated { air in air.visit { world, _ in body(&world) } }
    }
}
