import ATT
import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import Sockets
import VirtualRadio

/// A virtual controller that a host reaches by TCP, and a central in the same air that reads a value from that host.
actor TCPController {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private var airspace = Airspace(seed: RandomStream(seed: 1))
    private var pool = PacketPool()
    private var queue: [Airspace.Output] = []
    private var listener: StreamListener?
    private var connection: StreamConnection?
    private var framer = H4Framer()
    private var central = Host(table: AttributeTable())
    private let (controller, centralController): (Int, Int)
    private let characteristic: UUID
    private let didRead: @Sendable (Result<[UInt8], Procedure.Failure>) -> Void

    /// `didRead` is called when the central has read the first characteristic with this UUID.
    init(
        on loop: EventLoop, reading characteristic: UUID,
        didRead: @escaping @Sendable (Result<[UInt8], Procedure.Failure>) -> Void
    ) {
        (self.loop, self.characteristic, self.didRead) = (loop, characteristic, didRead)
        controller = airspace.add(address: DeviceAddress(0x1111_1111_1111, .public))
        centralController = airspace.add(address: DeviceAddress(0x2222_2222_2222, .public))
    }

    /// Listens at a free port, and returns the address.
    func listen() throws -> StreamAddress {
        let listener = try StreamListener(at: .tcp(host: "127.0.0.1", port: 0), on: loop) { connection in
            self.assumeIsolated { $0.accept(connection) }
        }
        self.listener = listener
        return listener.address
    }

    func close() {
        listener?.close()
        connection?.close()
    }

    private func accept(_ connection: StreamConnection) {
        self.connection = connection
        connection.start { event in
            guard case .received(let octets) = event else { return }
            self.assumeIsolated { $0.receive(octets) }
        }
        perform(.start)
        perform(.scan(ScanParameters(isActive: false, interval: 0x60, window: 0x60), filterDuplicates: true))
    }

    private func receive(_ octets: [UInt8]) {
        framer.append(octets)
        while let packet = try? framer.next() {
            let octets = pool.take(packet.octets)
            airspace.receive(packet.kind, octets, by: controller, at: loop.now, pool: &pool, into: &queue)
        }
        drain()
    }

    private func drain() {
        while !queue.isEmpty {
            switch queue.removeFirst() {
            case .toHost(controller, let kind, let packet):
                connection?.send(H4Framer.octets(kind, pool.octets(of: packet)))
                pool.release(packet)
            case .toHost(_, let kind, let packet): step(.received(kind, packet))
            case .wake(let timer, let instant):
                call(at: instant) {
                    $0.airspace.timePassed(timer, at: $0.loop.now, pool: &$0.pool, into: &$0.queue)
                }
            }
        }
    }

    private func call(at instant: Instant, _ action: @escaping @Sendable (isolated TCPController) -> Void) {
        loop.call(at: instant) {
            self.assumeIsolated { controller in
                action(controller)
                controller.drain()
            }
        }
    }

    // MARK: The central

    private func perform(_ command: Host.Command) {
        step(.command(command))
        drain()
    }

    private func step(_ input: Host.Input) {
        var outputs: [Host.Output] = []
        var values = NoAttributeValues()
        central.step(input, values: &values, at: loop.now, pool: &pool, into: &outputs)
        for output in outputs { handle(output) }
    }

    private func handle(_ output: Host.Output) {
        switch output {
        case .send(let kind, let packet):
            airspace.receive(kind, packet, by: centralController, at: loop.now, pool: &pool, into: &queue)
        case .wake(let instant): call(at: instant) { $0.step(.timePassed) }
        case .report(let report):
            let parameters = ConnectionParameters(
                minimumInterval: 6, maximumInterval: 6, latency: 0, supervisionTimeout: 100)
            step(.command(.stopScanning))
            step(.command(.connect(ConnectionCreation(to: report.address, parameters: parameters), timeout: nil)))
        case .connected(let id, _): step(.command(.procedure(id, .readByUUID(characteristic, .all), id: 1)))
        case .finished(_, 1, .success(.values(let values))): didRead(.success(values.first?.value ?? []))
        case .finished(_, 1, .failure(let failure)): didRead(.failure(failure))
        case .notified(_, _, let packet), .indicated(_, _, let packet): pool.release(packet)
        default: break
        }
    }
}
