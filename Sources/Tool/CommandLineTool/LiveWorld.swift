import Arguments
import BlueZ
import Bluetooth
import Expectations
import Glibc
import HCI
import LEHost
import Octets
import Scenarios
import Simulation
import Sockets
import VirtualWorld

/// A world at the pace of an event loop, with controllers for hosts outside: each connection to one of its addresses is
/// a controller of its own, which leaves the air when the connection ends.
actor LiveWorld {
    private struct Guest {
        let number: Int  // by arrival; controllers' numbers are given again
        let controller: Int
        let line: HostLine
        var framer = H4Framer()
    }

    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private var world: World
    private let files: LogFiles
    private let ending: Ending
    private let verbosity: Verbosity
    let limits: Limits
    private var origin: Instant?  // the loop's time at which the world's began
    private var guests: [Guest] = []
    private var arrivals = 0
    private var listeners: [StreamListener] = []
    private var radios = OutsideRadios()
    private var foreign: ForeignDevices?
    private var adapters: [Int: DeviceAddress] = [:]  // that bluetoothd gives the devices
    /// Why the radio of a device is of no use any more.
    private(set) var failure: String?
    private var whenUnlinked: (@Sendable () -> Void)?
    private var wake: EventLoop.Appointment?
    private var clock: CaseClock?
    private var startsAtReset = false
    private var isOver = false  // the time of a case is
    private var runawaysTold = 0
    private var client: (@Sendable (Host.Output) -> Void)?

    init(
        _ world: sending World, _ files: LogFiles, on loop: EventLoop, _ ending: Ending, _ verbosity: Verbosity,
        limits: @escaping Limits
    ) {
        self.limits = limits
        (self.world, self.files, self.loop) = (world, files, loop)
        (self.ending, self.verbosity) = (ending, verbosity)
    }

    /// Offers controllers at an address; the address that clients reach it at.
    func offer(_ address: StreamAddress) throws(SocketFailure) -> StreamAddress {
        let listener = try StreamListener(at: address, on: loop) { connection in
            self.assumeIsolated { $0.joined(.stream(connection)) }
        }
        listeners.append(listener)
        return listener.address
    }

    /// Offers controllers; where hosts outside find them, in the words of `--controller`.
    func offer(_ place: ControllerPlace) async throws -> String {
        switch place {
        case .stream(let address): return "\(try offer(address))"
        case .kernel:
            let interface = try KernelInterface(on: loop)
            joined(.kernel(interface))
            return try await interface.name()
        }
    }

    /// Begins to count the world's time, and switches the devices on.
    func start() {
        origin = loop.now
        world.start()
        if clock != nil { beat() } else { goOn() }
    }

    /// Tells what the host of a client of the world says; a packet in it stays in the world's pool.
    func tellClient(_ tell: @escaping @Sendable (Host.Output) -> Void) { client = tell }

    /// Judges what happens to the scenario's limit.
    ///
    /// Time begins with `start`, or if `startsAtReset` with the first HCI Reset of a host outside that is not the kernel.
    /// Where a person is asked, the limit counts from when they have connected their client, for which they have a minute
    /// at least; and what they are asked then may be answered at any time.
    func judge(on terms: Judge.Terms, startsAtReset: Bool) {
        world.judgeExpectations(on: terms)
        clock = CaseClock(world.scenario.limit, isHeld: world.waitsForConnection)
        self.startsAtReset = startsAtReset
    }

    /// What a person is asked now.
    var operatorQuestions: [OperatorQuestion] { world.operatorQuestions }

    /// Whether a person has not connected their client yet.
    var waitsForConnection: Bool { world.waitsForConnection }

    /// How many devices the scenario has.
    var deviceCount: Int { world.scenario.devices.count }

    /// From now on nothing happens any more.
    func stop() {
        goOn()
        isOver = true
        wake?.cancel()
    }

    /// Lets so much time pass at once: there is nobody outside who could notice.
    func skip(_ duration: Duration) {
        guard let start = origin else { return }
        origin = Instant(nanoseconds: start.nanoseconds - duration.inNanoseconds)
        goOn()
    }

    /// Whether a host outside uses one of our controllers, or may be there where nobody knows.
    var hasGuests: Bool { !guests.isEmpty || !radios.isEmpty || foreign != nil }

    /// Lets the devices use controllers outside, in the order of the scenario, and switches them on when all
    /// controllers are there.
    func start(above addresses: [StreamAddress]) throws(SocketFailure) {
        world.hostBackend = .radios
        radios = try OutsideRadios(at: addresses, on: loop)
        radios.start { device, event in self.assumeIsolated { $0.radio(device, event) } }
    }

    /// Hands the devices over to bluetoothd, on these adapters; they are switched on when it has all of them.
    func start(onBlueZ adapters: [String?], _ person: Person) async throws(CommandFailure) {
        world.hostBackend = .foreignHosts
        let listener = ForeignDevices.Listener(
            answer: { [weak self] device, request in
                self?.assumeIsolated { $0.answer(device, request) } ?? .failure(.unlikelyError)
            },
            tell: { [weak self] device, event in self?.assumeIsolated { $0.blueZ(device, event) } },
            failed: { [weak self] failure in self?.assumeIsolated { $0.fail("\(failure)") } },
            gone: { [weak self] in
                self?.assumeIsolated { $0.fail("the system bus has gone away; systemctl status dbus says more") }
            })
        let devices = try await ForeignDevices(world, on: adapters, loop, listener, person)
        foreign = devices
        try await devices.start()
    }

    /// Whether the devices are switched on, and the world's time is counted.
    var isPlaying: Bool { origin != nil }

    /// Lets somebody look at the world as it is now, or do something to it.
    func visit<Answer: Sendable>(_ visit: @Sendable (inout World, Instant) -> Answer) -> Answer {
        catchUp()
        defer { goOn() }
        return visit(&world, now)
    }

    /// Ends all connections and gives the world back.
    func close(_ signals: Signals) async -> World {
        if let foreign { await foreign.close() }
        if !radios.isEmpty { await switchOff(signals) }
        wake?.cancel()
        for listener in listeners { listener.close() }
        for guest in guests { guest.line.close() }
        radios.close()
        guests.removeAll()
        world.run(until: now)
        return world
    }

    /// Ends links and advertisements of controllers that go on without us; one that does not answer is waited for a
    /// second, or until a signal comes.
    private func switchOff(_ signals: Signals) async {
        let ending = Ending()
        world.endLinks()
        if world.hasLinks, radios.areOpen {
            whenUnlinked = { ending.say(.time) }
            goOn()
            _ = await ending.wait(signals, on: loop, for: .seconds(1), heedsReader: false)
        }
        for node in radios.devices where origin != nil { world.command(.stopAdvertising, of: node) }
        goOn()
    }

    private var now: Instant {
        if isOver { return world.now }
        let now = origin.map { Instant(nanoseconds: loop.now.nanoseconds - $0.nanoseconds) } ?? .start
        return min(now, clock?.limit ?? .never)
    }

    // MARK: Radios

    private func radio(_ node: Int, _ event: StreamConnection.Event) {
        switch event {
        case .opened:
            radios.opened(node)
            if radios.areOpen { start() }
        case .received(let octets): received(octets, fromRadioOf: node)
        case .ended: broke(node, "\(radios.address(of: node)): the controller has closed the stream")
        case .failed(let failure): broke(node, failure.description(at: radios.address(of: node)))
        }
        goOn()
    }

    private func received(_ octets: [UInt8], fromRadioOf node: Int) {
        let (packets, failure) = radios.packets(with: octets, for: node)
        for packet in packets { world.receive(packet.kind, packet.octets[...], fromRadioOf: node, at: now) }
        if let failure { broke(node, "\(radios.address(of: node)): the controller does not speak H4: \(failure)") }
    }

    private func broke(_ node: Int, _ why: String) {
        radios.close(node)
        whenUnlinked?()
        fail(why)
    }

    private func fail(_ why: String) {
        failure = failure ?? why
        ending.say(.failure(why))
    }

    /// Where a client finds a device.
    func address(of device: Int) -> DeviceAddress { adapters[device] ?? world.scenario.devices[device].address }

    // MARK: BlueZ

    private func answer(_ device: Int, _ request: PeripheralHost.Request) -> Result<[UInt8], ATTError> {
        let wanted: World.AttributeRequest =
            switch request.kind {
            case .read(let offset): .read(offset: offset)
            case .write(let value, let isCommand): .write(value, isCommand: isCommand)
            }
        let answer = world.answer(
            wanted, of: request.handle, from: request.peer, mtu: request.mtu, toForeignHostOf: device, at: now)
        goOn()
        return answer
    }

    private func blueZ(_ device: Int, _ event: PeripheralHost.Event) {
        switch event {
        case .registered(let adapter):
            adapters[device] = adapter.address
            tell("\(adapter.name): bluetoothd serves \(world.scenario.devices[device].name)")
            if foreign?.registered(device) == true { start() }
        case .advertising(let isOn): if isOn { world.foreignHostAdvertises(device, at: now) }
        case .connected(let peer): world.connected(peer, toForeignHostOf: device, at: now)
        case .disconnected(let peer):
            world.disconnected(peer, fromForeignHostOf: device, reason: .unspecified, at: now)
        case .confirmed(let handle): world.confirmed(handle, toForeignHostOf: device, at: now)
        case .subscribed(let handle, let isOn):
            world.subscribed(isOn, to: handle, ofForeignHostOf: device, at: now)
        case .paired(let peer): tell("\(peer) has paired")
        case .lost: tell("bluetoothd has gone away; waiting for it")
        case .failed(let failure): fail("\(failure)")
        }
        goOn()
    }

    // MARK: Guests

    private func joined(_ line: HostLine) {
        guard !isOver else { return line.close() }
        catchUp()
        let controller = world.addGuest(at: now)
        arrivals += 1
        let number = arrivals
        guests.append(Guest(number: number, controller: controller, line: line))
        tell("controller \(controller): a host has come")
        line.start { event in
            self.assumeIsolated { $0.guest(number, event) }
        }
        goOn()
    }

    private func guest(_ number: Int, _ event: StreamConnection.Event) {
        guard !isOver, let index = guests.firstIndex(where: { $0.number == number }) else { return }
        catchUp()
        switch event {
        case .opened: break
        case .received(let octets): received(octets, from: index)
        case .ended, .failed(.broken(EPIPE)), .failed(.broken(ECONNRESET)): remove(index)
        case .failed(let failure):
            Console.complain("lubdub: controller \(guests[index].controller): \(failure)")
            remove(index)
        }
        goOn()
    }

    private func received(_ octets: [UInt8], from index: Int) {
        let controller = guests[index].controller
        guests[index].framer.append(octets)
        do throws(H4Framer.Failure) {
            while let packet = try guests[index].framer.next() {
                if startsAtReset, !isPlaying, packet.isReset, guests[index].line.saysWhenToStart { start() }
                world.receive(packet.kind, packet.octets[...], fromGuest: controller, at: now)
                if world.outbox.count >= Self.mostAnswers { handOutAll() }
            }
        } catch {
            Console.complain("lubdub: controller \(controller): its host does not speak H4: \(error)")
            guests[index].line.close()
            remove(index)
        }
    }

    private func remove(_ index: Int) {
        let guest = guests.remove(at: index)
        world.removeGuest(guest.controller, at: now)
        tell("controller \(guest.controller): its host has gone")
    }

    private func tell(_ line: String) {
        if verbosity > .quiet { Console.complain(line) }
    }

    // MARK: Time

    /// Plays what is due, hands out what came of it, and asks to be called when there is more.
    private func goOn() {
        guard !isOver else { return }
        catchUp()
        handOutAll()
        if clock != nil { judgeTime() }
        if !world.hasLinks { whenUnlinked?() }
        if world.runaways.count > runawaysTold, clock == nil { tellRunaways() }
        files.flush(&world)
        if files.readerIsGone { ending.say(.closed) }
        wake?.cancel()
        // At its limit the world stands still, though what is asked can still be answered.
        guard let origin, let due = world.nextDue, due <= clock?.limit ?? .never, due > world.now || clock == nil else {
            return
        }
        wake = loop.call(at: origin.advanced(by: due.sinceStart)) {
            self.assumeIsolated { $0.goOn() }
        }
    }

    /// Says which rules were cut off, while they can still be mended; of a case that is said at its end.
    private func tellRunaways() {
        for rule in world.runaways[runawaysTold...] { Console.complain("lubdub: \(world.excuse(forCutting: rule))") }
        runawaysTold = world.runaways.count
    }

    /// Decides what time has decided; says when the case is over.
    private func judgeTime() {
        if !world.waitsForConnection { clock?.release(at: world.now) }
        world.judgeTime()
        guard isPlaying, now == clock?.limit || world.isDecided else { return }
        world.reachLimit()
        if world.isDecided || world.operatorQuestions.isEmpty || world.waitsForConnection { ending.say(.time) }
    }

    /// Plays what is due, after what the machine itself is late with has been told to who judges.
    private func catchUp() {
        if let standstill = clock?.standstill(at: loop.now) {
            world.stoodStill(from: world.now, to: world.now.advanced(by: standstill))
        }
        world.run(until: now)
    }

    /// Plays on, and again when it is time to look whether the machine stands still.
    private func beat() {
        goOn()
        guard !isOver, let next = clock?.next(after: loop.now) else { return }
        loop.call(at: next) { self.assumeIsolated { $0.beat() } }
    }

    /// How many answers to what came in one piece wait in the world before they are handed out.
    private static let mostAnswers = 256

    private func handOutAll() {
        let outputs = world.outbox
        world.outbox.removeAll(keepingCapacity: true)
        for output in outputs { handOut(output) }
    }

    private func handOut(_ output: World.Output) {
        switch output {
        case .toGuest(let controller, let kind, let packet):
            guests.first { $0.controller == controller }?.line.send(
                H4Framer.octets(kind, world.pool.octets(of: packet)))
            world.pool.release(packet)
        case .toRadio(let node, let kind, let packet):
            radios.send(kind, world.pool.octets(of: packet), from: node)
            world.pool.release(packet)
        case .radioFailed(let node, let failure): broke(node, "\(radios.address(of: node)): \(failure)")
        case .radioRefused(let node, let opcode, let status):
            Console.complain("lubdub: \(radios.address(of: node)): the controller refused \(opcode): \(status)")
        case .toForeignHost(let node, let command): foreign?.perform(command, of: node)
        case .client(_, let output): client?(output)
        }
    }
}
