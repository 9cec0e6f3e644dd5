public import Bluetooth
public import DBus
public import GATT
public import Simulation

/// A device's attributes and advertisement in the hands of bluetoothd, which has the radio, the links and the clients.
///
///     idle ──start──▶ waiting ──org.bluez appears──▶ registering ──▶ registered ──stop──▶ idle
///                        ▲                                │              │
///                        └──────────── org.bluez goes away ─────────────┘
///
/// What was switched on or renamed is put back by `stop`.  bluetoothd may come and go: everything is registered anew.
/// All handlers are called on the loop's thread, one at a time.
public actor PeripheralHost: DaemonClient {
    /// What is to be served, and by which adapter.
    public struct Definition: Sendable {
        /// `hci0`; nil: the first one that can do it.
        public var adapter: String?
        /// Tells several devices of one program apart.
        public var number: Int
        /// The attributes of the device.
        public var attributes: AttributeTable
        /// What it advertises.
        public var advertisement: Advertisement
        /// Whether clients may pair, and so have keys kept; the adapter is made so, as long as the device is served.
        public var isPairable: Bool

        /// All of it has to be said.
        public init(
            adapter: String?, number: Int, attributes: AttributeTable, advertisement: Advertisement, isPairable: Bool
        ) {
            (self.adapter, self.number, self.isPairable) = (adapter, number, isPairable)
            (self.attributes, self.advertisement) = (attributes, advertisement)
        }
    }

    /// What a client wants of a value.
    public struct Request: Sendable {
        /// What there is to want.
        public enum Kind: Hashable, Sendable {
            /// The value, from an octet on.
            case read(offset: Int)
            /// To write it; a command is not answered over the air.
            case write([UInt8], isCommand: Bool)
        }

        /// What is wanted.
        public let kind: Kind
        /// Of the value, in the device's own table; clients see other handles.
        public let handle: UInt16
        let device: ObjectPath?
        /// The ATT_MTU of the client's link, where bluetoothd tells it.
        public let mtu: Int?
        /// Who wants it, where bluetoothd tells it.
        public internal(set) var peer: DeviceAddress?
    }

    /// What happens.
    public enum Event: Sendable {
        /// bluetoothd has the attributes, on this adapter.
        case registered(Adapter)
        /// The advertisement is on the air, or is not any more.
        case advertising(Bool)
        /// Somebody has connected to the adapter.
        case connected(DeviceAddress)
        /// Somebody's connection has ended; bluetoothd does not tell why.
        case disconnected(DeviceAddress)
        /// A client has keys now.
        case paired(DeviceAddress)
        /// The first client has subscribed to a value, or the last one has ended that.
        case subscribed(handle: UInt16, Bool)
        /// A client has confirmed an indication of a value; bluetoothd does not tell which client.
        case confirmed(handle: UInt16)
        /// bluetoothd has gone away, and with it all clients; it is waited for.
        case lost
        /// It cannot be done; nothing more happens.
        case failed(HostFailure)
    }

    nonisolated let loop: EventLoop
    /// The executor of the loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    nonisolated let connection: Connection
    let definition: Definition
    private let answer: @Sendable (Request) -> Result<[UInt8], ATTError>
    let tell: @Sendable (Event) -> Void

    var application: Application?
    var adapter: Adapter?
    var advertisementPath: ObjectPath?
    var wantsToAdvertise = false
    var isAdvertising = false
    var isRegistered = false
    /// Whether bluetoothd was asked to register something, be it answered or not: then it is to be taken back.
    var isAsked = (application: false, advertisement: false)
    /// Whether somebody has connected since the advertisement was registered: below bluetoothd that ends it, until it
    /// is registered anew or a connection ends.
    var isInterrupted = false
    var isStopped = false
    let owner = Owner()
    private var subscriptions: [Connection.Subscription] = []
    var rounds = 0  // of registering; what an older one finds out means nothing
    var steps: [Step] = []
    var work: Task<Void, any Error>?
    var isMute = false
    /// What the adapter was like before we changed it.
    var former: Adapter?
    var devices: [ObjectPath: RemoteDevice] = [:]
    var subscribed: Set<UInt16> = []
    var doubts: HostFailure?
    var isInUse: Bool { isRegistered }
    nonisolated let limit: Duration

    /// Nothing happens before `start`.  bluetoothd has to answer each question within `limit`; `answer` is asked for
    /// values, `tell` is told what happens.
    public init(
        _ definition: Definition, over connection: Connection, on loop: EventLoop,
        within limit: Duration = .seconds(10),
        answer: @escaping @Sendable (Request) -> Result<[UInt8], ATTError>,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        (self.definition, self.connection, self.loop) = (definition, connection, loop)
        (self.limit, self.answer, self.tell) = (limit, answer, tell)
    }

    // MARK: Beginning and end

    /// Waits for bluetoothd, and hands everything over to it as soon as it is there.
    public func start() async throws(HostFailure) {
        let source = Application.Source(
            answer: { [weak self] request in self?.assumeIsolated { $0.asked(request) } ?? .failure(.unlikelyError) },
            subscribed: { [weak self] handle, isOn in
                self?.assumeIsolated { $0.subscribed(handle, isOn) }
            },
            confirmed: { [weak self] handle in self?.assumeIsolated { $0.tell(.confirmed(handle: handle)) } },
            owner: owner)
        do {
            let application = try Application(definition.attributes, number: definition.number, source)
            self.application = application
            advertisementPath = try ObjectPath("/lubdub/advertisement\(definition.number)")
            await connection.manage(application.root)
            for object in application.objects { try await connection.export(object) }
            if try await connection.askForBlueZ() == nil { throw HostFailure.notRunning }
            subscriptions = try await listen()
        } catch let failure as HostFailure { throw failure } catch { throw HostFailure.bus("\(error)") }
    }

    /// Takes everything back, and leaves the adapter as it was; why it could not, or nil.
    public func stop() async -> HostFailure? {
        isStopped = true
        rounds += 1
        await dropSteps()
        for subscription in subscriptions { await connection.cancel(subscription) }
        subscriptions.removeAll()
        guard let adapter, let path = adapter.path, let former else { return nil }
        guard owner.current != nil else { return .notPutBack(former, why: "bluetoothd does not run") }
        if isAsked.advertisement, let advertisementPath {
            await quietly(path, .advertisingManager, "UnregisterAdvertisement", [.path(advertisementPath)])
        }
        var settings = [
            Adapter.setting("Alias", .string(former.alias)), Adapter.setting("Pairable", .boolean(former.isPairable)),
        ]
        if !former.isPowered { settings.append(Adapter.setting("Powered", .boolean(false))) }
        var trouble: CallFailure?
        for setting in settings {
            let failure = await quietly(path, .properties, "Set", setting)
            trouble = trouble ?? failure
        }
        // Last: if a link ended while a read of it waited for us, bluetoothd 5.66 crashes here.
        if isAsked.application, let application {
            await quietly(path, .gattManager, "UnregisterApplication", [.path(application.root)])
        }
        (isAdvertising, isRegistered, isAsked) = (false, false, (false, false))
        return trouble.map { .notPutBack(former, why: isMute ? "bluetoothd does not answer" : "\($0)") }
    }

    private func asked(_ request: Request) -> Result<[UInt8], ATTError> {
        var request = request
        request.peer = request.device.flatMap { devices[$0]?.address }
        return answer(request)
    }

    /// The adapter that serves the device, `hci0`; nil before bluetoothd has been asked.
    public var adapterName: String? { adapter?.name }

    // MARK: What there is to do

    /// Advertises, or does not any more; again is no mistake, and makes sure of it when somebody has connected.
    public func advertise(_ isOn: Bool) {
        wantsToAdvertise = isOn
        let round = rounds
        enqueue { host in
            guard round == host.rounds, host.wantsToAdvertise == isOn else { return }
            if !isOn || host.isInterrupted { await host.withdrawAdvertisement() }
            guard isOn else { return }
            do throws(HostFailure) { try await host.registerAdvertisement(round) } catch {
                if round == host.rounds, !host.isStopped { host.fail(error) }
            }
        }
    }

    /// Notifies all who are subscribed to a value; bluetoothd cuts it to what their MTUs have room for.
    public func notify(_ handle: UInt16, _ value: [UInt8]) {
        guard isRegistered, let path = application?.path(of: handle) else { return }
        connection.assumeIsolated {
            // A connection that has closed is told by `whenDisconnected`.
            try? $0.emitChange(of: .gattCharacteristic, at: path, [("Value", .octets(value))])
        }
    }

    /// Ends the link to a client, with Remote User Terminated Connection (0x13): bluetoothd has no other reason.
    public func disconnect(_ peer: DeviceAddress) {
        for device in devices.values where device.address == peer && device.isConnected {
            enqueue { await $0.quietly(device.path, .device, "Disconnect") }
        }
    }
}
