import Basics
import BlueZNames
import Bluetooth
import DBus
import SystemBluetooth

extension ScanOptions {
    /// Reads the argument of SetDiscoveryFilter; nil if a key is unknown, or a value has the wrong type: src/adapter.c,
    /// parse_discovery_filter_dict.
    fileprivate init?(filter dictionary: Value) {
        self.init()
        for entry in dictionary.entries ?? [] {
            guard let key = entry.key.string, let value = entry.value.variant, add(key, value) else { return nil }
        }
        if minimumRSSI != nil, maximumPathLoss != nil { return nil }
    }

    private mutating func add(_ key: String, _ value: Value) -> Bool {
        switch (key, value) {
        case ("UUIDs", .array(of: .string, let elements)):
            for element in elements {
                guard let uuid = element.string.flatMap({ UUID($0) }) else { return false }
                services.append(uuid)
            }
        case ("RSSI", .int16(let rssi)): minimumRSSI = Int8(clamping: rssi)
        case ("Pathloss", .uint16(let loss)): maximumPathLoss = Int(loss)
        case ("Transport", .string(let transport)): return ["auto", "bredr", "le"].contains(transport)
        case ("DuplicateData", .boolean(let isOn)): allowsDuplicates = isOn
        case ("Discoverable", .boolean): break
        case ("Pattern", .string(let pattern)): prefix = pattern
        default: return false
        }
        return true
    }
}

extension BluetoothService {
    var adapterProperties: [(String, Value)] {
        let uuids = [UUID.genericAttribute, .genericAccess, .deviceInformation].map(\.fullText)
        return [
            ("Address", .string(adapter.address.text)), ("AddressType", .string("public")),
            ("Name", .string(adapter.alias)), ("Alias", .string(adapter.alias)), ("Class", .uint32(0)),
            ("Powered", .boolean(true)), ("Discoverable", .boolean(false)), ("DiscoverableTimeout", .uint32(180)),
            ("Pairable", .boolean(false)), ("PairableTimeout", .uint32(0)), ("Discovering", .boolean(false)),
            ("UUIDs", .strings(uuids)), ("Modalias", .string("usb:v1D6Bp0246d0542")),
            ("Roles", .strings(["central", "peripheral"])),
        ]
    }

    var isPowered: Bool { objects.value("Powered", of: .adapter, at: adapter.path) == .boolean(true) }

    func performAdapter(_ method: String, _ call: ReceivedCall) {
        guard isPowered || method == "GetDiscoveryFilters" || method == "RemoveDevice" else {
            return fail(call, .notReady)
        }
        guard let sender = call.sender, var program = programs[sender] else { return }
        switch method {
        case "StartDiscovery":
            guard !program.isDiscovering else { return fail(call, .inProgress) }
            program.isDiscovering = true
            programs[sender] = program
            scan(program)
            reply(to: call)
            objects.set("Discovering", .boolean(true), of: .adapter, at: adapter.path)
        case "StopDiscovery":
            guard program.isDiscovering else { return fail(call, .failed("No discovery started")) }
            reply(to: call)
            program.isDiscovering = false
            programs[sender] = program
            endDiscovery(of: program)
        case "SetDiscoveryFilter":
            guard let dictionary = call.arguments.first, let filter = ScanOptions(filter: dictionary) else {
                return fail(call, .invalidArguments)
            }
            program.filter = dictionary.entries?.isEmpty == true ? nil : filter
            programs[sender] = program
            if program.isDiscovering { scan(program) }
            reply(to: call)
        case "GetDiscoveryFilters":
            reply(
                to: call,
                [
                    .strings([
                        "UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern",
                    ])
                ])
        default: removeDevice(call)
        }
    }

    private func scan(_ program: Program) {
        var options = program.filter ?? ScanOptions()
        if program.filter == nil { options.reportsUndiscoverable = false }
        request(program.id, .central(.scan(options)))
    }

    /// A program does not discover any more, and perhaps nobody does.
    func endDiscovery(of program: Program) {
        request(program.id, .central(.stopScanning))
        guard !programs.values.contains(where: \.isDiscovering) else { return }
        for device in devices.keys.sorted(by: { $0.number < $1.number }) {
            for name in ["RSSI", "TxPower"] { objects.set(name, nil, of: .device, at: path(of: device)) }
            flush(path(of: device))
        }
        objects.set("Discovering", .boolean(false), of: .adapter, at: adapter.path)
    }

    private func removeDevice(_ call: ReceivedCall) {
        guard let path = call.arguments.first?.path, let peer = peer(at: path) else { return fail(call, .doesNotExist) }
        removing[peer, default: []].append(call)
        request(Self.observer, .central(.forget(peer)))
    }

    /// The radio has been switched on or off.
    func turn(isOn: Bool) {
        objects.set("Powered", .boolean(isOn), of: .adapter, at: adapter.path)
        guard !isOn else { return }
        endCentrals()
        for name in programs.keys { programs[name]?.isDiscovering = false }
        objects.set("Discovering", .boolean(false), of: .adapter, at: adapter.path)
    }

    /// Sets a property that is writable.
    func set(_ name: String, _ value: Value, of interface: InterfaceName, _ call: ReceivedCall) {
        switch (interface, name, value) {
        case (.adapter, "Powered", .boolean(let isOn)): request(Self.observer, .central(.power(isOn)))
        case (.device, "Alias", .string("")):
            let known = objects.value("Name", of: .device, at: call.path)
            objects.set(
                "Alias", known ?? objects.value("Address", of: .device, at: call.path), of: .device, at: call.path)
        case (.adapter, "Alias", .string(let alias)):
            let name = alias.isEmpty ? adapter.alias : alias
            objects.set("Alias", .string(name), of: .adapter, at: adapter.path)
            request(Self.observer, .peripheral(.rename(name)))
        default: objects.set(name, value, of: interface, at: call.path)
        }
        reply(to: call)
    }
}

extension DeviceAddress {
    /// Six pairs of hexadecimal digits: `C0:FF:EE:00:00:01`.
    var text: String { String(description.prefix { $0 != "/" }) }
}
