import Arguments
import BlueZ
import Bluetooth
import DBus
import Scenarios
import Simulation
import VirtualWorld

/// A world's devices in the hands of bluetoothd.
struct ForeignDevices {
    private let connection: Connection
    private let hosts: [PeripheralHost]
    /// Those of which the attributes have been registered once.
    private var ready: Set<Int> = []

    /// What bluetoothd asks and tells, by device; both are called on the loop's thread.
    struct Listener: Sendable {
        let answer: @Sendable (Int, PeripheralHost.Request) -> Result<[UInt8], ATTError>
        let tell: @Sendable (Int, PeripheralHost.Event) -> Void
        let gone: @Sendable () -> Void
    }

    /// Asks for the system bus; an adapter that is not named is the first.
    init(
        _ world: World, on adapters: [String?], _ loop: EventLoop, _ listener: Listener
    ) async throws(CommandFailure) {
        do throws(ConnectionFailure) {
            connection = try await Connection.open(.system, on: loop, whenDisconnected: listener.gone)
        } catch {
            throw CommandFailure(
                .environment, "lubdub: \(error); install and start it: apt-get install dbus bluez")
        }
        var hosts: [PeripheralHost] = []
        for (number, device) in world.scenario.devices.enumerated() {
            let definition = PeripheralHost.Definition(
                adapter: adapters[number], number: number, attributes: world.attributes(of: number),
                advertisement: Advertisement(device))
            hosts.append(
                PeripheralHost(
                    definition, over: connection, on: loop, answer: { listener.answer(number, $0) },
                    tell: { listener.tell(number, $0) }))
        }
        self.hosts = hosts
    }

    /// Hands everything over.
    func start() async throws(CommandFailure) {
        for host in hosts {
            do throws(HostFailure) { try await host.start() } catch {
                throw CommandFailure(.environment, "lubdub: \(error)")
            }
        }
    }

    /// Takes everything back.
    func close() async {
        for host in hosts { await host.stop() }
        await connection.close()
    }

    /// Notes that a device's attributes are registered: whether those of all are, for the first time.
    mutating func registered(_ device: Int) -> Bool {
        ready.insert(device).inserted && ready.count == hosts.count
    }

    /// Has bluetoothd do something.
    func perform(_ command: World.ForeignCommand, of device: Int) {
        hosts[device].assumeIsolated { host in
            switch command {
            case .advertise(let isOn): host.advertise(isOn)
            case .notify(let handle, let value): host.notify(handle, value)
            case .disconnect(let peer): host.disconnect(peer)
            }
        }
    }
}

extension Advertisement {
    /// Both packets of a device together: bluetoothd makes them anew.
    fileprivate init(_ device: Device) {
        self.init(name: device.name)
        for payload in [device.advertising.payload] + (device.advertising.scanResponse.map { [$0] } ?? []) {
            services += payload.services
            for data in payload.serviceData { serviceData[data.uuid] = data.octets }
            for data in payload.manufacturerData { manufacturerData[data.company] = data.octets }
            appearance = appearance ?? payload.appearance
            tellsPower = tellsPower || payload.txPower != nil
        }
        if let phase = device.advertising.phases.first { interval = phase.interval }
    }
}
