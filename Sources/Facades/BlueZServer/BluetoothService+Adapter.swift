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
        if minimumRSSI != nil, dictionary["Pathloss"] != nil { return nil }
    }

    private mutating func add(_ key: String, _ value: Value) -> Bool {
        switch (key, value) {
        case ("UUIDs", .array(of: .string, let elements)):
            for element in elements {
                guard let uuid = element.string.flatMap(UUID.init(filtering:)) else { return false }
                services.append(uuid)
            }
        case ("RSSI", .int16(let rssi)) where -127...20 ~= rssi: minimumRSSI = Int8(rssi)
        case ("Pathloss", .uint16(0...137)): break  // is_filter_match asks for it only with an RSSI, and never has both
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
            ("Powered", .boolean(isRadioOn)), ("Discoverable", .boolean(false)), ("DiscoverableTimeout", .uint32(180)),
            ("Pairable", .boolean(false)), ("PairableTimeout", .uint32(0)), ("Discovering", .boolean(false)),
            ("UUIDs", .strings(uuids)), ("Modalias", .string(modalias)),
            ("Roles", .strings(["central", "peripheral"])), ("Connectable", .boolean(false)),
            ("PowerState", .string("on")), ("Manufacturer", .uint16(0xFFFF)), ("Version", .byte(9)),
        ]
    }

    /// MAIN_OPTS in src/main.c: the vendor is the Linux Foundation, and the version BlueZ's.
    private var modalias: String { "usb:v1D6Bp0246d05" + UInt8(adapter.version.number).zeroPadded(to: 2, radix: 16) }

    var isPowered: Bool { objects.value("Powered", of: .adapter, at: adapter.path) == .boolean(true) }

    func performAdapter(_ method: String, _ call: ReceivedCall) {
        guard isPowered || method == "GetDiscoveryFilters" || method == "RemoveDevice" else {
            return fail(call, .notReady)
        }
        guard let sender = call.sender, var program = programs[sender] else { return }
        switch method {
        case "StartDiscovery" where troubles.isDiscoveryStuck, "StopDiscovery" where troubles.isDiscoveryStuck:
            fail(call, .inProgress)
        case "StartDiscovery":
            guard !program.isDiscovering else { return fail(call, .inProgress) }
            program.isDiscovering = true
            programs[sender] = program
            scan(program)
            makeDiscoverable()
            reply(to: call)
            objects.set("Discovering", .boolean(true), of: .adapter, at: adapter.path)
        case "StopDiscovery":
            guard program.isDiscovering else { return fail(call, .failed("No discovery started")) }
            program.isDiscovering = false
            programs[sender] = program
            makeDiscoverable()
            reply(to: call)
            endDiscovery(of: program)
        case "SetDiscoveryFilter":
            guard let dictionary = call.arguments.first, let filter = ScanOptions(filter: dictionary) else {
                return fail(call, .invalidArguments)
            }
            program.filter = dictionary.entries?.isEmpty == true ? nil : filter
            program.isDiscoverable = dictionary["Discoverable"] == .boolean(true)
            programs[sender] = program
            if program.isDiscovering { scan(program) }
            makeDiscoverable()
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

    func scan(_ program: Program) {
        var options = program.filter ?? ScanOptions()
        if program.filter == nil { options.reportsUndiscoverable = false }
        request(program.id, .central(.scan(options)))
    }

    /// While a program discovers whose filter requests it, the adapter can be discovered.
    private func makeDiscoverable() {
        let isWanted = programs.values.contains { $0.isDiscovering && $0.isDiscoverable }
        guard isWanted != isDiscoverableForProgram else { return }
        isDiscoverableForProgram = isWanted
        objects.set("Discoverable", .boolean(isWanted), of: .adapter, at: adapter.path)
    }

    /// A program does not discover any more, and perhaps nobody does.
    func endDiscovery(of program: Program) {
        makeDiscoverable()
        request(program.id, .central(.stopScanning))
        guard !programs.values.contains(where: \.isDiscovering) else { return }
        for device in peers {
            for name in ["TxPower", "RSSI"] { objects.set(name, nil, of: .device, at: path(of: device)) }
            flush(path(of: device))
        }
        objects.set("Discovering", .boolean(false), of: .adapter, at: adapter.path)
    }

    private func removeDevice(_ call: ReceivedCall) {
        guard let path = call.arguments.first?.path, let peer = peer(at: path) else { return fail(call, .doesNotExist) }
        calls.removing[peer, default: []].append(call)
        request(Self.observer, .central(.forget(peer)))
    }

    /// The radio has been switched on or off.
    func turn(isOn: Bool) {
        if isOn != isRadioOn, isFirst { take(.turned(.adapter, isOn: isOn)) }
        isRadioOn = isOn
        for peer in peers where devices[peer]?.isConnected == false { removeBattery(peer) }
        for call in calls.powering { reply(to: call) }
        calls.powering.removeAll()
        objects.set("Powered", .boolean(isOn), of: .adapter, at: adapter.path)
        objects.set("PowerState", .string(isOn ? "on" : "off"), of: .adapter, at: adapter.path)
        guard !isOn else { return updateOtherScan() }
        let connections = calls.connecting.sorted { $0.key.number < $1.key.number }
        calls.connecting = [:]
        for call in connections.flatMap(\.value) { fail(call, .notReady) }
        endCentrals()
        loseMonitored()
        for name in programs.keys { programs[name]?.isDiscovering = false }
        objects.set("Discovering", .boolean(false), of: .adapter, at: adapter.path, isEmitted: true)
    }

    /// Sets a property that is writable.  Of the adapter's, the kernel says afterwards that they have changed.
    func set(_ name: String, _ value: Value, of interface: InterfaceName, _ call: ReceivedCall) {
        if interface == .adapter { return set(name, value, call) }
        switch (interface, name, value) {
        case (.device, "Alias", .string("")):
            let known = objects.value("Name", of: .device, at: call.path)
            objects.set(
                "Alias", known ?? objects.value("Address", of: .device, at: call.path), of: .device, at: call.path)
        default: objects.set(name, value, of: interface, at: call.path)
        }
        reply(to: call)
    }

    private func set(_ name: String, _ value: Value, _ call: ReceivedCall) {
        if name == "Discoverable", !isPowered { return fail(call, .failed("Not Powered")) }
        if name == "Powered", value != .boolean(isPowered) {
            calls.powering.append(call)
            return request(Self.observer, .central(.power(!isPowered)))
        }
        reply(to: call)
        switch (name, value) {
        case ("Powered", _): break
        case ("Alias", .string(let alias)):
            let alias = alias.isEmpty ? adapter.alias : alias
            objects.set(name, .string(alias), of: .adapter, at: adapter.path)
            request(Self.observer, .peripheral(.rename(alias)))
        default:
            let isEmitted = name.hasSuffix("Timeout")
            objects.set(name, value, of: .adapter, at: adapter.path, isEmitted: isEmitted)
        }
    }
}

extension UUID {
    /// Reads a UUID of a filter: 16 or 32 bits, perhaps after `0x`, or 128 bits: bt_string_to_uuid in lib/uuid.c.
    fileprivate init?(filtering text: String) {
        let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
        self.init(digits.count == 8 ? "\(digits)-0000-1000-8000-00805f9b34fb" : digits)
    }
}

extension DeviceAddress {
    /// Six pairs of hexadecimal digits: `C0:FF:EE:00:00:01`.
    var text: String { String(description.prefix { $0 != "/" }) }

    /// The alias of a device without a name: `C0-FF-EE-00-00-01`.
    var alias: String { text.replacing(":", with: "-") }
}
