import Arguments
import Bluetooth
import Checks
import CommandSupport
import DBus
import Drivers
import GATT
import LEHost
import Octets
import Scenarios
import Simulation
import Sockets

/// A central host in real time, whose peripheral cannot be controlled.
final class RealTimeHost: ExaminerHost {
    /// The time that passes while a check waits.
    let time: RealTime

    private var central: any LiveCentralHost
    private var outputs: [Host.Output] = []
    private var started: Host.Output?
    private var links = 0
    private var warnings = HostWarnings()

    /// How long bluetoothd may take to start, and to restore the adapter.
    private static let timeout = Duration.seconds(30)

    init(_ central: any LiveCentralHost, _ time: RealTime) { (self.central, self.time) = (central, time) }

    /// A host that bluetoothd provides, which has started; nil if the time is over before that.  An adapter that is not
    /// named is the first one.
    static func bluez(
        _ adapter: String?, _ time: RealTime, bus: BusAddress = .system
    ) throws(CommandFailure) -> RealTimeHost? {
        let loop = time.loop
        let opening = time.run(within: timeout) { () -> Result<BlueZCentralHost.Bus, CommandFailure> in
            do throws(CommandFailure) { return .success(try await BlueZCentralHost.Bus(bus, on: loop)) } catch {
                return .failure(error)
            }
        }
        guard let bus = try opening?.get() else { return nil }
        let central = BlueZCentralHost(adapter, services: [], sharesDevices: false, over: bus, on: loop)
        let host = RealTimeHost(central, time)
        host.perform(.start)
        if host.play(until: time.now.advanced(by: timeout)) { return host }
        host.close()
        switch time.reason {
        case .failure(let reason)?: throw CommandFailure(.environment, reason)
        case nil:
            throw CommandFailure(
                .environment, "bluetoothd did not start within \(timeout.components.seconds) s: restart it")
        default: return nil
        }
    }

    var pool: PacketPool {
        get { central.pool }
        _modify { yield &central.pool }
    }
    var now: Instant { time.now }
    var simulated: (scenario: Scenario, device: Int)? { nil }
    var isOver: Bool { time.reason != nil }

    func start() {
        time.forgetStalls()
        if let started { outputs.append(started) } else { perform(.start) }
    }

    func perform(_ command: Host.Command) {
        central.perform(command)
        settle()
    }

    func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        for output in outputs { handle(output, &central.pool) }
        outputs.clear()
    }

    func play(until limit: Instant) -> Bool {
        time.play(until: limit) {
            settle()
            return !outputs.isEmpty
        }
    }

    func stall(since begin: Instant) -> Duration { time.stall(since: begin) }
    func act(_ action: Action, for duration: Duration?) -> Bool { false }

    func unsupportedReason(for capability: CentralCapability) -> String? {
        central.unsupportedReason(for: capability)
    }

    /// Whether another program of this machine is connected to a device.
    func isTaken(_ address: DeviceAddress) -> Bool { central.isTaken(address) }

    /// Ends what the host does, and releases the radio.
    func close() {
        if central.failure == nil {
            perform(.cancelConnecting)
            perform(.stopScanning)
            time.finish(within: central.disconnectTimeout) {
                settle()
                return links == 0
            }
        }
        let close = central.close
        if let problem = time.run(within: Self.timeout, evenIfOver: true, close) ?? nil { Console.warn(problem) }
    }

    private func settle() {
        let first = outputs.count
        central.drain(into: &outputs)
        for index in first..<outputs.count { handle(&outputs[index]) }
        if let failure = central.failure { time.end(.failure(failure)) }
    }

    private func handle(_ output: inout Host.Output) {
        if let text = warnings.warning(for: output) { Console.warn("\(central): \(text)") }
        switch output {
        case .started: started = output
        case .connected: links += 1
        case .disconnected: links -= 1
        case .failed(let failure): time.end(.failure("\(central): \(failure)"))
        // The timeout of bluetoothd is longer than that of ATT, so it proves nothing about the peripheral.
        case .finished(let id, let number, .failure(.bearerLost)) where central is BlueZCentralHost:
            output = .finished(id, id: number, .failure(.unavailable("bluetoothd does not respond")))
        default: break
        }
    }
}
