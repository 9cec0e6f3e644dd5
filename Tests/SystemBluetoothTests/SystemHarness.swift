import ATT
import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import ScenarioLanguage
import SecurityManager
import Synchronization
import SystemBluetooth
import Testing
import VirtualWorld

/// One system and the devices of a scenario, in virtual time: programs request, and the log has their events and the ATT
/// requests of the system (`>`), in order.
struct SystemHarness {
    /// The first device of a scenario.
    static let strap = DeviceAddress(0xC0FF_EE00_0001, .random)

    private let reader: InstructionReader
    private var world: World
    /// The system under test, and a phone.
    private var systems: [System] = []
    private var wakes: [Instant] = []
    private var actions = 0
    private(set) var lastID: UInt32 = 0
    /// The attributes of the first device, which programs discover or know.
    private(set) var characteristics: [UUID: DiscoveredCharacteristic] = [:]
    /// The attributes of the system, which the phone has discovered.
    private(set) var theirs: [DiscoveredService] = []
    private(set) var log: [String] = []
    /// The address by which the system knows the first device.
    private(set) var peer = Self.strap
    private var lastEvent: (program: UInt32, text: String)?
    /// How often each operation has ended, by its number.
    private(set) var results: [UInt32: Int] = [:]

    /// A system whose programs have begun to use it.
    init(_ policy: HostPolicy, _ scenario: TestDevices = .strap, programs: UInt32 = 2) throws {
        let scenario = try scenario.scenario
        reader = InstructionReader(scenario)
        world = try World(scenario, seed: 1)
        for (number, policy) in [policy, .iPhone].enumerated() {
            let secrets = RandomStream(seed: 1).stream("secrets of \(number)")
            let host = SystemHost(policy, Self.addresses[number], secrets: .stream(secrets), user: PairingUser())
            systems.append(System(host: host, controller: world.addGuest(at: .start)))
        }
        world.start()
        for program in 1...programs { ask(program, .open) }
        run(.milliseconds(10))
        log.removeAll()
    }

    /// The system's, and the phone's.
    static let addresses = [DeviceAddress(0xC0FF_EE00_00FF, .random), DeviceAddress(0xC0FF_EE00_00FE, .random)]

    private struct System {
        var host: SystemHost
        let controller: Int
        var outputs: [SystemHost.Output] = []

        mutating func step(_ input: SystemHost.Input, at now: Instant) { host.step(input, at: now, into: &outputs) }
    }

    // MARK: What happens

    mutating func ask(_ program: UInt32, _ request: CentralRequest) { self.request(program, .central(request)) }

    mutating func serve(_ program: UInt32, _ request: PeripheralRequest) { self.request(program, .peripheral(request)) }

    mutating func agree(_ program: UInt32, _ request: PairingRequest) { self.request(program, .pairing(request)) }

    /// Starts an operation; its number is one higher than that of the one before.
    mutating func start(_ program: UInt32, _ operation: CentralOperation) {
        lastID += 1
        ask(program, .start(operation, id: lastID, peer))
    }

    mutating func run(_ duration: Duration) {
        let limit = world.now.advanced(by: duration)
        while true {
            settle()
            let (event, wake) = (world.nextDue ?? .never, wakes.min() ?? .never)
            guard min(event, wake) <= limit else { break }
            if event <= wake {
                _ = world.runNext(until: event)
            } else {
                world.run(until: wake)
                wakes.removeAll { $0 <= wake }
                for system in systems.indices { step(.timePassed, system) }
            }
        }
        world.run(until: limit)
        settle()
    }

    /// Performs an action of the scenario language.
    mutating func act(_ line: String) throws {
        guard case .act(let rule) = try reader.read(Array(line.utf8), at: world.now) else {
            throw Missing(description: line)
        }
        actions += 1
        let hasActed = world.act(rule, as: "test \(actions)", at: world.now)
        #expect(hasActed)
        settle()
    }

    /// Notes something in the log.
    mutating func note(_ text: String) {
        log.append(text)
        lastEvent = nil
    }

    mutating func clear() {
        log.removeAll()
        lastEvent = nil
    }

    // MARK: Attributes

    func value(_ uuid: UUID) throws -> UInt16 { try found(uuid).valueHandle }

    func found(_ uuid: UUID) throws -> DiscoveredCharacteristic {
        guard let found = characteristics[uuid] else { throw Missing(description: "\(uuid)") }
        return found
    }

    mutating func read(_ program: UInt32, _ uuid: UUID) throws {
        start(program, .procedure(.readLong(handle: try value(uuid))))
    }

    mutating func write(_ program: UInt32, _ uuid: UUID, _ octets: [UInt8]) throws {
        start(program, .procedure(.write(handle: try value(uuid), value: octets)))
    }

    mutating func subscribe(_ program: UInt32, _ uuid: UUID, _ isOn: Bool = true) throws {
        let characteristic = try found(uuid)
        let configuration: ClientConfiguration =
            characteristic.properties.contains(.notify) ? .notification : .indication
        let range = HandleRange(characteristic.valueHandle + 1, characteristic.range.last)
        start(program, .notify(isOn, value: characteristic.valueHandle, descriptors: range, configuration))
    }

    /// Connects a program, lets the system prepare the link, and discovers the attributes if the system does not.
    mutating func connect(_ program: UInt32 = 1) {
        ask(program, .connect(peer, ConnectionOptions()))
        run(.seconds(5))
        if characteristics.isEmpty {
            start(program, .procedure(.discoverEverything))
            run(.seconds(5))
        }
        lastID = 0
        clear()
    }

    // MARK: Driving

    private mutating func request(_ program: UInt32, _ request: ProgramRequest) {
        step(.request(ProgramID(number: program), request), 0)
        settle()
    }

    private mutating func step(_ input: SystemHost.Input, _ system: Int) {
        systems[system].step(input, at: world.now)
    }

    private mutating func settle() {
        repeat {
            for system in systems.indices { settle(system) }
            while let output = world.outbox.takeFirst() {
                guard case .toGuest(let controller, let kind, let packet) = output else { continue }
                let octets = world.pool.octets(of: packet)
                world.pool.release(packet)
                guard let system = systems.firstIndex(where: { $0.controller == controller }) else { continue }
                step(.received(kind, octets), system)
            }
        } while systems.contains { !$0.outputs.isEmpty }
    }

    private mutating func settle(_ system: Int) {
        let now = systems[system].outputs
        systems[system].outputs.removeAll()
        for output in now {
            switch output {
            case .send(let kind, let octets):
                if kind == .acl, system == 0, let line = Self.request(in: octets, names: names) { log(request: line) }
                world.receive(kind, octets[...], fromGuest: systems[system].controller, at: world.now)
            case .wake(let due): wakes.append(due)
            case .event(let program, let event):
                if system == 0 { note(event, of: program.number) } else { noteOfPhone(event) }
            }
        }
    }

    // MARK: The phone

    /// A program of the phone.
    mutating func phone(_ request: CentralRequest) {
        step(.request(ProgramID(number: 1), .central(request)), 1)
        settle()
    }

    /// Starts an operation of the phone with the system.
    mutating func phone(_ operation: CentralOperation) { phone(.start(operation, id: 1, Self.addresses[0])) }

    private mutating func noteOfPhone(_ event: ProgramEvent) {
        guard case .central(let event) = event else { return }
        switch event {
        case .discovered(let peer, let advertisement, _) where peer == Self.addresses[0]:
            let services = advertisement.services.map { "\($0)" }
            note("phone receives " + ([advertisement.name ?? "-"] + services).joined(separator: " "))
        case .connected: note("phone connected")
        case .disconnected: note("phone disconnected")
        case .finished(_, _, let result):
            if case .success(.procedure(.services(let services))) = result { theirs = services }
            note("phone: \(Self.text(result))")
        case .value(_, _, let octets): note("phone has \(octets.hex)")
        case .servicesChanged: note("phone: services changed")
        default: break
        }
    }

    // MARK: The log

    /// The names of handles: the characteristic's UUID, of descriptors with theirs.
    private var names: [UInt16: String] {
        var names: [UInt16: String] = [:]
        for characteristic in characteristics.values {
            names[characteristic.valueHandle] = "\(characteristic.uuid)"
            for descriptor in characteristic.descriptors {
                names[descriptor.handle] = "\(characteristic.uuid)/\(descriptor.type)"
            }
        }
        return names
    }

    /// A discovery has many requests, which are one line.
    private mutating func log(request line: String) {
        if line != "> discovery" || log.last != line { note(line) }
    }

    private mutating func note(_ event: ProgramEvent, of program: UInt32) {
        switch event {
        case .central(let event): note(event, of: program)
        case .peripheral(let event): note(Self.text(event), by: program)
        case .pairing(let event): note(Self.text(event), by: program)
        }
    }

    /// An event that several programs receive is one line.
    private mutating func note(_ text: String, by program: UInt32) {
        if let lastEvent, lastEvent.text == text, lastEvent.program < program, let line = log.popLast() {
            log.append("\(lastEvent.program), \(program)" + line.dropFirst("\(lastEvent.program)".count))
        } else {
            log.append("\(program) \(text)")
        }
        lastEvent = (program, text)
    }

    private mutating func note(_ event: CentralEvent, of program: UInt32) {
        var line = ""
        switch event {
        case .state(let state): line += "\(state)"
        case .discovered(let peer, let advertisement, _):
            line += "discovered \(advertisement.name ?? "\(peer)")"
        case .monitored(let id, _, let rssi): line += "monitored \(id): \(rssi) dBm"
        case .connected(_, let mtu): line += "connected \(mtu)"
        case .failedToConnect(_, let failure): line += "failed to connect: \(failure)"
        case .disconnecting: line += "disconnecting"
        case .disconnected(_, let failure, _): line += "disconnected" + (failure.map { ": \($0)" } ?? "")
        case .connection(_, let isConnected): line += "connection \(isConnected)"
        case .renamed(_, let name): line += "renamed \(name)"
        case .exchangedMTU(_, let mtu): line += "MTU \(mtu)"
        case .finished(let id, _, let result):
            results[id, default: 0] += 1
            line += "finished \(id): \(Self.text(result))"
        case .value(_, let handle, let octets): line += "value of \(names[handle] ?? "\(handle)"): \(octets.hex)"
        case .servicesChanged(_, let range): line += "services changed \(range.first) to \(range.last)"
        case .found(_, let services): line += "found " + Self.text(services)
        case .lost(_, let services): line += "lost " + Self.text(services)
        case .resolved: line += "resolved"
        case .ownValue(_, let uuid, let octets):
            line += "own value of \(uuid)" + (uuid == .databaseHash ? "" : ": \(octets.hex)")
        case .paired(_, let failure): line += "paired" + (failure.map { ": \($0)" } ?? "")
        case .bonded(_, let identity): line += identity == nil ? "bonded no more" : "bonded"
        case .forgotten: line += "forgotten"
        case .trouble(_, let isOn): line += "trouble \(isOn)"
        }
        learn(event)
        note(line, by: program)
    }

    /// Takes the attributes of the strap from an event.
    private mutating func learn(_ event: CentralEvent) {
        switch event {
        case .discovered(let peer, let advertisement, _) where advertisement.name == "Strap": self.peer = peer
        case .finished(_, peer, .success(.procedure(.services(let services)))), .found(peer, let services):
            for characteristic in services.flatMap(\.characteristics) {
                characteristics[characteristic.uuid] = characteristic
            }
        default: break
        }
    }
}

/// A test needs something that the world lacks.
struct Missing: Error, CustomStringConvertible {
    let description: String
}
