import Arguments
import BlueZ
import Bluetooth
import Checks
import DBus
import GATT
import LEHost
import Octets
import Simulation

/// A central by bluetoothd, which has the radio, the links and the client of each.
final class BlueZRadio: LiveRadio {
    private enum Happening: Sendable {
        case opened(Result<Connection, CommandFailure>)
        case told(CentralHost.Event)
        case busIsGone
        case stopped(HostFailure?)
    }

    let time: RealTime
    var said = Said()
    private let inbox = Inbox<Happening>()
    private var bus: Result<Connection, CommandFailure>?
    private var host: CentralHost?
    private var pool = PacketPool()
    private var isClosed = false

    /// So long a bus may take to let us in, and bluetoothd to answer what it is asked first.
    private static let patience = Duration.seconds(30)
    /// bluetoothd ends a link within 2 s, and tells so.
    private static let farewell = Duration.seconds(4)

    /// Opens a bus and has bluetoothd start; an adapter that is not named is the first.  It may be over when this returns.
    init(_ adapter: String?, _ time: RealTime, bus: BusAddress = .system) throws(CommandFailure) {
        self.time = time
        open(bus)
        wait { self.bus != nil }
        guard let connection = try self.bus?.get() else { return }
        start(adapter, over: connection)
        wait { !said.isEmpty }
        guard said.isEmpty else { return }
        close()
        if case .failure(let why)? = time.reason { throw CommandFailure(.environment, "lubdub: \(why)") }
        guard !isOver else { return }
        throw CommandFailure(
            .environment, "lubdub: bluetoothd did not start within \(Self.patience.components.seconds) s: restart it")
    }

    private var connection: Connection? { if case .success(let connection)? = bus { connection } else { nil } }

    private func wait(_ isSo: () -> Bool) {
        _ = time.play(until: time.now.advanced(by: Self.patience)) {
            settle()
            return isSo()
        }
    }

    private func open(_ address: BusAddress) {
        _ = time.loop.start { [inbox, loop = time.loop] in
            do throws(CommandFailure) {
                let connection = try await openBus(address, on: loop) { inbox.add(.busIsGone) }
                inbox.add(.opened(.success(connection)))
            } catch { inbox.add(.opened(.failure(error))) }
        }
    }

    private func start(_ adapter: String?, over connection: Connection) {
        let definition = CentralHost.Definition(adapter: adapter, services: [], sharesDevices: false)
        let host = CentralHost(definition, over: connection, on: time.loop) { [inbox] in inbox.add(.told($0)) }
        self.host = host
        command(.start)
    }

    func command(_ command: Host.Command) {
        host?.assumeIsolated { $0.perform(command) }
        settle()
    }

    func take(_ packet: Packet) -> [UInt8] {
        defer { pool.release(packet) }
        return pool.octets(of: packet)
    }

    func settle() {
        for happening in inbox.take() {
            switch happening {
            case .opened(let bus): self.bus = bus
            case .told(.failed(let failure)): time.end(.failure("\(failure)"))
            case .told(let event): event.output(in: &pool).map { say($0) }
            case .busIsGone: time.end(.failure("the bus has gone away"))
            case .stopped(let failure):
                isClosed = true
                if let failure { Console.complain("lubdub: \(failure)") }
            }
        }
    }

    private func say(_ output: Host.Output) {
        switch output {
        case .failed(let failure): time.end(.failure("\(failure)"))
        // It gives up later itself, so that this says nothing of the peripheral.
        case .finished(let id, let number, .failure(.bearerLost)):
            said.add(.finished(id, id: number, .failure(.unavailable("bluetoothd does not answer"))))
        default: said.add(output)
        }
    }

    func close() {
        if host != nil {
            command(.cancelConnecting)
            command(.stopScanning)
            time.finish(within: Self.farewell) {
                settle()
                return !said.hasLinks
            }
        }
        _ = time.loop.start { [inbox, host, connection] in
            let failure = await host?.stop()
            await connection?.close()
            inbox.add(.stopped(failure))
        }
        time.finish(within: Self.patience) {
            settle()
            return isClosed
        }
    }

    func isTaken(_ address: DeviceAddress) -> Bool { host?.assumeIsolated { $0.isTaken(address) } ?? false }

    func unsupportedReason(_ faculty: RadioFaculty) -> String? {
        switch faculty {
        case .advertisements: return "bluetoothd tells what is advertised and what it knows otherwise as one"
        case .untouchedConnections: return "bluetoothd exchanges the MTU and discovers everything by itself"
        case .packets: return "bluetoothd takes no PDUs from others"
        case .unconfirmedIndications: return "bluetoothd confirms each indication by itself"
        case .unwantedValues: return "bluetoothd tells no value that nobody is subscribed to"
        case .service(.genericAccess), .service(.genericAttribute):
            return "bluetoothd keeps Generic Access and Generic Attribute to itself"
        case .service: return nil
        case .lossOfLinks: return "bluetoothd ends each connection in good order"
        case .absenceOfBond:
            return host?.assumeIsolated({ $0.isPaired }) == true ? "this machine is paired with it" : nil
        }
    }
}

extension CentralHost.Event {
    /// What a host would say, with a value in a pool; nil where bluetoothd is of no use any more.
    func output(in pool: inout PacketPool) -> Host.Output? {
        switch self {
        case .output(let output): return output
        case .received(let id, let handle, let value, let isIndicated):
            let packet = pool.take(Array(value.prefix(PacketPool.capacity)))
            return isIndicated ? .indicated(id, handle: handle, packet) : .notified(id, handle: handle, packet)
        case .failed: return nil
        }
    }
}
