package import Basics
import BlueZ
package import Bluetooth
package import Clients
package import DBus
import GATT
package import LEHost

/// The host in the central role that bluetoothd provides.
package final class BlueZCentralHost: LiveCentralHost {
    fileprivate enum Input: Sendable {
        case event(CentralSession.Event)
        case busClosed
    }

    /// A connection to the message bus, for one host.
    package struct Bus: Sendable {
        fileprivate let connection: Connection
        fileprivate let inbox: Inbox<Input>

        /// Connects to a bus.  `notify` is called on the loop's thread, once a host is above the bus.
        package init(
            _ address: BusAddress = .system, on loop: EventLoop, notify: @escaping @Sendable () -> Void = {}
        ) async throws(Obstacle) {
            let inbox = Inbox<Input>(notify: notify)
            connection = try await openBus(address, on: loop) { inbox.add(.busClosed) }
            self.inbox = inbox
        }
    }

    /// Why the host is unusable; nil while it works.
    package private(set) var failure: String?
    package var pool = PacketPool()
    /// The adapter as `--radio` names it: `bluez:hci0`.
    package let description: String

    private let bus: Bus
    private let session: CentralSession

    /// A host above an adapter, by default the first one.  It reports devices that advertise one of `services`, or all if
    /// there are none.  If it `sharesDevices`, it may use connections of other programs.
    package init(_ adapter: String?, services: [UUID], sharesDevices: Bool, over bus: Bus, on loop: EventLoop) {
        self.bus = bus
        description = adapter.map { "bluez:\($0)" } ?? "bluez"
        session = CentralSession(
            CentralSession.Definition(adapter: adapter, services: services, sharesDevices: sharesDevices),
            over: bus.connection, on: loop
        ) { [inbox = bus.inbox] in inbox.add(.event($0)) }
    }

    /// bluetoothd ends a connection within 2 s, and then reports that.
    package var disconnectTimeout: Duration { .seconds(4) }

    /// Restores the adapter and closes the bus.
    package var close: @Sendable () async -> String? {
        { [session, bus] in
            let failure = await session.stop()
            await bus.connection.close()
            return failure.map { "\($0)" }
        }
    }

    package func perform(_ command: Host.Command) { session.assumeIsolated { $0.perform(command) } }

    /// bluetoothd's host has no faults of ours.
    package func inject(_ fault: Host.Fault) throws(UnsupportedFault) {
        throw UnsupportedFault(unsupportedReason(for: fault.capability) ?? "bluetoothd controls this")
    }

    /// Handles what bluetoothd reported.
    package func drain(_ handle: (Host.Output, inout PacketPool) -> Void) {
        for input in bus.inbox.take() {
            switch input {
            case .busClosed: fail("the bus has gone away")
            case .event(.failed(let failure)): fail("\(failure)")
            case .event(.output(let output)): handle(output, &pool)
            case .event(.received(let id, let attribute, let value, let isIndicated)):
                let packet = pool.take(Array(value.prefix(PacketPool.capacity)))
                handle(
                    isIndicated ? .indicated(id, handle: attribute, packet) : .notified(id, handle: attribute, packet),
                    &pool)
            }
        }
    }

    private func fail(_ reason: String) { failure = failure ?? "\(self): \(reason)" }

    /// Whether another program on this machine is connected to a device.
    package func isTaken(_ address: DeviceAddress) -> Bool { session.assumeIsolated { $0.isTaken(address) } }

    /// Why bluetoothd does not support a capability; nil if it does.
    package func unsupportedReason(for capability: CentralCapability) -> String? {
        switch capability {
        case .advertisements: "bluetoothd mixes what is advertised with what it knows from elsewhere"
        case .untouchedConnections: "bluetoothd exchanges the MTU and discovers all services by itself"
        case .packets: "bluetoothd sends no PDUs for other programs"
        case .unconfirmedIndications: "bluetoothd confirms each indication by itself"
        case .unwantedValues: "bluetoothd reports no value without a subscription"
        case .service(.genericAccess), .service(.genericAttribute):
            "bluetoothd hides Generic Access and Generic Attribute"
        case .service: nil
        case .pairing: "bluetoothd pairs by itself"
        case .lossOfLinks: "bluetoothd always ends a connection with a Disconnect"
        case .absenceOfBond:
            session.assumeIsolated { $0.isPaired } ? "this machine is paired with the peripheral" : nil
        }
    }
}

extension SensorCollector.Settings {
    /// For a collector above bluetoothd, which exchanges the MTU and pairs by itself. The kernel connects after the device's next
    /// advertisement, and scans half of the time: a shorter timeout may leave a connection without an owner.
    package var aboveBlueZ: Self {
        var settings = self
        settings.exchangesMTU = false
        settings.pairs = false
        settings.connectPatience = settings.connectTimeout
        return settings
    }
}

/// Connects to a message bus; `whenClosed` is called when the bus goes away.
func openBus(
    _ address: BusAddress = .system, on loop: EventLoop, whenClosed: @escaping @Sendable () -> Void
) async throws(Obstacle) -> Connection {
    do throws(ConnectionFailure) {
        return try await Connection.open(address, on: loop, whenDisconnected: whenClosed)
    } catch {
        let fix =
            address.environmentVariable.map { "\($0) names it: unset that to use the default bus" }
            ?? "install and start it: apt-get install dbus bluez"
        throw Obstacle(.environment, "\(error); \(fix)")
    }
}
