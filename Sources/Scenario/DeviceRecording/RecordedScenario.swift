import Basics
import Bluetooth
import Devices
package import Documents
import GATT
import HCI
import ScenarioLanguage
import Services

/// The scenario that plays a recorded device, and the table of what it notifies.
package struct RecordedScenario {
    /// The parts of a scenario that the device does not determine.
    package struct Settings {
        /// A note for people: where and when the device was recorded.
        package var note: String
        /// The path of the table, relative to the scenario's.
        package var table: String
        /// Whether the scenario keeps values, names and the address, which belong to a person.
        package var keepsValues = true

        package init(note: String, table: String) { (self.note, self.table) = (note, table) }
    }

    /// The scenario.
    package let root: Node
    /// The values that the device sent, by time; nil if the scenario does not refer to a table.
    private let rows: [RecordedTable.Row]?

    package init(_ device: RecordedDevice, _ settings: Settings) {
        let writer = Writer(device, settings)
        let rows = settings.keepsValues ? writer.rows.sorted { $0.time < $1.time } : []
        self.rows = writer.hasRecording ? rows : nil
        root = .object([
            ("lubdub", 1), ("name", Node(.string("Recording of \(writer.name)"))),
            ("note", Node(.string(settings.note))), ("tags", ["recorded"]), ("devices", Node(.array([writer.device]))),
        ])
    }

    /// The table; nil if the scenario does not refer to one. `paths`: the characteristics that are in the scenario, if these are
    /// not all.
    package func table(of paths: Set<String>? = nil) -> RecordedTable? {
        rows.map { rows in RecordedTable(rows.filter { paths?.contains($0.path) ?? true }) }
    }
}

/// The values that a device sent, in CSV.
package struct RecordedTable: Sendable {
    typealias Row = (time: Duration, path: String, octets: [UInt8])

    package private(set) var text = "seconds,characteristic,octets\n"
    /// How many values it has.
    package private(set) var count = 0
    /// When the first value was sent that is missing because the table would be too large to be read; nil if none is.
    package private(set) var end: Duration?

    /// From rows by time.
    init(_ rows: [Row], atMost maximum: Int = Node.maximumSize) {
        for row in rows {
            let line = "\(row.time.seconds),\(row.path),\(row.octets.hex)\n"
            guard text.utf8.count + line.utf8.count <= maximum else {
                end = row.time
                return
            }
            text += line
            count += 1
        }
    }
}

/// Words a device in the scenario language.
private struct Writer {
    typealias Members = [(key: String, node: Node)]

    let recorded: RecordedDevice
    let settings: RecordedScenario.Settings
    /// The ids of the services, by handle.
    private let ids: [UInt16: String]
    /// The ids of the characteristics, each unique in its service, by handle.
    private let names: [UInt16: String]

    init(_ device: RecordedDevice, _ settings: RecordedScenario.Settings) {
        (recorded, self.settings) = (device, settings)
        ids = uniqueWords(
            device.services.map { service in
                let known = ServiceRegistry.all.first { $0.uuid == service.uuid }?.name
                return (service.handle, known ?? service.uuid.id ?? "service")
            })
        names = device.services.reduce(into: [:]) { names, service in
            let own = uniqueWords(service.characteristics.map { ($0.handle, $0.uuid.id ?? "value") })
            names.merge(own) { $1 }
        }
    }

    var name: String { settings.keepsValues ? recorded.name ?? "a device without a name" : "a device" }

    var device: Node {
        var members: Members = [("id", "device")]
        if settings.keepsValues {
            if let name = recorded.name, !name.isEmpty { members.append(("name", string(name))) }
            if let address = recorded.address { members.append(("address", string("\(address)"))) }
        }
        members += [("generic_services", false), ("advertise", .object(advertising))]
        if !link.isEmpty { members.append(("link", .object(link))) }
        if let security { members.append(("security", security)) }
        members.append(("services", Node(.array(recorded.services.map(service)))))
        return .object(members)
    }

    // MARK: Advertising and connection

    private var advertising: Members {
        var members: Members = []
        if settings.keepsValues {
            members.append(("octets", string((recorded.advertising ?? []).hex)))
            if let response = recorded.scanResponse, !response.isEmpty {
                members.append(("scan_response", ["octets": .string(response.hex)]))
            }
        } else {
            let data = [recorded.advertising, recorded.scanResponse].compactMap(\.self)
                .compactMap { try? AdvertisingData(octets: $0) }
            let services = data.flatMap(\.services).map { string($0.description) }
            members.append(("services", Node(.array(services))))
            let appearance = data.compactMap(\.appearance).first?.number
            if let appearance { members.append(("appearance", Node(integerLiteral: Int(appearance)))) }
        }
        if let interval = recorded.interval { members.append(("interval", string(interval.text))) }
        if !recorded.isConnectable { members.append(("connectable", false)) }
        return members
    }

    private var link: Members {
        var members: Members = []
        if let timing = recorded.timing {
            members = [
                ("interval", string(Duration.microseconds(1250 * Int(timing.interval)).text)),
                ("latency", Node(integerLiteral: Int(timing.latency))),
                ("timeout", string(Duration.milliseconds(10 * Int(timing.supervisionTimeout)).text)),
            ]
        }
        if let mtu = recorded.mtu, (23...517).contains(mtu) {
            members.append(("mtu", Node(integerLiteral: Int(mtu))))
        }
        return members
    }

    /// The pairing parameters that fulfil the demands; nil if the device has demanded no security.
    private var security: Node? {
        let demands = recorded.characteristics.flatMap {
            [$0.content.security] + $0.descriptors.map(\.content.security)
        }
        let all = demands.reduce(LinkSecurity()) { $0.union($1) }
        if all.isEmpty { return nil }
        return all.contains(.authenticated) ? ["io": "display_only", "passkey": 123_456] : .object([])
    }

    // MARK: Services

    private func service(_ service: RecordedDevice.Service) -> Node {
        var members: Members = [
            ("service", "custom"), ("id", string(ids[service.handle] ?? "")),
            ("uuid", string(service.uuid.description)),
        ]
        if !service.isPrimary { members.append(("secondary", true)) }
        members.append(("handle", number(service.handle)))
        let includes = service.includes.compactMap { ids[$0] }
        if !includes.isEmpty { members.append(("includes", Node(.array(includes.map(string))))) }
        let characteristics = service.characteristics.map { characteristic($0, names[$0.handle] ?? "") }
        members.append(("characteristics", Node(.array(characteristics))))
        return .object(members)
    }

    private func characteristic(_ own: RecordedDevice.Characteristic, _ name: String) -> Node {
        let words = PropertyWord.allCases.filter { own.properties.contains($0.row.bit) }.map { string($0.rawValue) }
        let octets = own.content.octets ?? own.notifications.first?.octets
        // Only the length of the name is kept.
        let isHidden = own.uuid == .deviceName && !settings.keepsValues
        let (format, value) =
            isHidden
            ? ("utf8", octets.map { String(repeating: "-", count: $0.count) })
            : value(octets, isReadable: !isSent(own))
        var members: Members = [
            ("id", string(name)), ("uuid", string(own.uuid.description)), ("format", string(format)),
            ("properties", Node(.array(words))),
        ]
        if let permissions = permissions(own.content) { members.append(("permissions", permissions)) }
        if let value { members.append(("value", string(value))) }
        if isRecorded(own) { members.append(("recording", string(settings.table))) }
        members += [("declaration_handle", number(own.declaration)), ("handle", number(own.handle))]
        let descriptors = own.descriptors.map(descriptor)
        if !descriptors.isEmpty { members.append(("descriptors", Node(.array(descriptors)))) }
        return .object(members)
    }

    /// The format and the value in it, text if it is readable.
    private func value(_ octets: [UInt8]?, isReadable: Bool) -> (format: String, value: String?) {
        guard let octets else { return ("octets", nil) }
        guard settings.keepsValues else { return ("octets", [UInt8](repeating: 0, count: octets.count).hex) }
        let isText = isReadable && octets.count > 2 && octets.allSatisfy { (0x20...0x7E).contains($0) }
        return isText ? ("utf8", String(decoding: octets, as: UTF8.self)) : ("octets", octets.hex)
    }

    /// The values of descriptors of fixed length that the client did not read, as most do not: no extended properties, no
    /// broadcasts, and a value without a known format or unit.  Core 6.0, Vol 3, Part G, sections 3.3.3.1, 3.3.3.4 and 3.3.3.5.
    private static let unread: [UUID: [UInt8]] = [
        .characteristicExtendedProperties: [0, 0], .serverCharacteristicConfiguration: [0, 0],
        .characteristicPresentationFormat: [0x1B, 0, 0, 0x27, 1, 0, 0],
    ]

    private func descriptor(_ own: RecordedDevice.Descriptor) -> Node {
        var members: Members = [("uuid", string(own.uuid.description))]
        let isConfiguration = own.uuid == .clientCharacteristicConfiguration
        if !isConfiguration {
            let octets = own.content.octets ?? Self.unread[own.uuid] ?? []
            // Of the words for people, only the number of octets is kept.
            let text = settings.keepsValues ? octets : octets.map { _ in 0x2D }
            let isText = own.uuid == .characteristicUserDescription
            members.append(("value", string(isText ? String(decoding: text, as: UTF8.self) : octets.hex)))
            if let permissions = permissions(own.content) { members.append(("permissions", permissions)) }
        }
        members.append(("handle", number(own.handle)))
        return .object(members)
    }

    /// The access that differs from what the properties declare; nil if none does.
    private func permissions(_ content: RecordedDevice.Content) -> Node? {
        if content.error == .readNotPermitted { return ["read": false] }
        let words = PermissionWord.allCases.filter { word in
            let single: LinkSecurity = word == .encrypted ? .encrypted : word.row.security.subtracting(.encrypted)
            return content.security.isSuperset(of: single)
        }
        let needed = words.contains(.authenticated) ? words.filter { $0 != .encrypted } : words
        return needed.isEmpty ? nil : Node(.array(needed.map { string($0.rawValue) }))
    }

    // MARK: Notifications

    private func isSent(_ own: RecordedDevice.Characteristic) -> Bool {
        !own.properties.isDisjoint(with: [.notify, .indicate])
    }

    /// Whether the table has its notifications, or shows by their absence that there were none.
    private func isRecorded(_ own: RecordedDevice.Characteristic) -> Bool {
        isSent(own) && own.uuid != .serviceChanged && (settings.keepsValues || played(own).isEmpty)
    }

    var hasRecording: Bool { recorded.characteristics.contains(where: isRecorded) }

    /// The values that the device sent by itself; none of Service Changed and of control points, which answer a client.
    private func played(_ own: RecordedDevice.Characteristic) -> [RecordedValues.Entry] {
        let answers =
            own.properties.contains(.indicate)
            && !own.properties.isDisjoint(with: [.write, .writeWithoutResponse])
        return own.uuid == .serviceChanged || answers ? [] : own.notifications
    }

    /// Without values that are longer than an attribute can be.
    var rows: [RecordedTable.Row] {
        recorded.services.flatMap { service in
            let id = ids[service.handle] ?? ""
            return service.characteristics.flatMap { own in
                played(own).filter { $0.octets.count <= 512 }.map {
                    ($0.time, "\(id)/\(names[own.handle] ?? "")", $0.octets)
                }
            }
        }
    }

    private func string(_ text: String) -> Node { Node(.string(text)) }
    private func number(_ handle: UInt16) -> Node { Node(integerLiteral: Int(handle)) }
}

/// Words by handle; one that occurs again gets its handle as a suffix.
func uniqueWords<Word: Hashable>(_ words: [(handle: UInt16, word: Word)]) -> [UInt16: String] {
    var taken: Set<Word> = []
    return words.reduce(into: [:]) { unique, item in
        unique[item.handle] = taken.insert(item.word).inserted ? "\(item.word)" : "\(item.word)_\(item.handle)"
    }
}

extension UUID {
    /// Its assigned name as an id: `heart_rate_measurement`; nil without one.
    fileprivate var id: String? {
        guard let name = assignedName else { return nil }
        let words = name.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let id = words.joined(separator: "_")
        return id.first?.isLetter == true ? id : nil
    }
}

extension Duration {
    /// `1.250000`.
    fileprivate var seconds: String {
        let microseconds = inNanoseconds / 1000
        return "\(microseconds / 1_000_000)." + (microseconds % 1_000_000).zeroPadded(to: 6)
    }

    /// `100 ms`, or `7.5 ms`.
    fileprivate var text: String { "\((Double(inNanoseconds) / 1_000_000).plain) ms" }
}
