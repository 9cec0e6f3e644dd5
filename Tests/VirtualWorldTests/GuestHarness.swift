import Basics
import HCI
import VirtualWorld

/// A world with external hosts, which send literal octets and record what they receive.
struct GuestHarness {
    /// A packet that an external host received, and when.
    struct Told {
        let at: Instant
        let controller: Int
        let kind: PacketKind
        let octets: [UInt8]
    }

    var world: World
    private(set) var told: [Told] = []

    init(_ play: TestScenario) throws {
        world = try World(play.scenario, seed: 1)
        world.start()
    }

    mutating func command(_ hex: String, by controller: Int) {
        let octets = hex.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        world.receive(.command, octets[...], fromGuest: controller, at: world.now)
        run(until: world.now)
    }

    mutating func run(until limit: Instant) {
        repeat {
            let outputs = world.outbox
            world.outbox.removeAll()
            for case .toGuest(let controller, let kind, let packet) in outputs {
                let octets = world.pool.octets(of: packet)
                told.append(Told(at: world.now, controller: controller, kind: kind, octets: octets))
                world.pool.release(packet)
            }
        } while world.runNext(until: limit)
        world.run(until: limit)
    }

    /// Events of LE Meta with this subevent code.
    func meta(_ subevent: UInt8) -> [Told] {
        told.filter { $0.octets.first == 0x3E && $0.octets.dropFirst(2).first == subevent }
    }
}
