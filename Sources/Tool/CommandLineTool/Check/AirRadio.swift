import Checks
import CommandSupport
import LEHost
import Octets
import Simulation
import Sockets
import VirtualWorld

/// A central in an air of our own in real time, into which the peripheral comes by a controller that we offer.
final class AirRadio: LiveRadio {
    let time: RealTime
    private let air: LiveWorld
    private let node: Int
    private let inbox = Inbox<Host.Output>()
    var said = Said()

    /// Begins the air of a world without devices, in which `node` is the examining client, and offers controllers; the
    /// addresses that they are reached at.
    init(_ air: LiveWorld, node: Int, _ time: RealTime, offering addresses: [StreamAddress]) throws {
        (self.air, self.node, self.time) = (air, node, time)
        for address in addresses {
            let offered = try air.assumeIsolated { try $0.offer(address) }
            Console.print("controller \(offered)")
        }
        air.assumeIsolated { [inbox] air in
            air.tellClient { inbox.add($0) }
            air.start()
        }
    }

    func command(_ command: Host.Command) {
        let node = node
        visit { $0.command(command, of: node) }
    }

    func take(_ packet: Packet) -> [UInt8] {
        visit { world in
            defer { world.pool.release(packet) }
            return world.pool.octets(of: packet)
        }
    }

    func close() {
        command(.cancelConnecting)
        command(.stopScanning)
        time.finish(within: .seconds(1)) {
            settle()
            return !said.hasLinks
        }
    }

    func settle() {
        for output in inbox.take() {
            if case .failed(let failure) = output { time.end(.failure("\(failure)")) }
            said.add(output)
        }
    }

    private func visit<Answer: Sendable>(_ visit: @Sendable (inout World) -> Answer) -> Answer {
        defer { settle() }
        return air.assumeIsolated { air in air.visit { world, _ in visit(&world) } }
    }
}
