import Basics
package import BlueZ
import BlueZNames
import Bluetooth
import DBus
import ScenarioModel
import SecurityManager
import VirtualWorld

/// A world's devices, served by bluetoothd.
package struct BlueZDevices {
    /// Answers bluetoothd's requests while a device pairs.
    package typealias PairingHandler = @Sendable (PairingAgent.Request, @escaping PairingAgent.Reply) -> Void

    /// Handlers for bluetoothd's requests and reports about the device with this number; called on the loop's thread.
    struct Handlers: Sendable {
        let answer: @Sendable (Int, PeripheralHost.Request) -> Result<[UInt8], ATTError>
        let event: @Sendable (Int, PeripheralHost.Event) -> Void
        let pairing: PairingHandler
        let failed: @Sendable (HostFailure) -> Void
        let busClosed: @Sendable () -> Void
    }

    private let connection: Connection
    private let hosts: [PeripheralHost]
    private let agent: PairingAgent?
    private var registered: Set<Int> = []

    /// Connects to the system bus; an adapter without a name is the first one.
    init(
        _ world: World, on adapters: [String?], _ loop: EventLoop, _ handlers: Handlers
    ) async throws(Obstacle) {
        connection = try await openBus(on: loop, whenClosed: handlers.busClosed)
        let capability = try Self.capability(of: world.scenario.devices)
        if let problem = world.scenario.impossibleForBluetoothd {
            throw Obstacle(.environment, problem)
        }
        let unplayed = world.scenario.unplayedByBluetoothd
        if !unplayed.isEmpty {
            let list = unplayed.joined(separator: ", ")
            Notices.warn("bluetoothd controls these settings itself, so they have no effect: \(list)")
        }
        var hosts: [PeripheralHost] = []
        for (number, device) in world.scenario.devices.enumerated() {
            let definition = PeripheralHost.Definition(
                adapter: adapters[number], number: number, attributes: world.attributes(of: number),
                advertisement: Advertisement(device),
                isPairable: device.security?.isBonding ?? false)
            hosts.append(
                PeripheralHost(
                    definition, over: connection, on: loop, onRequest: { handlers.answer(number, $0) },
                    onEvent: { handlers.event(number, $0) }))
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
            ask: handlers.pairing, failed: handlers.failed)
    }

    /// The operator's capability to pair with the devices; nil if none pairs. bluetoothd has one agent for all
    /// adapters.
    private static func capability(of devices: [Device]) throws(Obstacle) -> IOCapability? {
        let all = devices.compactMap { $0.security?.io }
        guard let io = all.first else { return nil }
        if let other = all.first(where: { $0 != io }) {
            throw Obstacle(
                .environment,
                "bluetoothd cannot be both \(io.nameInBlueZ) and \(other.nameInBlueZ): serve the devices one at a time, or give them "
                    + "the same security.io")
        }
        return io
    }

    func start() async throws(Obstacle) {
        try await orFail(.environment) {
            try await agent?.start()
            for host in hosts { try await host.start() }
        }
    }

    /// Unregisters all devices, and warns of what could not be restored.
    func close() async {
        for host in hosts {
            if let failure = await host.stop() { Notices.warn("\(failure)") }
        }
        await agent?.stop()
        await connection.close()
    }

    /// Records that a device is registered; returns whether all of them are.
    mutating func complete(_ device: Int) -> Bool {
        registered.insert(device).inserted && registered.count == hosts.count
    }

    func perform(_ command: AttributeHost.Command, of device: Int) {
        hosts[device].assumeIsolated { host in
            switch command {
            case .advertise(let isOn): host.advertise(isOn)
            case .changeAdvertisement(let advertising): host.changeAdvertisement { $0.take(advertising) }
            case .notify(let handle, let value): host.notify(handle, value)
            case .disconnect(let peer): host.disconnect(peer)
            case .forgetBonds: host.forgetBonds()
            }
        }
    }
}

extension Advertisement {
    /// The contents of a device's two packets; bluetoothd distributes them itself.
    fileprivate init(_ device: Device) {
        self.init(name: device.name)
        take(device.advertising)
        if let phase = device.advertising.phases.first { interval = phase.interval }
        isConnectable = device.advertising.isConnectable
    }

    /// Takes the content of both packets.
    fileprivate mutating func take(_ advertising: ScenarioModel.Advertising) {
        (services, serviceData, manufacturerData) = ([], [:], [:])
        (appearance, includesTxPower) = (nil, false)
        for payload in [advertising.payload] + (advertising.scanResponse.map { [$0] } ?? []) {
            services += payload.services
            for data in payload.serviceData { serviceData[data.uuid] = data.octets }
            for data in payload.manufacturerData { manufacturerData[data.company] = data.octets }
            appearance = appearance ?? payload.appearance
            includesTxPower = includesTxPower || payload.txPower != nil
        }
    }
}
