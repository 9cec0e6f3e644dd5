import Bluetooth
import Collector
import GATT
import HCI
import LEHost
import Octets
import Peripheral
import Simulation
import Sockets

/// A host above a controller that is reached by a stream, at the pace of an event loop, and the built-in client above it.
actor LiveHost {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var host: Host
    private var device: PeripheralDevice
    private var collector: SensorCollector
    private var pool = PacketPool()
    private var framer = H4Framer()
    private var connection: StreamConnection?
    private var hostOutbox: [Host.Output] = []
    private var collectorOutbox: [SensorCollector.Output] = []
    private var isBroken = false  // nothing comes through the stream any more
    private var hasStarted = false  // a controller that has worked may work again
    private var whenIdle: (@Sendable () -> Void)?
    private let address: StreamAddress
    private let tell: @Sendable (SensorCollector.Saying) -> Void
    private let fail: @Sendable (String) -> Void

    /// `tell` is called with what the client shows, `fail` when the controller is of no use at all, or out of reach; both
    /// on the loop.
    init(
        _ settings: SensorCollector.Settings, above address: StreamAddress, on loop: EventLoop,
        tell: @escaping @Sendable (SensorCollector.Saying) -> Void, fail: @escaping @Sendable (String) -> Void
    ) throws {
        (collector, self.address, self.loop) = (SensorCollector(settings), address, loop)
        (self.tell, self.fail) = (tell, fail)
        let definition = PeripheralDefinition(name: "Lubdub client", appearance: Appearance(0), services: [])
        device = try PeripheralDevice(definition, seed: RandomStream(seed: 0))
        host = Host(table: device.table)
    }

    /// Opens the stream and starts the host.
    func start() throws {
        let connection = try StreamConnection(to: address, on: loop)
        self.connection = connection
        connection.start { event in self.assumeIsolated { $0.happened(event) } }
    }

    /// Why the client has not been connected to anything so far; nil when it has.
    var missing: String? { collector.missing }

    /// Ends the link, so that the other side knows, and then the stream.  A controller that does not answer is waited
    /// for a second, or until a signal comes.
    func close(_ signals: Signals) async {
        collector.stop(at: loop.now, into: &collectorOutbox)
        let ending = Ending()
        if !isBroken { whenIdle = { ending.say(.time) } }
        settle()
        if whenIdle != nil { _ = await ending.wait(signals, on: loop, for: .seconds(1), heedsReader: false) }
        connection?.close()
    }

    private func happened(_ event: StreamConnection.Event) {
        switch event {
        case .opened: collector.start(at: loop.now, into: &collectorOutbox)
        case .received(let octets): received(octets)
        case .ended: broke("\(address): the controller has closed the stream")
        case .failed(let failure): broke(failure.description(at: address))
        }
        settle()
    }

    private func received(_ octets: [UInt8]) {
        framer.append(octets)
        do throws(H4Framer.Failure) {
            while let packet = try framer.next() {
                step(.received(packet.kind, pool.take(packet.octets)))
            }
        } catch {
            connection?.close()
            broke("\(address): the controller does not speak H4: \(error)")
        }
    }

    private func broke(_ why: String) {
        isBroken = true
        whenIdle?()
        fail(why)
    }

    private func timePassed() {
        step(.timePassed)
        collector.timePassed(at: loop.now, into: &collectorOutbox)
        settle()
    }

    private func step(_ input: Host.Input) {
        host.step(input, values: &device, at: loop.now, pool: &pool, into: &hostOutbox)
    }

    /// Takes messages between host, client and stream until there are none.
    private func settle() {
        while !hostOutbox.isEmpty || !collectorOutbox.isEmpty {
            let outputs = hostOutbox
            hostOutbox.removeAll(keepingCapacity: true)
            for output in outputs { hostSaid(output) }
            let wanted = collectorOutbox
            collectorOutbox.removeAll(keepingCapacity: true)
            for output in wanted {
                switch output {
                case .command(let command): step(.command(command))
                case .wake(let due): wake(at: due)
                case .said(let saying): tell(saying)
                }
            }
        }
        if collector.isIdle { whenIdle?() }
    }

    private func hostSaid(_ output: Host.Output) {
        switch output {
        case .send(let kind, let packet):
            connection?.send(H4Framer.octets(kind, pool.octets(of: packet)))
            pool.release(packet)
        case .wake(let due): wake(at: due)
        case .malformed(let packet): Console.complain("lubdub: \(address): \(packet)")
        case .failed(let failure) where !hasStarted: fail("\(address): \(failure)")
        default:
            if case .started = output { hasStarted = true }
            collector.step(output, at: loop.now, pool: &pool, into: &collectorOutbox)
        }
    }

    private func wake(at due: Instant) {
        loop.call(at: due) { self.assumeIsolated { $0.timePassed() } }
    }
}
