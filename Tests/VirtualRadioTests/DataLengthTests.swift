import Basics
import HCI
import Testing

@testable import VirtualRadio

/// The Data Length Update procedure between two ends.
@Suite struct DataLengthTests {
    static let middle = DataLength(octetCount: 100, microseconds: 2120)

    struct Agreement: CustomTestStringConvertible {
        let testDescription: String
        /// The values of the peer.
        let receiving: DataLength
        let sending: DataLength
        /// The effective values.
        let effective: DataLengths
    }

    static let agreements = [
        Agreement(
            testDescription: "both take the most", receiving: .maximum, sending: .maximum,
            effective: DataLengths(receiving: .maximum, sending: .maximum)),
        Agreement(
            testDescription: "the peer takes less than it sends", receiving: middle, sending: .maximum,
            effective: DataLengths(receiving: .maximum, sending: middle)),
        Agreement(
            testDescription: "zeros count as the least", receiving: DataLength(octetCount: 0, microseconds: 0),
            sending: DataLength(octetCount: 26, microseconds: 327),
            effective: DataLengths(receiving: .minimum, sending: .minimum)),
        Agreement(
            testDescription: "above the most counts as the most",
            receiving: DataLength(octetCount: 252, microseconds: 17_041),
            sending: DataLength(octetCount: .max, microseconds: .max),
            effective: DataLengths(receiving: .maximum, sending: .maximum)),
        Agreement(
            testDescription: "few octets for a long time", receiving: DataLength(octetCount: 27, microseconds: 17_040),
            sending: DataLength(octetCount: 251, microseconds: 328),
            effective: DataLengths(
                receiving: DataLength(octetCount: 251, microseconds: 328),
                sending: DataLength(octetCount: 27, microseconds: 2120))),
    ]

    @Test(arguments: agreements) func `Whatever the peer sends, the lengths are in range`(agreement: Agreement) {
        let remote = DataLengths(receiving: agreement.receiving, sending: agreement.sending)
        let own = DataLengths(receiving: .maximum, sending: .maximum)
        var asked = DataLengthUpdate(sending: .maximum)
        #expect(asked.receive(.lengthRequest(remote)) == .lengthResponse(own))
        var asking = DataLengthUpdate(sending: .maximum)
        #expect(asking.request() == .lengthRequest(own))
        #expect(asking.receive(.lengthResponse(remote)) == nil)
        for update in [asked, asking] {
            #expect(update.effective == agreement.effective)
            #expect((27...251).contains(update.effective.sending.payload))
        }
    }

    @Test func `Only one request is pending, and none is repeated`() {
        var update = DataLengthUpdate(sending: .minimum)
        #expect(update.request() == nil, "27 octets are known")
        update.prefer(Self.middle)
        #expect(update.request() == .lengthRequest(DataLengths(receiving: .maximum, sending: Self.middle)))
        update.prefer(.maximum)
        #expect(update.request() == nil)
        #expect(update.receive(.lengthResponse(DataLengths(receiving: .maximum, sending: .maximum))) == nil)
        #expect(update.request() == .lengthRequest(DataLengths(receiving: .maximum, sending: .maximum)))
        #expect(update.receive(.lengthRequest(DataLengths(receiving: .minimum, sending: .minimum))) != nil)
        #expect(update.receive(.lengthResponse(DataLengths(receiving: .maximum, sending: .maximum))) == nil)
        #expect(update.request() == nil)
        #expect(update.effective.sending == .maximum)
        // An unrequested response is ignored.
        #expect(update.receive(.lengthResponse(DataLengths(receiving: .minimum, sending: .minimum))) == nil)
        #expect(update.effective.sending == .maximum)
    }

    @Test func `Without support by the peer, 27 octets remain`() {
        var update = DataLengthUpdate(sending: .maximum)
        #expect(update.receive(.unknown(type: 0x14)) == nil)
        #expect(update.isSupported, "it was not asked")
        #expect(update.request() != nil)
        #expect(update.receive(.unknown(type: 0x0E)) == nil)
        #expect(update.isSupported, "that was about another PDU")
        #expect(update.receive(.unknown(type: 0x14)) == nil)
        #expect(!update.isSupported)
        #expect(update.request() == nil)
        #expect(update.effective == DataLengths(receiving: .minimum, sending: .minimum))
    }

    /// 30 ms, 720 ms.
    let parameters = ConnectionTiming(interval: 24, latency: 0, supervisionTimeout: 72)

    @Test func `A packet that is too long is fragmented, and acknowledged as a whole`() {
        var harness = LinkHarness(parameters)
        harness.send([UInt8](0..<60), from: .peripheral, at: at(microseconds: 20_000))
        harness.send([0xFF], from: .peripheral, at: at(microseconds: 20_000))
        harness.run(until: at(microseconds: 100_000))
        // Empty packets take 80 µs, 27 octets 296 µs, 6 octets 128 µs, 1 octet 88 µs, and 150 µs lie between.
        #expect(
            harness.events == [
                .received(.central, [UInt8](0..<27), at: at(microseconds: 31_776)),
                .received(.central, [UInt8](27..<54), at: at(microseconds: 32_452)),
                .received(.central, [UInt8](54..<60), at: at(microseconds: 32_960)),
                .acknowledged(.peripheral, at: at(microseconds: 33_190)),
                .received(.central, [0xFF], at: at(microseconds: 33_428)),
                .acknowledged(.peripheral, at: at(microseconds: 61_330)),
            ])
        #expect(harness.starts == [true, false, false, true])
        #expect(harness.pool.taken == 0)
    }

    @Test func `After an update, it fits into one PDU`() {
        var harness = LinkHarness(parameters)
        harness.link.limit(.peripheral, payload: DataLength.maximum.payload)
        harness.send([UInt8](repeating: 7, count: 251), from: .peripheral, at: at(microseconds: 20_000))
        harness.run(until: at(microseconds: 100_000))
        #expect(
            harness.events == [
                .received(
                    .central, [UInt8](repeating: 7, count: 251), at: at(microseconds: 31_250 + 80 + 150 + 2_088)),
                .acknowledged(.peripheral, at: at(microseconds: 61_330)),
            ])
    }

    @Test(arguments: [27, 100, 251]) func `Whatever is lost, all fragments arrive once and in order`(payload: Int) {
        for chance in 1...10 as ClosedRange<UInt64> {
            var harness = LinkHarness(
                ConnectionTiming(interval: 6, latency: 0, supervisionTimeout: 3200), chance: chance)
            harness.lose(toCentral: 1 << 30, toPeripheral: 1 << 30, at: at(microseconds: 2_000))
            harness.link.limit(.peripheral, payload: payload)
            let octets = (0..<2000).map { UInt8(truncatingIfNeeded: $0) }
            for start in stride(from: 0, to: 2000, by: 200) {
                harness.send(Array(octets[start..<start + 200]), from: .peripheral, at: at(microseconds: 3_000))
            }
            harness.run(until: at(microseconds: 20_000_000))
            let parts = harness.events.compactMap {
                if case .received(.central, let octets, _) = $0 { octets } else { nil }
            }
            #expect(parts.flatMap { $0 } == octets)
            #expect(parts.allSatisfy { $0.count <= payload })
            #expect(harness.starts.count { $0 } == 10)
            #expect(harness.events.count { if case .acknowledged = $0 { true } else { false } } == 10)
            #expect(harness.pool.taken == 0)
        }
    }

    /// An event ends before the next one, whatever the two ends send.
    @Test(arguments: [27, 251]) func `Events do not overlap`(payload: Int) {
        var harness = LinkHarness(ConnectionTiming(interval: 6, latency: 0, supervisionTimeout: 3200))
        for end in [LinkEnd.central, .peripheral] { harness.link.limit(end, payload: payload) }
        for _ in 0..<40 {
            for end in [LinkEnd.central, .peripheral] {
                harness.send([UInt8](repeating: 1, count: payload), from: end, at: at(microseconds: 1_300))
            }
        }
        harness.run(until: at(microseconds: 1_000_000))
        let received = harness.events.compactMap { if case .received(_, _, let at) = $0 { at } else { nil } }
        #expect(received.count == 80)
        for instant in received {
            // No packet ends within 150 µs before an anchor, nor before its own time on the air after one.
            let since = (instant.nanoseconds / 1000 - 1_250) % 7_500
            #expect((80...7_350).contains(since), "\(since) µs after an anchor")
        }
        #expect(harness.pool.taken == 0)
    }
}
