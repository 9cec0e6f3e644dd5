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
        case unknown(controller: UInt16, handle: UInt16)

        /// The server at a link.
        init(_ link: LinkFollower.Link, _ controller: UInt16) {
            self =
                switch link.complete {
                case nil: .unknown(controller: controller, handle: link.handle)
                case let complete? where complete.role == .peripheral: .local(controller: controller)
                case let complete?: .address(complete.peer)
                }
        }
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
    /// By controller.
    private var followers: [UInt16: LinkFollower] = [:]
    private var pool = PacketPool()

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
        case .event: take(.event, octets, controller, at: now)
        case .command: take(.command, octets, controller, at: now)
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

    private mutating func take(
        _ kind: PacketKind, _ octets: ArraySlice<UInt8>, _ controller: UInt16, at now: Instant
    ) {
        let change = followers[controller, default: LinkFollower()].take(kind, Array(octets), at: now, pool: &pool)
        switch change {
        case .received(let reports): for report in reports { take(report, at: now) }
        case .connected(let link, let replaced):
            if let replaced { end(replaced, controller) }
            begin(link, controller)
        case .updated(let link): found[Key(link, controller)]?.timing = link.timing
        case .encrypted(let link): found[Key(link, controller)]?.attributes.isEncrypted = link.isEncrypted
        case .disconnected(let link): end(link, controller)
        case .reset(let links): for link in links { end(link, controller) }
        case .setAddress(let address): self.change(.local(controller: controller)) { $0.device.address = address }
        case .setAdvertisingData(let data):
            self.change(.local(controller: controller)) { $0.device.advertising = data }
        case .setScanResponse(let data): self.change(.local(controller: controller)) { $0.device.scanResponse = data }
        case .advertises, .scans, .calls, .gaveUp, .refused, nil: break
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

    private mutating func begin(_ link: LinkFollower.Link, _ controller: UInt16) {
        let key = Key(link, controller)
        change(key) { found in
            found.connections += 1
            if case .address(let peer) = key { found.device.address = peer }
            found.attributes.connect()
        }
    }

    private mutating func end(_ link: LinkFollower.Link, _ controller: UInt16) {
        let key = Key(link, controller)
        if found[key]?.disconnect() == true, case .address = key { queue.append(key) }
    }

    private mutating func take(
        data octets: ArraySlice<UInt8>, _ kind: PacketRecord.Kind, _ controller: UInt16, at now: Instant
    ) {
        // Longer ones have no ATT PDU.
        guard octets.count <= PacketPool.capacity else { return }
        let packet = pool.take(octets)
        let frame = followers[controller, default: LinkFollower()]
            .frame(of: packet, isFromHost: kind == .aclToController, at: now, pool: &pool)
        pool.release(packet)
        guard let (handle, channel, payload) = frame else { return }
        let content = pool.octets(of: payload)
        pool.release(payload)
        guard channel == .attribute, let pdu = try? PDU(content[...]),
            let link = followers[controller]?.link(handle)
        else { return }
        let isServerLocal = link.complete?.role == .peripheral
        let isFromServer = (kind == .aclToController) == isServerLocal
        // Both sides can have a server: only one is recorded.
        guard isForServer(pdu.opcode.rawValue) != isFromServer else { return }
        var added = 0
        change(Key(link, controller)) { found in
            guard isFromServer else { return found.attributes.takeRequest(pdu) }
            let before = found.attributes.notifiedCount
            found.attributes.takeResponse(pdu, at: now)
            added = found.attributes.notifiedCount - before
        }
        notifiedCount += added
    }
}
