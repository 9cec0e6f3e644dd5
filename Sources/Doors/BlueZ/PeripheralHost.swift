package import Basics
import BlueZNames
package import Bluetooth
package import DBus
package import GATT

/// Serves a device's attributes and advertisement through bluetoothd, which controls the radio and the connections.
///
///     idle ──start──▶ waiting ──org.bluez appears──▶ registering ──▶ registered ──stop──▶ idle
///                        ▲                                │              │
///                        └───────────── org.bluez disappears ───────────┘
///
/// bluetoothd may stop and start again: then everything is registered again. `stop` restores the adapter's settings.
/// All handlers are called on the loop's thread, one at a time.
package actor PeripheralHost: DaemonClient {
    /// What to serve, and with which adapter.
    package struct Definition: Sendable {
        /// The adapter: `hci0`; nil for the first suitable one.
        package var adapter: String?
        /// Distinguishes several devices of one program.
        package var number: Int
        package var attributes: AttributeTable
        package var advertisement: Advertisement
        /// Whether clients can pair; sets the adapter's property while the device is served.
        package var isPairable: Bool

        package init(
            adapter: String?, number: Int, attributes: AttributeTable, advertisement: Advertisement, isPairable: Bool
        ) {
            (self.adapter, self.number, self.isPairable) = (adapter, number, isPairable)
            (self.attributes, self.advertisement) = (attributes, advertisement)
        }
    }

    /// A client's request.
    package struct Request: Sendable {
        package let kind: ValueRequest
        /// The value's handle in the device's own table; clients see other handles.
        package let handle: UInt16
        let device: ObjectPath?
        /// The ATT_MTU of the client's connection, if bluetoothd reports it.
        package let mtu: Int?
        /// The client, if bluetoothd reports it.
        package internal(set) var peer: DeviceAddress?
    }

    package enum Event: Sendable {
        case registered(Adapter)
        /// Advertising started or stopped.
        case advertising(Bool)
        case connected(DeviceAddress)
        /// A device disconnected; bluetoothd does not report why.
        case disconnected(DeviceAddress)
        case paired(DeviceAddress)
        /// The bond with a client was removed.
        case forgotten(DeviceAddress)
        /// Why a bond was not removed, or none.
        case notForgotten(String)
        /// The first client subscribed to a value, or the last one unsubscribed.
        case subscribed(handle: UInt16, Bool)
        /// A client confirmed an indication; bluetoothd does not report which client.
        case confirmed(handle: UInt16)
        /// bluetoothd stopped, and all clients are lost. The host waits for it to start again.
        case lost
        /// A permanent failure: nothing more happens.
        case failed(HostFailure)
    }

    package nonisolated let loop: EventLoop

    nonisolated let connection: Connection
    var definition: Definition
    private let onRequest: @Sendable (Request) -> Result<[UInt8], ATTError>
    let onEvent: @Sendable (Event) -> Void

    var application: Application?
    var adapter: Adapter?
    var advertisementPath: ObjectPath?
    var wantsToAdvertise = false
    var isAdvertising = false
    var isRegistered = false
    /// What may be registered and must be unregistered: also if a call to register it got no reply.
    var mustUnregister = (application: false, advertisement: false)
    /// Whether a device connected since the advertisement was registered: this interrupts advertising until it is
    /// registered again or the connection ends.
    var isInterrupted = false
    var isStopped = false
    let owner = BlueZOwner()
    private var subscriptions: [Connection.Subscription] = []
    var generation = 0
    var steps: [Step] = []
    var stepTask: Task<Void, any Error>?
    var isUnresponsive = false
    var original: Adapter?
    var devices: [ObjectPath: RemoteDevice] = [:]
    /// The devices that have paired, or used the attributes: others, such as a keyboard, are not our clients.
    var clients: Set<ObjectPath> = []
    var subscribed: Set<UInt16> = []
    var suspectedFailure: HostFailure?
    var isInUse: Bool { isRegistered }
    nonisolated let limit: Duration

    /// A host that does nothing before `start`. bluetoothd has to reply to each call within `limit`; `onRequest` returns
    /// the value of a read or the result of a write.
    package init(
        _ definition: Definition, over connection: Connection, on loop: EventLoop,
        within limit: Duration = .seconds(10),
        onRequest: @escaping @Sendable (Request) -> Result<[UInt8], ATTError>,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        (self.definition, self.connection, self.loop) = (definition, connection, loop)
        (self.limit, self.onRequest, self.onEvent) = (limit, onRequest, onEvent)
    }

    // MARK: Starting and stopping

    /// Registers everything as soon as bluetoothd is running; throws if the bus cannot start it.
    package func start() async throws(HostFailure) {
        let source = Application.Source(
            respond: { [weak self] request in
                self?.assumeIsolated { $0.respond(to: request) } ?? .failure(.unlikelyError)
            },
            subscribed: { [weak self] handle, isOn in
                self?.assumeIsolated { $0.subscribed(handle, isOn) }
            },
            confirmed: { [weak self] handle in self?.assumeIsolated { $0.onEvent(.confirmed(handle: handle)) } },
            owner: owner)
        do {
            let application = try Application(definition.attributes, number: definition.number, source)
            self.application = application
            advertisementPath = try ObjectPath("/lubdub/advertisement\(definition.number)")
            await connection.addObjectManager(at: application.root)
            for object in application.objects { try await connection.export(object) }
            if try await connection.askForBlueZ() == nil { throw HostFailure.notRunning }
            subscriptions = try await subscribeToSignals()
        } catch let failure as HostFailure { throw failure } catch { throw HostFailure.bus("\(error)") }
    }

    /// Unregisters everything and restores the adapter's settings; returns why that failed, or nil.
    package func stop() async -> HostFailure? {
        isStopped = true
        generation += 1
        await cancelSteps()
        for subscription in subscriptions { await connection.cancel(subscription) }
        subscriptions.removeAll()
        guard let adapter, let path = adapter.path, let original else { return nil }
        guard owner.current != nil else { return .notRestored(original, why: "bluetoothd is not running") }
        if mustUnregister.advertisement, let advertisementPath {
            await callIgnoringErrors(path, .advertisingManager, "UnregisterAdvertisement", [.path(advertisementPath)])
        }
        var settings = [
            Adapter.setting("Alias", .string(original.alias)),
            Adapter.setting("Pairable", .boolean(original.isPairable)),
        ]
        if !original.isPowered { settings.append(Adapter.setting("Powered", .boolean(false))) }
        var firstFailure: CallFailure?
        for setting in settings {
            let failure = await callIgnoringErrors(path, .properties, "Set", setting)
            firstFailure = firstFailure ?? failure
        }
        // Last: bluetoothd 5.66 crashes here if a link ended during a read from us.
        if mustUnregister.application, let application {
            await callIgnoringErrors(path, .gattManager, "UnregisterApplication", [.path(application.root)])
        }
        (isAdvertising, isRegistered, mustUnregister) = (false, false, (false, false))
        return firstFailure.map { .notRestored(original, why: isUnresponsive ? "bluetoothd does not reply" : "\($0)") }
    }

    private func respond(to request: Request) -> Result<[UInt8], ATTError> {
        var request = request
        request.peer = request.device.flatMap { devices[$0]?.address }
        if let device = request.device { clients.insert(device) }
        return onRequest(request)
    }

    /// The adapter in use, `hci0`; nil before bluetoothd has replied.
    package var adapterName: String? { adapter?.name }

    // MARK: Operations

    /// Starts or stops advertising. Starting again after a device connected resumes advertising.
    package func advertise(_ isOn: Bool) {
        wantsToAdvertise = isOn
        let round = generation
        enqueue { host in
            guard round == host.generation, host.wantsToAdvertise == isOn else { return }
            if !isOn || host.isInterrupted { await host.withdrawAdvertisement() }
            guard isOn else { return }
            do throws(HostFailure) { try await host.registerAdvertisement(round) } catch {
                if round == host.generation, !host.isStopped { host.fail(error) }
            }
        }
    }

    /// Notifies all subscribed clients; bluetoothd truncates the value to their MTUs.
    package func notify(_ handle: UInt16, _ value: [UInt8]) {
        guard isRegistered, let path = application?.path(of: handle) else { return }
        connection.assumeIsolated {
            // `whenDisconnected` reports a closed connection.
            try? $0.emitPropertiesChanged(of: .gattCharacteristic, at: path, [("Value", .octets(value))])
        }
    }

    /// Disconnects a client, with Remote User Terminated Connection (0x13): bluetoothd supports no other reason.
    package func disconnect(_ peer: DeviceAddress) {
        for device in devices.values where device.address == peer && device.isConnected {
            enqueue { await $0.callIgnoringErrors(device.path, .device, "Disconnect") }
        }
    }

    /// Removes the bonds with all clients, also of earlier runs if they have used the attributes in this one.  Connected ones
    /// are disconnected first: bluetoothd 5.66 crashes when a connected device is removed.
    package func forgetBonds() {
        enqueue { await $0.removeClients() }
    }

    private func removeClients() async {
        guard let adapter = adapter?.path else { return }
        let bonded = clients.compactMap { devices[$0] }.filter(\.isPaired).sorted { $0.path < $1.path }
        if bonded.isEmpty { onEvent(.notForgotten("bluetoothd has no bond with a client of this run")) }
        for device in bonded {
            if devices[device.path]?.isConnected == true {
                await callIgnoringErrors(device.path, .device, "Disconnect", within: limit)
            }
            if let failure = await callIgnoringErrors(
                adapter, .adapter, "RemoveDevice", [.path(device.path)], within: limit)
            {
                onEvent(.notForgotten("bluetoothd has not removed the bond with \(device.address): \(failure)"))
            } else {
                clients.remove(device.path)
                onEvent(.forgotten(device.address))
            }
        }
    }
}
