package import Basics
package import Bluetooth
package import Devices
package import GATT
package import HCI
package import LEHost
package import ScenarioModel
import SecurityManager
import VirtualRadio

/// A simulation of a scenario: its devices, virtual controllers for them and for external hosts, and the air.
///
/// One queue orders all events by instant and insertion; they happen only in `run(until:)` and in calls from outside.
package struct World: Sendable {
    /// Without references and small, since the queue moves many of them.
    enum Event: BitwiseCopyable, Sendable {
        case radio(Radio.Timer)
        case toController(Int, PacketKind, Packet)
        case toHost(node: Int, PacketKind, Packet)
        case hostWake(node: Int)
        case deviceWake(node: Int)
        case scriptWake
        case phaseEnd(node: Int)
        case advertisedValues(node: Int)
        case strength(node: Int)
        case userAnswer(node: Int)
        case restarted(node: Int)
        case earlyValue(node: Int, handle: UInt16)
        case cancelled
    }

    package let scenario: Scenario
    package var pool = PacketPool()
    /// Every HCI packet of every controller.
    package var packets = PacketLog(sink: nil)
    package var journal = EventJournal(sink: nil)
    /// Follows the events, such as a judge of the scenario's expectations.
    package var observer: (any WorldObserver)? {
        didSet { observedKinds = observer?.kinds ?? [] }
    }
    /// The kinds of events that the observer receives. Stored, because most events are of no such kind.
    private(set) var observedKinds: [EventName] = []
    /// Outputs for external hosts, controllers and clients, in order; the owner empties it.
    package var outbox = OutputQueue<Output>()

    /// How the devices reach a client: `placeDevices` changes it, and `addClient`.
    package internal(set) var radio = RadioKind.virtual
    /// Whether the devices' keys come from the system's random source; set it before `start`.
    package var hasSystemSecrets = false
    /// A defect of all devices' hosts; nil for none.
    package var mutation: Mutation?
    /// A defect of all clients' hosts; nil for none.
    package var clientMutation: Mutation?

    /// The instant of the latest event. Stored, because debug builds copy the world to call a getter.
    package private(set) var now = Instant.start
    private var eventSchedule = EventSchedule()
    var airspace: Airspace
    var nodes: [Node] = []
    var users = ControllerUsers()
    /// The node that `addClient` has added.
    package private(set) var central: Int?
    private var airspaceOutbox = OutputQueue<Airspace.Output>()
    var hostOutbox: [Host.Output] = []
    var clients = ClientConditions()
    /// How often the memory of a device has changed: its bonds, or what its server knows of bonded clients.
    package var memoryChanges = 0
    var script: PlayedScript
    private var notifications: [PeripheralDevice.Notification] = []
    let chance: RandomStream
    var names: ValueNames
    var addresses: DeviceAddresses

    /// A world with the scenario's devices, which begin at `start`.
    ///
    /// - Parameters:
    ///   - scenario: The scenario.
    ///   - seed: The seed of all random numbers.
    ///   - sleeps: Whether empty connection events are skipped; the logs are the same without, at more cost.
    /// - Throws: An error if the attributes of a device need too many handles.
    package init(_ scenario: Scenario, seed: UInt64, sleeps: Bool = true) throws(AttributeTable.DefinitionError) {
        self.scenario = scenario
        chance = RandomStream(seed: seed)
        names = ValueNames(scenario, [])
        addresses = DeviceAddresses(of: scenario.devices)
        script = PlayedScript(scenario, seed: chance.stream("script"))
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
                    mtu: device.link.mtu ?? Self.defaultMTU, isClient: false,
                    HostSecurity(device.security, chance.stream("security \(device.id)"))))
            nodes[nodes.count - 1].advertised = AdvertisedValues(
                device.advertising, seed: chance.stream("advertising \(device.id)"))
        }
        names = ValueNames(scenario, nodes)
    }

    /// The MTU of hosts for which the scenario defines none.
    package static let defaultMTU = 247

    /// The public address of the next controller: locally administered and numbered.
    private var ownAddress: DeviceAddress { DeviceAddress(0x0200_0000_0000 | UInt64(users.arrivals + 1), .public) }

    /// When the next event is due; nil if there is none.
    package var nextDue: Instant? { mutating get { eventSchedule.nextDue } }

    // MARK: Devices, clients and guests

    private mutating func add(_ address: DeviceAddress, at place: Medium.Station, for user: ControllerUsers.User) -> Int
    {
        let controller = airspace.add(address: address, at: place)
        users.add(user, of: controller)
        return controller
    }

    /// Starts all devices of the scenario, and the script.
    package mutating func start() {
        for (index, device) in scenario.devices.enumerated() {
            guard !nodes[index].hosting.hasOnlyAttributes else {
                advertise(index, phase: 0)
                continue
            }
            if hasSystemSecrets { nodes[index].takeSecretsFromSystem() }
            packets.open(controller: nodes[index].controller, device.address, name: device.id, at: now)
            command(.start, of: index)
        }
        prepareEarlyValues()
        script.start(without: scenario.unplayable(on: radio).map(\.rule), at: now)
        runScript()
    }

    mutating func wakeScript(at due: Instant) { schedule(.scriptWake, due: due) }

    /// The seed of a curve that a script sets.
    func seed(of value: DeviceValue, _ node: Int) -> UInt64 {
        var stream = chance.stream("set \(node) \(value.service)")
        return stream.next()
    }

    /// The seed of a signal strength that a script sets.
    func strengthSeed(of node: Int) -> UInt64 {
        var stream = chance.stream("strength \(node)")
        return stream.next()
    }

    /// The public address of the controller that `addGuest` adds next.
    package var nextGuestAddress: DeviceAddress { ownAddress }

    /// Adds a controller for an external host, in the state after a reset; returns its number.
    package mutating func addGuest(at now: Instant) -> Int {
        run(until: now)
        let address = ownAddress
        let controller = add(address, at: Medium.Station(), for: .guest)
        packets.open(controller: controller, address, name: "guest", at: now)
        if clients.lasting.has(.powerOff) { setPower(of: controller, isOn: false) }
        return controller
    }

    /// Removes the controller of an external host at once, without disconnections; its number may be reused.
    package mutating func removeGuest(_ controller: Int, at now: Instant) {
        run(until: now)
        guard users.isGuest(controller) else { return }
        users[controller] = .nobody
        airspace.remove(controller, at: now, pool: &pool, into: &airspaceOutbox.added)
        users.deliveries[controller].reset(pool: &pool)
        packets.close(controller: controller, at: now)
        forwardAirspaceOutputs()
        outbox.removeAll { output in
            guard case .toGuest(controller, _, let packet) = output else { return false }
            pool.release(packet)
            return true
        }
    }

    /// Adds a host without services, for the built-in client; returns its node's number.
    ///
    /// - Throws: Nothing in practice: the host has no services.
    package mutating func addClient(at now: Instant) throws(AttributeTable.DefinitionError) -> Int {
        run(until: now)
        let definition = PeripheralDefinition(name: "Lubdub client", appearance: Appearance(0), services: [])
        let device = try PeripheralDevice(definition, seed: chance)
        let (node, address) = (nodes.count, ownAddress)
        let controller = add(address, at: Medium.Station(), for: .node(node))
        if radio == .virtual { radio = .rehearsal }
        packets.open(controller: controller, address, name: "client", at: now)
        nodes.append(
            Node(
                device, controller: controller, randomAddress: nil, mtu: Self.defaultMTU, isClient: true,
                HostSecurity(.client, secrets: .stream(chance.stream("security of the client")))))
        central = node
        return node
    }

    /// Whether an external host reads too slowly; meanwhile it gets no advertising reports.
    package mutating func setCongestion(ofGuest controller: Int, _ isCongested: Bool) {
        airspace.setCongestion(of: controller, isCongested)
    }

    // MARK: Input

    /// Takes a packet from an external host: at most `PacketPool.capacity` octets, as `H4Framer` returns them.
    package mutating func receive(
        _ kind: PacketKind, _ octets: ArraySlice<UInt8>, fromGuest controller: Int, at now: Instant
    ) {
        run(until: now)
        guard users.isGuest(controller) else { return }
        let packet = pool.take(octets)
        noteSending(kind, packet, to: controller)
        schedule(.toController(controller, kind, packet), due: now)
    }

    /// The command that the controller of a device has not answered since the start; nil if it works.
    package func unansweredCommand(ofDevice node: Int) -> Opcode? {
        nodes.indices.contains(node) ? nodes[node].host.unansweredAtStart : nil
    }

    package var hasLinks: Bool { nodes.contains { !$0.connections.isEmpty } }

    package mutating func endLinks() {
        for node in nodes.indices where !nodes[node].isClient {
            play(ActionPhase(operation: .disconnect(reason: nil), entity: .device(node), begun: nil, isOn: true))
        }
    }

    /// Passes a command to the host of a device or client; a device with attributes only has none.
    package mutating func command(_ command: Host.Command, of node: Int) {
        guard nodes.indices.contains(node) else { return }
        instruct(node, command)
        forwardHostOutputs(of: node)
    }

    /// Injects a fault into the host of a device or client.
    package mutating func inject(_ fault: Host.Fault, into node: Int) {
        guard nodes.indices.contains(node) else { return }
        assert(!nodes[node].hosting.hasOnlyAttributes, "a stack outside is the host")
        nodes[node].step(.fault(fault), at: now, pool: &pool, into: &hostOutbox)
        forwardHostOutputs(of: node)
    }

    /// Passes a command to the host of a node; the caller forwards the host's outputs.
    mutating func instruct(_ node: Int, _ command: Host.Command) {
        assert(!nodes[node].hosting.hasOnlyAttributes, "a stack outside is the host")
        nodes[node].step(.command(command), at: now, pool: &pool, into: &hostOutbox)
    }

    /// Overrides a value of a device, or returns it to its sensor.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - node: The device.
    ///   - input: The new input; nil to end the override.
    ///   - begun: The time zero of a signal; now by default.
    /// - Returns: Whether the value can be set so.
    package mutating func set(
        _ value: DeviceValue, of node: Int, to input: SensorInput?, begun: Instant? = nil
    ) -> Bool {
        guard nodes.indices.contains(node) else { return false }
        defer { wakeDevice(node) }
        return nodes[node].device.set(value, to: input, at: now, begun: begun)
    }

    /// Notifies or indicates a value now, or these octets.
    package mutating func notify(_ value: DeviceValue, of node: Int, octets: [UInt8]? = nil) {
        guard nodes.indices.contains(node),
            let notification = nodes[node].notification(of: value, octets: octets, at: now, pool: &pool)
        else { return }
        notify(node, notification)
    }

    // MARK: Running

    /// Runs everything that is due by `limit`; then `now` is `limit`.
    package mutating func run(until limit: Instant) {
        var budget = Int.max
        run(until: limit, budget: &budget)
    }

    /// Runs what is due by `limit`, at most `budget` events, and subtracts their number. If the budget suffices, `now`
    /// is `limit` afterwards; otherwise it is the instant of the last event.
    package mutating func run(until limit: Instant, budget: inout Int) {
        while budget > 0 {
            guard let event = takeFirst(dueBy: limit) else {
                eventSchedule.advance(to: limit)
                now = eventSchedule.now
                return
            }
            playAndRunScript(event)
            budget -= 1
        }
    }

    /// Runs everything at the next instant, if that is not after `limit`; false if there is nothing.
    package mutating func runNext(until limit: Instant) -> Bool {
        guard let first = takeFirst(dueBy: limit) else { return false }
        playAndRunScript(first)
        while let event = takeFirst(dueBy: now) { playAndRunScript(event) }
        return true
    }

    private mutating func takeFirst(dueBy limit: Instant) -> Event? {
        let event = eventSchedule.takeFirst(dueBy: limit)
        now = eventSchedule.now
        return event
    }

    mutating func scheduleAdvertisedValues(of node: Int, due: Instant) {
        let ticket = schedule(.advertisedValues(node: node), due: due)
        nodes[node].advertised?.due = ticket
    }

    mutating func schedulePhaseEnd(of node: Int, due: Instant) {
        nodes[node].phaseEnd = schedule(.phaseEnd(node: node), due: due)
    }

    mutating func cancel(_ ticket: EventSchedule.Ticket) { eventSchedule.cancel(ticket) }

    @discardableResult
    mutating func schedule(_ event: Event, due: Instant) -> EventSchedule.Ticket {
        eventSchedule.insert(event, due: due)
    }

    private mutating func playAndRunScript(_ event: Event) {
        play(event)
        runScript()
    }

    private mutating func play(_ event: Event) {
        switch event {
        case .radio(let timer):
            airspace.timePassed(timer, at: now, pool: &pool, into: &airspaceOutbox.added)
            forwardAirspaceOutputs()
        case .toController(let controller, let kind, let packet):
            airspace.receive(kind, packet, by: controller, at: now, pool: &pool, into: &airspaceOutbox.added)
            forwardAirspaceOutputs()
        case .toHost(let node, let kind, let original):
            let packet =
                mutation == nil && clientMutation == nil ? original : mutated(kind, received: original, by: node)
            nodes[node].step(.received(kind, packet), at: now, pool: &pool, into: &hostOutbox)
            forwardHostOutputs(of: node)
        case .hostWake(let node):
            nodes[node].step(.timePassed, at: now, pool: &pool, into: &hostOutbox)
            forwardHostOutputs(of: node)
        case .deviceWake(let node):
            nodes[node].deviceWake = nil
            sendDelayed(node)
            nodes[node].device.timePassed(at: now, pool: &pool, into: &notifications)
            for index in notifications.indices { notify(node, notifications[index]) }
            notifications.clear()
            wakeDevice(node)
        case .scriptWake: script.timePassed(at: now)
        case .phaseEnd(let node):
            nodes[node].phaseEnd = nil
            advertise(node, phase: nodes[node].phase + 1)
            forwardHostOutputs(of: node)
        case .advertisedValues(let node): updateAdvertisedValues(of: node)
        case .strength(let node):
            updateStrength(of: node)
            updatePower(of: node)
        case .userAnswer(let node): passAnswer(of: node)
        case .restarted(let node): finishRestart(of: node)
        case .earlyValue(let node, let handle): sendEarlyValue(at: handle, of: node)
        case .cancelled: break
        }
    }

    mutating func wakeStrength(of node: Int, at due: Instant) { schedule(.strength(node: node), due: due) }

    mutating func changeStation(of controller: Int, _ change: (inout Medium.Station) -> Void) {
        airspace.change(controller, at: now, pool: &pool, into: &airspaceOutbox.added, change)
        forwardAirspaceOutputs()
    }

    mutating func setPower(of controller: Int, isOn: Bool) {
        airspace.setPower(of: controller, isOn: isOn, at: now, pool: &pool, into: &airspaceOutbox.added)
        forwardAirspaceOutputs()
    }

    private mutating func forwardAirspaceOutputs() {
        while let output = airspaceOutbox.takeFirst() {
            switch output {
            case .wake(let timer, let due): schedule(.radio(timer), due: due)
            case .toHost(let controller, let kind, let packet):
                noteArriving(kind, packet, at: controller)
                switch users[controller] {
                case .node(let node): schedule(.toHost(node: node, kind, packet), due: now)
                case .guest: outbox.added.append(.toGuest(controller: controller, kind, packet))
                case .nobody: pool.release(packet)
                }
            }
        }
    }

    mutating func forwardHostOutputs(of node: Int) {
        var index = 0
        while index < hostOutbox.count {
            let output = hostOutbox[index]
            index += 1
            switch output {
            case .send(let kind, let original):
                let packet = mutation == nil && clientMutation == nil ? original : mutated(kind, original, of: node)
                noteSending(kind, packet, to: nodes[node].controller)
                if case .onController = nodes[node].hosting {
                    outbox.added.append(.toRadio(node: node, kind, packet))
                } else {
                    schedule(.toController(nodes[node].controller, kind, packet), due: now)
                }
            case .wake(let due): schedule(.hostWake(node: node), due: due)
            case _ where nodes[node].isClient:
                if case .security(let id, let output) = output { attendPairing(output, id, of: node) }
                outbox.added.append(.client(node: node, output))
            default:
                if case .onController = nodes[node].hosting, let report = ControllerHost.report(output, of: node) {
                    outbox.added.append(report)
                } else {
                    handle(output, ofDevice: node)
                }
            }
        }
        hostOutbox.clear()
    }
}
