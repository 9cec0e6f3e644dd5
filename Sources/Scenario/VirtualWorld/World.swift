import Air
import Bluetooth
public import EventLog
public import Expectations
public import GATT
public import HCI
public import LEHost
public import Octets
public import Peripheral
public import Scenarios
public import Services
public import Simulation
import Timeline
import VirtualController

/// Everything that a scenario plays in: its devices, virtual controllers for them and for hosts outside, and the air.
///
/// One queue orders all of it by instant and insertion; nothing happens but by `run(until:)` and by what comes from
/// outside.  A value: who needs a reference holds it in a class, and calls `run` once a round.
public struct World: Sendable {
    enum Event: Sendable {
        case radio(Radio.Timer)
        case toController(Int, PacketKind, Packet)
        case toHost(node: Int, PacketKind, Packet)
        case hostWake(node: Int)
        case deviceWake(node: Int)
        case scriptWake
        case phaseEnd(node: Int)
        case strength(node: Int)
        case cancelled
    }

    /// Who uses a controller.
    enum User: Hashable, Sendable {
        case node(Int)
        case guest
        case nobody
    }

    /// What is played.
    public let scenario: Scenario
    /// Packets of everybody, also of who holds the world.
    public var pool = PacketPool()
    /// Every HCI packet of every controller.
    public var packets = PacketLog(sink: nil)
    /// Everything that happened.
    public var journal = EventJournal(sink: nil)
    /// What has happened and the script has not been told.
    var observedEvents: [ObservedEvent] = []
    /// Who judges the scenario's expectations by what happens; nil where nobody asks.
    public internal(set) var judge: Judge?
    /// What has been decided of expectations, in order.
    public internal(set) var rulings: [Judge.Ruling] = []
    /// Rules that were cut off, because they began again and again at one instant, each once; by their place in the script.
    public internal(set) var runaways: [Int] = []
    /// What is to be done outside, in order; who does it empties it.
    public var outbox: [Output] = []

    /// How the scenario's devices reach the air, from `start` on.
    public var hostBackend = HostBackend.air
    /// What the hosts of all devices do wrong; nil for nothing.
    public var mutation: Mutation?

    private var upcoming = Upcoming()
    var airspace: Airspace
    var nodes: [Node] = []
    private(set) var users: [User] = []  // by controller
    private var arrivals = 0
    var observers: [DeliveryObserver] = []  // by controller
    private var airspaceOutbox = OutputQueue<Airspace.Output>()
    var hostOutbox: [Host.Output] = []
    /// What the script does to the client.
    var clientConditions = Conditions()
    var script: ScriptRunner
    var scriptOutbox: [ScriptRunner.Output] = []
    private var notifications: [PeripheralDevice.Notification] = []
    let chance: RandomStream
    var names: ValueNames
    /// Those of the scenario's devices, and behind them those that they have got since, in that order.
    var addresses: [(address: DeviceAddress, device: Int)]
    var addressChanges = 0

    /// The scenario's devices, each above a controller of its own; they start when `start` is called.
    ///
    /// `sleeps: false` plays every connection event, the empty ones too: more work for the same logs.
    public init(_ scenario: Scenario, seed: UInt64, sleeps: Bool = true) throws(AttributeTable.DefinitionError) {
        self.scenario = scenario
        chance = RandomStream(seed: seed)
        names = ValueNames(scenario, [])
        addresses = scenario.devices.enumerated().map { ($0.element.address, $0.offset) }
        script = ScriptRunner(scenario, seed: chance.stream("script"))
        airspace = Airspace(seed: chance.stream("air"), sleeps: sleeps)
        for device in scenario.devices {
            let definition = PeripheralDefinition(device, begins: scenario.begins)
            let peripheral = try PeripheralDevice(definition, seed: chance.stream("device \(device.id)"))
            let place = Medium.Station(
                millimetres: Self.millimetres(device.distance), power: device.advertising.payload.txPower ?? 0)
            let isRandom = device.address.kind == .random
            let controller = add(
                isRandom ? ownAddress : device.address, at: place, for: .node(nodes.count))
            nodes.append(
                Node(
                    peripheral, controller: controller, randomAddress: isRandom ? device.address : nil,
                    mtu: device.link.mtu ?? Self.defaultMTU))
        }
        names = ValueNames(scenario, nodes)
    }

    /// What hosts of the world take when the scenario does not say.
    public static let defaultMTU = 247

    /// The public address of the next controller: locally administered, and numbered by arrival.
    private var ownAddress: DeviceAddress { DeviceAddress(0x0200_0000_0000 | UInt64(arrivals + 1), .public) }

    /// The present: the instant of what was played last.
    public var now: Instant { upcoming.now }
    /// When something is to happen next; nil when nothing is.
    public var nextDue: Instant? { mutating get { upcoming.nextDue } }

    // MARK: Who is there

    private mutating func add(_ address: DeviceAddress, at place: Medium.Station, for user: User) -> Int {
        let controller = airspace.add(address: address, at: place)
        arrivals += 1
        if controller == users.count {
            users.append(user)
            observers.append(DeliveryObserver())
        } else {
            users[controller] = user
        }
        return controller
    }

    /// Switches all devices of the scenario on.
    public mutating func start() {
        for (index, device) in scenario.devices.enumerated() {
            guard hostBackend != .foreignHosts else {
                advertise(index, phase: 0)
                continue
            }
            packets.open(controller: nodes[index].controller, device.address, name: device.id, at: now)
            command(.start, of: index)
        }
        script.start(at: now, into: &scriptOutbox)
        followScript()
    }

    mutating func wakeScript(at due: Instant) { schedule(.scriptWake, due: due) }

    /// The seed of a curve that a script sets.
    func seed(of value: DeviceValue, _ node: Int) -> UInt64 {
        var stream = chance.stream("set \(node) \(value.service)")
        return stream.next()
    }

    /// What the strength of a device draws its chance from when a script sets it.
    func strengthSeed(of node: Int) -> UInt64 {
        var stream = chance.stream("strength \(node)")
        return stream.next()
    }

    /// A controller for a host outside, in the state after a reset.
    public mutating func addGuest(at now: Instant) -> Int {
        run(until: now)
        let address = ownAddress
        let controller = add(address, at: Medium.Station(), for: .guest)
        packets.open(controller: controller, address, name: "guest", at: now)
        if clientConditions.has(.powerOff) { setPower(of: controller, isOn: false) }
        return controller
    }

    /// The host outside has gone: its controller leaves the air without a word, and another one may get its number.
    public mutating func removeGuest(_ controller: Int, at now: Instant) {
        run(until: now)
        guard users.indices.contains(controller), users[controller] == .guest else { return }
        users[controller] = .nobody
        airspace.remove(controller, at: now, pool: &pool, into: &airspaceOutbox.added)
        observers[controller].reset(pool: &pool)
        packets.close(controller: controller, at: now)
        passOnAirspace()
        outbox.removeAll { output in
            guard case .toGuest(controller, _, let packet) = output else { return false }
            pool.release(packet)
            return true
        }
    }

    /// A host of the world that nothing is served by: the built-in client's.  Its node's number.
    public mutating func addClient(at now: Instant) throws(AttributeTable.DefinitionError) -> Int {
        run(until: now)
        let definition = PeripheralDefinition(name: "Lubdub client", appearance: Appearance(0), services: [])
        let device = try PeripheralDevice(definition, seed: chance)
        let (node, address) = (nodes.count, ownAddress)
        let controller = add(address, at: Medium.Station(), for: .node(node))
        packets.open(controller: controller, address, name: "client", at: now)
        nodes.append(Node(device, controller: controller, randomAddress: nil, mtu: Self.defaultMTU))
        return node
    }

    func isClient(_ node: Int) -> Bool { node >= scenario.devices.count }

    // MARK: What comes from outside

    /// Takes a packet from a host outside: at most `PacketPool.capacity` octets, as `H4Framer` returns them.
    public mutating func receive(
        _ kind: PacketKind, _ octets: ArraySlice<UInt8>, fromGuest controller: Int, at now: Instant
    ) {
        run(until: now)
        guard users.indices.contains(controller), users[controller] == .guest else { return }
        let packet = pool.take(octets)
        noteSending(kind, packet, to: controller)
        schedule(.toController(controller, kind, packet), due: now)
    }

    /// Takes a packet from the controller outside that the host of a device uses: at most `PacketPool.capacity` octets,
    /// as `H4Framer` returns them.
    public mutating func receive(
        _ kind: PacketKind, _ octets: ArraySlice<UInt8>, fromRadioOf node: Int, at now: Instant
    ) {
        run(until: now)
        guard hostBackend == .radios, nodes.indices.contains(node) else { return }
        let packet = pool.take(octets)
        noteArriving(kind, packet, at: nodes[node].controller)
        schedule(.toHost(node: node, kind, packet), due: now)
    }

    /// Whether any device is linked to somebody.
    public var hasLinks: Bool { nodes.contains { !$0.connections.isEmpty } }

    /// Ends the links of all devices, as somebody would who switches them off in good order.
    public mutating func endLinks() {
        for node in nodes.indices where !isClient(node) {
            for connection in nodes[node].connections {
                command(.disconnect(connection.id, reason: .remoteUserTerminated), of: node)
            }
        }
    }

    /// Tells the host of a node to do something, now.
    public mutating func command(_ command: Host.Command, of node: Int) {
        guard nodes.indices.contains(node) else { return }
        instruct(node, command)
        passOnHost(node)
    }

    /// As `command`, while what the host says is passed on.
    mutating func instruct(_ node: Int, _ command: Host.Command) {
        guard hostBackend != .foreignHosts || isClient(node) else { return instructForeignHost(of: node, command) }
        nodes[node].step(.command(command), at: now, pool: &pool, into: &hostOutbox)
    }

    /// Sets a value of a device, or gives it back to its sensor when `input` is nil; false when it cannot be set so.
    ///
    /// The time of a signal counts from `begun`, or from now when that is nil.
    public mutating func set(
        _ value: DeviceValue, of node: Int, to input: SensorInput?, begun: Instant? = nil
    ) -> Bool {
        guard nodes.indices.contains(node) else { return false }
        defer { wakeDevice(node) }
        return nodes[node].set(value, to: input, at: now, begun: begun)
    }

    /// Notifies a present value on demand, or these octets in its place.
    public mutating func notify(_ value: DeviceValue, of node: Int, octets: [UInt8]? = nil) {
        guard nodes.indices.contains(node),
            let notification = nodes[node].notification(of: value, octets: octets, at: now, pool: &pool)
        else { return }
        notify(node, notification)
    }

    // MARK: Playing

    /// Plays everything that is due by `limit`; then it is `limit`.
    public mutating func run(until limit: Instant) {
        while let event = upcoming.takeFirst(dueBy: limit) { playAndFollow(event) }
        upcoming.advance(to: limit)
    }

    /// Plays what is due at the next instant, if that is not after `limit`: false if there is nothing.
    public mutating func runNext(until limit: Instant) -> Bool {
        guard let first = upcoming.takeFirst(dueBy: limit) else { return false }
        playAndFollow(first)
        while let event = upcoming.takeFirst(dueBy: now) { playAndFollow(event) }
        return true
    }

    mutating func schedulePhaseEnd(of node: Int, due: Instant) {
        nodes[node].phaseEnd = schedule(.phaseEnd(node: node), due: due)
    }

    mutating func cancel(_ ticket: Upcoming.Ticket) { upcoming.cancel(ticket) }

    @discardableResult
    mutating func schedule(_ event: Event, due: Instant) -> Upcoming.Ticket { upcoming.insert(event, due: due) }

    private mutating func playAndFollow(_ event: Event) {
        play(event)
        followUp()
    }

    /// Tells the script what has happened, if anything has.
    mutating func followUp() {
        if !observedEvents.isEmpty || !scriptOutbox.isEmpty { followScript() }
    }

    private mutating func play(_ event: Event) {
        switch event {
        case .radio(let timer):
            airspace.timePassed(timer, at: now, pool: &pool, into: &airspaceOutbox.added)
            passOnAirspace()
        case .toController(let controller, let kind, let packet):
            airspace.receive(kind, packet, by: controller, at: now, pool: &pool, into: &airspaceOutbox.added)
            passOnAirspace()
        case .toHost(let node, let kind, let original):
            let packet = mutation == nil ? original : mutated(kind, heard: original, by: node)
            nodes[node].step(.received(kind, packet), at: now, pool: &pool, into: &hostOutbox)
            passOnHost(node)
        case .hostWake(let node):
            nodes[node].step(.timePassed, at: now, pool: &pool, into: &hostOutbox)
            passOnHost(node)
        case .deviceWake(let node):
            nodes[node].deviceWake = nil
            sendHeld(node)
            nodes[node].deviceTimePassed(at: now, pool: &pool, into: &notifications)
            for index in notifications.indices { notify(node, notifications[index]) }
            notifications.clear()
            wakeDevice(node)
        case .scriptWake: script.timePassed(at: now, into: &scriptOutbox)
        case .phaseEnd(let node):
            nodes[node].phaseEnd = nil
            advertise(node, phase: nodes[node].phase + 1)
            passOnHost(node)
        case .strength(let node): strengthPassed(of: node)
        case .cancelled: break
        }
    }

    mutating func wakeStrength(of node: Int, at due: Instant) { schedule(.strength(node: node), due: due) }

    /// Changes how a controller is heard.
    mutating func changeStation(of controller: Int, _ change: (inout Medium.Station) -> Void) {
        airspace.change(controller, at: now, pool: &pool, into: &airspaceOutbox.added, change)
        passOnAirspace()
    }

    /// Takes the power of a controller away, or gives it back.
    mutating func setPower(of controller: Int, isOn: Bool) {
        airspace.setPower(of: controller, isOn: isOn, at: now, pool: &pool, into: &airspaceOutbox.added)
        passOnAirspace()
    }

    private mutating func passOnAirspace() {
        while let output = airspaceOutbox.takeFirst() {
            switch output {
            case .wake(let timer, let due): schedule(.radio(timer), due: due)
            case .toHost(let controller, let kind, let packet):
                noteArriving(kind, packet, at: controller)
                switch users[controller] {
                case .node(let node): schedule(.toHost(node: node, kind, packet), due: now)
                case .guest: outbox.append(.toGuest(controller: controller, kind, packet))
                case .nobody: pool.release(packet)
                }
            }
        }
    }

    mutating func passOnHost(_ node: Int) {
        var index = 0
        while index < hostOutbox.count {
            let output = hostOutbox[index]
            index += 1
            switch output {
            case .send(let kind, let original):
                let packet = mutation == nil ? original : mutated(kind, original, of: node)
                noteSending(kind, packet, to: nodes[node].controller)
                if hostBackend == .radios, !isClient(node) {
                    outbox.append(.toRadio(node: node, kind, packet))
                } else {
                    schedule(.toController(nodes[node].controller, kind, packet), due: now)
                }
            case .failed(let failure) where hostBackend == .radios && !isClient(node):
                outbox.append(.radioFailed(node: node, failure))
            case .refused where hostBackend == .radios && !isClient(node),
                .malformed where hostBackend == .radios && !isClient(node):
                outbox.append(.radioWarning(node: node, output))
            case .wake(let due): schedule(.hostWake(node: node), due: due)
            case _ where isClient(node): outbox.append(.client(node: node, output))
            default: deviceHostSaid(output, node)
            }
        }
        hostOutbox.clear()
    }
}
