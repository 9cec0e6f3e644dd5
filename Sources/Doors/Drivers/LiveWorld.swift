package import Basics
import BlueZ
package import Bluetooth
import Clients
import HCI
import LEHost
package import Linux
package import ScenarioModel
import Sockets
package import SystemBluetooth
package import VirtualWorld

/// A simulated world at the pace of an event loop; its devices and clients can use external hosts and controllers.
///
/// Each connection to one of its addresses is a separate controller, which is removed when the connection ends.
package actor LiveWorld: LoopActor {
    package nonisolated let loop: EventLoop
    private var session: Session<AttachedSystemHosts>
    private let flushLogs: @Sendable (inout World) -> Bool
    private let completion: RunCompletion
    private let isQuiet: Bool
    private var time: WorldClock
    private var budget = 0  // events that the world may still play in this turn
    private var turn = Instant.start  // the loop's time in this turn
    var guests = Guests()
    var listeners: [StreamListener] = []
    private var controllers: [DeviceController] = []  // by device
    private var bluetoothd: BlueZDevices?
    private var adapters: [Int: DeviceAddress] = [:]  // that bluetoothd gives the devices
    /// Why a device's radio is unusable; nil while all work.
    package private(set) var failure: String?
    /// Whether a host has connected to the controller of a client.
    package private(set) var hasHadGuests = false
    /// What was wrong with the octets of the first such host whose connection was closed for them.
    package private(set) var guestProblem: String?
    private var whenUnlinked: (@Sendable () -> Void)?
    private var wake: EventLoop.ScheduledCall?
    private var clock: CaseClock?
    private var startsAtReset = false
    private var isOver = false  // the time of a case is
    private var reportedRunaways = 0
    private var client: (@Sendable (Host.Output) -> Void)?

    /// A world that begins with `start`. It finishes `completion` when the case is over, a radio fails, or the reader
    /// of the logs has gone: `flushLogs` writes the logs, and returns whether they still have a reader.
    package init(
        _ world: sending World, on loop: EventLoop, _ completion: RunCompletion, isQuiet: Bool,
        flushLogs: @escaping @Sendable (inout World) -> Bool
    ) {
        self.flushLogs = flushLogs
        (session, self.loop) = (Session(world, AttachedSystemHosts()), loop)
        (self.completion, self.isQuiet) = (completion, isQuiet)
        time = WorldClock(speed: loop.speed)
    }

    private var world: World {
        _read { yield session.world }
        _modify { yield &session.world }
    }

    /// Starts the world's time and the devices.
    package func start() {
        time.start(at: loop.now)
        world.start()
        if clock != nil { beat() } else { advance() }
    }

    /// Calls `handler` with the outputs of a client's host; their packets stay in the world's pool.
    func handleClientOutputs(_ handler: @escaping @Sendable (Host.Output) -> Void) { client = handler }

    /// Plays until the scenario's limit, or until further events change nothing for the world's observer.
    ///
    /// Time begins with `start`, or if `startsAtReset` with the first HCI Reset of an external host other than the
    /// kernel. With an operator, the limit counts from when they have connected their client, for which they have at
    /// least a minute; they can answer after the limit.
    package func playCase(startsAtReset: Bool) {
        clock = CaseClock(world.scenario.limit, isHeld: world.waitsForConnection)
        self.startsAtReset = startsAtReset
    }

    /// The world's observer, as it is now.
    package var observer: (any WorldObserver)? { world.observer }

    var deviceCount: Int { world.scenario.devices.count }

    /// How the devices reach a client.
    package var radio: RadioKind { world.radio }

    package func stop() {
        advance()
        isOver = true
        wake?.cancel()
    }

    /// Advances the world's time at once; only when no external host can notice.
    package func skip(_ duration: Duration) {
        guard isPlaying else { return }
        time.skip(duration)
        var budget = Int.max
        session.run(until: target, budget: &budget)
        advance()
    }

    /// Whether an external host may use one of the virtual controllers.
    package var hasGuests: Bool { !guests.isEmpty || !controllers.isEmpty || bluetoothd != nil }

    /// Connects the devices of a world with `World.placeDevices` to external controllers, in the order of the scenario, and
    /// starts them when all controllers are connected.
    func start(above addresses: [ControllerAddress]) throws(Obstacle) {
        assert(world.radio == .controllers)
        for address in addresses {
            let transport = try H4Transport(above: address, on: loop)
            controllers.append(DeviceController(address, transport))
        }
        for (device, controller) in controllers.enumerated() {
            controller.transport.start { [weak self] event in
                self?.assumeIsolated { $0.controller(of: device, event) }
            }
        }
    }

    /// Registers the devices of a world with `World.placeDevices` with bluetoothd, and starts them when all are registered;
    /// `answerPairing` answers bluetoothd's requests while a device pairs.
    func start(
        onBlueZ adapters: [String?], answerPairing: @escaping BlueZDevices.PairingHandler
    ) async throws(Obstacle) {
        assert(world.radio == .bluetoothd)
        let handlers = BlueZDevices.Handlers(
            answer: { [weak self] device, request in
                self?.assumeIsolated { $0.answer(device, request) } ?? .failure(.unlikelyError)
            },
            event: { [weak self] device, event in self?.assumeIsolated { $0.bluetoothd(device, event) } },
            pairing: answerPairing,
            failed: { [weak self] failure in self?.assumeIsolated { $0.fail("\(failure)") } },
            busClosed: { [weak self] in
                self?.assumeIsolated { $0.fail("the system bus has gone away; see systemctl status dbus") }
            })
        let devices = try await BlueZDevices(world, on: adapters, loop, handlers)
        bluetoothd = devices
        try await devices.start()
    }

    /// Whether the devices and the world's time have started.
    package var isPlaying: Bool { time.isRunning }

    /// Calls `body` with the present world, which it may modify.
    package func visit<Answer: Sendable>(_ body: @Sendable (inout World, Instant) -> Answer) -> Answer {
        catchUp()
        defer { advance() }
        return body(&world, world.now)
    }

    /// Ends all connections and returns the world.
    package func close(_ signals: Signals) async -> World {
        await bluetoothd?.close()
        if !controllers.isEmpty { await switchOff(signals) }
        wake?.cancel()
        stopOffering()
        for controller in controllers { controller.transport.close() }
        catchUp()
        return world
    }

    /// Ends links and advertising of external controllers. Waits for an unresponsive one for 1 s, or until a signal.
    private func switchOff(_ signals: Signals) async {
        let unlinked = RunCompletion()
        world.endLinks()
        if world.hasLinks, controllers.allSatisfy(\.isOpen) {
            whenUnlinked = { unlinked.finish(.time) }
            advance()
            _ = await unlinked.wait(signals, on: loop, for: .seconds(1), watchesReader: false)
        }
        for node in controllers.indices where isPlaying { world.command(.stopAdvertising, of: node) }
        advance()
    }

    /// The time that the world should have reached.
    private var target: Instant { isOver ? world.now : min(time.time(at: loop.now), clock?.limit ?? .never) }

    // MARK: System hosts

    /// Adds a Bluetooth service for programs, with a controller; returns a function that takes their requests. `report`
    /// receives the events, with their instants in the world, on the loop's thread, a little later.
    package func attach(
        _ host: SystemHost, report: @escaping @Sendable (ProgramID, ProgramEvent, Instant) -> Void
    ) -> @Sendable (ProgramID, ProgramRequest) -> Void {
        catchUp()
        let number = session.add(host) { [loop] program, event, world in
            loop.call(at: loop.now) { [instant = world.now] in report(program, event, instant) }
        }
        return { [weak self] program, request in
            self?.assumeIsolated { live in
                live.catchUp()
                live.session.request(request, of: program, number)
                live.advance()
            }
        }
    }

    // MARK: External controllers

    private func controller(of device: Int, _ event: H4Transport.Event) {
        catchUp()
        switch event {
        case .opened:
            controllers[device].isOpen = true
            if controllers.allSatisfy(\.isOpen) { start() }
        case .received(let packets):
            for packet in packets { world.receive(packet.kind, packet.octets[...], fromRadioOf: device, at: world.now) }
        case .failed(let failure): lose(device, controllers[device].message(of: failure))
        }
        advance()
    }

    /// A message that a controller does not respond; nil if all devices have started.
    package var silence: String? {
        controllers.indices.lazy.compactMap { [world] device in
            self.controllers[device].silence(unanswered: world.unansweredCommand(ofDevice: device))
        }.first
    }

    private func lose(_ device: Int, _ reason: String) {
        controllers[device].isOpen = false
        controllers[device].transport.close()
        whenUnlinked?()
        fail(reason)
    }

    private func fail(_ reason: String) {
        failure = failure ?? reason
        completion.finish(.failure(reason))
    }

    /// The address at which a client finds a device.
    package func address(of device: Int) -> DeviceAddress { adapters[device] ?? world.scenario.devices[device].address }

    // MARK: bluetoothd

    private func answer(_ device: Int, _ request: PeripheralHost.Request) -> Result<[UInt8], ATTError> {
        catchUp()
        let answer = world.answer(
            request.kind, of: request.handle, from: request.peer, mtu: request.mtu, toAttributeHostOf: device,
            at: world.now
        )
        advance()
        return answer
    }

    private func bluetoothd(_ device: Int, _ event: PeripheralHost.Event) {
        catchUp()
        let now = world.now
        switch event {
        case .registered(let adapter):
            adapters[device] = adapter.address
            report("\(adapter.name): bluetoothd serves \(world.scenario.devices[device].name)")
            if bluetoothd?.complete(device) == true { start() }
        case .advertising(let isOn): if isOn { world.attributeHostAdvertises(device, at: now) }
        case .connected(let peer): world.connected(peer, toAttributeHostOf: device, at: now)
        case .disconnected(let peer):
            world.disconnected(peer, fromAttributeHostOf: device, reason: .unspecified, at: now)
        case .confirmed(let handle): world.confirmed(handle, toAttributeHostOf: device, at: now)
        case .subscribed(let handle, let isOn):
            world.subscribed(isOn, to: handle, ofAttributeHostOf: device, at: now)
        case .paired(let peer): report("\(peer) has paired")
        case .forgotten(let peer): report("bluetoothd has removed the bond with \(peer)")
        case .notForgotten(let why): Notices.warn("forget_bond: \(why)")
        case .lost: report("bluetoothd has gone away; waiting for it")
        case .failed(let failure): fail("\(failure)")
        }
        advance()
    }

    // MARK: Guests

    func joined(_ transport: H4Transport, isKernel: Bool) {
        guard !isOver else { return transport.close() }
        hasHadGuests = true
        catchUp()
        let controller = world.addGuest(at: world.now)
        let number = guests.add(transport, on: controller, isKernel: isKernel).number
        report("controller \(controller): host connected")
        transport.start { [weak self] event in
            self?.assumeIsolated { $0.guest(number, on: controller, event) }
        }
        advance()
    }

    private func guest(_ number: Int, on controller: Int, _ event: H4Transport.Event) {
        guard !isOver, let guest = guests.guest(number, on: controller) else { return }
        catchUp()
        switch event {
        case .opened: break
        case .received(let packets): for packet in packets { receive(packet, from: guest) }
        case .failed(let failure):
            if !failure.isHangUp {
                guestProblem = guestProblem ?? "\(failure)"
                Notices.warn("controller \(controller): \(failure)")
            }
            remove(guest)
        }
        advance()
    }

    private func receive(_ packet: H4Framer.Framed, from guest: Guest) {
        if startsAtReset, !isPlaying, packet.isReset, !guest.isKernel { start() }
        world.receive(packet.kind, packet.octets[...], fromGuest: guest.controller, at: world.now)
        if world.outbox.count >= Self.maximumWaiting { handleOutputs() }
    }

    private func remove(_ guest: Guest) {
        guests.remove(guest)
        world.removeGuest(guest.controller, at: world.now)
        report("controller \(guest.controller): host disconnected")
    }

    private func send(_ kind: PacketKind, _ octets: [UInt8], toGuest controller: Int) {
        switch guests.send(kind, octets, to: controller) {
        case .none: break
        case .congested(let isFirst):
            world.setCongestion(ofGuest: controller, true)
            if isFirst {
                report("controller \(controller): the host reads too slowly: advertising reports are dropped")
            }
        case .overflowed(let limit):
            guard let guest = guests.guest(on: controller) else { return }
            guest.transport.close()
            Notices.warn("controller \(controller): \(SocketFailure.neverReads(limit: limit))")
            remove(guest)
        }
    }

    private func report(_ line: String) {
        if !isQuiet { Notices.post(.information("\(line)")) }
    }

    // MARK: Time

    /// Runs the events that are due, handles their outputs, and schedules the next event.
    private func advance() {
        guard !isOver else { return }
        catchUp()
        session.settle()
        handleOutputs()
        for controller in guests.takeRelieved() { world.setCongestion(ofGuest: controller, false) }
        if clock != nil { finishCaseInTime() }
        if !world.hasLinks { whenUnlinked?() }
        if clock == nil { reportRunaways() }
        if !flushLogs(&world) { completion.finish(.closed) }
        wake?.cancel()
        // At its limit the world's time stops, but questions can still be answered.
        let due = session.deadline
        guard due < .never, due <= clock?.limit ?? .never, due > world.now || clock == nil || budget == 0,
            let turn = time.loopTime(of: due)
        else { return }
        wake = loop.call(at: turn) { [weak self] in self?.assumeIsolated { $0.advance() } }
    }

    /// Warns of rules that were cut off; with a case, when it ends.
    private func reportRunaways() {
        for rule in world.runaways[reportedRunaways...] { Notices.warn("\(world.runawayWarning(for: rule))") }
        reportedRunaways = world.runaways.count
    }

    /// Reports to the observer that time has passed, and finishes the case when it is over.
    private func finishCaseInTime() {
        if !world.waitsForConnection { clock?.release(at: world.now) }
        world.report(.timePassed)
        guard isPlaying, world.now == clock?.limit || world.isDecided else { return }
        world.report(.limitReached)
        let hasQuestions = observer?.hasQuestions ?? false
        if world.isDecided || !hasQuestions || world.waitsForConnection { completion.finish(.time) }
    }

    /// The maximum number of events that the world plays in one turn of the loop, so that descriptors and signals do
    /// not wait long.
    private static let slice = 2000

    /// Runs the events that are due, at most a slice per turn, after the observer has received the lag of this machine.
    ///
    /// Afterwards the world's present may be behind `target`.
    private func catchUp() {
        if let stall = clock?.stall(at: loop.now), loop.followers == nil {
            world.report(.stalled(from: world.now, to: world.now.advanced(by: stall)))
        }
        // With followers, many turns have the same time, and a machine is never late.
        let isNewTurn = turn != loop.now || loop.followers != nil
        if isNewTurn { (turn, budget) = (loop.now, Self.slice) }
        session.run(until: target, budget: &budget)
        guard isNewTurn, isPlaying, !isOver, loop.followers == nil else { return }
        let due = target
        if world.now < due { world.report(.stalled(from: world.now, to: due)) }
        if let message = time.note(lag: world.now.duration(to: due), at: loop.now) { Notices.warn("\(message)") }
        if target < due { world.report(.clockSetBack) }
    }

    /// Advances now, and again at the next beat of the clock.
    private func beat() {
        advance()
        guard !isOver, let next = clock?.next(after: loop.now) else { return }
        loop.call(at: next) { [weak self] in self?.assumeIsolated { $0.beat() } }
    }

    /// The maximum number of outputs that wait while a chunk of a stream is handled.
    private static let maximumWaiting = 256

    private func handleOutputs() {
        while let output = world.outbox.takeFirst() { handle(output) }
    }

    private func handle(_ output: World.Output) {
        switch output {
        case .toGuest(let controller, let kind, let packet):
            send(kind, world.pool.octets(of: packet), toGuest: controller)
            world.pool.release(packet)
        case .toRadio(let device, let kind, let packet):
            controllers[device].transport.send(kind, world.pool.octets(of: packet))
            world.pool.release(packet)
        case .radioFailed(let device, let failure):
            lose(device, controllers[device].message(of: failure))
        case .radioWarning(let device, let output):
            if let text = controllers[device].warning(for: output) { Notices.warn("\(text)") }
        case .radioPower(let device, let power):
            if let line = controllers[device].line(for: power) { report(line) }
        case .toAttributeHost(let device, let command): bluetoothd?.perform(command, of: device)
        case .system: break  // no system has been added
        case .client(_, let output): client?(output)
        }
    }
}
