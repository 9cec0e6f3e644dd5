import Basics
import Bluetooth
import GATT
import HCI
import LEHost
import SecurityManager
import VirtualRadio

/// A peripheral and a central above virtual controllers, each perhaps with an `OddController` in front.
struct HostPair {
    enum Side: Int, CaseIterable, Sendable { case peripheral, central }

    private enum Timer {
        case radio(Radio.Timer)
        case host(Side)
    }

    /// A packet on its way between a host and its controller.
    private enum Transfer {
        case toController(Side, PacketKind, [UInt8])
        case toHost(Side, PacketKind, [UInt8])
    }

    var pool = PacketPool()
    private(set) var now = Instant.start
    private var hosts: [Host]
    private var values = Values()
    private var airspace = Airspace(seed: RandomStream(seed: 1))
    private var odd: [Side: OddController]
    private var queue = EventQueue()
    private var timers: [Int: Timer] = [:]
    private var transfers: [Transfer] = []
    /// The inputs of each host, in order.
    private(set) var received: [[Host.Input.Recorded]] = [[], []]
    /// The outputs of each host since `takeOutputs`, without packets; the values of notifications are in `notified`.
    private var outputs: [[Host.Output]] = [[], []]
    /// The values that the central has received.
    private(set) var notified: [[UInt8]] = []

    static let measurement: UInt16 = 3

    init(_ odd: [Side: OddController] = [:]) throws {
        self.odd = odd
        hosts = try Side.allCases.map { try Self.host($0) }
        for side in Side.allCases {
            var place = Medium.Station()
            place.strength = -40
            _ = airspace.add(address: DeviceAddress(0x1111_1111_1111 * UInt64(side.rawValue + 1), .public), at: place)
        }
    }

    /// A host that pairs, as the pair has it.
    static func host(_ side: Side) throws -> Host {
        let seed = UInt64(side.rawValue + 1)
        let security = HostSecurity(
            SecuritySettings(), resolvingKey: UInt128(seed), secrets: .stream(RandomStream(seed: seed)))
        return Host(
            table: try HostHarness.table([.read, .notify]),
            randomAddress: side == .peripheral ? HostHarness.strap : nil, security: security)
    }

    /// Starts both hosts, connects them, and subscribes to the value; returns the central's connection.
    mutating func connect() -> ConnectionID? {
        for side in Side.allCases { command(.start, of: side) }
        command(HostTests.advertising.random, of: .peripheral)
        command(HostTests.connecting, of: .central)
        run(for: .seconds(2))
        guard
            case .connected(let connection, _)? = takeOutputs(of: .central).first(where: {
                if case .connected = $0 { true } else { false }
            })
        else { return nil }
        command(.procedure(connection, .exchangeMTU, id: 1), of: .central)
        run(for: .seconds(1))
        command(.procedure(connection, .discoverEverything, id: 2), of: .central)
        run(for: .seconds(3))
        command(.procedure(connection, .configure(handle: Self.measurement + 1, .notification), id: 3), of: .central)
        run(for: .seconds(1))
        return connection
    }

    /// Whether a host has sent more than its odd controller can hold.
    var hasOverflowed: Bool { odd.values.contains { $0.hasOverflowed } }

    mutating func command(_ command: Host.Command, of side: Side) {
        received[side.rawValue].append(.command(command))
        step(side, .command(command))
        transfer()
    }

    mutating func takeOutputs(of side: Side) -> [Host.Output] {
        defer { outputs[side.rawValue] = [] }
        return outputs[side.rawValue]
    }

    mutating func run(for duration: Duration) {
        let end = now.advanced(by: duration)
        while let ticket = queue.takeFirst(dueBy: end) {
            now = queue.now
            switch timers.removeValue(forKey: ticket.slot) {
            case .radio(let timer):
                var outbox: [Airspace.Output] = []
                airspace.timePassed(timer, at: now, pool: &pool, into: &outbox)
                handle(outbox)
            case .host(let side):
                received[side.rawValue].append(.wait(until: now))
                step(side, .timePassed)
            case nil: continue
            }
            transfer()
        }
        now = end
    }

    private mutating func transfer() {
        while !transfers.isEmpty {
            switch transfers.removeFirst() {
            case .toController(let side, let kind, let octets):
                let (passed, answers) = odd[side]?.sent(kind, octets) ?? (octets, [])
                for answer in answers { transfers.append(.toHost(side, .event, answer)) }
                guard let passed else { continue }
                var outbox: [Airspace.Output] = []
                airspace.receive(
                    kind, pool.take(passed), by: side.rawValue, at: now, pool: &pool, into: &outbox)
                handle(outbox)
            case .toHost(let side, let kind, let octets):
                received[side.rawValue].append(.packet(kind, octets))
                step(side, .received(kind, pool.take(octets)))
            }
        }
    }

    private mutating func handle(_ outbox: [Airspace.Output]) {
        for output in outbox {
            switch output {
            case .wake(let timer, let due): timers[queue.insert(due: due).slot] = .radio(timer)
            case .toHost(let number, let kind, let packet):
                let octets = pool.octets(of: packet)
                pool.release(packet)
                guard let side = Side(rawValue: number) else { continue }
                let packets = kind == .event ? odd[side]?.events(for: octets) ?? [octets] : [octets]
                for packet in packets { transfers.append(.toHost(side, kind, packet)) }
            }
        }
    }

    private mutating func step(_ side: Side, _ input: Host.Input) {
        var outbox: [Host.Output] = []
        hosts[side.rawValue].step(input, values: &values, at: now, pool: &pool, into: &outbox)
        for output in outbox {
            switch output {
            case .send(let kind, let packet):
                transfers.append(.toController(side, kind, pool.octets(of: packet)))
                pool.release(packet)
            case .wake(let due): timers[queue.insert(due: max(due, now)).slot] = .host(side)
            case .notified(_, _, let packet), .indicated(_, _, let packet):
                notified.append(pool.octets(of: packet))
                pool.release(packet)
            default: outputs[side.rawValue].append(output)
            }
        }
    }
}

extension Host.Input {
    /// An input of a host, without a pool.
    enum Recorded {
        case packet(PacketKind, [UInt8])
        case command(Host.Command)
        case wait(until: Instant)
    }
}

extension Host.Command {
    /// The command, with the host's random address.
    fileprivate var random: Host.Command {
        guard case .advertise(var parameters, let data, let scanResponse) = self else { return self }
        parameters.ownAddress = .random
        return .advertise(parameters, data: data, scanResponse: scanResponse)
    }
}
