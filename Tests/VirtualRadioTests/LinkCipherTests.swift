import Basics
import Bluetooth
import HCI
import Testing

@testable import VirtualRadio

/// The keys of the two ends of a link, as the PDUs of the encryption procedures pass.
@Suite struct LinkCipherTests {
    /// 30 ms, 720 ms.
    static let parameters = ConnectionTiming(interval: 24, latency: 0, supervisionTimeout: 72)
    static let request = LinkPDU.encryptionRequest(
        EncryptionRequest(random: 0, diversifier: 0, part: LinkEncryptionTests.central))

    private static func key(_ number: UInt8 = 0) throws -> SessionKey {
        try SessionKey(
            longTermKey: [UInt8](repeating: number, count: 16), central: LinkEncryptionTests.central,
            peripheral: LinkEncryptionTests.peripheral)
    }

    /// A link whose ends have agreed on a key after `microseconds`.
    private static func encrypted(sleeps: Bool = true) throws -> LinkHarness {
        var harness = LinkHarness(parameters, sleeps: sleeps)
        let key = try key()
        let steps: [(LinkEnd, LinkPDU)] = [
            (.central, request), (.peripheral, .encryptionResponse(LinkEncryptionTests.peripheral)),
            (.peripheral, .startEncryptionRequest), (.central, .startEncryptionResponse),
            (.peripheral, .startEncryptionResponse),
        ]
        for end in [LinkEnd.central, .peripheral] { harness.link.prepare(key, at: end) }
        for (number, (end, pdu)) in steps.enumerated() {
            harness.send(pdu, from: end, at: at(microseconds: Int64(number + 1) * 100_000))
        }
        harness.run(until: at(microseconds: 600_000))
        #expect(harness.events.count == steps.count)
        harness.events.removeAll()
        return harness
    }

    @Test func `A MIC takes 32 µs, and an empty PDU has none`() throws {
        var harness = try Self.encrypted()
        harness.send([1, 2, 3], from: .peripheral, at: at(microseconds: 605_000))
        harness.run(until: at(microseconds: 700_000))
        // As in clear: 631.25 ms, an empty packet 80 µs, 150 µs between, three octets 104 µs; and 32 µs.
        #expect(
            harness.events == [
                .received(.central, [1, 2, 3], at: at(microseconds: 631_250 + 80 + 150 + 104 + 32)),
                .acknowledged(.peripheral, at: at(microseconds: 661_330)),
            ])
    }

    @Test(arguments: [27, 251]) func `Encrypted events do not overlap`(payload: Int) throws {
        var harness = try Self.encrypted()
        harness.send(
            .connectionUpdate(ConnectionTiming(interval: 6, latency: 0, supervisionTimeout: 3200), instant: 30),
            from: .central,
            at: at(microseconds: 610_000))
        harness.run(until: at(microseconds: 1_000_000))
        harness.events.removeAll()
        for end in [LinkEnd.central, .peripheral] { harness.link.limit(end, payload: payload) }
        for _ in 0..<40 {
            for end in [LinkEnd.central, .peripheral] {
                harness.send([UInt8](repeating: 1, count: payload), from: end, at: at(microseconds: 1_001_000))
            }
        }
        harness.run(until: at(microseconds: 2_000_000))
        let received = harness.events.compactMap { if case .received(_, _, let at) = $0 { at } else { nil } }
        #expect(received.count == 80)
        for instant in received {
            let since = (instant.nanoseconds / 1000 - 1_250) % 7_500
            #expect((80...7_350).contains(since), "\(since) µs after an anchor")
        }
    }

    @Test func `An encrypted link sleeps`() throws {
        func events(sleeps: Bool) throws -> (list: [LinkHarness.Event], steps: Int) {
            var harness = try Self.encrypted(sleeps: sleeps)
            for second in 1...60 as ClosedRange<Int64> {
                harness.send([UInt8(second)], from: .peripheral, at: at(microseconds: second * 1_000_003))
                harness.send([UInt8(second)], from: .central, at: at(microseconds: second * 1_770_001))
            }
            harness.run(until: at(microseconds: 360_000_000))
            return (harness.events, harness.steps)
        }
        let (skipped, stepped) = (try events(sleeps: true), try events(sleeps: false))
        #expect(skipped.list == stepped.list)
        #expect(skipped.list.count == 240)
        #expect(skipped.steps < 1_000)
        #expect(stepped.steps > 30_000)
    }

    /// The peripheral has another key: its first encrypted packet is the central's LL_START_ENC_RSP.
    @Test func `A packet with another key closes the end that receives it`() throws {
        var harness = LinkHarness(Self.parameters)
        harness.link.prepare(try Self.key(1), at: .central)
        harness.link.prepare(try Self.key(2), at: .peripheral)
        harness.send(Self.request, from: .central, at: at(microseconds: 100_000))
        harness.send(.startEncryptionRequest, from: .peripheral, at: at(microseconds: 200_000))
        harness.send(.startEncryptionResponse, from: .central, at: at(microseconds: 300_000))
        // One that waits is released.
        harness.send([1], from: .peripheral, at: at(microseconds: 300_000))
        harness.run(until: at(microseconds: 2_000_000))
        // The event at 301.25 ms; LL_START_ENC_RSP takes 88 µs, its MIC 32 µs.  The central received the last packet in the
        // event at 211.25 ms or, asleep, in that at 271.25 ms, of which each packet takes 80 µs.
        #expect(
            harness.events.suffix(2) == [
                .integrityFailed(.peripheral, at: at(microseconds: 301_250 + 120)),
                .lost(.central, wasEstablished: true, at: at(microseconds: 271_250 + 310 + 720_000)),
            ])
        #expect(harness.link.isOver)
        #expect(harness.pool.taken == 0)
    }

    /// A peripheral that sends in clear what the central expects encrypted: from its LL_START_ENC_REQ to the central's
    /// LL_START_ENC_RSP, it sends nothing else.
    @Test func `LL_TERMINATE_IND waits until both ends have the same key`() throws {
        var harness = LinkHarness(Self.parameters)
        let key = try Self.key()
        for end in [LinkEnd.central, .peripheral] { harness.link.prepare(key, at: end) }
        harness.send(Self.request, from: .central, at: at(microseconds: 100_000))
        harness.send(.startEncryptionRequest, from: .peripheral, at: at(microseconds: 200_000))
        harness.send(.terminate(reason: .remoteUserTerminated), from: .peripheral, at: at(microseconds: 300_000))
        harness.send([7], from: .peripheral, at: at(microseconds: 300_000))
        harness.run(until: at(microseconds: 400_000))
        #expect(harness.events.count == 2)
        harness.send(.startEncryptionResponse, from: .central, at: at(microseconds: 400_000))
        harness.run(until: at(microseconds: 600_000))
        #expect(harness.events.count == 5)
        if case .terminated(.peripheral, _) = harness.events.last {} else { Issue.record("\(harness.events)") }
        #expect(harness.link.isOver)
        #expect(harness.pool.taken == 0)
    }
}
