import Basics
import BlueZNames
import Bluetooth
import DBus
import SystemBluetooth

/// An application that a program has registered, or is registering.
struct RegisteredApplication: Sendable {
    let program: ProgramID
    let owner: BusName
    let path: ObjectPath
    /// The call to answer when it is registered.
    var registering: ReceivedCall?
    /// The number of its first service.
    private(set) var first: UInt32 = 0
    private(set) var services: [Application.Service] = []
    /// The characteristics at the program's paths.
    private(set) var characteristics: [ObjectPath: CharacteristicID] = [:]

    /// How many times a characteristic is subscribed to.
    var subscriptions: [CharacteristicID: Int] = [:]

    init(of program: ProgramID, named owner: BusName, at path: ObjectPath, registering call: ReceivedCall) {
        (self.program, self.owner, self.path, registering) = (program, owner, path, call)
    }

    /// Adds the services of its objects, which are numbered from `first`.
    mutating func add(_ services: [Application.Service], numberedFrom first: UInt32) {
        (self.services, self.first) = (services, first)
        for (index, service) in services.enumerated() {
            for (place, characteristic) in service.characteristics.enumerated() {
                characteristics[characteristic.path] = CharacteristicID(service: first + UInt32(index), index: place)
            }
        }
    }
}

/// The programs' peripheral role.
struct LocalPeripherals: Sendable {
    /// The applications, by a number that is never used again.
    var applications: [UInt32: RegisteredApplication] = [:]
    var advertisements: [UInt32: RegisteredAdvertisement] = [:]
    /// The programs that have the role, and the subscriptions to their signals.
    var programs: [ProgramID: Connection.Subscription] = [:]
    /// The values of each program that the host has not sent.
    var waiting: [ProgramID: Int] = [:]
    /// The centrals that are connected, and the MTU of their links.
    var centrals: Set<DeviceAddress> = []
    private var numbers: UInt32 = 0

    /// A number, or the first of several.
    mutating func take(_ count: Int = 1) -> UInt32 {
        defer { numbers &+= UInt32(count) }
        return numbers
    }

    /// The application with a service.
    func application(with service: UInt32) -> UInt32? {
        applications.first { $1.first <= service && Int(service - $1.first) < $1.services.count }?.key
    }

    /// Finds a characteristic, and the name of the program that has it.
    func place(of id: CharacteristicID) -> (owner: BusName, Application.Characteristic)? {
        guard let application = application(with: id.service).flatMap({ applications[$0] }) else { return nil }
        let characteristics = application.services[Int(id.service - application.first)].characteristics
        return characteristics.indices.contains(id.index) ? (application.owner, characteristics[id.index]) : nil
    }

    /// The characteristic at a path of a program.
    func characteristic(at path: ObjectPath, of program: ProgramID) -> CharacteristicID? {
        let owners = applications.lazy.filter { $1.program == program && $1.characteristics[path] != nil }
        return owners.min { $0.key < $1.key }?.value.characteristics[path]
    }
}

// GattManager1: src/gatt-database.c.
extension BluetoothService {
    /// How many applications a program can register, and how many services all have together.
    private static let maximumApplications = 16
    private static let maximumServices = 1024
    /// The default of libdbus.
    static let replyTimeout = Duration.seconds(25)

    func performGattManager(_ method: String, _ call: ReceivedCall) {
        guard let sender = call.sender, let path = call.arguments.first?.path else {
            return fail(call, .invalidArguments)
        }
        let program = program(sender).id
        let same = peripherals.applications.first { $1.program == program && $1.path == path }?.key
        guard method == "RegisterApplication" else {
            guard let same else { return fail(call, .doesNotExist) }
            removeApplication(same)
            return reply(to: call)
        }
        guard same == nil else { return fail(call, .alreadyExists) }
        let own = peripherals.applications.values.filter { $0.program == program }
        guard own.count < Self.maximumApplications, becomePeripheral(program, sender) else {
            return fail(call, .failed("Failed to register application"))
        }
        let number = peripherals.take()
        peripherals.applications[number] = RegisteredApplication(
            of: program, named: sender, at: path, registering: call)
        self.call(sender, path, .objectManager, "GetManagedObjects", reply: "a{oa{sa{sv}}}") { service, result in
            service.readApplication(number, try? result.get().first)
        }
    }

    /// A program publishes something for the first time: its signals matter from now on.
    func becomePeripheral(_ program: ProgramID, _ name: BusName) -> Bool {
        guard peripherals.programs[program] == nil else { return true }
        let subscription = connection.assumeIsolated { connection in
            try? connection.listen(to: MatchRule(sender: name)) { [weak self] signal in
                self?.assumeIsolated { $0.received(signal, from: program) }
            }
        }
        guard let subscription else { return false }
        peripherals.programs[program] = subscription
        request(program, .peripheral(.open))
        return true
    }

    /// Calls a program; `finish` gets the result, before anything that the program sends later.
    func call(
        _ owner: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = [], reply: Signature = "", within limit: Duration = replyTimeout,
        _ finish: @escaping @Sendable (isolated BluetoothService, Result<[Value], CallFailure>) -> Void
    ) {
        let call = Call(owner, path, interface, member, arguments, reply: reply, within: limit)
        connection.assumeIsolated { connection in
            do throws(CallFailure) {
                try connection.call(call) { [weak self] result in
                    self?.assumeIsolated { service in
                        finish(service, result)
                        service.scheduleFlush()
                    }
                }
            } catch {
                loop.call(at: loop.now) { [weak self] in self?.assumeIsolated { finish($0, .failure(error)) } }
            }
        }
    }

    /// Calls a program, whose reply does not matter.
    func tell(
        _ owner: BusName, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
        _ arguments: [Value] = []
    ) {
        connection.assumeIsolated { try? $0.send(Call(owner, path, interface, member, arguments)) }
    }

    // MARK: Registration

    private func readApplication(_ number: UInt32, _ objects: Value?) {
        guard let application = peripherals.applications[number], let call = application.registering else { return }
        do throws(MethodError) {
            let first = peripherals.take(Application.maximumServices)
            let services = try Application(objects, numberedFrom: first).services
            let present = peripherals.applications.values.reduce(0) { $0 + $1.services.count }
            guard present + services.count <= Self.maximumServices else { throw .noEntry }
            peripherals.applications[number]?.add(services, numberedFrom: first)
            request(
                application.program, .peripheral(.addAll(services.map(\.definition), firstID: first)))
        } catch {
            peripherals.applications[number] = nil
            fail(call, error)
        }
    }

    /// The services of an application have been published, or could not be.
    func added(_ service: UInt32, _ failure: PeripheralFailure?) {
        guard let number = peripherals.application(with: service),
            let call = peripherals.applications[number]?.registering.take()
        else { return }
        guard failure != nil else { return reply(to: call) }
        peripherals.applications[number] = nil
        fail(call, .noEntry)
    }

    private func removeApplication(_ number: UInt32) {
        guard let application = peripherals.applications.removeValue(forKey: number) else { return }
        for index in application.services.indices {
            request(application.program, .peripheral(.remove(id: application.first + UInt32(index))))
        }
        if let call = application.registering { fail(call, .failed("Failed to register application")) }
    }

    /// A program has left the bus: what it has published goes with it.
    func leavePeripherals(_ program: ProgramID) {
        if let subscription = peripherals.programs.removeValue(forKey: program) {
            connection.assumeIsolated { $0.cancel(subscription) }
            request(program, .peripheral(.close))
        }
        peripherals.waiting[program] = nil
        peripherals.applications = peripherals.applications.filter { $1.program != program }
        let advertisements = peripherals.advertisements.filter { $1.program == program }.keys.sorted()
        for number in advertisements { removeAdvertisement(number) }
    }

    // MARK: Signals

    private func received(_ signal: Signal, from program: ProgramID) {
        switch (signal.interface, signal.member) {
        case (.properties, "PropertiesChanged"):
            guard signal.arguments.count == 3 else { return }
            let (changed, invalidated) = (signal.arguments[1], signal.arguments[2].strings ?? [])
            switch signal.arguments[0].string {
            case InterfaceName.gattCharacteristic.text:
                let value = changed["Value"]?.octets ?? (invalidated.contains("Value") ? [] : nil)
                if let value { update(signal.path, value, of: program) }
            case InterfaceName.advertisement.text: changedAdvertisement(at: signal.path, of: program)
            default: break
            }
        case (.objectManager, "InterfacesRemoved"):
            guard let path = signal.arguments.first?.path,
                signal.arguments.last?.strings?.contains(InterfaceName.gattService.text) == true
            else { return }
            removeService(at: path, of: program)
        default: break
        }
    }

    /// A program has removed the object of a service; its number stays taken.
    private func removeService(at path: ObjectPath, of program: ProgramID) {
        for (_, application) in peripherals.applications.sorted(by: { $0.key < $1.key }) {
            guard application.program == program,
                let index = application.services.firstIndex(where: { $0.path == path })
            else { continue }
            request(program, .peripheral(.remove(id: application.first + UInt32(index))))
        }
    }

    /// The values of a program that may wait for slow links; further ones are lost.
    private static let maximumWaiting = 256

    private func update(_ path: ObjectPath, _ value: [UInt8], of program: ProgramID) {
        guard let id = peripherals.characteristic(at: path, of: program),
            peripherals.waiting[program, default: 0] < Self.maximumWaiting
        else { return }
        peripherals.waiting[program, default: 0] += 1
        request(program, .peripheral(.update(id, Array(value.prefix(Self.maximumValue)), to: nil)))
    }

    /// BT_ATT_MAX_VALUE_LEN.
    static let maximumValue = 512
}
