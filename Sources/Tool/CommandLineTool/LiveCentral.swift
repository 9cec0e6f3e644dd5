import Arguments
import BlueZ
import Collector
import DBus
import LEHost
import Octets
import Simulation

/// A client of a device, above one radio, at the pace of an event loop.
protocol LiveClient: Actor {
    /// Why the client has not been connected to anything so far; nil when it has.
    var missing: String? { get }

    /// Ends the link, so that the other side knows, and lets the radio go.
    func close(_ signals: Signals) async
}

extension LiveHost: LiveClient {}

/// The built-in client above bluetoothd, which has the radio and the links.
actor LiveCentral: LiveClient {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var host: CentralHost?
    private var connection: Connection?
    private var collector: SensorCollector
    private var pool = PacketPool()
    private var outbox: [SensorCollector.Output] = []
    private var events: [CentralHost.Event] = []
    private var isSettling = false
    private var isBroken = false  // bluetoothd does nothing for us any more
    private var whenIdle: (@Sendable () -> Void)?
    private let tell: @Sendable (SensorCollector.Saying) -> Void
    private let fail: @Sendable (String) -> Void
    /// bluetoothd gives a link up within 2 s, and tells so.
    private static let patience = Duration.seconds(4)

    /// `tell` is called with what the client shows, `fail` when bluetoothd can do nothing for it; both on the loop.
    init(
        _ settings: SensorCollector.Settings, on loop: EventLoop,
        tell: @escaping @Sendable (SensorCollector.Saying) -> Void, fail: @escaping @Sendable (String) -> Void
    ) {
        var settings = settings
        settings.exchangesMTU = false  // bluetoothd does that
        // The kernel hears the device once more before it connects, and listens half of the time; who does not wait for it
        // may leave a link behind that nobody has.
        settings.connectPatience = settings.connectTimeout
        (collector, self.loop, self.tell, self.fail) = (SensorCollector(settings), loop, tell, fail)
    }

    /// Asks for the system bus and starts the client; an adapter that is not named is the first.
    func start(_ adapter: String?) async throws(CommandFailure) {
        let connection = try await openBus(on: loop) { [weak self] in
            self?.assumeIsolated { $0.broke("the bus has gone away") }
        }
        let settings = collector.settings
        let services = settings.choice == .strongest ? settings.services : []
        let host = CentralHost(
            CentralHost.Definition(adapter: adapter, services: services, sharesDevices: true), over: connection,
            on: loop
        ) { [weak self] event in self?.assumeIsolated { $0.happened(event) } }
        (self.connection, self.host) = (connection, host)
        collector.start(at: loop.now, into: &outbox)
        settle()
    }

    var missing: String? { collector.missing }

    /// A bluetoothd that does not answer is waited for some seconds, or until a signal comes.
    func close(_ signals: Signals) async {
        collector.stop(at: loop.now, into: &outbox)
        let ending = Ending()
        if !isBroken { whenIdle = { ending.say(.time) } }
        settle()
        if whenIdle != nil, !collector.isIdle {
            _ = await ending.wait(signals, on: loop, for: Self.patience, heedsReader: false)
        }
        if let failure = await host?.stop() { Console.complain("lubdub: \(failure)") }
        await connection?.close()
    }

    private func happened(_ event: CentralHost.Event) {
        events.append(event)
        settle()
    }

    private func broke(_ why: String) {
        isBroken = true
        whenIdle?()
        fail(why)
    }

    private func timePassed() {
        collector.timePassed(at: loop.now, into: &outbox)
        settle()
    }

    /// Takes messages between bluetoothd and client until there are none, in their order.
    private func settle() {
        guard !isSettling else { return }
        isSettling = true
        while !events.isEmpty || !outbox.isEmpty {
            let told = events
            events.removeAll(keepingCapacity: true)
            for event in told { take(event) }
            let wanted = outbox
            outbox.removeAll(keepingCapacity: true)
            for output in wanted { perform(output) }
        }
        isSettling = false
        if collector.isIdle { whenIdle?() }
    }

    private func take(_ event: CentralHost.Event) {
        if case .failed(let failure) = event { return broke("\(failure)") }
        guard let output = event.output(in: &pool) else { return }
        collector.step(output, at: loop.now, pool: &pool, into: &outbox)
    }

    private func perform(_ output: SensorCollector.Output) {
        switch output {
        case .command(let command): host?.assumeIsolated { $0.perform(command) }
        case .wake(let due): loop.call(at: due) { [weak self] in self?.assumeIsolated { $0.timePassed() } }
        case .said(let saying): tell(saying)
        }
    }
}

/// Connects to the bus where bluetoothd is; `gone` is called when the bus goes away.
func openBus(
    _ address: BusAddress = .system, on loop: EventLoop, gone: @escaping @Sendable () -> Void
) async throws(CommandFailure) -> Connection {
    do throws(ConnectionFailure) {
        return try await Connection.open(address, on: loop, whenDisconnected: gone)
    } catch {
        let mend =
            address.environmentVariable.map { "it is named by \($0): unset that for the usual one" }
            ?? "install and start it: apt-get install dbus bluez"
        throw CommandFailure(.environment, "lubdub: \(error); \(mend)")
    }
}
