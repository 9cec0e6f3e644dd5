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
    private let agent: PairingAgent?
    /// Those of which the attributes have been registered once.
    private var ready: Set<Int> = []

    /// What bluetoothd asks and tells, by device; both are called on the loop's thread.
    struct Listener: Sendable {
        let answer: @Sendable (Int, PeripheralHost.Request) -> Result<[UInt8], ATTError>
        let tell: @Sendable (Int, PeripheralHost.Event) -> Void
        let failed: @Sendable (HostFailure) -> Void
        let gone: @Sendable () -> Void
    }

    /// Asks for the system bus; an adapter that is not named is the first.
    init(
        _ world: World, on adapters: [String?], _ loop: EventLoop, _ listener: Listener, _ person: Person
    ) async throws(CommandFailure) {
        connection = try await openBus(on: loop, gone: listener.gone)
        let capability = try Self.capability(of: world.scenario.devices)
        let unplayed = world.scenario.unplayedByBluetoothd
        if !unplayed.isEmpty {
            let list = unplayed.joined(separator: ", ")
            Console.complain("lubdub: bluetoothd has that to itself, so it is not played: \(list)")
        }
        var hosts: [PeripheralHost] = []
        for (number, device) in world.scenario.devices.enumerated() {
            let definition = PeripheralHost.Definition(
                adapter: adapters[number], number: number, attributes: world.attributes(of: number),
                advertisement: Advertisement(device),
                isPairable: device.security?.isBonding ?? false)
            hosts.append(
                PeripheralHost(
                    definition, over: connection, on: loop, onRequest: { listener.answer(number, $0) },
                    onEvent: { listener.tell(number, $0) }))
        }
        self.hosts = hosts
        guard let capability else {
            agent = nil
            return
        }
        let paired = zip(hosts, world.scenario.devices).filter { $0.1.security != nil }
        agent = PairingAgent(
            capability, over: connection, on: loop,
            isOurs: { name in paired.contains { host, _ in host.assumeIsolated { $0.adapterName } == name } },
            ask: { request, reply in person.assumeIsolated { $0.asked(request, reply) } }, failed: listener.failed)
    }

    /// What the person can do with the devices that pair, which is one thing for all: bluetoothd has one agent for all
    /// adapters.  Nil when none pairs.
    private static func capability(of devices: [Device]) throws(CommandFailure) -> PairingAgent.Capability? {
        let wanted = devices.compactMap { $0.security?.io }
        guard let io = wanted.first else { return nil }
        if let other = wanted.first(where: { $0 != io }) {
            throw CommandFailure(
                .environment,
                "lubdub: bluetoothd can be \(io.rawValue) or \(other.rawValue), but not both at once: "
                    + "serve the devices one at a time, or give them the same security.io")
        }
        return PairingAgent.Capability(io)
    }

    /// Hands everything over.
    func start() async throws(CommandFailure) {
        do throws(HostFailure) {
            try await agent?.start()
            for host in hosts { try await host.start() }
        } catch { throw CommandFailure(.environment, "lubdub: \(error)") }
    }

    /// Takes everything back; says what could not be.
    func close() async {
        for host in hosts {
            if let failure = await host.stop() { Console.complain("lubdub: \(failure)") }
        }
        await agent?.stop()
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
            includesTxPower = includesTxPower || payload.txPower != nil
        }
        if let phase = device.advertising.phases.first { interval = phase.interval }
        isConnectable = device.advertising.isConnectable
    }
}

extension PairingAgent.Capability {
    fileprivate init(_ io: Security.IO) {
        self =
            switch io {
            case .displayOnly: .displayOnly
            case .displayYesNo: .displayYesNo
            case .keyboardOnly: .keyboardOnly
            case .noInputNoOutput: .noInputNoOutput
            case .keyboardDisplay: .keyboardDisplay
            }
    }
}
