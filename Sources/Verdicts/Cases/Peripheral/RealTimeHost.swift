package import Basics
package import Bluetooth
import Checks
package import DBus
package import Drivers
import GATT
import Glibc
package import LEHost
import Linux
package import ScenarioModel
package import SecurityManager
import Sockets

/// A central host in real time, whose peripheral cannot be controlled.
package final class RealTimeHost: ExaminerHost {
    /// The time that passes while a check waits.
    package let time: RealTime

    private var central: any LiveCentralHost
    private var outputs: [Host.Output] = []
    private var started: Host.Output?
    private var links = 0
    /// The connections that it has made.
    package private(set) var connections = 0
    private var warnings = HostWarnings()
    /// Its bonds, and the passkey that the peripheral displays.
    package var security = ExaminerSecurity { _, _, _ in nil }

    /// How long bluetoothd may take to start, and to restore the adapter.
    private static let timeout = Duration.seconds(30)

    package init(_ central: any LiveCentralHost, _ time: RealTime) { (self.central, self.time) = (central, time) }

    /// A host that bluetoothd provides, which has started; nil if the time is over before that.  An adapter that is not
    /// named is the first one.
    package static func bluez(
        _ adapter: String?, _ time: RealTime, bus: BusAddress = .system
    ) throws(Obstacle) -> RealTimeHost? {
        let loop = time.loop
        let opening = time.run(within: timeout) { () -> Result<BlueZCentralHost.Bus, Obstacle> in
            do throws(Obstacle) { return .success(try await BlueZCentralHost.Bus(bus, on: loop)) } catch {
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
        case .failure(let reason)?: throw Obstacle(.environment, reason)
        case nil:
            throw Obstacle(
                .environment, "bluetoothd did not start within \(timeout.components.seconds) s: restart it")
        default: return nil
        }
    }

    package var pool: PacketPool {
        get { central.pool }
        _modify { yield &central.pool }
    }
    package var now: Instant { time.now }
    package var simulated: (scenario: Scenario, device: Int)? { nil }
    package var isOver: Bool { time.reason != nil }
    /// 10 ms, so that requests take less time.
    package var connectionInterval: UInt16 { 0x08 }

    /// Why the radio cannot be used, as a message; nil once it works.
    package var trouble: String? { central.failure ?? central.silence }

    package func start() {
        time.forgetStalls()
        if let started { outputs.append(started) } else { perform(.start) }
    }

    package func perform(_ command: Host.Command) {
        central.perform(command)
        settle()
    }

    package func inject(_ fault: Host.Fault) throws(UnsupportedFault) {
        try central.inject(fault)
        settle()
    }

    package func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        for output in outputs { handle(output, &central.pool) }
        outputs.clear()
    }

    package func play(until limit: Instant) -> Bool {
        time.play(until: limit) {
            settle()
            return !outputs.isEmpty
        }
    }

    package func stall(since begin: Instant) -> Duration { time.stall(since: begin) }
    package func act(_ action: Action, for duration: Duration?) -> Bool { false }
    package var bondAddress: DeviceAddress? { security.address }
    package func bond(with address: DeviceAddress) -> Bond? { security.bond(with: address) }
    package func keepsBond(isAuthenticated: Bool) -> Bool { security.keepsBond(isAuthenticated: isAuthenticated) }
    package func keep(_ bond: Bond, under address: DeviceAddress) { security.keep(bond, under: address) }

    package func displayedPasskey() -> UInt32? {
        let first = links
        return security.passkey(in: time) {
            settle()
            return links < first
        }
    }

    package func unsupportedReason(for capability: CentralCapability) -> String? {
        central.unsupportedReason(for: capability)
    }

    /// Whether another program of this machine is connected to a device.
    package func isTaken(_ address: DeviceAddress) -> Bool { central.isTaken(address) }

    /// Ends what the host does, and releases the radio.
    package func close() {
        if central.failure == nil {
            perform(.cancelConnecting)
            perform(.stopScanning)
            time.finish(within: central.disconnectTimeout) {
                settle()
                return links == 0
            }
        }
        let close = central.close
        if let problem = time.run(within: Self.timeout, evenIfOver: true, close) ?? nil { Notices.warn(problem) }
    }

    private func settle() {
        let first = outputs.count
        central.drain(into: &outputs)
        for index in first..<outputs.count { handle(&outputs[index]) }
        if let failure = central.failure { time.end(.failure(failure)) }
    }

    private func handle(_ output: inout Host.Output) {
        if let text = warnings.warning(for: output) { Notices.warn("\(central): \(text)") }
        switch output {
        case .started: started = output
        case .connected: (links, connections) = (links + 1, connections + 1)
        case .disconnected: links -= 1
        case .failed(let failure): time.end(.failure("\(central): \(failure)"))
        // The timeout of bluetoothd is longer than that of ATT, so it proves nothing about the peripheral.
        case .finished(let id, let number, .failure(.bearerLost)) where central is BlueZCentralHost:
            output = .finished(id, id: number, .failure(.unavailable("bluetoothd does not respond")))
        default: break
        }
    }
}
