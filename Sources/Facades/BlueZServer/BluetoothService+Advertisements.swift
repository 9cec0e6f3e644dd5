import Basics
import BlueZNames
import Bluetooth
import DBus
import SystemBluetooth

/// An advertisement that a program has registered, or is registering.
struct RegisteredAdvertisement: Sendable {
    let program: ProgramID
    let owner: BusName
    let path: ObjectPath
    /// The call to answer when it is advertised.
    var registering: ReceivedCall?
    /// When it ends.
    var end: EventLoop.ScheduledCall?
}

// LEAdvertisingManager1: src/advertising.c.
extension BluetoothService {
    /// The instances of the kernel.
    private static let maximumAdvertisements = 5

    var advertisingProperties: [(String, Value)] {
        [
            ("ActiveInstances", .byte(0)), ("SupportedInstances", .byte(UInt8(Self.maximumAdvertisements))),
            ("SupportedIncludes", .strings(["tx-power", "appearance", "local-name"])),
        ]
    }

    func performAdvertisingManager(_ method: String, _ call: ReceivedCall) {
        guard let sender = call.sender, let path = call.arguments.first?.path else {
            return fail(call, .invalidArguments)
        }
        let program = program(sender).id
        let same = peripherals.advertisements.first { $1.program == program && $1.path == path }?.key
        guard method == "RegisterAdvertisement" else {
            guard let same else { return fail(call, .doesNotExist) }
            removeAdvertisement(same)
            return reply(to: call)
        }
        guard same == nil else { return fail(call, .alreadyExists) }
        guard isPowered, becomePeripheral(program, sender) else { return fail(call, .notRegistered) }
        guard peripherals.advertisements.count < Self.maximumAdvertisements else {
            return fail(call, MethodError("org.bluez.Error.NotPermitted", "Maximum advertisements reached"))
        }
        let number = peripherals.take()
        peripherals.advertisements[number] = RegisteredAdvertisement(
            program: program, owner: sender, path: path, registering: call)
        readAdvertisement(number)
    }

    /// Asks the program for what it advertises.
    private func readAdvertisement(_ number: UInt32) {
        guard let advertisement = peripherals.advertisements[number] else { return }
        let arguments = [Value.string(InterfaceName.advertisement.text)]
        call(advertisement.owner, advertisement.path, .properties, "GetAll", arguments, reply: "a{sv}") {
            service, result in service.advertise(number, try? result.get().first)
        }
    }

    private func advertise(_ number: UInt32, _ properties: Value?) {
        guard let advertisement = peripherals.advertisements[number] else { return }
        let name = objects.value("Alias", of: .adapter, at: adapter.path)?.string ?? adapter.alias
        let isDiscoverable = objects.value("Discoverable", of: .adapter, at: adapter.path) == .boolean(true)
        let parsed = properties.flatMap {
            ParsedAdvertisement($0, by: adapter, named: name, isDiscoverable: isDiscoverable)
        }
        guard let parsed else {
            if advertisement.registering != nil { withdraw(number, .failed("Failed to parse advertisement.")) }
            return  // a change that cannot be read has no effect
        }
        if advertisement.registering == nil {
            request(advertisement.program, .peripheral(.stopAdvertising(id: number)))
        }
        request(advertisement.program, .peripheral(.advertise(parsed.content, id: number)))
        end(number, after: parsed.timeout)
    }

    /// The properties of an advertisement have changed.
    func changedAdvertisement(at path: ObjectPath, of program: ProgramID) {
        let changed = peripherals.advertisements.filter { $1.program == program && $1.path == path }.keys
        for number in changed where peripherals.advertisements[number]?.registering == nil { readAdvertisement(number) }
    }

    private func end(_ number: UInt32, after timeout: Duration) {
        peripherals.advertisements[number]?.end?.cancel()
        peripherals.advertisements[number]?.end = nil
        guard timeout > .zero else { return }
        peripherals.advertisements[number]?.end = loop.call(at: loop.now.advanced(by: timeout)) { [weak self] in
            self?.assumeIsolated { service in
                guard let advertisement = service.peripherals.advertisements[number] else { return }
                service.tell(advertisement.owner, advertisement.path, .advertisement, "Release")
                service.removeAdvertisement(number)
                service.scheduleFlush()
            }
        }
    }

    /// An advertisement is sent, or could not be.
    func advertising(_ number: UInt32, _ failure: PeripheralFailure?) {
        guard failure == nil else { return withdraw(number, .notRegistered) }
        guard let call = peripherals.advertisements[number]?.registering.take() else { return }
        countAdvertisements()
        reply(to: call)
    }

    private func withdraw(_ number: UInt32, _ error: MethodError) {
        let call = peripherals.advertisements[number]?.registering.take()
        removeAdvertisement(number)
        if let call { fail(call, error) }
    }

    func removeAdvertisement(_ number: UInt32) {
        guard let removed = peripherals.advertisements.removeValue(forKey: number) else { return }
        removed.end?.cancel()
        if programs[removed.owner] != nil {
            request(removed.program, .peripheral(.stopAdvertising(id: number)))
            if let call = removed.registering { fail(call, .failed("Failed to complete registration")) }
        }
        countAdvertisements()
    }

    private func countAdvertisements() {
        let count = peripherals.advertisements.count
        let supported = Value.byte(UInt8(Self.maximumAdvertisements - count))
        objects.set("SupportedInstances", supported, of: .advertisingManager, at: adapter.path)
        objects.set("ActiveInstances", .byte(UInt8(count)), of: .advertisingManager, at: adapter.path)
    }
}

/// The properties of LEAdvertisement1.
private struct ParsedAdvertisement {
    private(set) var content = LocalAdvertisement()
    private(set) var timeout = Duration.zero
    private var includes: [String] = []

    /// Nil if a property has another type than it should have, or properties contradict each other.
    init?(_ properties: Value, by adapter: BluetoothService.Adapter, named name: String, isDiscoverable: Bool) {
        (content.isConnectable, content.isDiscoverable) = (false, isDiscoverable)
        // bluetoothd reads them in this order.
        let readers: [(String, (inout Self, Value) -> Bool)] = [
            ("Type", { $0.readType($1) }),
            ("ServiceUUIDs", { $0.read($1, into: \.services) }), ("SolicitUUIDs", { $0.read($1, into: \.solicited) }),
            ("ManufacturerData", { $0.readManufacturerData($1) }), ("ServiceData", { $0.readServiceData($1) }),
            ("Includes", { $0.readIncludes($1) }), ("LocalName", { $0.readName($1) }),
            ("Appearance", { $0.readAppearance($1) }), ("Duration", { $1.uint16 != nil }),
            ("Timeout", { $0.readTimeout($1) }), ("Data", { $0.readData($1) }),
            ("Discoverable", { $0.readDiscoverable($1) }), ("DiscoverableTimeout", { $1.uint16 != nil }),
            ("SecondaryChannel", { $1.string != nil }),
        ]
        for (key, read) in readers {
            if let value = properties[key], !read(&self, value) { return nil }
        }
        guard content.isConnectable || properties["Discoverable"] != .boolean(true) else { return nil }
        if includes.contains("local-name") { content.name = name }
        if includes.contains("tx-power") { content.txPower = adapter.txPower }
    }

    private mutating func readType(_ value: Value) -> Bool {
        content.isConnectable = value.string == "peripheral"
        return content.isConnectable || value.string == "broadcast"
    }

    private mutating func read(_ value: Value, into list: WritableKeyPath<LocalAdvertisement, [UUID]>) -> Bool {
        guard let elements = value.elements else { return false }
        let uuids = elements.compactMap { $0.string.flatMap { UUID(inBlueZ: $0) } }
        content[keyPath: list] = uuids
        return uuids.count == elements.count
    }

    private mutating func readManufacturerData(_ value: Value) -> Bool {
        read(value) { content, key, octets in
            guard let company = key.uint16 else { return false }
            content.manufacturerData.append([UInt8(truncatingIfNeeded: company), UInt8(company >> 8)] + octets)
            return true
        }
    }

    private mutating func readServiceData(_ value: Value) -> Bool {
        read(value) { content, key, octets in
            guard let uuid = key.string.flatMap({ UUID(inBlueZ: $0) }) else { return false }
            content.serviceData.append(Advertisement.ServiceData(service: uuid, octets: octets))
            return true
        }
    }

    private mutating func readData(_ value: Value) -> Bool {
        read(value) { content, key, octets in
            guard let type = key.byte, octets.count < 255 else { return false }
            content.structures.append(AdvertisingData.Structure(ADType(type), octets))
            return true
        }
    }

    /// Reads a dictionary of octets.
    private mutating func read(
        _ value: Value, _ add: (inout LocalAdvertisement, Value, [UInt8]) -> Bool
    ) -> Bool {
        guard let entries = value.entries else { return false }
        for entry in entries {
            guard let octets = entry.value.variant?.octets, add(&content, entry.key, octets) else { return false }
        }
        return true
    }

    private mutating func readIncludes(_ value: Value) -> Bool {
        includes = value.strings ?? []
        return value.elements != nil
    }

    /// Nobody names it twice; an empty name is none.
    private mutating func readName(_ value: Value) -> Bool {
        content.name = value.string
        return value.string != nil && !includes.contains("local-name")
    }

    private mutating func readAppearance(_ value: Value) -> Bool {
        content.appearance = value.uint16.map { Appearance($0) }
        return value.uint16 != nil && !includes.contains("appearance")
    }

    private mutating func readTimeout(_ value: Value) -> Bool {
        timeout = .seconds(value.uint16 ?? 0)
        return value.uint16 != nil
    }

    private mutating func readDiscoverable(_ value: Value) -> Bool {
        content.isDiscoverable = value.boolean == true
        return value.boolean != nil
    }
}

extension MethodError {
    fileprivate static let notRegistered = failed("Failed to register advertisement")
}
