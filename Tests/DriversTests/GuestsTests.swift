import HCI
import Sockets
import Synchronization
import Testing

@testable import Drivers

/// A stream to a host that reads only when the test calls `read`.
private final class SlowStream: OctetStream {
    private let waiting = Mutex(0)

    var queued: Int { waiting.withLock { $0 } }
    func start(_ handler: @escaping StreamConnection.Handler) {}
    func send(_ octets: [UInt8]) { waiting.withLock { $0 += octets.count } }
    func close() {}
    func read() { waiting.withLock { $0 = 0 } }
}

@Suite struct GuestsTests {
    private static let packet = [UInt8](repeating: 0, count: 1023)  // 1 KiB with its H4 indicator

    /// The effects of 1 KiB packets to one host, until one is not `.none`.
    private static func send(to controller: Int, _ guests: inout Guests) -> (count: Int, Guests.Effect) {
        for count in 1...2000 {
            let effect = guests.send(.event, packet, to: controller)
            if effect != .none { return (count, effect) }
        }
        return (2000, .none)
    }

    @Test func `A slow host becomes congested, and is relieved when it reads`() {
        var guests = Guests()
        let stream = SlowStream()
        _ = guests.add(H4Transport(stream), on: 3, isKernel: false)
        for isFirst in [true, false] {
            #expect(Self.send(to: 3, &guests) == (Guests.reportLimit / 1024 + 1, .congested(isFirst: isFirst)))
            #expect(guests.takeRelieved() == [])
            stream.read()
            #expect(guests.takeRelieved() == [3])
            #expect(guests.takeRelieved() == [])
        }
    }

    @Test(arguments: [(1, 1 << 20), (128, 1 << 20), (1024, 1 << 17), (5000, 1 << 16)])
    func `Each host has a share of the limit`(hosts: Int, share: Int) {
        var guests = Guests()
        for controller in 0..<hosts { _ = guests.add(H4Transport(SlowStream()), on: controller, isKernel: false) }
        _ = Self.send(to: 0, &guests)
        let (count, effect) = Self.send(to: 0, &guests)
        #expect(effect == .overflowed(limit: share))
        #expect((count + Guests.reportLimit / 1024 + 1) * 1024 == share + 1024)
    }

    @Test func `A host that has left receives nothing`() {
        var guests = Guests()
        let first = guests.add(H4Transport(SlowStream()), on: 0, isKernel: false)
        guests.remove(first)
        let second = guests.add(H4Transport(SlowStream()), on: 0, isKernel: false)
        #expect(guests.guest(first.number, on: 0) == nil)
        #expect(guests.guest(second.number, on: 0)?.number == second.number)
        guests.close()
        #expect(guests.isEmpty)
        #expect(guests.send(.event, Self.packet, to: 0) == .none)
    }
}
