import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import VirtualRadio

/// Hosts above virtual controllers that share an air, on an event loop.
public actor VirtualAir {
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var airspace = Airspace(seed: RandomStream(seed: 1))
    private var pool = PacketPool()
    private var hosts: [Host] = []
    private var queue: [Airspace.Output] = []
    /// The advertising reports of all hosts.
    public private(set) var reports: [AdvertisingReport] = []

    public init(on loop: EventLoop) { self.loop = loop }

    /// Adds a controller with a host, starts it, and returns its number.
    public func addHost(_ address: DeviceAddress) -> Int {
        hosts.append(Host(table: AttributeTable()))
        let number = airspace.add(address: address)
        perform(.start, of: number)
        return number
    }

    public func perform(_ command: Host.Command, of host: Int) {
        step(.command(command), of: host)
        drain()
    }

    private func step(_ input: Host.Input, of number: Int) {
        var outputs: [Host.Output] = []
        var values = NoAttributeValues()
        hosts[number].step(input, values: &values, at: loop.now, pool: &pool, into: &outputs)
        for output in outputs {
            switch output {
            case .send(let kind, let packet):
                airspace.receive(kind, packet, by: number, at: loop.now, pool: &pool, into: &queue)
            case .wake(let instant): call(at: instant) { $0.step(.timePassed, of: number) }
            case .report(let report): reports.append(report)
            case .notified(_, _, let packet), .indicated(_, _, let packet): pool.release(packet)
            default: break
            }
        }
    }

    /// Carries out the airspace's outputs until there are none.
    private func drain() {
        while !queue.isEmpty {
            switch queue.removeFirst() {
            case .toHost(let number, let kind, let packet): step(.received(kind, packet), of: number)
            case .wake(let timer, let instant):
                call(at: instant) {
                    $0.airspace.timePassed(timer, at: $0.loop.now, pool: &$0.pool, into: &$0.queue)
                }
            }
        }
    }

    private func call(at instant: Instant, _ action: @escaping @Sendable (isolated VirtualAir) -> Void) {
        loop.call(at: instant) {
            self.assumeIsolated { air in
                action(air)
                air.drain()
            }
        }
    }
}
