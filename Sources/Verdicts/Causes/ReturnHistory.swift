import Basics
import Bluetooth
import Expectations
import HCI
import LEHost
import ScenarioModel

/// The actions of the clients of a run before they had found a device, and after they had lost it: scanning, and connecting to
/// addresses.
///
/// All of it passed between a host and a virtual controller, so nothing is known of other radios.  A virtual controller has
/// only the legacy commands.
struct ReturnHistory: Sendable {
    /// The time without a link to a device, from the start or a Disconnection Complete to the next connection.
    private struct Absence: Sendable {
        let device: Int
        let begin: Instant
        var isFirst = false
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

    /// A device begins or stops to advertise for connections.
    private struct Phase: Sendable {
        let begin: Instant
        let isOn: Bool
        /// Nil: it is not known.
        let address: DeviceAddress?
    }

    private static let maximumAbsences = 64
    private static let maximumEntries = 1024

    private let names: [String]
    /// The public address of each device; nil: it has none, or not always the same.
    private let publicAddresses: [DeviceAddress?]
    private let otherCentrals: [DeviceAddress]
    /// The device of each address that one has had, the latest last.
    private var owners: [(address: DeviceAddress, device: Int)]
    /// Of the devices and the clients, by controller: those of the devices come first.
    private var followers: [UInt16: LinkFollower] = [:]
    private var pool = PacketPool()
    /// By device.
    private var phases: [[Phase]]
    private var absences: [Absence] = []
    /// The first report of each device, and its strength.
    private var reports: [Int: (at: Instant, rssi: Int)] = [:]
    /// When a device's advertising was first reported in an absence, the last time.
    private(set) var lastDiscovery = Instant.never

    /// The history of the devices of a scenario.
    init(_ scenario: Scenario) {
        names = scenario.devices.map(\.id)
        otherCentrals = scenario.devices.filter { $0.role == .central }.map(\.address)
        // HCI has no command that changes a public address.
        let changes = scenario.script.contains { rule in
            if case .changeAddress(let address?) = rule.action.operation { address.kind == .public } else { false }
        }
        publicAddresses = scenario.devices.map { changes || $0.address.kind != .public ? nil : $0.address }
        owners = scenario.devices.enumerated().map { ($0.element.address, $0.offset) }
        phases = scenario.devices.map { _ in [] }
        absences = names.indices.filter { scenario.devices[$0].role == .peripheral }.map {
            Absence(device: $0, begin: .start, isFirst: true)
        }
    }

    /// The actions of the clients until an instant, if they have not reached a device for at least this long although it advertises;
    /// nil if they are connected, or if it is not known why they are not.
    func explanation(of device: Int, at instant: Instant, lostFor patience: Duration) -> Cause? {
        guard let absence = absences.last(where: { $0.device == device && $0.begin <= instant }),
            absence.begin.advanced(by: patience) <= instant, instant < min(absence.end, absence.doubt),
            let phase = phase(of: device, at: instant), !absence.isFirst || !clients.isEmpty
        else { return nil }
        let name = names[device]
        let begin: [Fact] = absence.isFirst ? [] : [Fact(.packet(.disconnected), at: absence.begin)]
        let loss = absence.isFirst ? "since the start" : "after the disconnection at \(absence.begin) s"
        let (calls, scans) = (absence.calls.filter { $0.at <= instant }, absence.scans.filter { $0.at <= instant })
        guard calls.isEmpty else {
            guard let address = phase.address, !calls.contains(where: { $0.peer == address }) else { return nil }
            let peers = calls.prefix(3).map(\.peer.description).joined(separator: ", ")
            let more = calls.count > 3 ? " and \(calls.count - 3) more" : ""
            let isOfOtherType = calls.contains { $0.peer.number == address.number }
            return Cause(
                isOfOtherType ? .otherAddressType : .otherAddress,
                "\(loss), the client tried to connect to \(peers)\(more) only; "
                    + "\(name) began to advertise as \(address) at \(phase.begin) s"
                    + (isOfOtherType ? ": the type of the address is another" : ""),
                facts: begin + calls.prefix(3).map { Fact(.packet(.connecting), at: $0.at) })
        }
        guard let last = scans.last else {
            return Cause(.neverSearched, "the client neither scanned nor connected \(loss)", facts: begin)
        }
        let first = scans.prefix(1).map { Fact(.packet(.scanning), at: $0.at) }
        guard absence.report > instant else {
            return Cause(
                .neverConnected,
                "the client scanned, and did not connect \(loss); "
                    + "its controller reported the advertising of \(name) at \(absence.report) s",
                facts: begin + first + [Fact(.packet(.advertising), at: absence.report)])
        }
        guard !last.isOn else { return nil }
        return Cause(
            .stoppedScanning, "the client scanned only until \(last.at) s, and did not connect \(loss)",
            facts: begin + first + [Fact(.packet(.scanningStopped), at: last.at)])
    }

    /// Why the clients never reached a device that advertised all the time, until an instant: its advertising was reported to
    /// them at least this long before; nil if they reached it, or if it is not certain that they could.
    func neglect(of device: Int, until instant: Instant, knownFor patience: Duration) -> Cause? {
        guard let absence = absences.first(where: { $0.device == device && $0.isFirst }), absence.end == .never,
            absence.doubt == .never, absence.report.advanced(by: patience) <= instant,
            let phase = phase(of: device, at: instant), phase.begin <= absence.report,
            phases[device].allSatisfy({ $0.isOn || $0.begin < absence.report })
        else { return nil }
        return explanation(of: device, at: instant, lostFor: patience)
    }

    /// That a client chose a device among others, with the strengths that its controller had reported; nil if there was one.
    func choice(of device: Int, at instant: Instant) -> Cause? {
        guard reports[device] != nil else { return nil }
        let known = reports.filter { $0.value.at <= instant }.sorted { $0.key < $1.key }
        guard known.count > 1, known.contains(where: { $0.key == device }) else { return nil }
        let words = known.map { "\(names[$0.key]) at \($0.value.rssi) dBm" }.joined(separator: ", ")
        return Cause(
            .otherChoice, "the client connected to \(names[device]); its controller had reported \(words)",
            facts: [Fact(.packet(.connecting), at: instant)])
    }

    /// The phase of advertising in which a device is at an instant; its first one with the same address if there are several.
    private func phase(of device: Int, at instant: Instant) -> Phase? {
        guard phases.indices.contains(device) else { return nil }
        let phases = phases[device].filter { $0.begin <= instant }
        guard let last = phases.last, last.isOn else { return nil }
        let others = phases.lastIndex { $0.isOn && $0.address != last.address }
        return phases.dropFirst(others.map { $0 + 1 } ?? 0).first(where: \.isOn)
    }

    // MARK: Packets

    /// Takes a packet of the controller of a device or a client; returns what it changes.
    @discardableResult
    mutating func take(_ record: PacketRecord, _ octets: ArraySlice<UInt8>) -> LinkFollower.Change? {
        guard let change = change(record, octets) else { return nil }
        if phases.indices.contains(Int(record.controller)) {
            take(change, ofDevice: Int(record.controller), at: record.instant)
        } else {
            take(change, ofClient: record.controller, at: record.instant)
        }
        return change
    }

    private mutating func change(_ record: PacketRecord, _ octets: ArraySlice<UInt8>) -> LinkFollower.Change? {
        let kind: PacketKind
        switch record.kind {
        case .command: kind = .command
        case .event: kind = .event
        case .openIndex, .closeIndex:
            followers[record.controller] = LinkFollower()
            return .reset([])
        case .aclToController, .aclToHost, .newIndex, .deleteIndex: return nil
        }
        return followers[record.controller, default: LinkFollower()]
            .take(kind, Array(octets), at: record.instant, pool: &pool)
    }

    private mutating func take(_ change: LinkFollower.Change, ofDevice device: Int, at now: Instant) {
        switch change {
        case .reset: add(Phase(begin: now, isOn: false, address: nil), of: device)
        // The controller of a device stops advertising when it is connected.
        case .connected(let link, _):
            add(Phase(begin: now, isOn: false, address: nil), of: device)
            if !(link.peer.map(otherCentrals.contains) ?? false) { end(device, at: now) }
        case .setAddress(let address):
            if owners.count == Self.maximumEntries { owners.remove(at: names.count) }
            owners.append((address, device))
        case .advertises(let isOn):
            let follower = followers[UInt16(clamping: device)]
            guard let parameters = follower?.advertisingParameters else { return }
            let isPublic = parameters.ownAddress == .public
            add(
                Phase(
                    begin: now, isOn: isOn && parameters.kind == .undirected,
                    address: isPublic ? publicAddresses[device] : follower?.randomAddress), of: device)
        default: break
        }
    }

    private mutating func add(_ phase: Phase, of device: Int) {
        phases[device].append(phase, ofAtMost: Self.maximumEntries)
    }

    private mutating func take(_ change: LinkFollower.Change, ofClient controller: UInt16, at now: Instant) {
        switch change {
        case .reset, .scans: noteScanning(at: now)
        case .calls(let peers):
            let isCertain = followers[controller]?.resolvesAddresses == false && !peers.isEmpty
            for place in absences.indices { note(peers, isCertain: isCertain, inAbsence: place, at: now) }
        case .connected(let link, _): if let device = device(of: link) { end(device, at: now) }
        case .disconnected(let link): if let device = device(of: link) { begin(device, at: now) }
        case .received(let reports): for report in reports { note(report, at: now) }
        // A client may not have done what it tried.
        case .refused(let opcode) where Self.tries.contains(opcode):
            for place in absences.indices { doubt(place, at: now) }
        default: break
        }
    }

    private static let tries = [
        Command.leSetScanEnable.opcode, Command.leCreateConnection.opcode, Command.leSetExtendedScanEnable.opcode,
        Command.leExtendedCreateConnection.opcode, Command.leAddDeviceToFilterAcceptList.opcode,
    ]

    private func device(at address: DeviceAddress) -> Int? { owners.last { $0.address == address }?.device }

    /// The device at the other end.
    private func device(of link: LinkFollower.Link) -> Int? { link.peer.flatMap(device) }

    private var clients: [LinkFollower] {
        followers.filter { Int($0.key) >= names.count }.sorted { $0.key < $1.key }.map(\.value)
    }

    // MARK: Absences

    private mutating func begin(_ device: Int, at now: Instant) {
        guard !clients.contains(where: { $0.links.contains { self.device(of: $0) == device } }) else { return }
        if absences.count >= Self.maximumAbsences { absences.removeFirst() }
        let isScanning = clients.contains(where: \.isScanning)
        absences.append(Absence(device: device, begin: now, scans: isScanning ? [(now, true)] : []))
        for client in clients where !client.called.isEmpty {
            note(client.called, isCertain: !client.resolvesAddresses, inAbsence: absences.count - 1, at: now)
        }
    }

    private mutating func end(_ device: Int, at now: Instant) {
        for place in absences.indices where absences[place].device == device && absences[place].end == .never {
            absences[place].end = now
        }
    }

    /// Notes whether any client scans.
    private mutating func noteScanning(at now: Instant) {
        let isScanning = clients.contains(where: \.isScanning)
        for place in absences.indices where absences[place].end == .never {
            guard absences[place].scans.last?.isOn ?? false != isScanning else { continue }
            guard absences[place].scans.count < Self.maximumEntries else {
                doubt(place, at: now)
                continue
            }
            absences[place].scans.append((now, isScanning))
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
        if reports[device] == nil { reports[device] = (now, Int(report.rssi)) }
        for place in absences.indices where absences[place].device == device && absences[place].report > now {
            (absences[place].report, lastDiscovery) = (now, now)
        }
    }

    private mutating func doubt(_ place: Int, at now: Instant) {
        absences[place].doubt = min(absences[place].doubt, now)
    }
}
