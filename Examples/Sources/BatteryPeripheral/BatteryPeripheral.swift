import Basics
import Battery
import HCI
import LEHost
import Sockets

/// Advertises and serves a battery, with a controller at the other end of a TCP connection.
public actor BatteryPeripheral {
    public nonisolated let loop: EventLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let transport: H4Transport
    private var pool = PacketPool()
    private var battery = Battery(level: 87)
    private var host: Host

    public init(controller: StreamAddress, on loop: EventLoop) throws {
        self.loop = loop
        transport = H4Transport(try StreamConnection(to: controller, on: loop))
        host = Host(table: try Battery.table())
    }

    /// Connects to the controller.
    public func start() { transport.start { event in self.assumeIsolated { $0.handle(event) } } }

    public func close() { transport.close() }

    private func handle(_ event: H4Transport.Event) {
        switch event {
        case .opened:
            step(.command(.start))
            let interval = AdvertisingParameters(minimumInterval: 160, maximumInterval: 160)  // 100 ms
            let data: [UInt8] = [2, 0x01, 0x06, 3, 0x03, 0x0F, 0x18]  // Flags; Battery Service
            step(.command(.advertise(interval, data: data, scanResponse: [])))
        case .received(let packets):
            for packet in packets { step(.received(packet.kind, pool.take(packet.octets))) }
        case .failed: break  // the transport is closed
        }
    }

    private func step(_ input: Host.Input) {
        var outputs: [Host.Output] = []
        host.step(input, values: &battery, at: loop.now, pool: &pool, into: &outputs)
        for output in outputs {
            switch output {
            case .send(let kind, let packet):
                transport.send(kind, pool.octets(of: packet))
                pool.release(packet)
            case .wake(let instant): loop.call(at: instant) { self.assumeIsolated { $0.step(.timePassed) } }
            case .notified(_, _, let packet), .indicated(_, _, let packet): pool.release(packet)
            default: break  // for example .connected and .disconnected
            }
        }
    }
}
