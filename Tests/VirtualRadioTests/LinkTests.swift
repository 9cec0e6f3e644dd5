import Basics
import Bluetooth
import HCI
import Testing

@testable import VirtualRadio

/// A link, its timers and its events.
struct LinkHarness {
    enum Event: Hashable {
        case received(LinkEnd, [UInt8], at: Instant)
        case control(LinkEnd, LinkPDU, at: Instant)
        case acknowledged(LinkEnd, at: Instant)
        case terminated(LinkEnd, at: Instant)
        case updated(ConnectionTiming, at: Instant)
        case integrityFailed(LinkEnd, at: Instant)
        case lost(LinkEnd, wasEstablished: Bool, at: Instant)
    }
    private enum Timer { case event, supervision(LinkEnd) }

    var pool = PacketPool()
    var link: Link
    var events: [Event] = []
    /// For each received data PDU: whether it starts a frame.
    var starts: [Bool] = []
    var steps = 0
    private var queue = EventQueue()
    private var timers: [Int: Timer] = [:]
    private var outbox: [Link.Output] = []

    init(_ parameters: ConnectionTiming, chance: UInt64 = 0, sleeps: Bool = true) {
        link = Link(parameters, at: .start, chance: chance, sleeps: sleeps, into: &outbox)
        empty(at: .start)
    }

    mutating func send(_ octets: [UInt8], from end: LinkEnd, at now: Instant) {
        run(until: now)
        link.send(.data(pool.take(octets), isStart: true), from: end, at: now, pool: &pool, into: &outbox)
        empty(at: now)
    }

    mutating func send(_ pdu: LinkPDU, from end: LinkEnd, at now: Instant) {
        run(until: now)
        link.send(pdu, from: end, at: now, pool: &pool, into: &outbox)
        empty(at: now)
    }

    mutating func close(_ end: LinkEnd, at now: Instant) {
        run(until: now)
        link.close(end, at: now, pool: &pool, into: &outbox)
        empty(at: now)
    }

    mutating func lose(toCentral: UInt32, toPeripheral: UInt32, at now: Instant) {
        run(until: now)
        link.setLoss(toCentral: toCentral, toPeripheral: toPeripheral, at: now, into: &outbox)
        empty(at: now)
    }

    mutating func run(until limit: Instant) {
        while let ticket = queue.takeFirst(dueBy: limit) {
            steps += 1
            switch timers[ticket.slot] {
            case .event: link.timePassed(at: queue.now, pool: &pool, into: &outbox)
            case .supervision(let end): link.supervise(end, at: queue.now, pool: &pool, into: &outbox)
            case nil: break
            }
            empty(at: queue.now)
        }
    }

    private mutating func empty(at now: Instant) {
        for output in outbox {
            switch output {
            case .wake(let due): timers[queue.insert(due: due).slot] = .event
            case .wakeSupervision(let end, let due): timers[queue.insert(due: due).slot] = .supervision(end)
            case .received(let end, .data(let packet, let isStart)):
                starts.append(isStart)
                events.append(.received(end, pool.octets(of: packet), at: now))
                pool.release(packet)
            case .received(let end, let pdu): events.append(.control(end, pdu, at: now))
            case .acknowledged(let end): events.append(.acknowledged(end, at: now))
            case .terminated(let end): events.append(.terminated(end, at: now))
            case .updated(let parameters): events.append(.updated(parameters, at: now))
            case .integrityFailed(let end): events.append(.integrityFailed(end, at: now))
            case .lost(let end, let wasEstablished):
                events.append(.lost(end, wasEstablished: wasEstablished, at: now))
            }
        }
        outbox.removeAll(keepingCapacity: true)
    }
}

func at(microseconds: Int64) -> Instant { Instant(nanoseconds: microseconds * 1000) }

@Suite struct LinkTests {
    /// 30 ms, 720 ms.
    let parameters = ConnectionTiming(interval: 24, latency: 0, supervisionTimeout: 72)

    @Test func `Data waits for the next anchor, and is acknowledged by the next packet of the other end`() {
        var harness = LinkHarness(parameters)
        harness.run(until: at(microseconds: 2_000))
        harness.send([1, 2, 3], from: .peripheral, at: at(microseconds: 5_000))
        harness.run(until: at(microseconds: 100_000))
        // 1.25 ms + 30 ms; an empty packet 80 µs, 150 µs between, three octets 104 µs; then the next anchor and 80 µs.
        #expect(
            harness.events == [
                .received(.central, [1, 2, 3], at: at(microseconds: 31_584)),
                .acknowledged(.peripheral, at: at(microseconds: 61_330)),
            ])
        #expect(harness.pool.taken == 0)
    }

    @Test func `Data of the central are acknowledged in the same event`() {
        var harness = LinkHarness(parameters)
        harness.send([1], from: .central, at: at(microseconds: 31_000))
        harness.run(until: at(microseconds: 100_000))
        #expect(
            harness.events == [
                .received(.peripheral, [1], at: at(microseconds: 31_338)),
                .acknowledged(.central, at: at(microseconds: 31_568)),
            ])
    }

    @Test func `More data follow in the same event`() {
        var harness = LinkHarness(parameters)
        for number in 0..<5 as Range<UInt8> { harness.send([number], from: .peripheral, at: at(microseconds: 20_000)) }
        harness.run(until: at(microseconds: 40_000))
        let received = harness.events.filter { if case .received = $0 { true } else { false } }
        #expect(received.count == 5)
        #expect(received.last == .received(.central, [4], at: at(microseconds: 31_250 + 4 * 468 + 318)))
    }

    @Test(arguments: [0.05, 0.25, 0.6]) func `Whatever is lost, data arrive once and in order`(rate: Double) {
        for chance in 1...20 as ClosedRange<UInt64> {
            var harness = LinkHarness(
                ConnectionTiming(interval: 6, latency: 0, supervisionTimeout: 3200), chance: chance)
            let loss = UInt32(rate * 4_294_967_295)
            harness.lose(toCentral: loss, toPeripheral: loss, at: at(microseconds: 2_000))
            for number in 0..<100 as Range<UInt8> {
                harness.send([number], from: .peripheral, at: at(microseconds: Int64(number) * 9_000 + 2_000))
                harness.send([number, 0], from: .central, at: at(microseconds: Int64(number) * 9_000 + 2_500))
            }
            harness.run(until: at(microseconds: 20_000_000))
            let up = harness.events.compactMap {
                if case .received(.central, let octets, _) = $0 { octets[0] } else { nil }
            }
            let down = harness.events.compactMap {
                if case .received(.peripheral, let octets, _) = $0 { octets[0] } else { nil }
            }
            #expect(up == Array(0..<100))
            #expect(down == Array(0..<100))
            #expect(harness.events.count { if case .acknowledged = $0 { true } else { false } } == 200)
            #expect(harness.pool.taken == 0)
        }
    }

    @Test func `Skipping an idle hour changes nothing`() {
        func events(sleeps: Bool) -> (list: [LinkHarness.Event], steps: Int) {
            var harness = LinkHarness(parameters, sleeps: sleeps)
            for second in 1...60 as ClosedRange<Int64> {
                harness.send([UInt8(second)], from: .peripheral, at: at(microseconds: second * 1_000_003))
                harness.send([UInt8(second)], from: .central, at: at(microseconds: second * 1_770_001))
            }
            harness.run(until: at(microseconds: 3_600_000_000))
            harness.lose(toCentral: .max, toPeripheral: .max, at: at(microseconds: 3_600_000_000))
            harness.run(until: at(microseconds: 3_610_000_000))
            return (harness.events, harness.steps)
        }
        let (skipped, stepped) = (events(sleeps: true), events(sleeps: false))
        #expect(skipped.list == stepped.list)
        #expect(skipped.list.count == 242)
        #expect(skipped.steps < 1_000)
        #expect(stepped.steps > 300_000)
    }

    @Test func `LL_TERMINATE_IND ends both ends`() {
        for (sender, instants) in [(LinkEnd.central, [31_346, 31_576]), (.peripheral, [31_576, 31_806])] {
            var harness = LinkHarness(parameters)
            harness.send(.terminate(reason: .remoteUserTerminated), from: sender, at: at(microseconds: 20_000))
            harness.run(until: at(microseconds: 10_000_000))
            #expect(
                harness.events == [
                    .control(
                        sender.other, .terminate(reason: .remoteUserTerminated),
                        at: at(microseconds: Int64(instants[0]))),
                    .terminated(sender, at: at(microseconds: Int64(instants[1]))),
                ])
            #expect(harness.link.isOver)
        }
    }

    @Test(arguments: [LinkEnd.central, .peripheral])
    func `An end that disappears is missed after the supervision timeout`(end: LinkEnd) {
        var harness = LinkHarness(parameters)
        harness.send([1], from: end.other, at: at(microseconds: 99_000))
        harness.close(end, at: at(microseconds: 100_000))
        harness.run(until: at(microseconds: 10_000_000))
        // The last event began at 91.25 ms.
        let heard: Int64 = end == .central ? 91_330 : 91_560
        #expect(harness.events == [.lost(end.other, wasEstablished: true, at: at(microseconds: heard + 720_000))])
        #expect(harness.link.isOver)
        #expect(harness.pool.taken == 0)
    }

    @Test func `A link without any packet fails after six intervals`() {
        var harness = LinkHarness(parameters)
        harness.close(.central, at: .start)
        harness.run(until: at(microseconds: 1_000_000))
        #expect(harness.events == [.lost(.peripheral, wasEstablished: false, at: at(microseconds: 180_000))])
    }

    @Test func `A link survives a gap shorter than the supervision timeout`() {
        var harness = LinkHarness(parameters)
        harness.lose(toCentral: .max, toPeripheral: .max, at: at(microseconds: 100_000))
        harness.send([1], from: .peripheral, at: at(microseconds: 200_000))
        harness.lose(toCentral: 0, toPeripheral: 0, at: at(microseconds: 700_000))
        harness.run(until: at(microseconds: 60_000_000))
        #expect(
            harness.events == [
                .received(.central, [1], at: at(microseconds: 721_250 + 318)),
                .acknowledged(.peripheral, at: at(microseconds: 751_330)),
            ])
    }

    @Test func `New parameters apply from the instant of the update`() {
        var harness = LinkHarness(parameters)
        let (other, now) = (
            ConnectionTiming(interval: 80, latency: 0, supervisionTimeout: 300), at(microseconds: 100_000)
        )
        harness.run(until: now)
        let instant = harness.link.updateInstant(at: now)
        harness.send(.connectionUpdate(other, instant: instant), from: .central, at: now)
        harness.run(until: at(microseconds: 2_000_000))
        harness.send([1], from: .central, at: at(microseconds: 2_000_000))
        harness.run(until: at(microseconds: 3_000_000))
        // The next event is number 4, at 121.25 ms; number 11 is at 331.25 ms; from there on every 100 ms.
        #expect(instant == 11)
        #expect(
            harness.events == [
                .control(.peripheral, .connectionUpdate(other, instant: 11), at: at(microseconds: 121_250 + 176)),
                .updated(other, at: at(microseconds: 331_250)),
                .received(.peripheral, [1], at: at(microseconds: 2_031_250 + 88)),
                .acknowledged(.central, at: at(microseconds: 2_031_250 + 88 + 230)),
            ])
    }

    @Test func `A shorter timeout applies to an end that is already missed`() {
        var harness = LinkHarness(ConnectionTiming(interval: 24, latency: 0, supervisionTimeout: 3200))
        harness.close(.peripheral, at: at(microseconds: 100_000))
        harness.run(until: at(microseconds: 200_000))
        let instant = harness.link.updateInstant(at: at(microseconds: 200_000))
        harness.send(
            .connectionUpdate(parameters, instant: instant), from: .central, at: at(microseconds: 200_000))
        harness.run(until: at(microseconds: 60_000_000))
        // The last event that was answered began at 91.25 ms; with the old timeout this would be 32 s later.
        #expect(harness.events.last == .lost(.central, wasEstablished: true, at: at(microseconds: 91_560 + 720_000)))
        #expect(harness.events.count { if case .lost = $0 { true } else { false } } == 1)
    }

    @Test func `A connection update does not restart the sequence of losses`() {
        let fast = ConnectionTiming(interval: 6, latency: 0, supervisionTimeout: 3200)
        var harness = LinkHarness(fast, chance: 3)
        harness.lose(toCentral: 1 << 31, toPeripheral: 1 << 31, at: .start)
        for _ in 0..<1000 { harness.send([1], from: .central, at: .start) }
        harness.run(until: at(microseconds: 800_000))
        let instant = harness.link.updateInstant(at: at(microseconds: 800_000))
        harness.send(.connectionUpdate(fast, instant: instant), from: .central, at: at(microseconds: 800_000))
        harness.run(until: at(microseconds: 2_000_000))
        let updates = harness.events.compactMap { if case .updated(_, let at) = $0 { at } else { nil } }
        guard let update = updates.first else {
            Issue.record("no update")
            return
        }
        /// The events and offsets at which data arrived.
        func arrivals(from base: Instant) -> [Int64] {
            harness.events.compactMap { happening in
                guard case .received(.peripheral, _, let at) = happening else { return nil }
                let since = at.nanoseconds - base.nanoseconds
                return (0..<600_000_000).contains(since) ? since : nil
            }
        }
        let (first, second) = (arrivals(from: at(microseconds: 1250)), arrivals(from: update))
        #expect(first.count > 20)
        #expect(second.count > 20)
        #expect(first != second)
    }

    @Test func `Data in the middle of a skipped event take part in it`() {
        for offset in stride(from: 0, through: 320, by: 5) as StrideThrough<Int64> {
            for end in [LinkEnd.central, .peripheral] {
                func events(sleeps: Bool) -> [LinkHarness.Event] {
                    var harness = LinkHarness(parameters, sleeps: sleeps)
                    harness.send([1], from: end, at: at(microseconds: 301_250 + offset))
                    harness.run(until: at(microseconds: 1_000_000))
                    harness.close(end, at: at(microseconds: 1_021_250 + offset))
                    harness.run(until: at(microseconds: 3_000_000))
                    return harness.events
                }
                #expect(events(sleeps: true) == events(sleeps: false), "\(end) at \(offset) µs")
            }
        }
    }
}
