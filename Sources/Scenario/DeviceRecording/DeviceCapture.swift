import ATT
package import Basics
import Bluetooth
import HCI
import L2CAP
import LEHost
package import ScenarioModel

/// Finds devices in HCI packets: their advertising, their attributes and what they notify.
///
/// With the packets of a central, these are its peripherals; with those of a peripheral, it is that peripheral.
package struct DeviceCapture: Sendable {
    /// What tells devices apart.
    private enum Key: Hashable, Sendable {
        case address(DeviceAddress)
        /// The device of the controller itself.
        case local(controller: UInt16)
        /// The peer of a connection that has begun before the packets.
        case unknown(Link)
    }

    /// A connection, by its number at its controller.
    struct Link: Hashable, Sendable {
        let controller: UInt16
        let handle: UInt16
    }

    private struct Connection: Sendable {
        var key: Key
        /// Whether the server is that of the packets' own host.
        var isServerLocal = false
    }

    /// One direction of a connection.
    struct Direction: Hashable, Sendable {
        let link: Link
        let kind: PacketRecord.Kind
    }

    private struct Found: Sendable {
        var device = RecordedDevice()
        var attributes = AttributeCapture()
        var reports: [Instant] = []
        var timing: ConnectionTiming?
        /// Its place in the order in which devices were found.
        var number = 0
        /// How many connections with it last.
        var connections = 0
        /// Whether the queue has it.
        var isQueued = false
        /// Whether a packet has come since it was last put into the queue.
        var isActive = false

        /// The result of the search for a device that can be forgotten.
        enum Fate { case forgotten, kept, connected }

        /// Whether only its advertising is known.
        var isAdvertiser: Bool { connections == 0 && attributes.services.isEmpty }

        /// Returns whether it comes into the queue.
        mutating func enters() -> Bool {
            guard isAdvertiser, !isQueued else { return false }
            isQueued = true
            return true
        }

        mutating func leaves() -> Fate {
            isQueued = false
            guard isAdvertiser else { return .connected }
            guard isActive else { return .forgotten }
            (isActive, isQueued) = (false, true)
            return .kept
        }

        /// Returns whether it comes into the queue.
        mutating func disconnect() -> Bool {
            connections = max(0, connections - 1)
            return enters()
        }
    }

    /// The maximum number of devices. The addresses of advertisers change, so that hours show many: one that was not received for
    /// longest is forgotten for a new device.
    package static let maximumDevices = 1024
    /// The maximum number of advertising reports of a device that show its interval.
    private static let maximumReports = 256
    /// The times between two reports that can show an interval; the times of a file are arbitrary.
    private static let possibleGaps = Duration.zero...Duration.seconds(60)

    private var found: [Key: Found] = [:]
    private var foundCount = 0
    /// Advertisers from `head` on, the oldest first; also devices that have become more since they were put there.
    private var queue: [Key] = []
    private var head = 0
    /// How many devices the search for those to forget has looked at.
    private(set) var looks = 0
    /// How often a packet was ignored because all devices are more than advertisers.
    package private(set) var ignoredCount = 0
    private var connections: [Link: Connection] = [:]
    /// The incomplete frames.
    private(set) var frames: [Direction: [UInt8]] = [:]
    private var reports = ReportAssembler()

    /// No packet has been taken.
    package init() {}

    /// The octets that all devices have notified.
    package private(set) var notifiedCount = 0

    /// The devices whose attributes were discovered, at least in part.
    ///
    /// If the packets are those of both sides, only the central's count.
    package var devices: [RecordedDevice] {
        func isKnown(_ key: Key) -> Bool { found[key]?.attributes.services.isEmpty == false }
        return inOrder { key, found in
            guard isKnown(key) else { return false }
            guard case .local = key, let address = found.device.address else { return true }
            return !isKnown(.address(address))
        }
    }

    /// The advertising devices without a connection.
    package var others: [RecordedDevice] {
        inOrder { $1.attributes.services.isEmpty }
    }

    private func inOrder(_ isWanted: (Key, Found) -> Bool) -> [RecordedDevice] {
        found.filter { isWanted($0.key, $0.value) }.values.sorted { $0.number < $1.number }.map(device)
    }

    private func device(_ found: Found) -> RecordedDevice {
        var device = found.device
        device.name =
            device.name
            ?? [device.advertising, device.scanResponse].compactMap(\.self)
            .compactMap { try? AdvertisingData(octets: $0, limit: .extended).localName }.first
        device.add(found.attributes)
        device.interval = Self.interval(found.reports)
        device.timing = found.timing
        return device
    }

    /// The mean time between reports, without the mean of the random delay, in whole milliseconds.  Core 6.0, Vol 6, Part B,
    /// section 4.4.2.2.1.
    private static func interval(_ reports: [Instant]) -> Duration? {
        let gaps = zip(reports, reports.dropFirst()).map { $0.duration(to: $1) }
            .filter { possibleGaps.contains($0) }.map(\.inNanoseconds).sorted()
        guard gaps.count >= 5 else { return nil }
        // Between reports that were not received, more time passes.
        let usual = gaps.filter { $0 <= gaps[gaps.count / 2] * 3 / 2 }
        let interval = (usual.reduce(0, +) / Int64(usual.count) - 5_000_000 + 500_000) / 1_000_000
        return .milliseconds(min(max(20, interval), 10_240))
    }

    // MARK: Packets

    /// Takes a packet without its H4 packet indicator; ignores what it cannot read.
    package mutating func take(
        _ kind: PacketRecord.Kind, controller: UInt16, at now: Instant, _ octets: ArraySlice<UInt8>
    ) {
        switch kind {
        case .event: if let event = try? HCI.Event(octets: Array(octets)) { try? take(event, controller, at: now) }
        case .command: take(command: octets, controller)
        case .aclToController, .aclToHost: take(data: octets, kind, controller, at: now)
        case .newIndex, .deleteIndex, .openIndex, .closeIndex: break
        }
    }

    private mutating func change(_ key: Key, _ body: (inout Found) -> Void) {
        if found[key] == nil {
            guard found.count < Self.maximumDevices || forgetAdvertiser() else {
                ignoredCount += 1
                return
            }
            found[key] = Found(number: foundCount)
            foundCount += 1
        }
        let isNew = { (found: inout Found) in
            body(&found)
            found.isActive = true
            return found.enters()
        }(&found[key, default: Found()])
        if isNew, case .address = key { queue.append(key) }
    }

    /// Forgets an advertiser, if there is one. Each step takes a device from the queue, and each packet puts at most one into it
    /// or keeps one there, so that a packet costs two steps at most in the long run.
    private mutating func forgetAdvertiser() -> Bool {
        while head < queue.count {
            looks += 1
            let key = queue[head]
            head += 1
            if head > Self.maximumDevices {
                queue.removeFirst(head)
                head = 0
            }
            switch found[key]?.leaves() {
            case .forgotten:
                found[key] = nil
                return true
            case .kept: queue.append(key)
            case .connected, nil: break
            }
        }
        return false
    }

    private mutating func take(_ event: HCI.Event, _ controller: UInt16, at now: Instant) throws(Malformed) {
        switch event {
        case HCI.Event.leAdvertisingReport:
            let received = try HCI.Event.leAdvertisingReport.parameters(of: event)
            for report in received { take(report, at: now) }
        case HCI.Event.leExtendedAdvertisingReport:
            let parts = try HCI.Event.leExtendedAdvertisingReport.parameters(of: event)
            for report in parts {
                if let whole = reports.receive(report) { take(whole, at: now) }
            }
        case HCI.Event.leConnectionComplete:
            let (status, complete) = try HCI.Event.leConnectionComplete.parameters(of: event)
            if status == .success { connect(complete, controller) }
        case HCI.Event.leEnhancedConnectionComplete:
            let (status, complete) = try HCI.Event.leEnhancedConnectionComplete.parameters(of: event)
            if status == .success { connect(complete.connection, controller) }
        case HCI.Event.leConnectionUpdateComplete:
            let (status, handle, timing) = try HCI.Event.leConnectionUpdateComplete.parameters(of: event)
            let link = Link(controller: controller, handle: handle)
            if status == .success, let key = connections[link]?.key { found[key]?.timing = timing }
        case HCI.Event.encryptionChange:
            let (status, handle, isOn) = try HCI.Event.encryptionChange.parameters(of: event)
            let link = Link(controller: controller, handle: handle)
            if status == .success, let key = connections[link]?.key { found[key]?.attributes.isEncrypted = isOn != 0 }
        case HCI.Event.disconnectionComplete:
            let (_, handle, _) = try HCI.Event.disconnectionComplete.parameters(of: event)
            end(Link(controller: controller, handle: handle))
        default: break
        }
    }

    private mutating func take(_ report: AdvertisingReport, at now: Instant) {
        change(.address(report.address)) { found in
            found.device.address = report.address
            if report.kind == .scanResponse {
                found.device.scanResponse = report.data
                return
            }
            found.device.advertising = report.data
            found.device.isConnectable = report.kind == .undirected || report.kind == .directed
            if found.reports.count < Self.maximumReports { found.reports.append(now) }
        }
    }

    private mutating func connect(_ complete: ConnectionComplete, _ controller: UInt16) {
        let isLocal = complete.role == .peripheral
        let key = isLocal ? Key.local(controller: controller) : .address(complete.peer)
        let link = Link(controller: controller, handle: complete.handle)
        end(link)
        connections[link] = Connection(key: key, isServerLocal: isLocal)
        change(key) { found in
            found.connections += 1
            if !isLocal { found.device.address = complete.peer }
            found.attributes.connect()
        }
    }

    private mutating func end(_ link: Link) {
        if let key = connections.removeValue(forKey: link)?.key, found[key]?.disconnect() == true, case .address = key {
            queue.append(key)
        }
        for kind in [PacketRecord.Kind.aclToController, .aclToHost] {
            frames[Direction(link: link, kind: kind)] = nil
        }
    }

    /// Own address and advertising data of a peripheral's host.  Core 6.0, Vol 4, Part E, sections 7.8.4, 7.8.7 and 7.8.8.
    private mutating func take(command octets: ArraySlice<UInt8>, _ controller: UInt16) {
        guard octets.count >= 3, let opcode = HCI.Opcode(ofCommand: Array(octets.prefix(2))) else { return }
        let parameters = Array(octets.dropFirst(3))
        let data = parameters.first.map { Array(parameters.dropFirst().prefix(Int($0))) }
        switch opcode {
        case Command.leSetRandomAddress.opcode where parameters.count == 6:
            change(.local(controller: controller)) { found in
                found.device.address = DeviceAddress(
                    parameters.reversed().reduce(0) { $0 << 8 | UInt64($1) }, .random)
            }
        case Command.leSetAdvertisingData.opcode:
            change(.local(controller: controller)) { $0.device.advertising = data }
        case Command.leSetScanResponseData.opcode:
            change(.local(controller: controller)) { $0.device.scanResponse = data }
        default: break
        }
    }

    /// | Octets | Field                                                             |
    /// |--------|-------------------------------------------------------------------|
    /// | 2      | Connection_Handle, and in bits 12 and 13 the Packet_Boundary_Flag |
    /// | 2      | Data_Total_Length                                                 |
    ///
    /// Core 6.0, Vol 4, Part E, section 5.4.2.
    private mutating func take(
        data octets: ArraySlice<UInt8>, _ kind: PacketRecord.Kind, _ controller: UInt16, at now: Instant
    ) {
        guard octets.count > 4 else { return }
        let header = octets.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
        let link = Link(controller: controller, handle: header & 0x0FFF)
        let connection = connections[link] ?? Connection(key: .unknown(link))
        connections[link] = connection
        guard let frame = whole(octets.dropFirst(4), isFirst: header >> 12 & 3 != 1, Direction(link: link, kind: kind)),
            Channel(rawValue: UInt16(frame[2]) | UInt16(frame[3]) << 8) == .attribute, let pdu = try? PDU(frame[4...])
        else { return }
        let isFromServer = (kind == .aclToController) == connection.isServerLocal
        // Both sides can have a server: only one is recorded.
        guard isForServer(pdu.opcode.rawValue) != isFromServer else { return }
        var added = 0
        change(connection.key) { found in
            guard isFromServer else { return found.attributes.takeRequest(pdu) }
            let before = found.attributes.notifiedCount
            found.attributes.takeResponse(pdu, at: now)
            added = found.attributes.notifiedCount - before
        }
        notifiedCount += added
    }

    /// The frame that a fragment completes; nil while it is incomplete.  Fragments are added in place: a copy for each would take
    /// time that grows with the square of the frame's length.
    ///
    /// A frame has its length (2), its channel (2) and its payload.  Core 6.0, Vol 3, Part A, section 3.1.
    private mutating func whole(
        _ fragment: ArraySlice<UInt8>, isFirst: Bool, _ direction: Direction
    ) -> ArraySlice<UInt8>? {
        if isFirst { frames[direction] = nil }
        frames[direction, default: []] += fragment
        guard let frame = frames[direction], frame.count >= 4 else { return nil }
        let count = 4 + (Int(frame[0]) | Int(frame[1]) << 8)
        guard frame.count >= count else { return nil }
        frames[direction] = nil
        return frame[..<count]
    }
}
