import Basics
import Bluetooth
import FoundationEssentials
import GATT
import HCI
import LEHost
import Mutations
import SecurityManager
import Testing

/// Streams of events and data as no controller should send them: those of a good one, with changes by chance.
///
/// `LUBDUB_SOAK` sets the number of streams; `make soak` plays 100,000 in each role.
@Suite struct HostileControllerTests {
    private static let count = ProcessInfo.processInfo.environment["LUBDUB_SOAK"].flatMap(UInt64.init) ?? 150

    @Test(arguments: HostPair.Side.allCases)
    func `A host survives each stream, and keeps nothing of it`(side: HostPair.Side) throws {
        var pair = try HostPair()
        let found = pair.connect()
        let connection = try #require(found)
        for _ in 0..<20 { pair.command(.notify(handle: HostPair.measurement, [0, 72]), of: .peripheral) }
        pair.run(for: .seconds(1))
        pair.command(.security(connection, .pair), of: .central)
        pair.run(for: .seconds(3))
        let isPaired = pair.takeOutputs(of: .central).contains { output in
            if case .security(_, .completed(_, isBonded: _)) = output { true } else { false }
        }
        #expect(isPaired)
        pair.command(.disconnect(connection, reason: .remoteUserTerminated), of: .central)
        pair.run(for: .seconds(1))
        let session = pair.received[side.rawValue]
        #expect(session.count > 60)
        for seed in 0..<Self.count {
            var chance = RandomStream(seed: seed)
            let stream = session.mutated(&chance)
            var host = try AttackedHost(side)
            if let fault = host.fault(in: stream) {
                Issue.record("seed \(seed): \(fault)")
                return
            }
        }
    }
}

/// A host below which everything comes from a stream, and what must hold.
private struct AttackedHost {
    /// A host sends a burst of notifications, or ends its maximum of connections, in one step.
    private static let maximumOutputs = 2000
    /// Its buffers and those of the maximum of connections.
    private static let maximumPackets = 10_000
    /// The times at which a host without input may want to be called before it is idle.
    private static let maximumWakes = 100

    private var host: Host
    private var values = Values()
    private var pool = PacketPool()
    private var now = Instant.start
    private var wakes: [Instant] = []
    private var fault: String?

    init(_ side: HostPair.Side) throws {
        host = try HostPair.host(side)
    }

    mutating func fault(in stream: [Host.Input.Recorded]) -> String? {
        for input in stream where fault == nil {
            switch input {
            case .packet(let kind, let octets): step(.received(kind, pool.take(octets)))
            case .command(let command): step(.command(command))
            case .wait(let instant):
                now = max(now, instant)
                step(.timePassed)
            }
        }
        becomeIdle()
        step(.received(.event, pool.take(Event.hardwareError(1).octets)))
        if pool.taken != 0, fault == nil { fault = "\(pool.taken) packets are kept" }
        return fault
    }

    /// Follows the host's wishes to be called, until it has none.
    private mutating func becomeIdle() {
        var count = 0
        while let next = wakes.min(), fault == nil {
            wakes.removeAll { $0 == next }
            now = max(now, next)
            step(.timePassed)
            count += 1
            if count > Self.maximumWakes { fault = "it is never idle" }
        }
    }

    private mutating func step(_ input: Host.Input) {
        var outbox: [Host.Output] = []
        host.step(input, values: &values, at: now, pool: &pool, into: &outbox)
        if outbox.count > Self.maximumOutputs { fault = "\(outbox.count) outputs of \(input)" }
        if pool.taken > Self.maximumPackets { fault = "it keeps \(pool.taken) packets" }
        for output in outbox {
            switch output {
            case .send(let kind, let packet):
                let octets = pool.octets(of: packet)
                pool.release(packet)
                if kind == .command, (try? Command(octets: octets).check()) == nil { fault = "it sends \(octets.hex)" }
            case .notified(_, _, let packet), .indicated(_, _, let packet): pool.release(packet)
            case .wake(let due): if due > now { wakes.append(due) }
            default: break
            }
        }
    }
}

extension [Host.Input.Recorded] {
    /// The same inputs with one to eight changes: packets that are altered, cut, lengthened, lost, repeated, exchanged or
    /// invented.
    fileprivate func mutated(_ chance: inout RandomStream) -> Self {
        var stream = self
        for _ in 0...chance.below(8) where !stream.isEmpty {
            let place = Int(chance.below(UInt64(stream.count)))
            let other = Int(chance.below(UInt64(stream.count)))
            switch chance.below(8) {
            case 0: stream.remove(at: place)
            case 1: stream.insert(contentsOf: repeatElement(stream[place], count: 1 + Int(chance.below(40))), at: place)
            case 2: stream.swapAt(place, other)
            case 3: stream.insert(.packet(chance.below(2) == 0 ? .event : .acl, chance.octets(below: 60)), at: place)
            case 4: stream.insert(.packet(.event, chance.event()), at: place)
            case 5: stream.insert(.wait(until: .start.advanced(by: .seconds(Int64(chance.below(100))))), at: place)
            default: stream[place] = stream[place].altered(&chance)
            }
        }
        return stream
    }
}

extension Host.Input.Recorded {
    /// A packet with some octets changed, without its end, or with more.
    fileprivate func altered(_ chance: inout RandomStream) -> Self {
        guard case .packet(let kind, var octets) = self, !octets.isEmpty else { return self }
        let place = Int(chance.below(UInt64(octets.count)))
        switch chance.below(4) {
        case 0: octets = Array(octets[..<place])
        case 1: octets += chance.octets(below: 40)
        case 2: octets[place] ^= 1 << UInt8(chance.below(8))
        default: octets[place] = UInt8(chance.below(256))
        }
        return .packet(kind, octets)
    }
}

extension RandomStream {
    fileprivate mutating func octets(below count: UInt64) -> [UInt8] {
        (0..<below(count)).map { _ in UInt8(below(256)) }
    }

    /// An event with a correct length and any contents, most often one that hosts use.
    fileprivate mutating func event() -> [UInt8] {
        let used: [UInt8] = [0x05, 0x08, 0x0E, 0x0F, 0x13, 0x30, 0x3E, 0x3E, 0x3E]
        let code = below(4) == 0 ? UInt8(below(256)) : used[Int(below(UInt64(used.count)))]
        var parameters = octets(below: 40)
        if code == 0x3E, !parameters.isEmpty { parameters[0] = UInt8(below(0x15)) }
        return [code, UInt8(parameters.count)] + parameters
    }
}
