import Basics
import Bluetooth
import HCI
import ScenarioModel

/// Not those of scenarios.
private typealias Event = HCI.Event

/// The actions of the clients of a run after they had lost a device: scanning, and connecting to addresses.
///
/// All of it passed between a host and a virtual controller, so nothing is known of other radios.  A virtual controller has
/// only the legacy commands.
struct ReturnHistory: Sendable {
    /// The time without a link to a device, from a Disconnection Complete to the next connection.
    private struct Absence: Sendable {
        let device: Int
        let begin: Instant
        var end = Instant.never
        /// When scanning began, ended, began again.
        var scans: [(at: Instant, isOn: Bool)] = []
        /// The first attempt to reach each peer.
        var calls: [(at: Instant, peer: DeviceAddress)] = []
        /// When a scanning client first received the device's advertising.
        var report = Instant.never
        /// From when on it is not known what a client did.
        var doubt = Instant.never
    }

    private struct Client: Sendable {
        var links: [(handle: UInt16, device: Int)] = []
        var isScanning = false
        /// The peers of a connection that is being created.
        var peers: [DeviceAddress] = []
        var acceptList: [DeviceAddress] = []
        /// Whether an identity address means the private addresses of the peer, too.
        var resolves = false
    }

    private struct Advertiser: Sendable {
        let publicAddress: DeviceAddress?
        var randomAddress: DeviceAddress?
        var parameters: AdvertisingParameters?
        /// When it began or stopped to advertise for connections.
        var phases: [Phase] = []
    }

    private struct Phase: Sendable {
        let begin: Instant
        let isOn: Bool
        /// Nil: it is not known.
        let address: DeviceAddress?
    }

    private static let maximumAbsences = 64
    private static let maximumEntries = 1024

    private let names: [String]
    private var advertisers: [Advertiser]
    /// The device of each address that one has had, the latest last.
    private var owners: [(address: DeviceAddress, device: Int)]
    private var clients: [UInt16: Client] = [:]
    private var absences: [Absence] = []

    /// The history of the devices of a scenario.
    init(_ scenario: Scenario) {
        names = scenario.devices.map(\.id)
        // HCI has no command that changes a public address.
        let changes = scenario.script.contains { rule in
            if case .changeAddress(let address?) = rule.action.operation { address.kind == .public } else { false }
        }
        advertisers = scenario.devices.map { device in
            Advertiser(publicAddress: changes || device.address.kind != .public ? nil : device.address)
        }
        owners = scenario.devices.enumerated().map { ($0.element.address, $0.offset) }
    }

    /// The actions of the clients until an instant, if they have lost a device for at least this long and it advertises again; nil
    /// if they are connected, or if it is not known why they are not.
    func explanation(of device: Int, at instant: Instant, lostFor patience: Duration) -> String? {
        guard let absence = absences.last(where: { $0.device == device && $0.begin <= instant }),
            absence.begin.advanced(by: patience) <= instant, instant < min(absence.end, absence.doubt),
            let phase = phase(of: device, at: instant)
        else { return nil }
        let (name, loss) = (names[device], "after the disconnection at \(absence.begin) s")
        let (calls, scans) = (absence.calls.filter { $0.at <= instant }, absence.scans.filter { $0.at <= instant })
        guard calls.isEmpty else {
            guard let address = phase.address, !calls.contains(where: { $0.peer == address }) else { return nil }
            let peers = calls.prefix(3).map(\.peer.description).joined(separator: ", ")
            let more = calls.count > 3 ? " and \(calls.count - 3) more" : ""
            return "\(loss), the client tried to connect to \(peers)\(more) only; "
                + "\(name) began to advertise as \(address) at \(phase.begin) s"
        }
        guard let last = scans.last else { return "the client neither scanned nor connected \(loss)" }
        guard absence.report > instant else {
            return "the client scanned, and did not connect \(loss); "
                + "its controller reported the advertising of \(name) at \(absence.report) s"
        }
        return last.isOn ? nil : "the client scanned only until \(last.at) s, and did not connect \(loss)"
    }

    /// The phase of advertising in which a device is at an instant; its first one with the same address if there are several.
    private func phase(of device: Int, at instant: Instant) -> Phase? {
        guard advertisers.indices.contains(device) else { return nil }
        let phases = advertisers[device].phases.filter { $0.begin <= instant }
        guard let last = phases.last, last.isOn else { return nil }
        let others = phases.lastIndex { $0.isOn && $0.address != last.address }
        return phases.dropFirst(others.map { $0 + 1 } ?? 0).first(where: \.isOn)
    }

    // MARK: Packets

    /// Takes a packet of the controller of a device or a client.
    mutating func take(_ record: PacketRecord, _ octets: ArraySlice<UInt8>) {
        let device = Int(record.controller)
        switch record.kind {
        case .command:
            guard let command = try? Command(octets: Array(octets)) else { return }
            if advertisers.indices.contains(device) {
                take(command, of: device, at: record.instant)
            } else {
                take(command, of: record.controller, at: record.instant)
            }
        case .event:
            guard let event = try? Event(octets: Array(octets)) else { return }
            if advertisers.indices.contains(device) {
                if Creation(event)?.link != nil { connected(device, at: record.instant) }
            } else {
                take(event, of: record.controller, at: record.instant)
            }
        case .openIndex, .closeIndex: changeClient(record.controller, at: record.instant) { $0 = Client() }
        case .aclToController, .aclToHost, .newIndex, .deleteIndex: break
        }
    }

    // MARK: Devices

    private mutating func take(_ command: Command, of device: Int, at now: Instant) {
        switch command {
        case Command.reset: add(Phase(begin: now, isOn: false, address: nil), of: device)
        case Command.leSetRandomAddress:
            guard let address = try? Command.leSetRandomAddress.parameters(of: command) else { return }
            advertisers[device].randomAddress = address
            if owners.count == Self.maximumEntries { owners.remove(at: advertisers.count) }
            owners.append((address, device))
        case Command.leSetAdvertisingParameters:
            advertisers[device].parameters = try? Command.leSetAdvertisingParameters.parameters(of: command)
        case Command.leSetAdvertisingEnable:
            guard let isOn = try? Command.leSetAdvertisingEnable.parameters(of: command),
                let parameters = advertisers[device].parameters
            else { return }
            let (advertiser, isPublic) = (advertisers[device], parameters.ownAddress == .public)
            add(
                Phase(
                    begin: now, isOn: isOn && parameters.kind == .undirected,
                    address: isPublic ? advertiser.publicAddress : advertiser.randomAddress), of: device)
        default: break
        }
    }

    /// The controller of a device stops advertising when it is connected.
    private mutating func connected(_ device: Int, at now: Instant) {
        add(Phase(begin: now, isOn: false, address: nil), of: device)
        end(device, at: now)
    }

    private mutating func add(_ phase: Phase, of device: Int) {
        if advertisers[device].phases.count == Self.maximumEntries {
            advertisers[device].phases.removeFirst(Self.maximumEntries / 2)
        }
        advertisers[device].phases.append(phase)
    }

    private func device(at address: DeviceAddress) -> Int? { owners.last { $0.address == address }?.device }

    // MARK: Clients

    private mutating func take(_ command: Command, of controller: UInt16, at now: Instant) {
        switch command {
        case Command.reset: changeClient(controller, at: now) { $0 = Client() }
        case Command.leSetScanEnable:
            guard let (isOn, _) = try? Command.leSetScanEnable.parameters(of: command) else { return }
            changeClient(controller, at: now) { $0.isScanning = isOn }
        case Command.leCreateConnection:
            guard let creation = try? Command.leCreateConnection.parameters(of: command) else { return }
            let client = clients[controller] ?? Client()
            let peers = creation.usesAcceptList ? client.acceptList : [creation.peer]
            changeClient(controller, at: now) { $0.peers = peers }
            let isCertain = !client.resolves && !peers.isEmpty
            for place in absences.indices { note(peers, isCertain: isCertain, inAbsence: place, at: now) }
        case Command.leClearFilterAcceptList: changeClient(controller, at: now) { $0.acceptList = [] }
        case Command.leAddDeviceToFilterAcceptList:
            guard let peer = try? Command.leAddDeviceToFilterAcceptList.parameters(of: command) else { return }
            changeClient(controller, at: now) { client in
                if client.acceptList.count < Self.maximumEntries { client.acceptList.append(peer) }
            }
        case Command.leRemoveDeviceFromFilterAcceptList:
            guard let peer = try? Command.leRemoveDeviceFromFilterAcceptList.parameters(of: command) else { return }
            changeClient(controller, at: now) { $0.acceptList.removeAll { $0 == peer } }
        case Command.leSetAddressResolutionEnable:
            guard let isOn = try? Command.leSetAddressResolutionEnable.parameters(of: command) else { return }
            changeClient(controller, at: now) { $0.resolves = isOn }
        default: break
        }
    }

    private mutating func take(_ event: Event, of controller: UInt16, at now: Instant) {
        if let creation = Creation(event) {
            changeClient(controller, at: now) { $0.peers = [] }
            guard let link = creation.link, let device = device(at: link.peer) else { return }
            changeClient(controller, at: now) { $0.links.append((link.handle, device)) }
            return end(device, at: now)
        }
        switch event {
        case Event.disconnectionComplete:
            guard let (_, handle, _) = try? Event.disconnectionComplete.parameters(of: event),
                let device = clients[controller]?.links.first(where: { $0.handle == handle })?.device
            else { return }
            changeClient(controller, at: now) { $0.links.removeAll { $0.handle == handle } }
            begin(device, at: now)
        case Event.leAdvertisingReport:
            guard let reports = try? Event.leAdvertisingReport.parameters(of: event) else { return }
            for report in reports { note(report, at: now) }
        case Event.commandComplete:
            guard let (_, opcode, returned) = try? Event.commandComplete.parameters(of: event),
                returned.first.map({ $0 != 0 }) ?? false
            else { return }
            refused(opcode, at: now)
        case Event.commandStatus:
            guard let (status, _, opcode) = try? Event.commandStatus.parameters(of: event), status != .success
            else { return }
            refused(opcode, at: now)
        default: break
        }
    }

    private mutating func changeClient(_ controller: UInt16, at now: Instant, _ change: (inout Client) -> Void) {
        guard Int(controller) >= advertisers.count else { return }
        change(&clients[controller, default: Client()])
        let isScanning = isScanning
        for place in absences.indices where absences[place].end == .never {
            guard absences[place].scans.last?.isOn ?? false != isScanning else { continue }
            guard absences[place].scans.count < Self.maximumEntries else {
                doubt(place, at: now)
                continue
            }
            absences[place].scans.append((now, isScanning))
        }
    }

    private var isScanning: Bool { clients.values.contains(where: \.isScanning) }

    // MARK: Absences

    private mutating func begin(_ device: Int, at now: Instant) {
        guard !clients.values.contains(where: { $0.links.contains { $0.device == device } }) else { return }
        if absences.count == Self.maximumAbsences { absences.removeFirst() }
        absences.append(Absence(device: device, begin: now, scans: isScanning ? [(now, true)] : []))
        for (_, client) in clients.sorted(by: { $0.key < $1.key }) where !client.peers.isEmpty {
            note(client.peers, isCertain: !client.resolves, inAbsence: absences.count - 1, at: now)
        }
    }

    private mutating func end(_ device: Int, at now: Instant) {
        for place in absences.indices where absences[place].device == device && absences[place].end == .never {
            absences[place].end = now
        }
    }

    /// Notes that a client tries to connect to peers.
    private mutating func note(_ peers: [DeviceAddress], isCertain: Bool, inAbsence place: Int, at now: Instant) {
        guard absences[place].end == .never else { return }
        for peer in peers where !absences[place].calls.contains(where: { $0.peer == peer }) {
            absences[place].calls.append((now, peer))
        }
        guard isCertain, absences[place].calls.count <= Self.maximumEntries else { return doubt(place, at: now) }
    }

    private mutating func note(_ report: AdvertisingReport, at now: Instant) {
        guard let device = device(at: report.address) else { return }
        for place in absences.indices where absences[place].device == device {
            absences[place].report = min(absences[place].report, now)
        }
    }

    /// A controller has refused a command: what a client tried is not what it did.
    private mutating func refused(_ opcode: Opcode, at now: Instant) {
        let opcodes = [
            Command.leSetScanEnable.opcode, Command.leCreateConnection.opcode, Command.leSetExtendedScanEnable.opcode,
            Command.leExtendedCreateConnection.opcode, Command.leAddDeviceToFilterAcceptList.opcode,
        ]
        guard opcodes.contains(opcode) else { return }
        for place in absences.indices { doubt(place, at: now) }
    }

    private mutating func doubt(_ place: Int, at now: Instant) {
        absences[place].doubt = min(absences[place].doubt, now)
    }
}

/// The end of creating a connection; without a link if it failed.
private struct Creation {
    let link: (handle: UInt16, peer: DeviceAddress)?

    /// Nil for other events.
    init?(_ event: Event) {
        switch event {
        case Event.leConnectionComplete:
            guard let (status, complete) = try? Event.leConnectionComplete.parameters(of: event) else { return nil }
            link = status == .success ? (complete.handle, complete.peer) : nil
        case Event.leEnhancedConnectionComplete:
            guard let (status, complete) = try? Event.leEnhancedConnectionComplete.parameters(of: event) else {
                return nil
            }
            link = status == .success ? (complete.connection.handle, complete.connection.peer) : nil
        default: return nil
        }
    }
}
