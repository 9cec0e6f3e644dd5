import Basics
import Bluetooth
import Cryptography
import Testing

@testable import VirtualRadio

/// The encryption procedures of two ends, without a link between them.
@Suite struct LinkEncryptionTests {
    /// Core 6.0, Vol 6, Part C, section 1.
    static let longTermKey: [UInt8] = [
        0x4C, 0x68, 0x38, 0x41, 0x39, 0xF5, 0x74, 0xD8, 0x36, 0xBC, 0xF3, 0x4E, 0x9D, 0xFB, 0x01, 0xBF,
    ]
    static let central = SessionPart(diversifier: 0xACBD_CEDF_E0F1_0213, vector: 0xBADC_AB24)
    static let peripheral = SessionPart(diversifier: 0x0213_2435_4657_6879, vector: 0xDEAF_BABE)

    @Test func `The session key is that of the sample data`() throws {
        let key = try SessionKey(longTermKey: Self.longTermKey, central: Self.central, peripheral: Self.peripheral)
        #expect(key.high == 0x99AD_1B52_26A3_7E3E)
        #expect(key.low == 0x058E_3B8E_27C2_C666)
        #expect(throws: CryptographyFailure.keyLength(15)) {
            try SessionKey(longTermKey: Self.longTermKey.dropLast(), central: Self.central, peripheral: Self.peripheral)
        }
    }

    /// Both ends, and their outputs.
    struct Pair {
        var ends = [LinkEncryption(), LinkEncryption()]
        var chances = [RandomStream(seed: 1), RandomStream(seed: 2)]
        var outputs: [(end: LinkEnd, LinkEncryption.Output)] = []

        mutating func start(key: [UInt8] = longTermKey) {
            act(.central) { end, chance, outbox in
                end.start(key: key, random: 5, diversifier: 6, chance: &chance, into: &outbox)
            }
        }

        mutating func provide(key: [UInt8] = longTermKey) {
            act(.peripheral) { end, _, outbox in end.provide(key: key, into: &outbox) }
        }

        mutating func decline() { act(.peripheral) { end, _, outbox in end.decline(into: &outbox) } }

        mutating func receive(_ pdu: LinkPDU, at end: LinkEnd) {
            act(end) { $0.receive(pdu, chance: &$1, into: &$2) }
        }

        /// Passes PDUs on until neither end sends.
        private mutating func act(
            _ end: LinkEnd, _ action: (inout LinkEncryption, inout RandomStream, inout [LinkEncryption.Output]) -> Void
        ) {
            var outbox: [LinkEncryption.Output] = []
            action(&ends[Int(end.rawValue)], &chances[Int(end.rawValue)], &outbox)
            for output in outbox {
                outputs.append((end, output))
                if case .send(let pdu) = output { receive(pdu, at: end.other) }
            }
        }

        func sent(by end: LinkEnd) -> [LinkPDU] {
            outputs.compactMap { if case (end, .send(let pdu)) = $0 { pdu } else { nil } }
        }

        func keys(of end: LinkEnd) -> [SessionKey] {
            outputs.compactMap { if case (end, .prepare(let key)) = $0 { key } else { nil } }
        }

        func others(of end: LinkEnd) -> [LinkEncryption.Output] {
            outputs.compactMap { sender, output in
                switch output {
                case .send, .prepare: nil
                case .requestKey, .ended, .terminate: sender == end ? output : nil
                }
            }
        }
    }

    @Test func `With the same key on both sides, both have the same session key`() {
        var pair = Pair()
        pair.start()
        #expect(pair.ends[0].isActive && pair.ends[1].awaitsKey)
        pair.provide()
        #expect(pair.ends.allSatisfy { $0.isOn && !$0.isActive })
        #expect(pair.keys(of: .central).count == 1)
        #expect(pair.keys(of: .central) == pair.keys(of: .peripheral))
        #expect(pair.others(of: .central) == [.ended(status: .success, isRefresh: false)])
        #expect(
            pair.others(of: .peripheral)
                == [.requestKey(random: 5, diversifier: 6), .ended(status: .success, isRefresh: false)])
        #expect(pair.sent(by: .peripheral).dropFirst() == [.startEncryptionRequest, .startEncryptionResponse])
        #expect(pair.sent(by: .central).dropFirst() == [.startEncryptionResponse])
    }

    @Test func `With the same key again, there is another session key`() {
        var pair = Pair()
        for _ in 0..<2 {
            pair.start()
            pair.provide()
        }
        let keys = pair.keys(of: .central)
        #expect(keys.count == 2 && keys.first != keys.last)
        #expect(keys == pair.keys(of: .peripheral))
        #expect(pair.others(of: .central).last == .ended(status: .success, isRefresh: true))
        #expect(pair.others(of: .peripheral).last == .ended(status: .success, isRefresh: true))
        #expect(pair.sent(by: .central).contains(.pauseEncryptionRequest))
        for end in [LinkEnd.central, .peripheral] { #expect(pair.sent(by: end).contains(.pauseEncryptionResponse)) }
    }

    @Test func `Without a key, the link stays as it is, or ends if it was encrypted`() {
        var pair = Pair()
        pair.start()
        pair.decline()
        #expect(pair.others(of: .central) == [.ended(status: .keyMissing, isRefresh: false)])
        #expect(pair.sent(by: .peripheral).last == .rejection(reason: .keyMissing, of: nil))
        #expect(pair.ends.allSatisfy { !$0.isOn && !$0.isActive })
        pair.start()
        pair.provide()
        #expect(pair.ends.allSatisfy { $0.isOn })
        pair.start()
        pair.decline()
        #expect(pair.others(of: .peripheral).last == .terminate(reason: .keyMissing))
    }

    /// LL_REJECT_IND, LL_REJECT_EXT_IND, and the answer of a peer that does not know the procedure.
    @Test(arguments: [
        (LinkPDU.rejection(reason: .unsupportedRemoteFeature, of: nil), HCIStatus.unsupportedRemoteFeature),
        (.rejection(reason: .unsupportedRemoteFeature, of: 0x03), .unsupportedRemoteFeature),
        (.rejection(reason: .keyMissing, of: 0x03), .keyMissing), (.unknown(type: 0x03), .unsupportedRemoteFeature),
    ])
    func `A peer can reject encryption, or not support it`(answer: LinkPDU, status: HCIStatus) {
        var central = LinkEncryption()
        var chance = RandomStream(seed: 1)
        var outbox: [LinkEncryption.Output] = []
        central.start(key: Self.longTermKey, random: 0, diversifier: 0, chance: &chance, into: &outbox)
        outbox.removeAll()
        for other in [LinkPDU.unknown(type: 0x14), .rejection(reason: .unsupportedRemoteFeature, of: 0x14)] {
            central.receive(other, chance: &chance, into: &outbox)
            #expect(outbox == [] && central.isActive, "that was about another PDU")
        }
        central.receive(answer, chance: &chance, into: &outbox)
        #expect(outbox == [.ended(status: status, isRefresh: false)])
        #expect(!central.isActive && !central.isOn)
    }

    @Test func `A key of another length ends the link`() {
        var pair = Pair()
        pair.start()
        pair.provide(key: [1, 2, 3])
        #expect(pair.others(of: .peripheral).last == .terminate(reason: .hardwareFailure))
        #expect(!pair.ends[1].isActive)
    }

    /// In each phase of each role, PDUs that do not belong to it.
    @Test func `Unexpected PDUs and answers have no effect`() {
        let pdus: [LinkPDU] = [
            .encryptionResponse(Self.peripheral), .startEncryptionRequest, .startEncryptionResponse,
            .pauseEncryptionRequest, .pauseEncryptionResponse, .rejection(reason: .keyMissing, of: nil),
            .unknown(type: 0x03),
            .terminate(reason: .remoteUserTerminated), .featureRequest([]),
        ]
        var pair = Pair()
        func disturb() {
            for end in [LinkEnd.central, .peripheral] { for pdu in pdus { pair.receive(pdu, at: end) } }
        }
        disturb()
        pair.provide()
        pair.decline()
        #expect(pair.outputs.isEmpty)
        pair.start()
        let count = pair.outputs.count
        pair.start()
        for pdu in pdus { pair.receive(pdu, at: .peripheral) }
        #expect(pair.outputs.count == count)
        pair.provide()
        #expect(pair.ends.allSatisfy { $0.isOn })
    }
}
