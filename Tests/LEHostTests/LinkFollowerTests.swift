import Basics
import Bluetooth
import HCI
import L2CAP
import Testing

@testable import LEHost

/// A reader of packets learns from them alone which links there are, and what a host does.
@Suite struct LinkFollowerTests {
    private var pool = PacketPool()
    private var follower = LinkFollower()
    private static let peer = DeviceAddress(0xC0FF_EE00_0001, .random)
    private static let timing = ConnectionTiming(interval: 24, latency: 0, supervisionTimeout: 72)

    private static func connection(_ handle: UInt16) -> Event {
        .leConnectionComplete(
            .success, ConnectionComplete(handle: handle, role: .central, peer: peer, timing: timing))
    }

    private mutating func take(_ event: Event, at second: Int = 0) -> LinkFollower.Change? {
        follower.take(.event, event.octets, at: .start.advanced(by: .seconds(second)), pool: &pool)
    }

    private mutating func take(_ command: Command) -> LinkFollower.Change? {
        follower.take(.command, command.octets, at: .start, pool: &pool)
    }

    /// The frame that a fragment completes.
    private mutating func frame(
        _ handle: UInt16, _ boundary: ACLHeader.Boundary, _ octets: [UInt8], isFromHost: Bool = false,
        only opcode: UInt8? = nil
    ) -> [UInt8]? {
        var packet = pool.take(octets)
        pool.prependACLHeader(handle: handle, boundary: boundary, to: &packet)
        defer { pool.release(packet) }
        guard
            let frame = follower.frame(
                of: packet, isFromHost: isFromHost, only: opcode, at: .start, pool: &pool)
        else { return nil }
        defer { pool.release(frame.payload) }
        return pool.octets(of: frame.payload)
    }

    @Test mutating func `A link has its parameters and its encryption, and ends for a reason`() throws {
        guard case .connected(let link, nil)? = take(Self.connection(1), at: 1) else {
            Issue.record("not connected")
            return
        }
        #expect(link.peer == Self.peer && link.timing == Self.timing && !link.isEncrypted)
        let slow = ConnectionTiming(interval: 400, latency: 4, supervisionTimeout: 600)
        #expect(take(.leConnectionUpdateComplete(.success, 2, slow)) == nil, "another link")
        _ = take(.leConnectionUpdateComplete(.success, 1, slow))
        _ = take(.encryptionChange(.success, 1, 1))
        guard case .disconnected(let end)? = take(.disconnectionComplete(.success, 1, .connectionTimeout), at: 9) else {
            Issue.record("not disconnected")
            return
        }
        #expect(end.timing == slow && end.isEncrypted && end.begin == .start.advanced(by: .seconds(1)))
        #expect(end.end?.reason == .connectionTimeout && end.end?.at == .start.advanced(by: .seconds(9)))
        #expect(follower.links.isEmpty)
    }

    @Test mutating func `A link without its end gives way to the next with its handle, or to a reset`() {
        _ = take(Self.connection(1), at: 1)
        guard case .connected(_, let replaced?)? = take(Self.connection(1), at: 2) else {
            Issue.record("nothing replaced")
            return
        }
        #expect(replaced.begin == .start.advanced(by: .seconds(1)))
        #expect(frame(1, .first, [9, 0, 4, 0, 0x1B]) == nil)
        guard case .reset(let links)? = take(.reset()) else {
            Issue.record("no reset")
            return
        }
        #expect(links.map(\.handle) == [1])
        #expect(pool.taken == 0)
    }

    @Test mutating func `Frames of both directions and several links are recombined`() {
        _ = take(Self.connection(1))
        #expect(frame(1, .first, [4, 0, 4, 0, 0x1B]) == nil)
        #expect(frame(1, .firstNonFlushable, [3, 0, 4, 0, 0x0A], isFromHost: true) == nil)
        // Nobody knows when this link began.
        #expect(frame(2, .first, [1, 0, 4, 0, 0x1E]) == [0x1E])
        #expect(frame(1, .continuing, [3, 0, 87]) == [0x1B, 3, 0, 87])
        #expect(frame(1, .continuing, [3, 0], isFromHost: true) == [0x0A, 3, 0])
        #expect(follower.links.map(\.peer) == [Self.peer, nil])
        #expect(pool.taken == 0)
    }

    @Test mutating func `Only some frames of known links are recombined if a reader wants no others`() {
        #expect(frame(2, .first, [1, 0, 4, 0, 0x1B], only: 0x1B) == nil)
        _ = take(Self.connection(1))
        #expect(frame(1, .first, [2, 0, 4, 0, 0x1D], only: 0x1B) == nil)
        #expect(frame(1, .continuing, [0], only: 0x1B) == nil)
        #expect(frame(1, .first, [2, 0, 4, 0, 0x1B], only: 0x1B) == nil)
        #expect(frame(1, .continuing, [0], only: 0x1B) == [0x1B, 0])
        #expect(follower.links.count == 1)
        #expect(pool.taken == 0)
    }

    @Test mutating func `Fragments without an end and links without a beginning need little memory`() {
        _ = frame(1, .first, [0xFF, 0xFF, 4, 0])
        for _ in 0..<1000 { _ = frame(1, .continuing, [1]) }
        for handle in 0..<UInt16(0xF00) { _ = frame(handle, .first, [9, 0, 4, 0]) }
        #expect(follower.links.count == LinkFollower.maximumLinks)
        #expect(pool.taken == LinkFollower.maximumLinks)
        follower.reset(pool: &pool)
        #expect(pool.taken == 0)
    }

    @Test mutating func `What a host scans for and whom it calls`() {
        guard case .scans(true)? = take(.leSetScanEnable(true, false)) else {
            Issue.record("no scan")
            return
        }
        _ = take(.leAddDeviceToFilterAcceptList(Self.peer))
        let parameters = ConnectionParameters(
            minimumInterval: 24, maximumInterval: 24, latency: 0, supervisionTimeout: 72)
        let any = ConnectionCreation(to: DeviceAddress(0, .public), parameters: parameters, usesAcceptList: true)
        guard case .calls([Self.peer])? = take(.leCreateConnection(any)) else {
            Issue.record("no call")
            return
        }
        #expect(follower.isScanning && follower.called == [Self.peer])
        guard
            case .refused(Command.leCreateConnection.opcode)? =
                take(.commandStatus(.commandDisallowed, 1, Command.leCreateConnection.opcode))
        else {
            Issue.record("not refused")
            return
        }
        let nothing = ConnectionComplete(handle: 0, role: .central, peer: Self.peer, timing: Self.timing)
        guard case .gaveUp? = take(.leConnectionComplete(.unknownConnection, nothing)) else {
            Issue.record("goes on")
            return
        }
        #expect(follower.called.isEmpty && follower.links.isEmpty)
    }

    @Test(arguments: [[], [0x3E], [0x3E, 19, 0x01, 0], [0x05, 4, 0]])
    mutating func `Malformed packets change nothing`(octets: [UInt8]) {
        #expect(follower.take(.event, octets, at: .start, pool: &pool) == nil)
        #expect(follower.take(.command, octets, at: .start, pool: &pool) == nil)
    }
}
