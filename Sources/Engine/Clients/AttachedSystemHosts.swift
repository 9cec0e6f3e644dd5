package import Basics
import Bluetooth
import HCI
package import SystemBluetooth
package import VirtualWorld

/// Bluetooth services of operating systems in a world, each with its controller.
package struct AttachedSystemHosts: Participant {
    /// Receives an event for a program, at its instant.
    package typealias Reporting = @Sendable (ProgramID, ProgramEvent, inout World) -> Void

    private struct Attached: Sendable {
        var host: SystemHost
        let controller: Int
        let report: Reporting
        var wakes: [Instant] = []
        var outputs: [SystemHost.Output] = []

        mutating func step(_ input: SystemHost.Input, at now: Instant) { host.step(input, at: now, into: &outputs) }
    }

    private var hosts: [Attached] = []

    package init() {}

    package var count: Int { hosts.count }

    /// Adds a host; returns its number. `report` receives the events of its programs.
    package mutating func add(_ host: SystemHost, to world: inout World, report: @escaping Reporting) -> Int {
        hosts.append(Attached(host: host, controller: world.addGuest(at: world.now), report: report))
        return hosts.count - 1
    }

    package var deadline: Instant { hosts.lazy.flatMap(\.wakes).min() ?? .never }

    package mutating func begin(in world: inout World) {}

    package mutating func timePassed(in world: inout World) {
        let now = world.now
        for host in hosts.indices where hosts[host].wakes.contains(where: { $0 <= now }) {
            hosts[host].wakes.removeAll { $0 <= now }
            hosts[host].step(.timePassed, at: now)
        }
    }

    /// Passes a request of a program to a host; `settle` follows.
    package mutating func request(_ request: ProgramRequest, of program: ProgramID, _ host: Int, at now: Instant) {
        hosts[host].step(.request(program, request), at: now)
    }

    package mutating func settle(in world: inout World) {
        guard !hosts.isEmpty else { return }
        repeat {
            for host in hosts.indices { handleOutputs(of: host, in: &world) }
            takeOutputs(of: &world)
        } while hosts.contains { !$0.outputs.isEmpty }
    }

    /// Takes the packets for the controllers of the hosts, and what happens to the hosts; leaves the others.
    private mutating func takeOutputs(of world: inout World) {
        var others: [World.Output] = []
        while let output = world.outbox.takeFirst() {
            if case .system(let fault, let peer, let isOn) = output, let trouble = SystemTrouble(fault, of: peer) {
                for host in hosts.indices { hosts[host].step(.trouble(trouble, isOn: isOn), at: world.now) }
                continue
            }
            guard case .toGuest(let controller, let kind, let packet) = output,
                let host = hosts.firstIndex(where: { $0.controller == controller })
            else {
                others.append(output)
                continue
            }
            let octets = world.pool.octets(of: packet)
            world.pool.release(packet)
            hosts[host].step(.received(kind, octets), at: world.now)
        }
        world.outbox.added += others
    }

    private mutating func handleOutputs(of host: Int, in world: inout World) {
        let outputs = hosts[host].outputs
        hosts[host].outputs.removeAll(keepingCapacity: true)
        for output in outputs {
            switch output {
            case .send(let kind, let octets):
                world.receive(kind, octets[...], fromGuest: hosts[host].controller, at: world.now)
            case .wake(let due): hosts[host].wakes.append(due)
            case .event(let program, let event): hosts[host].report(program, event, &world)
            }
        }
    }
}

extension Session<AttachedSystemHosts> {
    /// Adds a host; returns its number. `report` receives the events of its programs.
    package mutating func add(
        _ host: SystemHost, report: @escaping AttachedSystemHosts.Reporting
    ) -> Int { attached.add(host, to: &world, report: report) }

    /// Passes a request of a program to a host; `settle` follows.
    package mutating func request(_ request: ProgramRequest, of program: ProgramID, _ host: Int) {
        attached.request(request, of: program, host, at: world.now)
    }

    /// Plays what is due by `limit`, at most `budget` events, or instants of hosts, and subtracts their number. If the budget
    /// suffices, the present is `limit` afterwards; otherwise it is the instant of the last event.
    package mutating func run(until limit: Instant, budget: inout Int) {
        while attached.count > 0, budget > 0, advance(until: limit) {
            settle()
            budget -= 1
        }
        if budget > 0 { world.run(until: limit, budget: &budget) }
    }
}
